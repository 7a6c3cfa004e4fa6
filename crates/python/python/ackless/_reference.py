"""What there is: schemes, scenarios, keys, closed forms."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from typing import Any

from . import _native
from ._scenario import text


@dataclass(frozen=True)
class Key:
    """A key of a scenario."""

    section: str
    """Its section."""
    name: str
    """Its name within the section."""
    default: str
    """Its default, as TOML."""
    allowed: str
    """What it may be set to."""
    meaning: str
    """What it means."""
    repeated: bool
    """Whether its section may be repeated."""


def schemes(name: str | None = None) -> dict[str, str] | str:
    """What ``scheme=`` and ``schemes=`` can name, each with what it is; or all that there is to say of the one called ``name``."""
    return dict(_native.rows()) if name is None else _native.show_scheme(text("name", name))


def scenarios() -> dict[str, str]:
    """The built-in scenarios, each with what it is about."""
    return dict(_native.scenarios())


def keys(section: str | None = None) -> list[Key]:
    """Every key of a scenario, or those of one section."""
    found = [
        Key(name, key, default, allowed, meaning, repeated)
        for name, repeated, _, keys in _native.keys()
        for key, default, allowed, meaning in keys
        if section in (None, name)
    ]
    if not found:
        names = ", ".join(name for name, *_ in _native.keys())
        raise ValueError(f"{section}: no section is called so\n  help: the sections are {names}")
    return found


class Theory:
    """What theory says, without a simulation."""

    def __init__(self, text: str, json_text: str) -> None:
        self._text = text
        self._json = json_text

    def to_dict(self) -> dict[str, Any]:
        """The object of ``ackless model --json``."""
        found: dict[str, Any] = json.loads(self._json)
        return found

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"


def model(question: str, **options: Any) -> Theory:
    """What theory says, as ``ackless model`` does: ``model("hack", standard="n")``, and likewise ``"ack-agent"``, ``"ack-filter"``, ``"arq-proxy"`` and ``"tack"``.

    Options are those of the command, ``_`` for ``-``; a list is given as one, and ``True`` for an option that takes no value.
    """
    if not isinstance(question, str) or question.startswith("-"):
        raise ValueError(f"{question!r}: no question is called so\n  help: the questions are hack, ack-agent, ack-filter, arq-proxy and tack")
    arguments = [question]
    for name, value in options.items():
        if value is None or value is False:
            continue
        option = f"--{name.replace('_', '-')}"
        if option in ("--json", "--out", "--overwrite", "--help", "--version"):
            raise ValueError(f"{name}: this is for the command only\n  help: to_dict() has the JSON, and str() the text")
        given = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        arguments.append(option if value is True else f"{option}={given}")
    return Theory(*_native.model(arguments))
