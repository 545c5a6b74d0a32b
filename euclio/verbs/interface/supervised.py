"""The verbs that solve, in a process next to this one that enforces limits on any solver.

The time limit counts from when the input is read and the solver is imported and compiled, which have limits of their
own (`euclio.supervision.limits.preparation_limit_s`, `euclio.files.json_reading`). On a system without hard limits
(`euclio.core.system`) they run in this process, and keep the time limit themselves.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any

from euclio.core.families import family_of
from euclio.core.family import Explained, Family
from euclio.core.incumbent import forget_incumbent
from euclio.core.progress import say, waiting
from euclio.core.registry import find_solver, offered, solvers_of
from euclio.core.result import Answer, AnyResult, Result, Status
from euclio.core.solver import AnySolver, Solver, SolverLike
from euclio.core.solving import PreparedRun, asked
from euclio.core.system import HARD_LIMITS, soft
from euclio.core.warm_up import warm_up
from euclio.core.words import full
from euclio.supervision.limits import Cause, EndedError, preparation_limit_s
from euclio.supervision.process import Here, Process, forked
from euclio.supervision.serving import Begun, Report, Said

GRACE_S = 0.5
"""Time by which a run may overrun its limit: to notice it, to check the answer, and to hand it over."""

SOFT_LIMIT = "the time limit is the one that solvers keep themselves"

KILLED = "killed"
CRASHED = "crashed"

NO_PLAN = "no plan"
"""The status of solvers that completed their search without a plan or a proof."""

NO_TIME = "the time limit was hit before it was found out why"


class Supervised(AbstractContextManager["Supervised"]):
    """Solves and explains in a process of its own; closing ends it.

    Args:
        instances: the instances to be solved.
        own: solvers that are not registered, such as those from files.
    """

    def __init__(self, instances: Iterable[Any], own: Iterable[AnySolver] = ()) -> None:
        listed = list(instances)
        of = {family.name: family for family in map(family_of, listed)}
        self._known: list[object] = [*own, *listed, *of.values(), *(one for name in of for one in solvers_of(name))]
        self._process = _process(self._known)
        self._warned = False

    def __exit__(self, *_: object) -> None:
        self._process.close()

    def solve(self, instance: Any, solver: SolverLike | None = None, **options: Any) -> AnyResult:
        """As `euclio.solve`; a run that had to be killed is unknown, one whose process ended is an error."""
        return self._made(asked(instance, solver, **options), explained=False)

    def solve_and_explain(self, instance: Any, solver: SolverLike | None = None, **options: Any) -> AnyResult:
        """As `solve`, with what is found within the limit: why an instance is infeasible, and a plan's companion."""
        return self._made(asked(instance, solver, **options), explained=True)

    def solve_with(
        self,
        search: Callable[[Any, PreparedRun], AnyResult],
        demand: Any,
        instance: Any,
        solver: AnySolver,
        **options: Any,
    ) -> AnyResult:
        """A result that is made of many runs of a solver, such as one that keeps an attainment.

        Args:
            search: what makes it of a demand and the run without it; a function of a module.
            demand: what it has to keep to.
            instance: the instance.
            solver: the solver.
            **options: as of `solve`.
        """
        return self._made(asked(instance, solver, **options), explained=True, search=partial(search, demand))

    def why_infeasible(self, family: Family, instance: Any, result: AnyResult, limit_s: float | None) -> str:
        """As `Family.why_infeasible`."""
        try:
            return str(self._call(_why_infeasible, family, instance, result, limit_s, solver=family.default_solver))
        except EndedError as end:
            if end.cause is not Cause.TIME:
                raise
            return NO_TIME

    def explain(self, family: Family, instance: Any, space: Any, limit_s: float | None) -> Explained:
        """As `Family.explain`; unknown where the limit has passed.

        Raises:
            EndedError: the process ended by itself.
        """
        try:
            found = self._call(_explain, family, instance, space, limit_s, solver=family.default_solver)
        except EndedError as end:
            if end.cause is not Cause.TIME:
                raise
            reason = f"killed at the time limit of {full(limit_s)} s" if end.began else "preparing took too long"
            text = f"{instance.name}: unknown\nopen: {reason}"
            return Explained(Status.UNKNOWN, text, {"instance": instance.name, "status": "unknown", "reason": reason})
        assert isinstance(found, Explained)
        return found

    def _made(
        self, ready: PreparedRun, *, explained: bool, search: Callable[[PreparedRun], AnyResult] | None = None
    ) -> AnyResult:
        """The result of a run, also if its process dies."""
        said: list[AnyResult] = []
        forget_incumbent()
        # A search makes many runs, and what is known of one of them says little of its own answer.
        far = ready.standing if search is None else None
        for warm in (True, False):  # a solver that does not even warm up pays for that in its run
            try:
                found = self._call(_make, ready, warm, explained, search, solver=ready.solver.name, said=said, far=far)
            except EndedError as end:
                if end.cause is not Cause.TIME:
                    # A warm start is no answer of a solver that ended by itself.
                    answers = [one for one in said if one.raw_status != KILLED]
                    return answers[-1] if answers else _crashed(ready, f"the solver's process {end}")
                if end.began:
                    return _standing(said, end.wall_s) if said else _killed(ready, end.wall_s)
            else:
                assert isinstance(found, Result)
                return found
        return _crashed(ready, "preparing the solver took too long")

    def _call(
        self,
        function: Any,
        *arguments: Any,
        solver: str,
        said: list[Any] | None = None,
        far: Callable[[], str] | None = None,
    ) -> Any:
        """Call a function in the process, in a new one where that is gone or does not know what is referred to."""
        first = arguments[0]
        referred = (first.instance, first.solver, first.starter) if isinstance(first, PreparedRun) else arguments[1:2]
        unknown = [thing for thing in referred if not any(thing is known for known in (None, *self._known))]
        if unknown or self._process.ended:
            self._process.close()
            self._known += (*unknown, *(family_of(one) for one in unknown if not isinstance(one, Solver)))
            self._process = _process(self._known)
        doing = first.in_words() if isinstance(first, PreparedRun) else f"explaining {arguments[1].name}"
        with waiting(f"preparing {solver}", far=far) as turn_to:

            def heard(report: Begun | Said) -> None:
                if isinstance(report, Said):
                    assert said is not None
                    said.append(report.value)
                    return
                turn_to(doing)
                if report.limit_s is not None and not HARD_LIMITS and not self._warned:
                    self._warned = True
                    say(soft(SOFT_LIMIT))

            return self._process.call(function, *arguments, limit_s=preparation_limit_s(solver), heard=heard)


def _process(known: Sequence[object]) -> Process | Here:
    """The place of calls: a process of its own if the system can kill it, else this one."""
    return forked(known) if HARD_LIMITS else Here(sys.stderr)


def _begun(limit_s: float | None) -> Begun:
    """That preparations are over, to the other process's supervisor."""
    return Begun(None if limit_s is None else limit_s + GRACE_S)


def _make(
    report: Report,
    ready: PreparedRun,
    warm: bool,
    explained: bool,
    search: Callable[[PreparedRun], AnyResult] | None,
) -> AnyResult:
    """Make a run, or a search that makes many, in the other process."""
    # A search makes plans with more demands than the run's, so the run's best plan cannot stand in for them.
    alone = explained and search is None
    companion = ready.family.companion() if alone and ready.family.companion is not None else None
    if warm:
        ready.warm_up()
        if companion is not None:
            companion.prepare(ready.space)
        if search is not None and ready.family.compile_rest is not None:
            ready.family.compile_rest()
    limit_s = ready.limits.time_limit_s
    report(_begun(limit_s))
    began = time.monotonic()

    def started_from(plan: Any) -> None:
        # A process that has to be killed loses what its solver has found, but not what it started from.
        report(Said(ready.check(_from_start(ready, plan), 0.0)))

    try:
        if search is None:
            own, wall_s = ready.answer(started_from)
            if own.why is not None:
                # The proof is kept before words are looked for, which a limit may end.
                report(Said(ready.check(replace(own, why=None), wall_s)))
            result = ready.check(own, wall_s)
        else:
            result = search(ready)
    except MemoryError:
        answer: Answer[Any] = Answer(None, KILLED, reason="there is not enough memory for this solver on this instance")
        return ready.check(answer, time.monotonic() - began)
    if not explained:
        return result
    report(Said(result))
    left_s = None if limit_s is None else began + limit_s - time.monotonic()
    if not _needs_explanation(result):
        return result if companion is None else companion.add(ready.instance, result, left_s)
    return replace(result, reason=ready.family.why_infeasible(ready.instance, result, left_s))


def _needs_explanation(result: AnyResult) -> bool:
    """Whether there is no plan, as is proven, or as a solver that did not run out of time has found."""
    return result.status is Status.INFEASIBLE or (result.status is Status.UNKNOWN and result.raw_status == NO_PLAN)


def _why_infeasible(report: Report, family: Family, instance: Any, result: AnyResult, limit_s: float | None) -> str:
    report(_begun(limit_s))
    return family.why_infeasible(instance, result, limit_s)


def _explain(report: Report, family: Family, instance: Any, space: Any, limit_s: float | None) -> Explained:
    if offered(family.default_solver, family.name) is not None:
        warm_up(find_solver(family.default_solver), space)
    report(_begun(limit_s))
    return family.explain(instance, space, limit_s)


def _from_start(ready: PreparedRun, plan: Any) -> Answer[Any]:
    """The answer of a run that is going to be killed: the plan that it started from."""
    assert ready.starter is not None
    limit_s = ready.limits.time_limit_s
    when = "" if limit_s is None else f" at the time limit of {full(limit_s)} s"
    return Answer(plan, KILLED, reason=f"killed{when}; the plan is {ready.starter.name}'s, which it started from")


def _standing(said: Sequence[AnyResult], wall_s: float) -> AnyResult:
    """The last report; if it is the warm start, with the seconds after which the run was killed."""
    last = said[-1]
    return replace(last, wall_s=wall_s) if last.raw_status == KILLED else last


def _killed(ready: PreparedRun, wall_s: float) -> AnyResult:
    limit_s = ready.limits.time_limit_s
    reason = "" if limit_s is None else f"no checked plan at the time limit of {full(limit_s)} s, and killed"
    return ready.check(Answer(None, KILLED, reason=reason), wall_s)


def _crashed(ready: PreparedRun, reason: str) -> AnyResult:
    return replace(ready.check(Answer(None, CRASHED, reason=reason), 0.0), status=Status.ERROR)
