"""Runs everything: draws workloads, asks every solver, times the slow ones."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

from euclio.core.result import AnyResult, Status
from euclio.runs.stages import Stage, progress_bars
from euclio.session import Session
from euclio.session.workloads.protocol import Draws, Workload
from euclio.studies.certifying import Certified, Proof, certify_sample
from euclio.studies.harpagon.drawing import draw_workloads
from euclio.studies.harpagon.tables import Tables
from euclio.studies.harpagon.tasks import GRID_TASKS, REFERENCE_TASKS, SYSTEM_TASKS, TIMED_TASKS, Task, own_tasks
from euclio.studies.harpagon.workers import Outcome, run_all, warm_up
from euclio.studies.rows import Row, run_row
from euclio.studies.store import frame
from euclio.studies.workers import worker_pool
from euclio.supervision.cores import cores

GRID_SAMPLE = 60
TIMED_SAMPLE = 30


@dataclass(frozen=True, slots=True)
class Collected:
    """Everything that the report is made of.

    Attributes:
        tables: the results.
        draws: what the protocol drew and rejected.
        seconds: wall time per stage.
        jobs: worker processes used.
        certified: what an independent prover says of a sample of the proofs.
    """

    tables: Tables
    draws: Draws
    seconds: dict[str, float]
    jobs: int
    certified: Certified


def collect(count: int, seed: int, jobs: int | None, full: bool, certify: int) -> Collected:
    """Draw workloads and run every task on them.

    Args:
        count: number of workloads.
        seed: seed of the protocol and of the samples.
        jobs: worker processes; None: one per core.
        full: run the two finer grids of the split optimum on all workloads instead of a sample.
        certify: how many proofs are tried.
    """
    workers = cores() if jobs is None else jobs
    seconds: dict[str, float] = {}
    with progress_bars() as progress:
        with Stage(progress, seconds, "compile", 2) as stage:
            compile_all(workers, seed, stage)
        with worker_pool(workers, warm_up, (*SYSTEM_TASKS, *REFERENCE_TASKS, *own_tasks()), seed) as pool:
            with Stage(progress, seconds, "draw and ask the 20 systems", count) as stage:
                drawn = draw_workloads(pool, workers, count, seed, stage.advance)
            accepted = drawn.draws.workloads
            with Stage(progress, seconds, "split optimum and plan optimum", count) as stage:
                references = run_all(pool, accepted, REFERENCE_TASKS, stage.advance)
            with Stage(progress, seconds, "best plan of every design", count) as stage:
                designs = run_all(pool, accepted, own_tasks(), stage.advance)
            sample = accepted if full else seeded_sample(accepted, GRID_SAMPLE, seed)
            with Stage(progress, seconds, "finer grids of the split optimum", len(sample)) as stage:
                grids = run_all(pool, sample, GRID_TASKS, stage.advance, chunk_size=1)
        timed = seeded_sample(accepted, TIMED_SAMPLE, seed)
        with Stage(progress, seconds, "time the brute force, one process", len(timed)) as stage:
            timings = time_tasks(timed, seed, stage)
        outcomes = [*drawn.outcomes, *references, *designs, *grids]
        proofs = proofs_of(outcomes)
        with Stage(progress, seconds, "certify a sample of the proofs", min(certify, len(proofs))) as stage:
            certified = certify_sample(proofs, certify, seed, stage.advance)
    return Collected(in_tables(outcomes, timings), drawn.draws, seconds, workers, certified)


def proofs_of(outcomes: Iterable[Outcome]) -> list[Proof]:
    """The runs that proved their optimum, by workload and label."""
    tasks = {task.label: task for task in (*SYSTEM_TASKS, *REFERENCE_TASKS, *own_tasks(), *GRID_TASKS)}
    found = [
        (outcome.workload, tasks[row["solver"]])
        for outcome in outcomes
        for row in outcome.runs
        if row["status"] == Status.OPTIMAL
    ]
    found.sort(key=lambda one: (one[0].session.name, one[1].label))
    return [Proof(w.session.name, task.label, partial(_again, w, task)) for w, task in found]


def _again(workload: Workload, task: Task) -> tuple[Session, AnyResult]:
    return workload.session, task.run(workload.session)


def compile_all(jobs: int, seed: int, stage: Stage) -> None:
    """Compile the solvers to machine code on disk: systems and references side by side where there are two cores."""
    with ProcessPoolExecutor(min(jobs, 2)) as pool:
        for done in [pool.submit(warm_up, tasks, seed) for tasks in (SYSTEM_TASKS, REFERENCE_TASKS)]:
            done.result()
            stage.advance(1)


def seeded_sample(workloads: Sequence[Workload], size: int, seed: int) -> list[Workload]:
    """A sample of the workloads, in their order; all of them where there are no more."""
    chosen = sorted(random.Random(seed).sample(range(len(workloads)), min(size, len(workloads))))
    return [workloads[i] for i in chosen]


def time_tasks(workloads: Sequence[Workload], seed: int, stage: Stage) -> list[Row]:
    """Run the timed tasks in this process, one after the other; compiled before."""
    warm_up(TIMED_TASKS, seed)
    rows: list[Row] = []
    for workload in workloads:
        rows += [run_row(workload, task.label, task.run(workload.session)) for task in TIMED_TASKS]
        stage.advance(1)
    return rows


def in_tables(outcomes: Iterable[Outcome], timings: Sequence[Row]) -> Tables:
    """Outcomes as tables, sorted so that the same results are the same bytes."""
    outcomes = list(outcomes)
    runs = frame([row for outcome in outcomes for row in outcome.runs])
    allocations = frame([row for outcome in outcomes for row in outcome.allocations])
    return Tables(
        runs.sort_values(["workload", "solver"], ignore_index=True),
        allocations.sort_values(["workload", "solver", "module", "position"], ignore_index=True),
        frame(list(timings)),
    )
