"""Run one solver on one instance and check its answer (docs/architecture.md)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from pathlib import Path
from typing import Any

from euclio.core.compiled import begin_run, how_kernels_ran, stopping_at
from euclio.core.coverage import ranked, remedy
from euclio.core.engine_packages import MissingEngineError, refuse_missing
from euclio.core.errors import InapplicableError, InputError
from euclio.core.families import family_of, find_family
from euclio.core.family import Checked, Family
from euclio.core.incumbent import incumbent_in_words, shared_incumbent
from euclio.core.objective import Goal
from euclio.core.progress import waiting
from euclio.core.quick_records import changed
from euclio.core.registry import find_solver, offered, solvers_of
from euclio.core.result import Answer, AnyResult, Result, Status
from euclio.core.solver import AnySolver, EngineOptions, Limits, Option, SolverLike
from euclio.core.versions import provenance
from euclio.core.warm_up import warm_up
from euclio.core.words import full, joined

COLD = "none"
"""Name that requests no warm start."""


def solve(
    instance: Any,
    solver: SolverLike | None = None,
    *,
    space: Any = None,
    time_limit_s: float | None = None,
    seed: int = 0,
    engine: str | None = None,
    threads: int | None = None,
    warm_start: SolverLike | None = None,
    log_file: Path | None = None,
    export_lp: Path | None = None,
    **changes: Any,
) -> AnyResult:
    """Solve an instance and check the plan.

    Args:
        instance: an instance of any family.
        solver: name of a registered solver, or a `Solver`. None means the default of the instance's family.
        space: plan space; by default the solver's own. The result's plan space may be narrower (`Solver.narrow`).
        time_limit_s: time limit in seconds.
        seed: seed of random choices.
        engine: engine of the solver library, such as "highs", "cbc" or "scip". None means the solver's default.
        threads: threads of the engine. None means one.
        warm_start: name of the solver whose plan is the warm start, or "none". None means the solver's default.
        log_file: file for the engine's log.
        export_lp: file for the model in LP format.
        **changes: fields of the plan space to change, such as ``policy="rr"`` or ``max_allocations=2``.

    Returns:
        The checked result.

    Raises:
        InputError: the solver or engine is unknown, the solver is of another problem family or does not take an option,
            or the plan space does not fit the instance. A missing engine raises `MissingEngineError`.
    """
    options: EngineOptions[Any] = EngineOptions(engine, threads, None, log_file, export_lp)
    limits: Limits[Any] = Limits(time_limit_s, seed, options)
    ready = prepare(instance, solver, space=space, limits=limits, warm_start=warm_start, **changes)
    with waiting(f"preparing {ready.solver.name}", far=ready.standing) as turn_to:
        ready.warm_up()
        turn_to(ready.in_words())
        return ready.check(*ready.answer())


def asked(instance: Any, solver: SolverLike | None = None, **options: Any) -> PreparedRun:
    """The run that arguments of `solve` ask for, ready to be made; errors as there."""
    engine = {name: options.pop(name, None) for name in ("engine", "threads", "log_file", "export_lp")}
    limits: Limits[Any] = Limits(options.pop("time_limit_s", None), options.pop("seed", 0), EngineOptions(**engine))
    return prepare(instance, solver, limits=limits, **options)


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """A run with all decisions made but not yet solved.

    Attributes:
        space: plan space that the solver searches and the checker uses.
        limits: limits and engine options, without the warm start.
        starter: solver of the warm start. None means no warm start.
        given: the plan space that the user gave. None means each solver's own.
        changes: fields of the plan space that the user gave.
    """

    instance: Any
    family: Family
    solver: AnySolver
    space: Any
    limits: Limits[Any]
    starter: AnySolver | None
    given: Any = None
    changes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        """Plan space, limits and those engine options that the solver takes, as plain data."""
        described = _describe(self.space, self.family.goal(self.space), self.limits)
        given = self.limits.options
        if Option.ENGINE in self.solver.takes:
            described["engine"] = given.engine or self.solver.engines[0]
        if Option.THREADS in self.solver.takes:
            described["threads"] = given.threads or 1
        if Option.WARM_START in self.solver.takes:
            described["warm_start"] = None if self.starter is None else self.starter.name
        return described

    def in_words(self) -> str:
        """The progress message of this run."""
        limit_s = self.limits.time_limit_s
        limit = "" if limit_s is None else f", up to {full(limit_s)} s"
        return f"solving {self.instance.name} with {self.solver.name}{limit}"

    def standing(self) -> str:
        """Incumbent and bound of the run so far, in words; empty if nothing is known or the run is not under way."""
        return incumbent_in_words(self.family.goal(self.space))

    def warm_up(self) -> None:
        """Import and compile what the run needs (`euclio.core.warm_up`), and derive the data that runs share.

        Otherwise the first run of an instance would be charged for work that all runs use.
        """
        covered = False
        for solver in (self.solver, self.starter):
            # A solver that will refuse the instance needs no preparation, and must not run on cases that it does not
            # cover.
            if solver is not None and not solver.uncovered(self.instance, self.space):
                warm_up(solver, self.space)
                covered = True
        if covered and self.family.derive is not None:
            self.family.derive(self.instance, self.space)

    def answer(self, started_from: Callable[[Any], None] | None = None) -> tuple[Answer[Any], float]:
        """The solver's unchecked answer, and the seconds that it took including the warm start.

        Args:
            started_from: receives the warm start before the solver runs, if there is one. None disables it.

        Raises:
            TypeError: the solver returned no `Answer`.
        """
        begin_run()
        started = time.perf_counter()
        start = None if self.starter is None else self._starting_plan(self.starter)
        if start is not None and started_from is not None:
            started_from(start)
        options = changed(self.limits.options, warm_start=start)
        try:
            self._refuse_uncovered(self.solver)
            with shared_incumbent() as standing, stopping_at(self.limits.deadline(started)):
                limits = changed(self.limits, options=options, standing=standing)
                answer = self.solver.run(self.instance, self.space, limits)
        except InapplicableError as error:
            answer = Answer(None, "inapplicable", reason=str(error))
        wall_s = time.perf_counter() - started
        self._check_types(answer)
        return answer, wall_s

    def check(self, answer: Answer[Any], wall_s: float) -> AnyResult:
        """The checked result."""
        return check(self.instance, self.solver.name, self.space, self.limits, answer, wall_s, options=self.options)

    def _starting_plan(self, starter: AnySolver) -> Any:
        """The starter's plan, if it lies in the plan space."""
        limits: Limits[Any] = Limits(self.limits.time_limit_s, self.limits.seed)
        try:
            self._refuse_uncovered(starter)
            plan = starter.run(self.instance, self.space, limits).plan
        except InapplicableError:
            return None
        feasible = plan is not None and self.family.evaluate(self.instance, plan, self.space).feasible
        return plan if feasible else None

    def _refuse_uncovered(self, solver: AnySolver) -> None:
        """Refuse a solver that does not cover the case: its bound would be invalid and its plan rejected.

        Raises:
            InapplicableError: the solver does not cover something of the instance or the plan space.
        """
        lacking = solver.uncovered(self.instance, self.space)
        if lacking:
            what = joined([demand.words_on(self.instance, self.space) for demand in lacking])
            hint = remedy(self.instance, lambda s: _space_on(self.instance, s, self.given, self.changes))
            raise InapplicableError(f"{solver.name} does not cover {what}; {hint}")

    def _check_types(self, answer: Any) -> None:
        if not isinstance(answer, Answer):
            raise TypeError(f"the solver returned {type(answer).__name__}, not an Answer")
        if answer.plan is not None and not isinstance(answer.plan, self.family.plan):
            raise TypeError(f"the solver's plan is {type(answer.plan).__name__}, not {self.family.plan.__name__}")


def prepare(
    instance: Any,
    solver: SolverLike | None,
    *,
    space: Any = None,
    limits: Limits[Any],
    warm_start: SolverLike | None = None,
    **changes: Any,
) -> PreparedRun:
    """Decide and check everything of a run but the answer; arguments, defaults and errors as in `solve`."""
    family = family_of(instance)
    chosen = solver_for(family, solver)
    _check_options(chosen, limits.options, warm_start)
    used = _space_on(instance, chosen, space, changes)
    family.check_space(instance, used)
    from_name = warm_start or chosen.starts_from
    starter = None if from_name in (None, COLD) else solver_for(family, from_name)
    refuse_missing(
        chosen,
        limits.options.engine,
        lambda other: not other.uncovered(instance, _space_on(instance, other, space, changes)),
    )
    if starter is not None:
        refuse_missing(starter)
    return PreparedRun(instance, family, chosen, used, limits, starter, space, changes)


def _space_on(instance: Any, solver: AnySolver, given: Any, changes: Mapping[str, Any]) -> Any:
    """The plan space that a solver searches on an instance: the given one or its own, with some fields changed."""
    space = solver.space if given is None else given
    return solver.space_on(instance, replace(space, **changes) if changes else space)


def without_engine(
    instance: Any,
    solver: AnySolver,
    error: MissingEngineError,
    time_limit_s: float | None,
    *,
    space: Any = None,
    **changes: Any,
) -> AnyResult:
    """The inapplicable result of a solver that `prepare` refuses because its engine is missing."""
    searched = _space_on(instance, solver, space, changes)
    answer: Answer[Any] = Answer(None, "inapplicable", reason=error.message)
    return check(instance, solver.name, searched, Limits(time_limit_s), answer, 0.0)


def solver_for(family: Family, solver: SolverLike | None) -> AnySolver:
    """The named solver for an instance of this family. None means the family's default.

    Raises:
        InputError: there is no such solver, or it solves instances of another family.
    """
    name = family.default_solver if solver is None else solver
    chosen = (isinstance(name, str) and offered(name, family.name)) or find_solver(name)
    if chosen.family != family.name:
        fitting = ", ".join(s.name for s in ranked(solvers_of(family.name))) or "none is installed"
        raise InputError(
            f"solver {chosen.name!r} is for {find_family(chosen.family).instances}; those for {family.instances} are: "
            f"{fitting}",
            field="--solver",
        )
    return chosen


def _check_options(solver: AnySolver, given: EngineOptions[Any], warm_start: SolverLike | None) -> None:
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


def check(
    instance: Any,
    solver: str,
    space: Any,
    limits: Limits[Any],
    answer: Answer[Any],
    wall_s: float,
    *,
    evaluation: Checked | None = None,
    options: Mapping[str, Any] | None = None,
) -> AnyResult:
    """Price an answer with the checker and decide its status.

    Args:
        instance: the instance.
        solver: name of the solver.
        space: the plan space that the plan is checked under.
        limits: the limits of the run.
        answer: the answer, unchecked.
        wall_s: seconds that it took.
        evaluation: the checker's evaluation of the plan, if it exists already.
        options: plan space and limits as plain data. None means those given above.
    """
    family = family_of(instance)
    goal = family.goal(space)
    if answer.plan is not None and evaluation is None:
        evaluation = family.evaluate(instance, answer.plan, space)
    status, reason = _outcome(answer, evaluation, goal)
    return Result(
        instance=instance.name,
        solver=solver,
        options=dict(options) if options is not None else _describe(space, goal, limits),
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
        provenance={**provenance(), "kernels": how_kernels_ran(), "seed": limits.seed},
        trace=answer.trace,
        warm_start=answer.warm_start,
        of_instance=instance,
        planned_for=family.planned_for(space),
    )


def _describe(space: Any, goal: Goal, limits: Limits[Any]) -> dict[str, Any]:
    """Plan space and limits of a run as plain data."""
    return {**space.describe(), "objective": goal.name, "time_limit_s": limits.time_limit_s, "seed": limits.seed}


def _outcome(answer: Answer[Any], evaluation: Checked | None, goal: Goal) -> tuple[Status, str]:
    """Status and reason of an answer.

    A rejected plan is an error. So is a claim or bound that is not a finite number or that the checked plan
    contradicts.
    """
    if evaluation is not None and (not evaluation.feasible or evaluation.value is None):
        return Status.ERROR, f"the checker refused the plan: {'; '.join(evaluation.violations)}"
    for figure, name in ((answer.claimed, "claim"), (answer.bound, "bound")):
        if figure is not None and not (isinstance(figure, Real) and math.isfinite(figure)):
            return Status.ERROR, f"the solver's {name} is {figure!r}, no finite number"
    if evaluation is not None and evaluation.value is not None:
        wrong = goal.contradiction(evaluation.value, answer.bound)
        if wrong:
            return Status.ERROR, f"the solver's bound is wrong: {wrong}"
        wrong = goal.wrong_claim(evaluation.value, answer.claimed)
        if wrong:
            return Status.ERROR, f"the solver's claim is wrong: {wrong}"
        return Status.OPTIMAL if goal.proven(evaluation.value, answer.bound) else Status.FEASIBLE, answer.reason
    if answer.raw_status == "inapplicable":
        return Status.INAPPLICABLE, answer.reason
    reason = answer.reason if answer.why is None else answer.why()
    return Status.INFEASIBLE if answer.infeasible else Status.UNKNOWN, reason
