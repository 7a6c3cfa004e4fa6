"""A cell that goes step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Union

from . import _native
from ._experiments import Run, interval, whole
from ._scenario import Source, Value, literal, scenario, text

Time = Union[str, int, float]
"""A time: text with its unit (``"10ms"``, ``"1.5s"``), or seconds."""


@dataclass(frozen=True)
class Flow:
    """A flow as it stands now."""

    name: str
    """Its name."""
    station: str
    """The name of its station."""
    cwnd: int | None
    """The congestion window of its sender in bytes; ``None`` for UDP, and before there is a connection."""
    srtt: float | None
    """The smoothed round-trip time of its sender in seconds, once it has measured one."""
    goodput: float
    """What its application got in the last step, in Mbit/s."""
    queue: int
    """Packets in the first MAC queue on its way, those of other flows with the same next hop included."""
    delivered: int
    """Bytes that its application has got since the start of the run."""
    pacing: float | None
    """How fast its sender lets data go in Mbit/s, where it is paced."""
    bandwidth: float | None
    """The bandwidth that its sender takes the path to have in Mbit/s, if it has such a model."""


class Cell:
    """A run that goes step by step, and whose knobs can be turned between two steps.

        >>> cell = ackless.Cell("wifi-80211n", seed=1)
        >>> cell.step("10ms")
        >>> cell.flows[0].cwnd
        >>> cell.set("stations.sta-1.mcs", 3)

    A run in steps of any size is the same run, byte for byte. It ends after ``run.warm_up`` and ``run.measured`` of its scenario. One thread at a time may use
    a cell; threads with a cell each use a core each.
    """

    def __init__(
        self,
        source: Source = "wifi-80211n",
        *,
        scheme: str = "stock",
        seed: int = 1,
        set: Mapping[str, Value] | None = None,
        timeline: bool | str = False,
    ) -> None:
        self._native = _native.Cell(
            scenario(source, set)._native, text("scheme", scheme), whole("seed", seed, 2**64 - 1), interval(timeline)
        )

    @property
    def now(self) -> float:
        """The time since the start of the run, in seconds."""
        return self._native.now / 1e9

    @property
    def window(self) -> tuple[float, float]:
        """When the warm-up ends and when the run does, in seconds."""
        begin, end = self._native.window
        return begin / 1e9, end / 1e9

    @property
    def is_over(self) -> bool:
        """Whether the run has come to its end."""
        return self._native.now >= self._native.window[1]

    def step(self, span: Time = "10ms") -> float:
        """Lets this much time pass, or what is left of the run; says what time it is, in seconds. Ctrl-C stops it on the way, and it may go on from there."""
        return self._native.run_until(min(self._native.now + nanoseconds("span", span), 2**63)) / 1e9

    def run_until(self, time: Time) -> float:
        """Lets time pass to this time since the start, or to the end of the run; says what time it is, in seconds. A time that has passed does nothing."""
        return self._native.run_until(nanoseconds("time", time)) / 1e9

    @property
    def flows(self) -> list[Flow]:
        """Every flow as it stands now, in the order of the scenario."""
        span = self._native.last_step
        return [
            Flow(
                name,
                station,
                cwnd,
                None if srtt is None else srtt / 1e9,
                fresh * 8e3 / span if span else 0.0,
                queued,
                delivered,
                None if pacing is None else pacing / 1e6,
                None if bandwidth is None else bandwidth / 1e6,
            )
            for name, station, cwnd, srtt, queued, delivered, fresh, pacing, bandwidth in self._native.flows
        ]

    @property
    def airtime(self) -> dict[str, float]:
        """Where the time of the measured window has gone so far, in seconds by class; what lasts now is in none yet. Nothing in the warm-up: with
        ``run.warm_up="0s"`` there is none."""
        return {name: nanos / 1e9 for name, nanos in self._native.airtime}

    @property
    def counters(self) -> dict[str, int]:
        """What all nodes together have counted in the measured window so far."""
        return self.so_far().counters

    @property
    def events(self) -> int:
        """How many events have been processed."""
        return self._native.events

    def so_far(self) -> Run:
        """What the run has shown until now, of the window until now. What the scheme has counted (``hack``, ``rival``) and neighbouring cells come with :meth:`finish`."""
        return Run(self._native.so_far())

    def finish(self) -> Run:
        """Ends the run where it is. After ``run_until`` the end it is what :func:`ackless.run` gives; before, its window is shorter."""
        return Run(*self._native.finish())

    def set(self, key: str, value: Value) -> None:
        """Changes a key from now on; the run is no longer that of its scenario and seed alone.

        - ``stations.NAME.mcs``, ``.streams``, ``.guard_interval``, ``.rate``: from the next PPDU on, where no rate control chooses (``rate_control=fixed``);
        - ``stations.NAME.snr``, ``.air_loss``, ``.outage``: as a step of the scenario changes the air;
        - ``wired.rate``, ``.delay``, ``.loss``, also ``down_`` and ``up_`` alone: for packets that come to the wire from now on;
        - ``wired.new_options``, also ``down_`` and ``up_`` alone: for packets that leave the wire from now on;
        - ``flows.NAME.ack``: when a TCP flow acknowledges (``4``, ``"per-packet"``, ``"linux"``); what is held back is acknowledged now. Not with TACK.

        ``NAME`` is one station or flow, or a group of them; without it, all are meant. What cannot be set, or not to this, is a :class:`ValueError`, and changes
        nothing.
        """
        self._native.set(text("key", key), literal(value, key))

    def __repr__(self) -> str:
        return f"<ackless.Cell at {self.now:.6f} s of {self.window[1]:g} s>"


def nanoseconds(what: str, time: Time) -> int:
    """A time in nanoseconds."""
    if isinstance(time, str):
        return _native.nanoseconds(what, time)
    try:
        found = round(float(time) * 1e9)
    except (TypeError, ValueError, OverflowError):
        found = -1
    if not 0 <= found < 2**63:
        raise ValueError(f"{what}={time!r}: expected a time: text with its unit such as '10ms', or seconds from 0 up")
    return found
