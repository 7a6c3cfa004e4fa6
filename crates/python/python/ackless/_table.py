"""Tables of results."""

from __future__ import annotations

import html
from typing import Any

from . import _native


class Table:
    """A table of results: columns of whole numbers, numbers or texts, in any of which a value may be missing.

    It speaks the Arrow PyCapsule interface, so that ``polars.DataFrame(table)``, ``pyarrow.table(table)`` and ``pandas.DataFrame.from_arrow(table)``
    take it and share its memory. Without any of them, ``table["column"]`` is a list and ``to_dict()`` a dict of lists.
    """

    def __init__(self, native: _native.Table) -> None:
        self._native = native

    @property
    def column_names(self) -> list[str]:
        """The names of the columns; a unit is at the end of a name."""
        return self._native.column_names

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, name: str) -> list[Any]:
        return self._native.column(name)

    def to_dict(self) -> dict[str, list[Any]]:
        """Every column as a list, ``None`` where a value is missing."""
        return {name: self._native.column(name) for name in self.column_names}

    def rows(self) -> list[dict[str, Any]]:
        """Every row as a dict."""
        columns = self.to_dict()
        return [{name: column[n] for name, column in columns.items()} for n in range(len(self))]

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<ackless.Table of {len(self)} rows: {', '.join(self.column_names)}>"

    def _repr_html_(self) -> str:
        columns = self.to_dict()
        names = [name for name, column in columns.items() if any(value is not None for value in column)]
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        shown = min(len(self), _SHOWN)
        body = "".join(
            "<tr>" + "".join(f"<td>{_shown(columns[name][n])}</td>" for name in names) + "</tr>" for n in range(shown)
        )
        more = f"<p>{len(self) - shown} more rows</p>" if shown < len(self) else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return html.escape(f"{value:.4g}" if isinstance(value, float) else str(value))


_SHOWN = 50
"""How many rows a notebook shows."""
