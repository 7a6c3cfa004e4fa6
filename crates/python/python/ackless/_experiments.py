"""Runs, comparisons and sweeps."""

from __future__ import annotations

import html
import json
import os
import pathlib
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Union

from . import _native
from ._executors import Progress, distributed
from ._scenario import Source, Value, literal, pairs, scenario, text
from ._table import Table

Values = Union[str, Sequence[Value]]
"""The values of a key that is swept: a list, or text as the command takes it (``"1,2,5"``, ``"0..7"``)."""


class Run:
    """What one run found. ``to_dict()`` is the object of ``ackless run --json`` without ``wall_seconds``, and its keys are attributes too."""

    def __init__(
        self, text: str, timeline: tuple[_native.Table, _native.Table] | None = None, wall_seconds: float | None = None
    ) -> None:
        self._text = text
        self._timeline = timeline
        self.wall_seconds = wall_seconds
        """How long the simulator took, in seconds; nothing of a run in steps. It is no part of the result."""

    @cached_property
    def _data(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self._text)
        return data

    @cached_property
    def _tables(self) -> dict[str, Table]:
        return {name: Table(table) for name, table in _native.run_tables(self._text)}

    def to_dict(self) -> dict[str, Any]:
        """All of it."""
        found: dict[str, Any] = json.loads(self._text)
        return found

    def to_json(self) -> str:
        """All of it as JSON."""
        return self._text

    @property
    def goodput_mbps(self) -> float:
        """Application bytes that arrived in the measured window, of all flows, in Mbit/s."""
        return float(self._data["goodput_mbps"])

    @property
    def flows(self) -> Table:
        """A row for each flow: goodput in Mbit/s, round-trip times in milliseconds, retransmissions, and more."""
        return self._tables["flows"]

    @property
    def pings(self) -> Table:
        """A row for each ping: round-trip times in milliseconds."""
        return self._tables["pings"]

    @property
    def nodes(self) -> Table:
        """A row for each node, the AP first: what it counted in the measured window."""
        return self._tables["nodes"]

    @property
    def counters(self) -> dict[str, int]:
        """What all nodes together counted in the measured window."""
        counters: dict[str, int] = self._data["counters"]["total"]
        return counters

    @property
    def airtime(self) -> dict[str, float]:
        """Where the time of the measured window went, in percent by class; together they are 100."""
        classes = {name: nanos for name, nanos in self._data["airtime_ns"].items() if isinstance(nanos, int)}
        total = sum(classes.values())
        return {name: 100.0 * nanos / total if total else 0.0 for name, nanos in classes.items()}

    @property
    def cautions(self) -> list[dict[str, Any]]:
        """What must be known before the figures are believed."""
        cautions: list[dict[str, Any]] = self._data["cautions"]
        return cautions

    @property
    def timeline(self) -> Table:
        """What was on the air: a row for each PPDU and each stretch of silence, with times in nanoseconds. Only of a run with ``timeline=``."""
        return Table(self._recorded()[0])

    @property
    def series(self) -> Table:
        """How each flow stood at the end of each interval: congestion window in bytes, smoothed round-trip time in nanoseconds, goodput in bit/s, and packets
        queued. Only of a run with ``timeline=``."""
        return Table(self._recorded()[1])

    def _recorded(self) -> tuple[_native.Table, _native.Table]:
        if self._timeline is None:
            raise ValueError("the run was not recorded\n  help: run it with timeline=True, or timeline='10ms' for the interval of its series")
        return self._timeline

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._data:
            return self._data[name]
        raise AttributeError(f"a run has no `{name}`; to_dict() has {', '.join(self._data) if not name.startswith('_') else 'all of it'}")

    def __reduce__(self) -> tuple[Any, ...]:
        return Run, (self._text,)

    def __repr__(self) -> str:
        return f"<ackless.Run of {self._data['scheme']}, seed {self._data['seed']}: {self.goodput_mbps:.2f} Mbps>"

    def _repr_html_(self) -> str:
        cautions = "".join(f"<li>{html.escape(str(caution.get('text', caution)))}</li>" for caution in self.cautions)
        head = f"<b>{html.escape(str(self._data['scheme']))}</b>, seed {self._data['seed']}: {self.goodput_mbps:.2f} Mbps"
        return f"{head}<ul>{cautions}</ul>{self.flows._repr_html_()}"


class Comparison:
    """Rows against each other."""

    def __init__(
        self,
        text: str,
        json_text: str,
        svg: str,
        table: _native.Table,
        runs: _native.Table,
        flows: _native.Table,
    ) -> None:
        self._parts = (text, json_text, svg)
        self.table: Table = Table(table)
        """A row for each scheme: the mean over the seeds of every figure, and half its 95 % interval in the column that ends in ``_ci95``."""
        self.runs: Table = Table(runs)
        """A row for each run."""
        self.flows: Table = Table(flows)
        """A row for each flow of each scheme: what it gets, what it is offered and its fair share in Mbit/s, each with
        mean and interval, and in how many runs it is dead (nothing arrives though there is data to send) or starved
        (less than a quarter of its fair share arrives)."""

    @property
    def finding(self) -> str:
        """What was found, in the sentence that stands over the tables: dead and starved flows first."""
        return str(json.loads(self._parts[1])["finding"])

    def to_dict(self) -> dict[str, Any]:
        """The object of ``ackless compare --json`` without ``wall_seconds``."""
        found: dict[str, Any] = json.loads(self._parts[1])
        return found

    @property
    def svg(self) -> str:
        """The picture that ``ackless compare --out`` writes."""
        return self._parts[2]

    def __str__(self) -> str:
        return self._parts[0]

    def __repr__(self) -> str:
        return f"<ackless.Comparison of {', '.join(str(name) for name in self.table['scheme'])}: {self.finding}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._parts[0])}</pre>"


class Sweep:
    """Every point of a grid, in every row, with every seed."""

    def __init__(
        self,
        text: str,
        table: _native.Table,
        runs: _native.Table,
        names: list[str],
        ran: int,
        resumed: int,
        left_out: list[tuple[str, str]],
    ) -> None:
        self._text = text
        self.table: Table = Table(table)
        """A row for each point and scheme, as ``sweep.csv`` has it: means over the seeds, with half their 95 % intervals."""
        self.runs: Table = Table(runs)
        """A row for each run, as ``runs.csv`` has it."""
        self.names = names
        """The name of each of these runs: a hash of its scenario, row, seed and the version of Ackless."""
        self.ran = ran
        """How many runs were made."""
        self.resumed = resumed
        """How many were there already."""
        self.left_out = left_out
        """The schemes that were left out of ``schemes="all"``, and why."""

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes every run as one Parquet file, a row for each, whose name is in the column ``run``. It needs pyarrow, and is written aside and renamed."""
        import pyarrow
        import pyarrow.parquet

        table = pyarrow.table(self.runs).add_column(0, "run", pyarrow.array(self.names))
        aside = pathlib.Path(path).with_name(f".ackless-{pathlib.Path(path).name}")
        pyarrow.parquet.write_table(table, aside)
        os.replace(aside, path)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<ackless.Sweep of {len(self.runs)} runs: {self.ran} made, {self.resumed} resumed>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"


def run(
    source: Source = "wifi-80211n",
    *,
    scheme: str = "stock",
    seed: int = 1,
    set: Mapping[str, Value] | None = None,
    timeline: bool | str = False,
) -> Run:
    """Runs a scenario once, as ``ackless run`` does: the same seed gives the same figures.

    ``source`` is a built-in scenario's name, a file, nested dicts, or a :class:`Scenario`; ``set`` overrides its keys. ``scheme`` is what is laid over it, by
    default nothing. ``seed`` is from 0 to 2**64 - 1. ``timeline=True`` records what the air does and how each flow stands every 10 ms, or every so much as it
    says: ``timeline="1ms"``.

    Other threads of Python go on meanwhile, and two that run cells use two cores. Raises :class:`ValueError` for a mistake.
    """
    return Run(*_native.run(scenario(source, set)._native, text("scheme", scheme), whole("seed", seed, 2**64 - 1), interval(timeline)))


def compare(
    source: Source = "wifi-80211n",
    *,
    schemes: Sequence[str] | str = (),
    vary: Mapping[str, Values] | None = None,
    seeds: int | None = None,
    set: Mapping[str, Value] | None = None,
    threads: int = 0,
) -> Comparison:
    """Runs a scenario in several schemes, or with several values of a key, and shows them side by side, as ``ackless compare`` does.

    ``schemes`` are rows' names (:func:`ackless.schemes`), or ``"all"`` for every one that makes sense; by default those of the scenario. ``vary`` has values of
    keys to compare. ``seeds`` are counted from 1; by default as many as the scenario says. ``threads=0`` takes one for each core; results do not depend on it.
    """
    return Comparison(
        *_native.compare(
            scenario(source, set)._native, names(schemes), axes("vary", vary), count("seeds", seeds, 10_000), whole("threads", threads, 1_024)
        )
    )


def sweep(
    source: Source = "wifi-80211n",
    *,
    over: Mapping[str, Values] | None = None,
    schemes: Sequence[str] | str = (),
    seeds: int | None = None,
    set: Mapping[str, Value] | None = None,
    out: str | os.PathLike[str] | None = None,
    executor: Any = None,
    shared: bool = True,
    retries: int = 100,
    threads: int = 0,
    overwrite: bool = False,
    progress: Progress | bool = False,
) -> Sweep:
    """Runs a scenario at every point of a grid, in every scheme, with every seed, as ``ackless sweep`` does, and keeps each run in the folder ``out``, so that
    the same call, or the command, goes on from there after whatever has ended it. Without ``out`` nothing is kept.

    ``over`` has the values of each key: ``{"stations.count": [1, 2, 5], "wifi.mcs": "0..7"}``.

    By default the runs are made on ``threads`` of this process. ``executor`` is an executor of ``concurrent.futures`` or a ``dask.distributed.Client``, whose
    workers then make them, in tasks of some seconds; their processes must start by spawn or forkserver. ``shared`` says that workers see the folder ``out`` under
    the same name, so that a run is safe once it is made; with ``shared=False`` results come back with their tasks. A task that comes to nothing, since
    its worker died or was lost, is tried again in halves, up to ``retries`` times for each run: the scheduler's own limits do not count. ``progress`` is called with
    how many runs are there and how many there will be; ``True`` prints it on standard error.
    """
    if out is not None and not isinstance(out, (str, os.PathLike)):
        raise ValueError(f"out={out!r}: expected the name of a folder\n  help: leave it out to keep nothing")
    if not isinstance(progress, bool) and not callable(progress):
        raise ValueError(f"progress={progress!r}: expected True, False, or a function\n  help: progress=lambda there, total: print(there, total)")
    tries = whole("retries", retries, 2**31)
    arguments = (scenario(source, set), names(schemes), axes("over", over), count("seeds", seeds, 10_000))
    spread = whole("threads", threads, 1_024)
    with tempfile.TemporaryDirectory(prefix="ackless-") as temporary:
        folder = pathlib.Path(temporary if out is None else out)
        native = (arguments[0]._native, *arguments[1:])
        ran = 0
        if executor is not None:
            cells = _native.plan(*native, str(folder), overwrite)
            ran = distributed(
                arguments[0],
                cells,
                executor,
                folder,
                shared=shared,
                retries=tries,
                progress=printed if progress is True else (progress or None),
            )
        # What is there already is taken as it is.
        parts = _native.sweep(*native, spread, str(folder), overwrite)
        found = Sweep(*parts)
        found.ran, found.resumed = found.ran + ran, found.resumed - ran
        return found


def printed(there: int, total: int) -> None:
    """Progress on standard error."""
    print(f"\r{there}/{total} runs", end="\n" if there == total else "", file=sys.stderr, flush=True)


def names(schemes: Sequence[str] | str) -> list[str]:
    """Names of schemes, as a list or divided by commas."""
    try:
        listed = schemes.split(",") if isinstance(schemes, str) else list(schemes)
    except TypeError:
        raise ValueError(f"schemes={schemes!r}: expected names of schemes\n  help: for example schemes=['tcp', 'hack']") from None
    return [text("schemes", name).strip() for name in listed]


def axes(what: str, values: Mapping[str, Values] | None) -> list[str]:
    """Axes as the command takes them."""
    made: list[str] = []
    for key, given in pairs(what, values):
        if isinstance(given, str):
            made.append(f"{key}={text(key, given)}")
            continue
        try:
            listed = list(given)
        except TypeError:
            raise ValueError(f"{key}: {given!r} is no list of values\n  help: write {{{key!r}: [{given!r}]}}") from None
        made.append(f"{key}={','.join(literal(value, key) for value in listed)}")
    return made


def whole(what: str, number: Any, most: int) -> int:
    """A whole number from 0 to ``most``."""
    try:
        found = int(number.__index__())
    except (AttributeError, TypeError):
        raise ValueError(f"{what}={number!r}: expected a whole number from 0 to {most}") from None
    if not 0 <= found <= most:
        raise ValueError(f"{what}={number!r}: expected a whole number from 0 to {most}")
    return found


def count(what: str, number: int | None, most: int) -> int | None:
    """A whole number from 1 to ``most``, or nothing."""
    if number is None:
        return None
    found = whole(what, number, most)
    if found == 0:
        raise ValueError(f"{what}=0: expected a whole number from 1 to {most}")
    return found


def interval(timeline: bool | str) -> int | None:
    """The interval of a timeline in nanoseconds, if there is one."""
    if timeline is False or timeline is None:
        return None
    return _native.nanoseconds("timeline", "10ms" if timeline is True else str(timeline))
