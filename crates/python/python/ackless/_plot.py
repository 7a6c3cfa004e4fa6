"""One plotting helper, on matplotlib."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Union

from . import _native
from ._experiments import Comparison, Run, Sweep
from ._table import Table


def plot(results: Union[Run, Comparison, Sweep, Table], y: str | None = None, *, x: str | None = None, ax: Any = None) -> Any:
    """Draws results with matplotlib and gives back the axes.

    A comparison is bars with their 95 % intervals, a sweep a line for each scheme over its first key (or ``x``); ``y`` is a column of their tables, by default the
    goodput. A run with a timeline shows how its flows stood over time; ``y`` is then a column of its series, by default the congestion window. The columns of a
    table are drawn as they are.
    """
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plot() needs matplotlib\n  help: pip install 'ackless[plot]'") from error
    if ax is None:
        _, ax = pyplot.subplots(layout="constrained")
    if isinstance(results, Run):
        table, x, y, by = results.series, x or "end_ns", y or "cwnd_bytes", "flow"
    elif isinstance(results, Comparison):
        return bars(results.table, column(results.table, y or "goodput_mbps"), ax)
    elif isinstance(results, Sweep):
        table, y, by = results.table, y or "goodput_mbps", "scheme"
        keys = table.column_names[: table.column_names.index("scheme")]
        if x is None and not keys:
            return bars(table, y, ax)
        x = x or keys[0]
    elif not isinstance(results, Table):
        raise ValueError(f"{results!r}: nothing to draw\n  help: give what run, compare or sweep gives back, or a table of it")
    else:
        table, x, y, by = results, x or results.column_names[0], y or results.column_names[-1], None
    lines(table, column(table, x), column(table, y), by, ax)
    return ax


def column(table: Table, name: str) -> str:
    """The name of a column that there is."""
    if name not in table.column_names:
        raise ValueError(f"{name}: no column is called so\n  help: there are {', '.join(table.column_names)}")
    return name


def bars(table: Table, y: str, ax: Any) -> Any:
    """A bar for each row of a comparison."""
    keys = table.column_names[: table.column_names.index("scheme")]
    labels = [" ".join([*(str(row[key]) for key in keys), row["scheme"]]) + harm(row) for row in table.rows()]
    spread = table[f"{y}_ci95"] if f"{y}_ci95" in table.column_names else [None] * len(table)
    shown = [look(row["scheme"]) for row in table.rows()]
    ax.bar(
        labels,
        [value or 0.0 for value in table[y]],
        yerr=[half or 0.0 for half in spread],
        capsize=3,
        color=[colour for colour, _ in shown],
        hatch=[HATCHES[mark] for _, mark in shown],
        edgecolor="white",
    )
    ax.set_ylabel(y)
    ax.tick_params(axis="x", rotation=60)
    return ax


def lines(table: Table, x: str, y: str, by: str | None, ax: Any) -> None:
    """A line for each value of the column ``by``."""
    columns = table.to_dict()
    groups = columns[by] if by else [""] * len(table)
    spread = columns.get(f"{y}_ci95", [None] * len(table))
    for group in dict.fromkeys(groups):
        points = [
            (at / 1e9 if x == "end_ns" else at, value, half or 0.0)
            for at, value, half, own in zip(columns[x], columns[y], spread, groups)
            if own == group and value is not None
        ]
        if not points:
            continue
        style: dict[str, Any] = {}
        if by == "scheme":
            colour, mark = look(str(group))
            style = {"color": colour, "linestyle": LINES[mark], "marker": POINTS[mark], "markersize": 4}
        ax.errorbar(*zip(*points), label=group, capsize=3, **style)
    if by == "scheme" and {"dead_flows", "starved_flows"} <= columns.keys():
        ends = zip(columns[x], columns[y], columns["dead_flows"], columns["starved_flows"])
        harmed = [(at, value) for at, value, dead, starved in ends if value is not None and (dead or starved)]
        if harmed:
            ax.plot(*zip(*harmed), "kx", label="dead or starved flows")
    ax.set_xlabel("seconds" if x == "end_ns" else x)
    ax.set_ylabel(y)
    if by:
        ax.legend()


def harm(row: dict[str, Any]) -> str:
    """How many flows of a row are dead or starved in a run on average, for its label."""
    words = [f"{row[f'{word}_flows']:.2g} {word}" for word in ("dead", "starved") if row.get(f"{word}_flows")]
    return f"\n{', '.join(words)}" if words else ""


@lru_cache(maxsize=None)
def look(scheme: str) -> tuple[str, str]:
    """The colour and the mark of a scheme, which are the same in every picture."""
    return {name: (colour, mark) for name, colour, mark in _native.looks()}[scheme]


HATCHES = {"plain": "", "dashed": "//", "dotted": "..", "mixed": "xx"}
LINES = {"plain": "-", "dashed": "--", "dotted": ":", "mixed": "-."}
POINTS = {"plain": "o", "dashed": "^", "dotted": "s", "mixed": "D"}
