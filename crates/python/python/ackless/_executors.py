"""Sweeps on executors of others: those of ``concurrent.futures``, and clusters of Dask.

A task is a batch of runs that takes seconds. Each run is a file of its own, named by the hash of version, scenario, row and seed, written aside and renamed: who
makes it twice makes the same file, so that it does not matter which worker dies when, or what is tried again.
"""

from __future__ import annotations

import os
import pathlib
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

from ._scenario import Scenario

Job = tuple[list[str], str, int]
"""A run: the overrides of its point, its row, its seed."""

Progress = Callable[[int, int], None]
"""Told how many runs are there, and how many there will be."""

BATCH_SECONDS = 2.0
"""How long a task is meant to take."""

OUTSTANDING = 4
"""How many tasks each worker has, or waits for, at a time."""


def made(scenario: Scenario, jobs: list[Job], folder: str | None) -> tuple[int, float, list[tuple[str, str]]]:
    """A task: makes these runs into ``folder``, or gives back their files; says how many, and how long it took."""
    from . import _native

    begun = time.monotonic()
    texts = _native.keep(scenario._native, jobs, folder)
    return len(jobs), time.monotonic() - begun, texts


@dataclass
class Work:
    """What is left to be done, and how much of it a task takes."""

    jobs: list[tuple[Job, str]]
    """Runs with their names, the next at the end."""
    size: int = 1
    """How many runs a task is given."""
    halves: list[list[tuple[Job, str]]] = field(default_factory=list)
    """Halves of tasks that have come to nothing."""
    tries: dict[str, int] = field(default_factory=dict)
    """How many times a task with the run of that name has come to nothing."""

    def batch(self) -> list[tuple[Job, str]]:
        """The next task."""
        if self.halves:
            return self.halves.pop()
        return [self.jobs.pop() for _ in range(min(self.size, len(self.jobs)))]

    def learn(self, runs: int, seconds: float) -> None:
        """A task is to take seconds: longer ones where they were shorter, at most four times as long at once."""
        fitting = int(runs * BATCH_SECONDS / max(seconds, 1e-3))
        self.size = max(1, min(fitting, 4 * self.size, 10_000))

    def again(self, batch: list[tuple[Job, str]], retries: int, why: BaseException) -> None:
        """The task came to nothing. Its runs are tried again, in halves: what kills a worker each time is found so."""
        for _, name in batch:
            self.tries[name] = self.tries.get(name, 0) + 1
            if self.tries[name] > retries:
                raise RuntimeError(
                    f"the run {name} came to nothing {self.tries[name]} times, the last time so: {why!r}\n"
                    "  help: the same call goes on from what is there; retries= lets it try more often"
                ) from why
        middle = (len(batch) + 1) // 2
        self.halves.extend(half for half in (batch[:middle], batch[middle:]) if half)


def distributed(
    scenario: Scenario,
    cells: list[tuple[list[str], str, list[str]]],
    executor: Any,
    folder: pathlib.Path,
    *,
    shared: bool,
    retries: int,
    progress: Progress | None,
) -> int:
    """Makes every run of ``cells`` that is not in ``folder`` by tasks of ``executor``; says how many that were."""
    submit, workers = door(executor)
    runs = folder / "runs"
    there = {entry.name for entry in os.scandir(runs)}
    clear_away(runs)
    jobs = [
        ((overrides, row, seed), name)
        for overrides, row, names in reversed(cells)
        for seed, name in reversed(list(enumerate(names, 1)))
        if name not in there
    ]
    wanted = {name for _, name in jobs}
    work = Work(jobs)
    total = sum(len(names) for _, _, names in cells)
    left = missing = len(jobs)
    tell = progress or (lambda *_: None)
    tell(total - left, total)
    under_way: dict[Future[Any], list[tuple[Job, str]]] = {}
    place = str(runs.absolute()) if shared else None
    try:
        while work.jobs or work.halves or under_way:
            while (work.jobs or work.halves) and len(under_way) < OUTSTANDING * max(1, workers()):
                batch = work.batch()
                under_way[submit(made, scenario, [job for job, _ in batch], place)] = batch
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                batch = under_way.pop(future)
                try:
                    count, seconds, texts = future.result()
                except (ValueError, TypeError, ImportError, RuntimeError, KeyboardInterrupt):
                    # A mistake stays one, and so does a defect; and a broken pool, which is a RuntimeError too, takes no more tasks.
                    raise
                except BaseException as why:  # noqa: BLE001
                    work.again(batch, retries, why)
                    continue
                for name, text in texts:
                    put(runs / name, text)
                work.learn(count, seconds)
                left -= count
                tell(total - left, total)
    finally:
        for future in under_way:
            future.cancel()
    # Asked for one by one: a listing of a network's file system may be of a moment ago.
    gone = [name for name in wanted if not (runs / name).exists()]
    if gone:
        # The name of a run holds the version.
        causes, cure = "the workers have another version of ackless", "install the same version where they run"
        if shared:
            causes, cure = f"{causes}, or see another folder of that name", f"{cure}; shared=False has them send what they made"
        raise RuntimeError(f"{len(gone)} runs were made and are not in {runs}: {causes}\n  help: {cure}")
    return missing


def door(executor: Any) -> tuple[Callable[..., Future[Any]], Callable[[], int]]:
    """How a task is handed in, and how many workers there are."""
    if hasattr(executor, "get_executor"):
        # A client of Dask. Its own retries, and its limit on how often a worker may die under a task, are not ours.
        client = executor
        pool = client.get_executor(pure=False, retries=0)
        return pool.submit, lambda: sum(client.nthreads().values())
    if isinstance(executor, ProcessPoolExecutor):
        context = getattr(executor, "_mp_context", None)
        if context is not None and context.get_start_method() == "fork":
            raise ValueError(
                "executor: its workers start by fork, which copies locks and threads in whatever state they are\n"
                "  help: ProcessPoolExecutor(mp_context=multiprocessing.get_context('spawn')), or 'forkserver'"
            )
    if not callable(getattr(executor, "submit", None)):
        raise ValueError(
            f"executor: {executor!r} takes no tasks\n  help: give an executor of concurrent.futures, or a dask.distributed.Client"
        )
    workers = int(getattr(executor, "_max_workers", None) or os.cpu_count() or 1)
    return executor.submit, lambda: workers


def put(path: pathlib.Path, text: str) -> None:
    """Writes a file aside and gives it its name."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix=".ackless-", delete=False) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)


def clear_away(runs: pathlib.Path) -> None:
    """Takes away what writers have left that died: files without their names that are older than a run takes."""
    for entry in list(os.scandir(runs)):
        if entry.name.startswith(".ackless-") and time.time() - entry.stat().st_mtime > 3600:
            pathlib.Path(entry.path).unlink(missing_ok=True)
