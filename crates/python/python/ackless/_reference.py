"""What there is: schemes, scenarios, keys."""

from __future__ import annotations

from dataclasses import dataclass

from . import _native


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
    return dict(_native.rows()) if name is None else _native.show_scheme(name)


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
