"""The same scenario and seed give the same figures from Python as from the command."""

import csv
import io
import json
import pathlib
import random

import ackless
from conftest import Command, without_wall_time

WORLDS = [
    ("wifi-80211n", "stock", {}),
    ("wifi-80211n", "hack", {"stations.count": 3}),
    ("wifi-80211b", "agent", {}),
    ("wifi-80211ac", "arq", {"wired.loss": 0.01}),
    ("wifi-neighbours", "tcp", {}),
    ("tack-80211n", "tack", {}),
    ("wifi-short-flows", "tcp", {}),
    ("wifi-today", "udp", {}),
]


def rows() -> set[str]:
    return set(ackless.schemes())


def test_a_run_is_the_object_of_the_command_without_its_wall_time(command: Command) -> None:
    for scenario, scheme, overrides in WORLDS:
        scheme = scheme if scheme in rows() else "tcp"
        seed = random.randrange(2**63)
        overrides = {"run.measured": "250ms", "run.warm_up": "50ms", "flows.stagger": "1ms", **overrides}
        sets = [argument for key, value in overrides.items() for argument in ("--set", f"{key}={value}")]
        theirs = command.json("run", scenario, "--scheme", scheme, "--seed", str(seed), "--json", *sets)
        ours = ackless.run(scenario, scheme=scheme, seed=seed, set=overrides)
        assert ours.to_dict() == without_wall_time(theirs), (scenario, scheme, seed)
        assert list(ours.to_dict()) == list(without_wall_time(theirs))


def test_a_comparison_is_that_of_the_command(command: Command) -> None:
    sets = {"run.measured": "100ms", "run.warm_up": "20ms"}
    arguments = ["compare", "wifi-80211n", "--seeds", "2", *(a for key, value in sets.items() for a in ("--set", f"{key}={value}"))]
    ours = ackless.compare("wifi-80211n", seeds=2, set=sets)
    assert ours.to_dict() == without_wall_time(command.json(*arguments, "--json"))
    assert str(ours) == command.text(*arguments)
    theirs = list(csv.DictReader(io.StringIO(command.text(*arguments, "--csv"))))
    assert ours.table["goodput_mbps"] == [float(row["goodput_mbps"]) for row in theirs]
    assert ours.table["scheme"] == [row["scheme"] for row in theirs]


def test_a_sweep_is_that_of_the_command_and_goes_on_where_the_command_stopped(command: Command, tmp_path: pathlib.Path) -> None:
    sets = {"run.measured": "20ms", "run.warm_up": "10ms", "flows.stagger": "1ms"}
    flags = [argument for key, value in sets.items() for argument in ("--set", f"{key}={value}")]
    over = {"stations.count": [1, 2], "wired.delay": ["1ms", "5ms"]}
    axes = ["--over", "stations.count=1,2", "--over", "wired.delay=1ms,5ms"]
    command.text("sweep", "wifi-80211n", *axes, "--seeds", "2", "--schemes", "tcp,udp", *flags, "--out", str(tmp_path / "theirs"))
    ours = ackless.sweep("wifi-80211n", over=over, schemes=["tcp", "udp"], seeds=2, set=sets, out=str(tmp_path / "ours"))
    assert (ours.ran, ours.resumed, len(ours.runs)) == (16, 0, 16)
    for name in ["runs.csv", "sweep.csv"]:
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes()
    files = lambda place: {file.name for file in (tmp_path / place / "runs").iterdir()}  # noqa: E731
    assert files("ours") == files("theirs") == set(ours.names)
    resumed = ackless.sweep("wifi-80211n", over=over, schemes="tcp,udp", seeds=2, set=sets, out=str(tmp_path / "theirs"))
    assert (resumed.ran, resumed.resumed) == (0, 16)
    assert resumed.runs.to_dict() == ours.runs.to_dict()


def test_dicts_files_and_overrides_are_one_scenario(tmp_path: pathlib.Path) -> None:
    nested = {
        "run": {"measured": "250ms", "warm_up": "10ms", "schemes": ["tcp", "udp"]},
        "wifi": {"standard": "11n", "mcs": 5},
        "stations": [{"name": "near", "count": 2}, {"name": "far", "mcs": 1}],
        "flows": [{"name": "down"}, {"name": "up", "stations": "far", "direction": "up"}],
    }
    of_dicts = ackless.Scenario(nested)
    file = tmp_path / "mine.toml"
    file.write_text(of_dicts.to_toml())
    of_file = ackless.Scenario(file)
    assert of_file.to_dict() == of_dicts.to_dict()
    assert of_dicts.schemes == ["tcp", "udp"]
    assert json.loads(ackless.run(of_dicts).to_json()) == json.loads(ackless.run(of_file).to_json())
    changed = ackless.Scenario(of_dicts, set={"stations.near.count": 5, "flows.stagger": "1ms"})
    assert changed.to_dict()["stations"][0]["count"] == 5
    assert of_dicts.to_dict()["stations"][0]["count"] == 2
