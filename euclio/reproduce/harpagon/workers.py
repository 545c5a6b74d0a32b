"""Worker processes: each loads the solvers once, then turns chunks of workloads into rows."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from euclio.reproduce.harpagon.rows import Row, allocation_rows, run_row
from euclio.reproduce.harpagon.tasks import Task
from euclio.workloads.protocol import Workload, draw

Chunk = tuple[tuple[Workload, ...], tuple[Task, ...]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one workload.

    Attributes:
        workload: the workload.
        without_plan: solvers that found no plan.
        runs: one row per run.
        allocations: one row per allocation.
    """

    workload: Workload
    without_plan: tuple[str, ...]
    runs: tuple[Row, ...]
    allocations: tuple[Row, ...]


def run_tasks(workload: Workload, tasks: Sequence[Task]) -> Outcome:
    """Run some tasks on one workload."""
    runs: list[Row] = []
    allocations: list[Row] = []
    without: list[str] = []
    for task in tasks:
        result = task.run(workload.session)
        runs.append(run_row(workload, task.label, result))
        allocations += allocation_rows(workload, task.label, result)
        if result.cost_per_h is None:
            without.append(task.label)
    return Outcome(workload, tuple(without), tuple(runs), tuple(allocations))


def run_chunk(chunk: Chunk) -> list[Outcome]:
    """Run a chunk: what a worker process is asked to do."""
    workloads, tasks = chunk
    return [run_tasks(workload, tasks) for workload in workloads]


def run_draws(job: tuple[int, range, tuple[Task, ...]]) -> list[Outcome]:
    """Draw workloads by seed and numbers, then run them."""
    seed, numbers, tasks = job
    return [run_tasks(draw(seed, number), tasks) for number in numbers]


def warm_up(tasks: Sequence[Task], seed: int) -> None:
    """Run every task once, so that machine code is compiled (or loaded) before anything is timed."""
    run_tasks(draw(seed, 1), tasks)


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def worker_pool(jobs: int, tasks: Sequence[Task], seed: int) -> Iterator[ProcessPoolExecutor]:
    """Worker processes that have loaded the tasks' solvers.

    Fresh processes rather than forks: the parent may hold threads by then.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=warm_up, initargs=(tuple(tasks), seed)) as pool:
        yield pool


def run_all(
    pool: ProcessPoolExecutor,
    workloads: Sequence[Workload],
    tasks: Sequence[Task],
    advance: Callable[[int], None],
    chunk_size: int = 8,
) -> list[Outcome]:
    """Run tasks on all workloads; the outcomes come in the order of the workloads."""
    chunks = [(tuple(workloads[i : i + chunk_size]), tuple(tasks)) for i in range(0, len(workloads), chunk_size)]
    outcomes: list[Outcome] = []
    for done in pool.map(run_chunk, chunks):
        outcomes += done
        advance(len(done))
    return outcomes
