"""Runs everything: draws workloads that have a plan, then asks every solver."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd

from euclio.core.registry import Limits, find_solver
from euclio.core.result import AnyResult, Status
from euclio.core.warm_up import warm_up
from euclio.runs.stages import Stage, progress_bars
from euclio.session import Session
from euclio.session.workloads.protocol import Draws, Workload, draw, workloads
from euclio.session.workloads.scrooge_sessions import draw_scrooge
from euclio.studies.certifying import Certified, Proof, certify_sample
from euclio.studies.rows import Row
from euclio.studies.scrooge.tasks import (
    FIVE_APPLICATIONS,
    GREEDY,
    MANY_TYPES,
    MANY_TYPES_TASKS,
    MILP,
    OPTIMUM,
    OWN_SESSIONS,
    SAMPLED_TASKS,
    TASKS,
    TIME_LIMIT_S,
    Task,
    run_chunk,
)
from euclio.studies.store import frame
from euclio.studies.workers import run_chunks, worker_pool

SAMPLE = 24
WARM_UP_DRAWS = 40
"""Enough to meet every application."""


@dataclass(frozen=True, slots=True)
class Collected:
    """Everything that the report is made of.

    Attributes:
        runs: one row per workload and solver.
        draws: what the protocol drew and rejected.
        seconds: wall time per stage.
        jobs: worker processes used.
        certified: what an independent prover says of a sample of the proofs.
    """

    runs: pd.DataFrame
    draws: Draws
    seconds: dict[str, float]
    jobs: int
    certified: Certified


def collect(count: int, seed: int, jobs: int, full: bool, certify: int) -> Collected:
    """Draw workloads and run every task on them.

    Args:
        count: number of workloads; half as many sessions are drawn as in §4.2.
        seed: seed of both protocols, of the worker types and of the sample.
        jobs: worker processes; more than one disturb each other's times.
        full: run the brute force with many worker types on all workloads instead of a sample.
        certify: how many proofs are tried.
    """
    seconds: dict[str, float] = {}
    # A draw is refused where the optimum takes too long, so that nothing may be compiled meanwhile.
    warm_up(find_solver(OPTIMUM), find_solver(MILP).space)
    with progress_bars() as progress:
        with Stage(progress, seconds, "draw workloads that have a plan", count) as stage:
            drawn = workloads(_accept_by_optimum(stage), count, seed)
        accepted = drawn.workloads
        own = [w for w in (draw_scrooge(seed, number) for number in range(1, count // 2 + 1)) if _has_plan(w.session)]
        sample = list(accepted) if full else _sample(accepted, seed)
        plan = (
            ("2 worker types", accepted, TASKS, FIVE_APPLICATIONS),
            ("2 worker types, sessions as in §4.2", own, TASKS, OWN_SESSIONS),
            ("30 worker types", accepted, MANY_TYPES_TASKS, FIVE_APPLICATIONS),
            ("brute force with 30 worker types", sample, SAMPLED_TASKS, FIVE_APPLICATIONS),
        )
        rows: list[Row] = []
        with worker_pool(jobs, _warm_up, seed) as pool:
            for name, chosen, tasks, protocol in plan:
                chunks = [([workload], tasks, protocol, seed) for workload in chosen]
                with Stage(progress, seconds, name, len(chunks) * len(tasks)) as stage:
                    rows += run_chunks(pool, run_chunk, chunks, stage.advance)
        proofs = _proofs(rows, [*accepted, *own], seed)
        with Stage(progress, seconds, "certify a sample of the proofs", min(certify, len(proofs))) as stage:
            certified = certify_sample(proofs, certify, seed, stage.advance)
    runs = frame(rows).sort_values(["workload", "solver"], ignore_index=True)
    return Collected(runs, drawn, seconds, jobs, certified)


def _proofs(rows: Sequence[Row], workloads: Sequence[Workload], seed: int) -> list[Proof]:
    """The runs that proved their optimum, by workload and label."""
    by_name = {workload.session.name: workload for workload in workloads}
    tasks = {task.label: task for task in (*TASKS, *MANY_TYPES_TASKS, *SAMPLED_TASKS)}
    proven = sorted((row["workload"], row["solver"]) for row in rows if row["status"] == Status.OPTIMAL)
    return [Proof(name, label, partial(_again, by_name[name], tasks[label], seed)) for name, label in proven]


def _again(workload: Workload, task: Task, seed: int) -> tuple[Session, AnyResult]:
    session = task.session(workload, seed)
    return session, task.run(session, seed)


def _warm_up(seed: int) -> None:
    """Load the solvers, and rank the applications' profiles: both happen once, before any decision."""
    run_chunk(([draw(seed, 1)], TASKS, FIVE_APPLICATIONS, seed))
    seen = {workload.application: workload for workload in (draw(seed, number) for number in range(1, WARM_UP_DRAWS))}
    run_chunk(([seen[name] for name in sorted(seen)], (Task(GREEDY, MANY_TYPES),), FIVE_APPLICATIONS, seed))


def _accept_by_optimum(stage: Stage) -> Callable[[Session], list[str]]:
    def rejected_by(session: Session) -> list[str]:
        if not _has_plan(session):
            return [OPTIMUM]
        stage.advance(1)
        return []

    return rejected_by


def _has_plan(session: Session) -> bool:
    """Whether Scrooge's plan space holds a plan: by the exact method, not by what a heuristic finds."""
    return find_solver(OPTIMUM).run(session, find_solver(MILP).space, Limits(TIME_LIMIT_S)).plan is not None


def _sample(accepted: Sequence[Workload], seed: int) -> list[Workload]:
    chosen = sorted(random.Random(seed).sample(range(len(accepted)), min(SAMPLE, len(accepted))))
    return [accepted[i] for i in chosen]
