"""What tests share."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Command:
    """The ``ackless`` command, to compare with."""

    def __init__(self, program: pathlib.Path) -> None:
        self.program = program

    def text(self, *arguments: str) -> str:
        # Of what the interpreter was started with: readline, which pytest imports, exports COLUMNS behind its back.
        environment = dict(os.environ)
        run = subprocess.run([self.program, *arguments], check=True, capture_output=True, text=True, env=environment)
        return run.stdout

    def json(self, *arguments: str) -> Any:
        return json.loads(self.text(*arguments))


@pytest.fixture(scope="session")
def command() -> Command:
    """The command of this checkout: ``ACKLESS``, or the release build."""
    program = pathlib.Path(os.environ.get("ACKLESS", ROOT / "target/release/ackless"))
    if not program.exists():
        pytest.fail(f"{program} is not there: build it with `cargo build --release`, or name another in ACKLESS")
    return Command(program)


def without_wall_time(value: Any) -> Any:
    """The same without how long runs took."""
    if isinstance(value, dict):
        return {key: without_wall_time(inner) for key, inner in value.items() if key != "wall_seconds"}
    return [without_wall_time(inner) for inner in value] if isinstance(value, list) else value
