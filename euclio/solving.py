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

from euclio.errors import InapplicableError, InputError
from euclio.registry import EngineOptions, Limits, Option, Solver, find_solver
from euclio.result import OPTIMALITY_TOLERANCE, Answer, Result, Status
from euclio.session import Plan, PlanSpace, Session, evaluate
from euclio.warm_up import warm_up

COLD = "none"
"""Name that asks for no warm start."""


def solve(
    session: Session,
    solver: str | Solver = "exact",
    *,
    space: PlanSpace | None = None,
    time_limit_s: float | None = None,
    seed: int = 0,
    engine: str | None = None,
    threads: int | None = None,
    warm_start: str | None = None,
    log_file: Path | None = None,
    export_lp: Path | None = None,
    **changes: Any,
) -> Result:
    """Solve an instance and check the plan.

    Args:
        session: the instance.
        solver: name of a registered solver, or a `Solver`.
        space: plan space; by default the solver's own. The result's may be narrower (`Solver.narrow`).
        time_limit_s: time limit in seconds.
        seed: seed of random choices.
        engine: engine of the solver library, such as "highs" or "cbc"; None: the solver's default.
        threads: threads of the engine; None: one.
        warm_start: name of the solver whose plan to start from, or "none"; None: the solver's default.
        log_file: file for the engine's log.
        export_lp: file for the model in LP format.
        **changes: fields of the plan space to change, such as ``policy="rr"`` or ``max_allocations=2``.

    Returns:
        The checked result.

    Raises:
        InputError: an unknown solver or engine, or an option that the solver does not take.
    """
    chosen = find_solver(solver) if isinstance(solver, str) else solver
    used = chosen.space_on(session, replace(chosen.space if space is None else space, **changes))
    given = EngineOptions(engine, threads, None, log_file, export_lp)
    _check_options(chosen, given, warm_start)
    warm_up(chosen, used)
    from_name = warm_start or chosen.starts_from
    starter = None if from_name in (None, COLD) else find_solver(str(from_name))
    if starter is not None:
        warm_up(starter, used)
    started = time.perf_counter()
    start = None if starter is None else _starting_plan(session, starter, used, Limits(time_limit_s, seed))
    limits = Limits(time_limit_s, seed, replace(given, warm_start=start))
    try:
        answer = chosen.run(session, used, limits)
    except InapplicableError as error:
        answer = Answer(None, "inapplicable", reason=str(error))
    wall = time.perf_counter() - started
    result = check(session, chosen.name, used, limits, answer, wall)
    return replace(result, options={**result.options, **_describe(chosen, given, starter)})


def _check_options(solver: Solver, given: EngineOptions, warm_start: str | None) -> None:
    """Refuse options that the solver does not take, and engines that it does not know."""
    values = {
        Option.ENGINE: given.engine,
        Option.THREADS: given.threads,
        Option.WARM_START: warm_start,
        Option.LOG_FILE: given.log_file,
        Option.EXPORT_LP: given.export_lp,
    }
    for option, value in values.items():
        if value is not None and option not in solver.takes:
            flag = {Option.LOG_FILE: "--log"}.get(option, f"--{option.value.replace('_', '-')}")
            raise InputError(f"solver {solver.name!r} does not take this option; leave it out", field=flag)
    if given.engine is not None and given.engine not in solver.engines:
        raise InputError(
            f"unknown engine {given.engine!r}; solver {solver.name!r} runs on {', '.join(solver.engines)}",
            field="--engine",
        )


def _starting_plan(session: Session, starter: Solver, space: PlanSpace, limits: Limits) -> Plan | None:
    """The starter's plan, if it is one of the plan space."""
    try:
        plan = starter.run(session, space, limits).plan
    except InapplicableError:
        return None
    return plan if plan is not None and evaluate(session, plan, space).feasible else None


def _describe(solver: Solver, given: EngineOptions, starter: Solver | None) -> dict[str, Any]:
    """The engine options of a run as plain data; only those that the solver takes."""
    described: dict[str, Any] = {}
    if Option.ENGINE in solver.takes:
        described["engine"] = given.engine or solver.engines[0]
    if Option.THREADS in solver.takes:
        described["threads"] = given.threads or 1
    if Option.WARM_START in solver.takes:
        described["warm_start"] = None if starter is None else starter.name
    return described


def check(session: Session, solver: str, space: PlanSpace, limits: Limits, answer: Answer, wall_s: float) -> Result:
    """Price an answer with the checker and decide its status."""
    evaluation = None if answer.plan is None else evaluate(session, answer.plan, space)
    cost = evaluation.cost_per_h if evaluation is not None and evaluation.feasible else None
    reason = answer.reason
    if evaluation is not None and not evaluation.feasible:
        status, reason = Status.ERROR, f"the checker refused the plan: {'; '.join(evaluation.violations)}"
    elif cost is not None:
        proven = answer.bound is not None and float(cost) - answer.bound <= OPTIMALITY_TOLERANCE * float(cost)
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
        value=cost,
        claimed=answer.claimed,
        bound=answer.bound,
        wall_s=wall_s,
        plan=answer.plan,
        evaluation=evaluation,
        stats=answer.stats,
        reason=reason,
        provenance={**provenance(), "seed": limits.seed},
        trace=answer.trace,
        warm_start=answer.warm_start,
    )


@cache
def provenance() -> dict[str, Any]:
    """Versions, machine and git revision that a result was made with."""
    packages = {}
    for name in ("euclio", "numpy", "numba", "pulp", "highspy", "ortools"):
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
