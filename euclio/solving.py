"""Run one solver on one instance and check its answer (architecture, One truth about plans)."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from dataclasses import replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from euclio.errors import InapplicableError
from euclio.registry import Limits, Solver, find_solver
from euclio.result import OPTIMALITY_TOLERANCE, Answer, Result, Status
from euclio.session import PlanSpace, Session, evaluate
from euclio.warm_up import warm_up


def solve(
    session: Session,
    solver: str | Solver = "exact",
    *,
    space: PlanSpace | None = None,
    time_limit_s: float | None = None,
    seed: int = 0,
    **changes: Any,
) -> Result:
    """Solve an instance and check the plan.

    Args:
        session: the instance.
        solver: name of a registered solver, or a `Solver`.
        space: plan space; by default the solver's own.
        time_limit_s: time limit in seconds.
        seed: seed of random choices.
        **changes: fields of the plan space to change, such as ``policy="rr"`` or ``max_allocations=2``.

    Returns:
        The checked result.
    """
    chosen = find_solver(solver) if isinstance(solver, str) else solver
    used = chosen.space if space is None else space
    if changes:
        used = replace(used, **changes)
    limits = Limits(time_limit_s, seed)
    warm_up(chosen, used)
    started = time.perf_counter()
    try:
        answer = chosen.run(session, used, limits)
    except InapplicableError as error:
        answer = Answer(None, "inapplicable", reason=str(error))
    wall = time.perf_counter() - started
    return check(session, chosen.name, used, limits, answer, wall)


def check(session: Session, solver: str, space: PlanSpace, limits: Limits, answer: Answer, wall_s: float) -> Result:
    """Price an answer with the checker and decide its status."""
    evaluation = None if answer.plan is None else evaluate(session, answer.plan, space)
    cost = evaluation.cost_per_h if evaluation is not None and evaluation.feasible else None
    reason = answer.reason
    if evaluation is not None and not evaluation.feasible:
        status, reason = Status.ERROR, f"the checker refused the plan: {'; '.join(evaluation.violations)}"
    elif cost is not None:
        proven = answer.bound_per_h is not None and float(cost) - answer.bound_per_h <= OPTIMALITY_TOLERANCE * float(
            cost
        )
        status = Status.OPTIMAL if proven else Status.FEASIBLE
    elif answer.raw_status == "inapplicable":
        status = Status.INAPPLICABLE
    else:
        status = Status.INFEASIBLE if answer.infeasible else Status.UNKNOWN
    return Result(
        instance=session.name,
        solver=solver,
        options={**space.describe(), "objective": "cost", "time_limit_s": limits.time_limit_s, "seed": limits.seed},
        space=space,
        status=status,
        raw_status=answer.raw_status,
        cost_per_h=cost,
        claimed_cost_per_h=answer.claimed_cost_per_h,
        bound_per_h=answer.bound_per_h,
        wall_s=wall_s,
        plan=answer.plan,
        evaluation=evaluation,
        stats=answer.stats,
        reason=reason,
        provenance={**provenance(), "seed": limits.seed},
    )


@cache
def provenance() -> dict[str, Any]:
    """Versions, machine and git revision that a result was made with."""
    packages = {}
    for name in ("euclio", "numpy", "numba"):
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = "unknown"
    return {
        "python": sys.version.split()[0],
        "packages": packages,
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "git": _git_revision(),
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _git_revision() -> str:
    here = Path(__file__).parent
    try:
        done = subprocess.run(
            ["git", "-C", str(here), "rev-parse", "HEAD"], capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return done.stdout.strip() or "unknown"
