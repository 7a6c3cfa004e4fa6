"""What is wrong is said, with its place and the remedy, and nothing takes the interpreter down."""

import _thread
import math
import pathlib
import threading
import time
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as some

import ackless

CELL = ackless.Cell("wifi-80211n", set={"run.measured": "50ms", "run.warm_up": "0s", "flows.stagger": "0s"})
TINY = {"run.measured": "5ms", "run.warm_up": "1ms", "flows.stagger": "0s"}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ackless.run("wifi-80211m"), ["wifi-80211m", "did you mean"]),
        (lambda: ackless.run("wifi-80211n", set={"wifi.msc": 3}), ["wifi.msc=3", "did you mean `mcs`"]),
        (lambda: ackless.run("wifi-80211n", set={"wifi.mcs": 99}), ["wifi.mcs", "0 to 31"]),
        (lambda: ackless.run("wifi-80211n", set={"wired.rate": None}), ["wired.rate", "text with a unit"]),
        (lambda: ackless.run("wifi-80211n", scheme="hak"), ["hak", "did you mean `hack`"]),
        (lambda: ackless.run("wifi-80211n", seed=-1), ["seed=-1", "0 to 18446744073709551615"]),
        (lambda: ackless.run("wifi-80211n", seed=2**64), ["seed=", "0 to"]),
        (lambda: ackless.run("wifi-80211n", timeline="10"), ["timeline=10", "for example 5ms"]),
        (lambda: ackless.run({"wifi": {"msc": 3}}), ["scenario:2:1", "msc = 3", "did you mean `mcs`"]),
        (lambda: ackless.run({"wlan": {}}), ["wlan"]),
        (lambda: ackless.run({"wifi": 3}), ["wifi", "give a dict"]),
        (lambda: ackless.run({"stations": [{"count": object()}]}), ["stations.count", "no value of a key"]),
        (lambda: ackless.compare("wifi-80211n", schemes=["tcp", "tcp"]), ["schemes tcp,tcp", "each scheme once"]),
        (lambda: ackless.compare("wifi-80211n", vary={"wifi.mcs": []}), ["vary wifi.mcs="]),
        (lambda: ackless.compare("wifi-80211n", vary={"wifi.mcs": 3}), ["wifi.mcs", "[3]"]),
        (lambda: ackless.sweep("wifi-80211n", over={"wifi.mcs": "7..0"}), ["over wifi.mcs=7..0", "smaller end first"]),
        (lambda: ackless.sweep("wifi-80211n", seeds=0), ["seeds=0", "from 1"]),
        (lambda: ackless.sweep("wifi-80211n", executor=3), ["executor", "concurrent.futures"]),
        (lambda: ackless.model("hack", standard="z"), ["standard", "possible values: a, n"]),
        (lambda: ackless.model("hak"), ["hak"]),
        (lambda: ackless.model("hack", out="x"), ["out", "to_dict"]),
        (lambda: ackless.keys("wfi"), ["wfi", "wifi"]),
        (lambda: ackless.schemes("hak"), ["hak", "did you mean `hack`"]),
        # Of no type that there is a place for.
        (lambda: ackless.run(None), ["source=None", "ackless.scenarios()"]),
        (lambda: ackless.run([]), ["source=[]", "expected text"]),
        (lambda: ackless.run("\ud800"), ["source=", "surrogate"]),
        (lambda: ackless.run("wifi-80211n", set=["wifi.mcs"]), ["set=['wifi.mcs']", "expected a dict"]),
        (lambda: ackless.run("wifi-80211n", set={3: 3}), ["set=3", "expected text"]),
        (lambda: ackless.run("wifi-80211n", set={"run.title": "\ud800"}), ["run.title", "surrogate"]),
        (lambda: ackless.run("wifi-80211n", set={"wifi.mcs": b"3"}), ["wifi.mcs", "no value of a key"]),
        (lambda: ackless.run("wifi-80211n", set={"wifi.mcs": math.nan}), ["wifi.mcs=nan", "whole number"]),
        (lambda: ackless.run("wifi-80211n", set={"wired.loss": math.inf}), ["wired.loss", "from 0 to 1"]),
        (lambda: ackless.run("wifi-80211n", set={"wired.delay": 5}), ["wired.delay=5", "the unit is missing"]),
        (lambda: ackless.run({"wifi": {"basic_rates": [["6Mbps"]]}}), ["wifi.basic_rates", "list within a list"]),
        (lambda: ackless.run("wifi-80211n", scheme=["hack"]), ["scheme=['hack']", "ackless.schemes()"]),
        (lambda: ackless.run("wifi-80211n", seed=1.5), ["seed=1.5", "whole number"]),
        (lambda: ackless.compare("wifi-80211n", schemes=3), ["schemes=3", "names of schemes"]),
        (lambda: ackless.compare("wifi-80211n", vary=["wifi.mcs"]), ["vary=['wifi.mcs']", "expected a dict"]),
        (lambda: ackless.compare("wifi-80211n", threads=10**9), ["threads=1000000000", "0 to 1024"]),
        (lambda: ackless.sweep("wifi-80211n", out=3), ["out=3", "folder"]),
        (lambda: ackless.sweep("wifi-80211n", retries=-1), ["retries=-1", "whole number"]),
        (lambda: ackless.sweep("wifi-80211n", progress=3), ["progress=3", "a function"]),
        (lambda: ackless.plot(3), ["3", "run, compare or sweep"]),
        (lambda: CELL.set(None, 3), ["key=None", "expected text"]),
        (lambda: CELL.set("wired.rate", "0bps"), ["wired.down_rate", "greater"]),
        (lambda: CELL.set("stations.nobody.mcs", 1), ["stations.nobody.mcs", "sta-1"]),
        (lambda: CELL.set("flows.ack", 0), ["flows.ack=0", "from 1 to 1000"]),
        (lambda: CELL.step(math.nan), ["span=nan", "seconds from 0 up"]),
    ],
)
def test_a_mistake_names_its_place_and_the_remedy(call: Any, words: list[str]) -> None:
    with pytest.raises(ValueError) as caught:
        call()
    for word in words:
        assert word in str(caught.value), str(caught.value)
    assert "--" not in str(caught.value), "options are the command's"


def test_a_file_that_is_not_there_is_not_found(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing\.toml"):
        ackless.run(tmp_path / "nothing.toml")


def test_a_folder_with_other_results_is_not_replaced(tmp_path: pathlib.Path) -> None:
    first = {"over": {"wired.delay": ["1ms", "2ms"]}, "schemes": "tcp", "seeds": 1, "set": TINY}
    ackless.sweep("wifi-80211n", out=tmp_path, **first)
    with pytest.raises(ValueError, match="overwrite=True"):
        ackless.sweep("wifi-80211b", out=tmp_path, **first)
    assert len(ackless.sweep("wifi-80211b", out=tmp_path, overwrite=True, **first).runs) == 2


@pytest.mark.parametrize("what", ["run", "compare", "sweep", "step"])
def test_other_threads_go_on_while_a_cell_runs_and_ctrl_c_stops_it(what: str) -> None:
    long = {"run.measured": "10000s", "stations.count": 10}
    cell = ackless.Cell("wifi-80211n", set=long)
    calls = {
        "run": lambda: ackless.run("wifi-80211n", set=long),
        "compare": lambda: ackless.compare("wifi-80211n", set=long),
        "sweep": lambda: ackless.sweep("wifi-80211n", set=long, schemes="tcp"),
        "step": lambda: cell.step("9000s"),
    }
    pressed: list[float] = []

    # A thread of Python's own: while what runs keeps the interpreter to itself nothing is pressed, and it goes on for hours.
    def press() -> None:
        time.sleep(0.3)
        pressed.append(time.monotonic())
        _thread.interrupt_main()

    threading.Thread(target=press).start()
    with pytest.raises(KeyboardInterrupt):
        calls[what]()
    # Far above what it takes, on a machine that does other things too: see bench/overhead.
    assert time.monotonic() - pressed[0] < 5.0
    if what == "step":
        before = cell.now
        assert 0.0 < before < cell.step("1ms")


SECTIONS = sorted({key.section for key in ackless.keys()})
PLAUSIBLE = some.one_of(
    some.booleans(),
    some.integers(min_value=-(2**70), max_value=2**70),
    some.integers(min_value=0, max_value=20),
    some.floats(),
    some.text(max_size=8),
    some.sampled_from(["auto", "off", "never", "1ms", "10Mbps", "1500B", "2%", "20dB", "tcp", "udp", "11ac", "11b", "snr", "-5dBm"]),
)
VALUES = some.one_of(PLAUSIBLE, some.lists(PLAUSIBLE, max_size=3), some.none(), some.binary(max_size=3))
KEYS = [f"{key.section}.{key.name}" for key in ackless.keys()]
BOUNDED = {"run.measured", "run.warm_up", "stations.count", "flows.count", "wifi.beacon_interval", "pings.interval"}
"""What makes runs long: those that hypothesis leaves alone."""
CHANGES = some.dictionaries(some.sampled_from([key for key in KEYS if key not in BOUNDED]) | some.text(max_size=12), VALUES, max_size=3)
MISTAKES = (ValueError, FileNotFoundError)
QUICK = hypothesis.settings(max_examples=60, deadline=None, derandomize=False, suppress_health_check=list(hypothesis.HealthCheck))


@QUICK
@hypothesis.given(
    some.sampled_from(sorted(ackless.scenarios())), CHANGES, some.sampled_from(sorted(ackless.schemes())), some.integers(0, 2**64 - 1)
)
def test_any_scenario_runs_or_is_refused(name: str, changes: dict[str, Any], scheme: str, seed: int) -> None:
    try:
        run = ackless.run(name, set={**TINY, **changes}, scheme=scheme, seed=seed, timeline=seed % 2 == 0)
    except MISTAKES:
        return
    assert math.isfinite(run.goodput_mbps)


@QUICK
@hypothesis.given(
    some.dictionaries(
        some.sampled_from(SECTIONS) | some.text(max_size=4),
        some.one_of(VALUES, some.dictionaries(some.text(max_size=8) | some.sampled_from([k.name for k in ackless.keys()]), VALUES, max_size=4)),
        max_size=3,
    )
)
def test_any_dicts_are_a_scenario_or_are_refused(nested: dict[str, Any]) -> None:
    try:
        scenario = ackless.Scenario(nested)
        scenario.to_dict()
    except ValueError:
        return
    assert ackless.Scenario(scenario.to_dict()).to_dict() == scenario.to_dict()


@QUICK
@hypothesis.given(
    some.lists(
        some.one_of(
            some.tuples(some.just("step"), some.sampled_from(["1ms", "7ms", 1e-9, 0, 0.003, -1, "x", math.nan, math.inf, 2**80])),
            some.tuples(some.just("run_until"), some.sampled_from(["1ms", "10ms", 0.02, 0, "1000000s"])),
            some.tuples(
                some.just("set"),
                some.sampled_from(
                    ["stations.sta-1.mcs", "stations.mcs", "stations.sta.snr", "stations.air_loss", "stations.outage", "wired.rate",
                     "wired.up_delay", "wired.loss", "wired.new_options", "flows.ack", "flows.download-1.ack", "transport.ack", "wifi.mcs", "", ".", "a.b.c.d"]
                ),
                VALUES,
            ),
            some.tuples(some.sampled_from(["flows", "airtime", "counters", "so_far", "now", "window", "is_over", "finish"])),
        ),
        max_size=12,
    ),
    some.sampled_from(["wifi-80211n", "wifi-neighbours", "hack-snr", "wifi-today", "tack-80211n"]),
)
def test_any_calls_of_a_cell_work_or_are_refused(calls: list[Any], name: str) -> None:
    try:
        cell = ackless.Cell(name, set={**TINY, "run.measured": "40ms"})
    except ValueError:
        return
    finished = False
    for call in calls:
        try:
            reached = getattr(cell, call[0])
            if callable(reached):
                reached(*call[1:])
            finished = finished or call[0] == "finish"
        except ValueError:
            continue
        except RuntimeError as error:
            assert finished and "finished" in str(error), error
