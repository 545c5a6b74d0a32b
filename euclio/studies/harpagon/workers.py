"""What a worker process does: run tasks on chunks of workloads and turn the results into rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from euclio.session.workloads.protocol import Workload, draw
from euclio.studies.harpagon.rows import allocation_rows
from euclio.studies.harpagon.tasks import Task
from euclio.studies.rows import Row, run_row
from euclio.studies.workers import run_chunks

Chunk = tuple[tuple[Workload, ...], tuple[Task, ...]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one workload.

    Attributes:
        workload: the workload.
        without_plan: solvers that found no plan.
        runs: one row per run.
        allocations: one row per allocation, of designs' best plans none.
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
        if task.design is None:
            allocations += allocation_rows(workload, task.label, result)
        if result.value is None:
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


def run_all(
    pool: ProcessPoolExecutor,
    workloads: Sequence[Workload],
    tasks: Sequence[Task],
    advance: Callable[[int], None],
    chunk_size: int = 8,
) -> list[Outcome]:
    """Run tasks on all workloads; the outcomes come in the order of the workloads."""
    chunks = [(tuple(workloads[i : i + chunk_size]), tuple(tasks)) for i in range(0, len(workloads), chunk_size)]
    return run_chunks(pool, run_chunk, chunks, advance)
