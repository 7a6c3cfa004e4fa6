"""Tables, timelines and what is shown."""

import pathlib
import pickle

import matplotlib
import pandas
import polars
import pyarrow
import pytest

import ackless
from ackless import _native

matplotlib.use("Agg")
SHORT = {"run.measured": "100ms", "run.warm_up": "20ms"}


def test_polars_pyarrow_and_pandas_take_a_table_and_see_the_same() -> None:
    run = ackless.run("wifi-80211n", set=SHORT, timeline=True)
    for table in [run.flows, run.nodes, run.timeline, run.series, ackless.compare("wifi-80211n", seeds=1, set=SHORT).table]:
        assert len(table) > 0
        ours = table.to_dict()
        assert polars.DataFrame(table).to_dict(as_series=False) == ours
        assert pyarrow.table(table).to_pydict() == ours
        assert list(pyarrow.table(table).to_pandas().columns) == list(ours)
        if hasattr(pandas.DataFrame, "from_arrow"):  # from pandas 3 on, which needs Python 3.11
            assert list(pandas.DataFrame.from_arrow(table).columns) == list(ours)
        assert pyarrow.schema(table).names == table.column_names


def test_a_table_is_handed_over_without_a_copy() -> None:
    table = ackless.run("wifi-80211n", set=SHORT, timeline=True).timeline
    addresses = {pyarrow.table(table)["start_ns"].chunk(0).buffers()[1].address for _ in range(3)}
    assert len(addresses) == 1, "each time the same memory"


def test_a_table_outlives_what_it_came_from() -> None:
    taken = pyarrow.table(ackless.run("wifi-80211n", set=SHORT, timeline=True).timeline)
    whole = ackless.run("wifi-80211n", set=SHORT, timeline=True).timeline
    assert taken.to_pydict() == whole.to_dict()


def test_a_timeline_is_the_whole_run_and_does_not_change_it() -> None:
    watched, plain = (ackless.run("wifi-80211n", seed=9, set=SHORT, timeline=recorded) for recorded in ("1ms", False))
    assert watched.to_dict() == plain.to_dict()
    assert watched.timeline["end_ns"][-1] >= 120_000_000
    assert len(watched.series) == 120
    with pytest.raises(ValueError, match="timeline=True"):
        plain.series  # noqa: B018


def test_air_time_is_a_hundred_percent() -> None:
    assert sum(ackless.run("wifi-80211n", set=SHORT).airtime.values()) == pytest.approx(100.0)


def test_everything_is_shown_in_a_notebook(tmp_path: pathlib.Path) -> None:
    run = ackless.run("wifi-80211n", set=SHORT, timeline=True)
    comparison = ackless.compare("wifi-80211n", schemes="tcp,udp", seeds=2, set=SHORT)
    sweep = ackless.sweep("wifi-80211n", over={"wired.delay": ["1ms", "2ms"]}, schemes="tcp", seeds=2, set=SHORT)
    for shown in [run, run.flows, comparison, comparison.table, sweep, ackless.Scenario("wifi-80211n"), ackless.model("tack")]:
        assert "<" in shown._repr_html_()
    for drawn in [run, comparison, sweep, run.series]:
        ackless.plot(drawn).figure.savefig(tmp_path / "drawn.png")
    with pytest.raises(ValueError, match="goodput_mpbs: no column"):
        ackless.plot(comparison, "goodput_mpbs")
    sweep.to_parquet(tmp_path / "runs.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "runs.parquet")
    assert table["run"].to_pylist() == sweep.names and table.num_rows == 4
    assert table.drop_columns(["run"]).to_pydict() == sweep.runs.to_dict()


def test_a_scheme_looks_the_same_whatever_is_shown_beside_it() -> None:
    looks = [(colour, mark) for _, colour, mark in _native.looks()]
    assert len(set(looks)) == len(looks) == len(ackless.schemes())
    faces = []
    for schemes in ["tcp,hack,agent", "agent,hack"]:
        axes = ackless.plot(ackless.compare("wifi-80211n", schemes=schemes, seeds=1, set=SHORT))
        faces.append({label.get_text(): bar.get_facecolor() for label, bar in zip(axes.get_xticklabels(), axes.patches)})
    assert len(set(faces[0].values())) == 3
    assert faces[1] == {name: faces[0][name] for name in ["agent", "hack"]}


def test_a_comparison_says_its_finding_and_what_each_flow_gets() -> None:
    cut = {**SHORT, "wired.loss": 1.0, "stations.count": 2, "flows.stagger": "1ms"}
    comparison = ackless.compare("wifi-80211n", schemes="tcp,hack", seeds=2, set=cut)
    assert comparison.finding == "download-1 and download-2 get nothing in every row"
    assert comparison.finding in str(comparison) and comparison.finding in repr(comparison)
    assert comparison.flows["dead_runs"] == [2] * 4 and comparison.flows["scheme"] == ["tcp", "tcp", "hack", "hack"]
    assert comparison.table["dead_flows"] == [2, 2] and comparison.table["jain_goodput"] == [None, None]
    assert "2 dead" in ackless.plot(comparison).get_xticklabels()[0].get_text()


def test_scenarios_and_runs_can_be_sent_to_another_process() -> None:
    scenario = ackless.Scenario({"stations": [{"count": 2}], "run": {"measured": "50ms"}}, set={"flows.stagger": "1ms"})
    again = pickle.loads(pickle.dumps(scenario))
    assert again.to_dict() == scenario.to_dict() and again.name == scenario.name
    run = ackless.run(scenario)
    assert pickle.loads(pickle.dumps(run)).to_dict() == run.to_dict() == ackless.run(again).to_dict()
