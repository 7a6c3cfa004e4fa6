"""Scenarios from a name, a file, or nested dicts and lists."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from . import _native

if TYPE_CHECKING:
    from .keys_of import Sections

Value = Union[str, int, float, bool, Sequence[Union[str, int, float, bool]]]
"""The value of a key: as in a scenario file, with quantities as text that bears their unit (``"10ms"``, ``"54Mbps"``)."""

Source = Union[str, "os.PathLike[str]", "Sections", Mapping[str, Any], "Scenario"]
"""What a scenario can be made of."""


class Scenario:
    """A scenario: what ``run``, ``compare``, ``sweep`` and ``Cell`` take.

    ``source`` is the name of a built-in scenario, a file whose name ends in ``.toml``, or nested dicts: a dict for each section, and a list of dicts for
    one that may be repeated. ``set`` overrides keys, in every group of a repeated section (``"stations.count"``) or in one (``"stations.laptops.count"``).
    :func:`ackless.keys` says what keys there are, and ``ackless.keys_of`` has a type for the dict of each section.

        >>> Scenario("wifi-80211n", set={"stations.count": 10})
        >>> Scenario({"wifi": {"standard": "11ac"}, "stations": [{"name": "near"}, {"name": "far", "mcs": 2}]})

    Raises :class:`ValueError` for a key or a value that there is not, with its place and the remedy, and :class:`FileNotFoundError` for a file that there is
    not.
    """

    def __init__(self, source: Source, *, set: Mapping[str, Value] | None = None) -> None:
        overrides = [f"{text('set', key)}={literal(value, key)}" for key, value in pairs("set", set)]
        if isinstance(source, Scenario):
            name, toml, folder, before = source._made_of
            made_of = (name, toml, folder, before + overrides)
        elif isinstance(source, Mapping):
            made_of = ("scenario", toml_of(source), None, overrides)
        else:
            name = text("source", os.fspath(source) if isinstance(source, os.PathLike) else source)
            folder = os.path.dirname(os.path.abspath(name)) if name.endswith(".toml") else None
            made_of = (name, _native.text_of(name), folder, overrides)
        self._made_of: tuple[str, str, str | None, list[str]] = made_of
        self._native = _native.Scenario(*made_of)

    @property
    def name(self) -> str:
        """Its name, its file's, or ``scenario`` where it is made of dicts."""
        return self._made_of[0]

    @property
    def title(self) -> str:
        """What it is about, in one line."""
        return self._native.title

    @property
    def seeds(self) -> int:
        """How many seeds a comparison of it runs unless told otherwise."""
        return self._native.seeds

    @property
    def schemes(self) -> list[str]:
        """The schemes that a comparison of it has unless told otherwise."""
        return self._native.schemes

    def to_toml(self, scheme: str = "stock") -> str:
        """A file with every key and its meaning, as ``scheme`` has it."""
        return self._native.to_toml(scheme)

    def to_dict(self, scheme: str = "stock") -> dict[str, Any]:
        """Every key with its value, defaults included, as ``scheme`` has it: a dict for each section, a list of them for one that may be repeated."""
        values: dict[str, Any] = json.loads(self._native.to_json(scheme))
        return values

    def __reduce__(self) -> tuple[Any, ...]:
        return _scenario_of, self._made_of

    def __repr__(self) -> str:
        return f"<ackless.Scenario {self.name}{''.join(f', {override}' for override in self._made_of[3])}>"

    def _repr_html_(self) -> str:
        import html

        return f"<b>{html.escape(self.name)}</b>: {html.escape(self.title)}<pre>{html.escape(chr(10).join(self._made_of[3]))}</pre>"


def scenario(source: Source, set: Mapping[str, Value] | None) -> Scenario:
    """The scenario itself, where it is one and nothing overrides it."""
    return source if isinstance(source, Scenario) and not set else Scenario(source, set=set)


def text(what: str, value: Any) -> str:
    """Something that is text, and text that can be written: no half of a surrogate pair."""
    if not isinstance(value, str):
        raise ValueError(f"{what}={value!r}: expected text\n  help: ackless.scenarios(), ackless.schemes() and ackless.keys() list names")
    if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError(f"{what}={value!r}: half of a surrogate pair is no letter\n  help: leave it out")
    return value


def pairs(what: str, values: Any) -> list[tuple[str, Any]]:
    """Keys with their values, from a dict or from nothing."""
    if values is None:
        return []
    if not isinstance(values, Mapping):
        raise ValueError(f"{what}={values!r}: expected a dict of keys\n  help: for example {what}={{'stations.count': 10}}")
    return [(text(what, key), value) for key, value in values.items()]


def literal(value: Any, key: str, *, quoted: bool = False) -> str:
    """A value as text: as an override gives it, or, ``quoted``, within a file or a list."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(text(key, value), ensure_ascii=False) if quoted else text(key, value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(item_of(item, key) for item in value)}]"
    try:
        # Numbers of numpy too, and no text that reads like one.
        number = None if isinstance(value, (bytes, bytearray)) else value.__index__() if hasattr(value, "__index__") else float(value)
    except Exception:  # noqa: BLE001
        number = None
    if number is None:
        raise ValueError(
            f"{key}: {value!r} is no value of a key\n  help: give text with a unit such as '10ms', a number, True or False, or a list of them"
        )
    return repr(number)


def item_of(item: Any, key: str) -> str:
    """An item of a list as text; a list is none."""
    if isinstance(item, (list, tuple)):
        raise ValueError(f"{key}: a list within a list is no value of a key\n  help: give one list of texts, numbers, True or False")
    return literal(item, key, quoted=True)


def toml_of(sections: Mapping[str, Any]) -> str:
    """Nested dicts and lists as the text of a file."""
    lines: list[str] = []
    for section, content in sections.items():
        groups = content if isinstance(content, (list, tuple)) else [content]
        header = f"[[{section_name(section)}]]" if isinstance(content, (list, tuple)) else f"[{section_name(section)}]"
        for group in groups:
            if not isinstance(group, Mapping):
                raise ValueError(
                    f"{section}: {group!r} is no section\n  help: give a dict of keys, or a list of dicts for a section that may be repeated"
                )
            lines.append(header)
            lines += [f"{section_name(key)} = {literal(value, f'{section}.{key}', quoted=True)}" for key, value in group.items()]
    return "\n".join(lines) + "\n"


def section_name(name: Any) -> str:
    """A name as TOML has it."""
    written = text("section or key", str(name))
    bare = written.replace("_", "a").replace("-", "a")
    return written if bare.isascii() and bare.isalnum() else json.dumps(written, ensure_ascii=False)


def _scenario_of(name: str, toml: str, folder: str | None, overrides: list[str]) -> Scenario:
    """What a pickled scenario is made of again."""
    made = Scenario.__new__(Scenario)
    made._made_of = (name, toml, folder, overrides)
    made._native = _native.Scenario(name, toml, folder, overrides)
    return made
