"""Sweeps on executors of others."""

import multiprocessing
import os
import pathlib
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

import ackless

GRID: dict[str, Any] = {
    "over": {"stations.count": [1, 2], "wired.delay": ["1ms", "3ms"]},
    "schemes": "tcp,udp",
    "seeds": 10,
    "set": {"run.measured": "20ms", "run.warm_up": "10ms", "flows.stagger": "1ms"},
}


@pytest.fixture(scope="module")
def embedded() -> ackless.Sweep:
    return ackless.sweep("wifi-80211n", **GRID)


def same(ours: ackless.Sweep, theirs: ackless.Sweep) -> None:
    assert ours.runs.to_dict() == theirs.runs.to_dict()
    assert ours.table.to_dict() == theirs.table.to_dict()
    assert ours.names == theirs.names and len(set(ours.names)) == len(ours.names) == 80


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("start", ["spawn", "forkserver"])
def test_processes_make_the_rows_of_the_embedded_sweep(embedded: ackless.Sweep, tmp_path: pathlib.Path, start: str, shared: bool) -> None:
    told: list[tuple[int, int]] = []
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(start)) as executor:
        made = ackless.sweep(
            "wifi-80211n", **GRID, out=tmp_path, executor=executor, shared=shared, progress=lambda *counts: told.append(counts)
        )
    same(made, embedded)
    assert (made.ran, made.resumed) == (80, 0)
    assert told[0] == (0, 80) and told[-1] == (80, 80)
    assert {entry.name for entry in (tmp_path / "runs").iterdir()} == set(made.names)
    # What is there is not made again.
    next(iter((tmp_path / "runs").iterdir())).unlink()
    with ThreadPoolExecutor(2) as executor:
        again = ackless.sweep("wifi-80211n", **GRID, out=tmp_path, executor=executor)
    assert (again.ran, again.resumed) == (1, 79)
    same(again, embedded)


def test_processes_that_start_by_fork_are_refused() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as executor:
        with pytest.raises(ValueError, match="spawn"):
            ackless.sweep("wifi-80211n", **GRID, executor=executor)


def test_a_task_that_comes_to_nothing_is_tried_again_and_a_mistake_is_not(embedded: ackless.Sweep) -> None:
    class Unlucky(ThreadPoolExecutor):
        count = 0

        def submit(self, call: Any, /, *arguments: Any, **named: Any) -> Any:
            Unlucky.count += 1
            if Unlucky.count % 3 == 0:
                return super().submit(lambda: (_ for _ in ()).throw(ConnectionResetError("the worker is gone")))
            return super().submit(call, *arguments, **named)

    with Unlucky(2) as executor:
        same(ackless.sweep("wifi-80211n", **GRID, executor=executor), embedded)

    class Hopeless(ThreadPoolExecutor):
        def submit(self, call: Any, /, *arguments: Any, **named: Any) -> Any:
            return super().submit(lambda: (_ for _ in ()).throw(ConnectionResetError("the worker is gone")))

    with Hopeless(2) as executor, pytest.raises(RuntimeError, match="came to nothing 4 times"):
        ackless.sweep("wifi-80211n", **GRID, executor=executor, retries=3)


def test_workers_that_see_another_folder_are_found_out(tmp_path: pathlib.Path) -> None:
    class Elsewhere(ThreadPoolExecutor):
        def submit(self, call: Any, /, scenario: Any, jobs: Any, folder: Any) -> Any:
            return super().submit(call, scenario, jobs, str(tmp_path))

    with Elsewhere(2) as executor, pytest.raises(RuntimeError, match="shared=False"):
        ackless.sweep("wifi-80211n", **GRID, executor=executor, out=tmp_path / "out")


def test_a_defect_is_not_tried_again() -> None:
    class Broken(ThreadPoolExecutor):
        count = 0

        def submit(self, call: Any, /, *arguments: Any, **named: Any) -> Any:
            Broken.count += 1
            return super().submit(lambda: (_ for _ in ()).throw(RuntimeError("it has a defect")))

    with Broken(1) as executor, pytest.raises(RuntimeError, match="a defect"):
        ackless.sweep("wifi-80211n", **GRID, executor=executor)
    assert Broken.count <= 8


def test_one_run_that_kills_its_worker_costs_the_others_of_its_task_a_few_attempts_and_is_named(embedded: ackless.Sweep) -> None:
    class Poisoned(ThreadPoolExecutor):
        deaths = 0

        def submit(self, call: Any, /, scenario: Any, jobs: Any, folder: Any) -> Any:
            if len(jobs) > 1 and any(seed == 7 for _, _, seed in jobs):
                Poisoned.deaths += 1
                return super().submit(lambda: (_ for _ in ()).throw(ConnectionResetError("the worker is gone")))
            return super().submit(call, scenario, jobs, folder)

    with Poisoned(1) as executor:
        same(ackless.sweep("wifi-80211n", **GRID, executor=executor, retries=8), embedded)
    assert Poisoned.deaths > 0


def test_dask_makes_the_rows_of_the_embedded_sweep_though_a_worker_is_killed(embedded: ackless.Sweep, tmp_path: pathlib.Path) -> None:
    from dask.distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        # Not of the size of the command's own test, tools/killed: one death, while tasks are under way.
        def kill() -> None:
            while not any((tmp_path / "runs").glob("*.json")):
                time.sleep(0.01)
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        made = ackless.sweep("wifi-80211n", **GRID, out=tmp_path, executor=client)
        killer.join()
    same(made, embedded)
