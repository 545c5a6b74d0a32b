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
from typing import Any, overload

from euclio.errors import InapplicableError, InputError
from euclio.families import Checked, Family, family_of, find_family
from euclio.goal import Goal
from euclio.pipeline import Cluster, PipelinePlan, PipelineSpace, PlanEvaluation
from euclio.registry import AnySolver, EngineOptions, Limits, Option, Solver, find_solver, solvers_of
from euclio.result import Answer, AnyResult, Result, Status
from euclio.session import Session
from euclio.warm_up import warm_up

ClusterResult = Result[PipelinePlan, PipelineSpace, PlanEvaluation]

COLD = "none"
"""Name that asks for no warm start."""


@overload
def solve(instance: Session, solver: str | Solver | None = None, **options: Any) -> Result: ...
@overload
def solve(instance: Cluster, solver: str | AnySolver | None = None, **options: Any) -> ClusterResult: ...
def solve(
    instance: Any,
    solver: str | AnySolver | None = None,
    *,
    space: Any = None,
    time_limit_s: float | None = None,
    seed: int = 0,
    engine: str | None = None,
    threads: int | None = None,
    warm_start: str | None = None,
    log_file: Path | None = None,
    export_lp: Path | None = None,
    **changes: Any,
) -> AnyResult:
    """Solve an instance and check the plan.

    Args:
        instance: a session or a cluster.
        solver: name of a registered solver, or a `Solver`; None: the default of the instance's family.
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
        InputError: an unknown solver or engine, a solver of another problem family, an option that the solver does
            not take, or a plan space that does not go with the instance.
    """
    family = family_of(instance)
    chosen = solver_for(family, solver)
    given: EngineOptions[Any] = EngineOptions(engine, threads, None, log_file, export_lp)
    _check_options(chosen, given, warm_start)
    used = chosen.space_on(instance, replace(chosen.space if space is None else space, **changes))
    family.check_space(instance, used)
    warm_up(chosen, used)
    from_name = warm_start or chosen.starts_from
    starter = None if from_name in (None, COLD) else solver_for(family, str(from_name))
    if starter is not None:
        warm_up(starter, used)
    started = time.perf_counter()
    start = None if starter is None else _starting_plan(instance, family, starter, used, Limits(time_limit_s, seed))
    limits = Limits(time_limit_s, seed, replace(given, warm_start=start))
    try:
        answer = chosen.run(instance, used, limits)
    except InapplicableError as error:
        answer = Answer(None, "inapplicable", reason=str(error))
    wall = time.perf_counter() - started
    result = check(instance, chosen.name, used, limits, answer, wall)
    return replace(result, options={**result.options, **_describe(chosen, given, starter)})


def solver_for(family: Family, solver: str | AnySolver | None) -> AnySolver:
    """The solver of an instance of this family, by name; None: the family's default.

    Raises:
        InputError: there is no such solver, or it solves instances of another family.
    """
    chosen = solver if isinstance(solver, Solver) else find_solver(solver or family.default_solver)
    if chosen.family != family.name:
        fitting = ", ".join(s.name for s in solvers_of(family.name)) or "none is installed"
        raise InputError(
            f"solver {chosen.name!r} is for {find_family(chosen.family).instances}; those for {family.instances} are: "
            f"{fitting}",
            field="--solver",
        )
    return chosen


def _check_options(solver: AnySolver, given: EngineOptions[Any], warm_start: str | None) -> None:
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


def _starting_plan(instance: Any, family: Family, starter: AnySolver, space: Any, limits: Limits[Any]) -> Any:
    """The starter's plan, if it is one of the plan space."""
    try:
        plan = starter.run(instance, space, limits).plan
    except InapplicableError:
        return None
    return plan if plan is not None and family.evaluate(instance, plan, space).feasible else None


def _describe(solver: AnySolver, given: EngineOptions[Any], starter: AnySolver | None) -> dict[str, Any]:
    """The engine options of a run as plain data; only those that the solver takes."""
    described: dict[str, Any] = {}
    if Option.ENGINE in solver.takes:
        described["engine"] = given.engine or solver.engines[0]
    if Option.THREADS in solver.takes:
        described["threads"] = given.threads or 1
    if Option.WARM_START in solver.takes:
        described["warm_start"] = None if starter is None else starter.name
    return described


def check(instance: Any, solver: str, space: Any, limits: Limits[Any], answer: Answer[Any], wall_s: float) -> AnyResult:
    """Price an answer with the checker and decide its status."""
    family = family_of(instance)
    goal = family.goal(space)
    evaluation = None if answer.plan is None else family.evaluate(instance, answer.plan, space)
    status, reason = _outcome(answer, evaluation, goal)
    return Result(
        instance=instance.name,
        solver=solver,
        options={**space.describe(), "objective": goal.name, "time_limit_s": limits.time_limit_s, "seed": limits.seed},
        space=space,
        status=status,
        raw_status=answer.raw_status,
        value=None if evaluation is None or status is Status.ERROR else evaluation.value,
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


def _outcome(answer: Answer[Any], evaluation: Checked | None, goal: Goal) -> tuple[Status, str]:
    """Status and reason of an answer; a bound that the checked plan contradicts is an error, like a refused plan."""
    if evaluation is not None and (not evaluation.feasible or evaluation.value is None):
        return Status.ERROR, f"the checker refused the plan: {'; '.join(evaluation.violations)}"
    if evaluation is not None and evaluation.value is not None:
        wrong = goal.contradiction(evaluation.value, answer.bound)
        if wrong:
            return Status.ERROR, f"the solver's bound is wrong: {wrong}"
        return Status.OPTIMAL if goal.proven(evaluation.value, answer.bound) else Status.FEASIBLE, answer.reason
    if answer.raw_status == "inapplicable":
        return Status.INAPPLICABLE, answer.reason
    return Status.INFEASIBLE if answer.infeasible else Status.UNKNOWN, answer.reason


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
