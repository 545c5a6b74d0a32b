"""Least cost as a step function of the latency objective, or of the rate, with proof (ours).

A longer objective never costs more, because every plan that keeps a shorter one remains. So a plan that is the cheapest
under an objective is the cheapest down to its own worst-case latency, and the search asks for another plan only below
that. A solver that knows the whole function returns it at once (`Solver.pieces`). Any other exact solver is asked step
by step, from the longest objective down.

A higher rate never costs less if machines are charged whole, dummies fill them, and none is slower when it is full.
For machines that serve a rate also serve a lower one with dummies (`never_cheaper_at_more` has the proof). So a plan
that is the cheapest at a rate is the cheapest up to the capacity of its machines. Otherwise rates are asked one by one,
and nothing is claimed for those between.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from itertools import islice

from euclio.core.coverage import remedy
from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.lazy import late_value
from euclio.core.numbers import Number, exact_number
from euclio.core.parameters import option_text, verb_text
from euclio.core.progress import told
from euclio.core.registry import Limits
from euclio.core.result import Answer, Status
from euclio.core.showing import Framed, Plotted
from euclio.core.solver import AnySolver, Piece
from euclio.core.solving import check, solver_for
from euclio.problems.session.changes import SessionChanges
from euclio.problems.session.demands import never_cheaper_at_more
from euclio.problems.session.evaluate import Evaluation, Priced, evaluate
from euclio.problems.session.instance import Session
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.problems.session.rules import Charging
from euclio.problems.session.services import application_modules, application_rate
from euclio.problems.session.space import PlanSpace
from euclio.questions.question import Question, SessionResult, Solved, Solving, used_hardware
from euclio.questions.sweep.axes import OBJECTIVE, RATE, RATE_OF, SLO, Kind, changed

MOST_SOLVED = 200
"""Steps that are solved one by one at most."""
JUST = Fraction(1, 10**9)
"""Share of an objective or a rate between one step and the value at which the next is asked for."""
PARTS = 16
"""Equal parts of a range whose ends are asked for if nothing is proven between two rates."""
FACTOR = 2
"""Without a given range, it goes from the session's own value divided by this to that value times this."""
PROVEN = (Status.OPTIMAL, Status.INFEASIBLE)
"""Statuses of the results if the function is proven."""


class Over(StrEnum):
    """The variable of the least cost."""

    SLO = "slo"
    RATE = "rate"

    def in_words(self) -> str:
        """Its name in tables."""
        return "SLO" if self is Over.SLO else "rate"


KINDS = {Over.SLO: (SLO, OBJECTIVE), Over.RATE: (RATE, RATE_OF)}
"""The kinds of change by variable: that of the whole session, and that of one name."""


@dataclass(frozen=True, slots=True)
class CostStep(Solved):
    """Objectives, or rates, for which one plan is the cheapest.

    Attributes:
        start: where it begins: at this objective in seconds, or above this rate in requests per second (the first
            step: at this rate).
        end: where it ends: the step holds for objectives below this one, for rates up to this one. The range between
            two steps is tiny, over the rate the first billionth of a step. It is only proven that the cost there is
            that of one of the two steps or between them. The last step ends with the range, whose end is asked for too.
            A step that ends where it begins holds for this rate alone.
    """

    start: Fraction
    end: Fraction


@dataclass(frozen=True, slots=True)
class OverRange(Question):
    """The least cost over a range of objectives or rates.

    Attributes:
        over: the variable.
        start: least objective in seconds, or rate of the sources in requests per second without headroom.
        end: the largest.
        of: name of the objective, or of the application whose rate varies; empty means the session's one objective,
            or the rate of all its sources.
    """

    over: Over
    start: Fraction
    end: Fraction
    of: str = ""

    @property
    def kind(self) -> Kind:
        """What varies."""
        return KINDS[self.over][bool(self.of)]

    def at(self, value: Fraction) -> Session:
        """The session at an objective in seconds or a rate in requests per second."""
        return changed([(self.kind, self.of, value)], self.changes).applied_to(self.session)

    def taken_s(self, found: Evaluation) -> Fraction | None:
        """Seconds that a plan takes of the objective that varies, or else of the longest."""
        return found.objectives[self.of] if self.of and self.over is Over.SLO else found.latency_s

    @property
    def steps_proven(self) -> bool:
        """Whether it is proven that the cost never rises with the objective, or never falls with the rate."""
        return self.over is Over.SLO or never_cheaper_at_more(self.session, self.space)

    @property
    def own(self) -> Fraction:
        """The session's own objective in seconds, or rate in requests per second without headroom."""
        given = None if self.of or self.changes is None else getattr(self.changes, self.kind.field)
        value: Fraction | None = self.kind.own(self.session, self.of) if given is None else given
        assert value is not None, "every session has rates and objectives"
        return value


@dataclass(frozen=True, slots=True, repr=False)
class CostCurve(Framed, Plotted):
    """The answer.

    Attributes:
        question: the question.
        steps: by rising objective or rate; steps without a plan are included.
        complete: whether they cover the whole range.
    """

    _view = late_value("euclio.questions.views", "COST_CURVE")

    question: OverRange
    steps: tuple[CostStep, ...]
    complete: bool

    @property
    def proven(self) -> bool:
        """Whether every step is proven, and the range complete."""
        return self.complete and all(s.result.status in PROVEN for s in self.steps)

    @property
    def hardware(self) -> list[str]:
        """The hardware types that some plan uses, in the order of the session."""
        return used_hardware(self.question.session, self.steps)

    def at(self, value: Number) -> CostStep | None:
        """The step at an objective in seconds, or a rate in requests per second; None if too little is proven there.

        Args:
            value: the objective or rate.
        """
        exact, last = exact_number(value, "value"), self.question.end
        if self.question.over is Over.SLO:
            i = bisect_right([step.start for step in self.steps], exact) - 1
            return self.steps[i] if i >= 0 and (exact < self.steps[i].end or exact == last) else None
        return next((step for i, step in enumerate(self.steps) if _has_rate(step, exact, first=i == 0)), None)


def _has_rate(step: CostStep, rate: Fraction, *, first: bool) -> bool:
    """Whether a step holds for a rate; all but the first were asked for a billionth above their start."""
    return rate == step.end or step.start * (1 if first else 1 + JUST) <= rate < step.end


def question(
    session: Session,
    *,
    over: Over | str = Over.SLO,
    of: str = "",
    between: tuple[Number, Number] | None = None,
    changes: SessionChanges | None = None,
    solver: str | AnySolver | None = None,
    space: PlanSpace | None = None,
    time_limit_s: float | None = None,
) -> OverRange:
    """A question about a session.

    Args:
        session: the session.
        over: the variable of the cost.
        of: name of the objective, or of the application whose rate varies; empty means the whole session.
        between: least and largest objective in seconds, or rate in requests per second; None means half and twice the
            session's.
        changes: changes of the session at all steps.
        solver: name of a solver, or a `Solver`; None means the exact one.
        space: plan space; None means the solver's own, over the rate with whole machines.
        time_limit_s: limit of each run in seconds; None means no limit.

    Raises:
        InputError: a solver that proves nothing or does not cover the question, a plan space whose cost may fall with
            the rate, or a range that is not one.
    """
    over, chosen = Over(over), solver_for(family_of(session), solver)
    if chosen.kind == "heuristic":
        raise InputError(
            f"{chosen.name} proves nothing between two points; use exact, or {verb_text('what-if')} for points of its "
            "own",
            field="--solver",
        )
    own = replace(chosen.space, charging=Charging.WHOLE) if over is Over.RATE else chosen.space
    used = own if space is None else space
    if over is Over.RATE and not used.fills:
        raise InputError(
            "over the rate the cost is a step function only where machines are charged whole and dummies fill them; "
            f"use {option_text('--machines', 'whole')} with a dummy rule other than none, or "
            f"{verb_text('what-if', '--rate')} for points",
            field="--over",
        )
    if not used.dummy.countable and not used.charging.whole:
        raise InputError(
            "is continuous: by share the cost then falls with the objective without steps; use "
            f"{option_text('--dummy', 'machine')}, {option_text('--machines', 'whole')}, or "
            f"{verb_text('what-if', '--slo')} for points",
            field="--dummy",
        )
    _check_name(session, over, of)
    asked = OverRange(session, changes, chosen, used, time_limit_s, over, Fraction(0), Fraction(0), of)
    first, last = (asked.own / FACTOR, asked.own * FACTOR) if between is None else between
    start, end = exact_number(first, f"--{over}"), exact_number(last, f"--{over}")
    if not 0 < start < end:
        raise InputError("takes two values above 0, the lesser one first", field=f"--{over}")
    asked = replace(asked, start=start, end=end)
    lacking = chosen.uncovered(asked.at(end), chosen.space_on(asked.at(end), used))
    if lacking:
        what = lacking[0].words_on(asked.at(end), used)
        hint = remedy(asked.at(end), lambda other: other.space_on(asked.at(end), used), ("exact",), option_text)
        raise InputError(f"{chosen.name} does not cover {what}; {hint}", field="--solver")
    return asked


def _check_name(session: Session, over: Over, of: str) -> None:
    """Refuse a range that does not say which of several objectives it is for, and unknown names."""
    if over is Over.RATE:
        if of:
            application_rate(session, of)
        return
    known = [one.name for one in session.objectives]
    if of not in (known or [""]):
        said = f"unknown objective {of!r}" if of else "the session has several objectives"
        listed = f"name one, as in NAME=S,S: {', '.join(known)}" if known else "its one objective has no name"
        raise InputError(f"{said}; {listed}", field="--slo")


def cost_curve(session: Session, *, solving: Solving | None = None, **asked: object) -> CostCurve:
    """Least cost of a session over a range of objectives or rates.

    Args:
        session: the session.
        solving: the function that solves one of them if they are solved one by one.
        **asked: as of `question`.
    """
    return answered(question(session, **asked), solving)  # type: ignore[arg-type]


@told("solving all steps")
def answered(asked: OverRange, solving: Solving | None = None) -> CostCurve:
    """The answer to a question; `solving` solves a step if steps are solved one by one."""
    if asked.over is Over.SLO and not asked.of and solving is None and (at_once := _at_once(asked)) is not None:
        return CostCurve(asked, at_once, True)
    if not asked.steps_proven:
        return CostCurve(asked, tuple(_at_points(asked, solving or asked.solving())), False)
    walk = _down_from_the_longest if asked.over is Over.SLO else _up_from_the_lowest
    steps: list[CostStep] = []
    for step in islice(walk(asked, solving or asked.solving()), MOST_SOLVED):
        # If the next optimum is the same, its plan is also the cheapest in the last step and between the two.
        if steps and step.cost_per_h == steps[-1].cost_per_h and _optimal(step) and _optimal(steps[-1]):
            step = _joined(asked, steps.pop(), step)
        steps.append(step)
    steps.sort(key=lambda step: step.start)
    return CostCurve(asked, tuple(steps), steps[0].start <= asked.start and steps[-1].end >= asked.end)


def _optimal(step: CostStep) -> bool:
    return step.result.status is Status.OPTIMAL


def _joined(asked: OverRange, before: CostStep, step: CostStep) -> CostStep:
    """Two steps as one: the plan of the later one holds in both, and so does the bound of the earlier one."""
    bounded = replace(step, result=replace(step.result, bound=before.result.bound))
    slo = asked.over is Over.SLO
    return replace(bounded, end=before.end) if slo else replace(bounded, start=before.start)


def _at_points(asked: OverRange, solving: Solving) -> Iterator[CostStep]:
    """The least cost at rates that are solved one by one: those that divide the range, and the session's own."""
    parts = {asked.start + (asked.end - asked.start) * k / PARTS for k in range(PARTS + 1)}
    own = {asked.own} if asked.start <= asked.own <= asked.end else set()
    for rate in sorted(parts | own):
        session = asked.at(rate)
        yield CostStep(session, asked.solved(solving, session, asked.space), rate, rate)


def _at_once(asked: OverRange) -> tuple[CostStep, ...] | None:
    """The steps that the solver returns at once; None if it returns none, or leaves gaps that are not tiny."""
    if asked.solver.pieces is None:
        return None
    limits: Limits[Plan] = Limits(asked.time_limit_s)
    longest = asked.at(asked.end)
    space = asked.solver.space_on(longest, asked.space)
    pieces = asked.solver.pieces(longest, space, limits, asked.start, asked.end)
    steps: list[CostStep] = []
    priced: Priced = {}
    for piece in pieces or ():
        step = _checked(asked, longest, piece, space, limits, priced)
        if steps and step.start < steps[-1].end:
            steps[-1] = replace(steps[-1], end=step.start)
        before = steps[-1].end if steps else asked.start
        if step.result.status not in PROVEN or step.start - before > JUST * step.start:
            return None
        # If two steps begin with the range, only the second one counts.
        if steps and steps[-1].start == step.start:
            steps.pop()
        steps.append(step)
    return tuple(steps) or None


def _checked(
    asked: OverRange, longest: Session, piece: Piece[Plan], space: PlanSpace, limits: Limits[Plan], priced: Priced
) -> CostStep:
    """A piece as a step from the worst-case latency of its plan, which the checker finds."""
    answer = Answer(piece.plan, "optimal", bound=piece.bound)
    if piece.plan is None:
        answer = Answer(None, "infeasible", infeasible=True, reason="no plan meets the SLO in this plan space")
    found = None if piece.plan is None else evaluate(longest, piece.plan, space, priced=priced)
    result = check(longest, asked.solver.name, space, limits, answer, 0.0, evaluation=found)
    latency = None if found is None else found.latency_s
    start = asked.start if latency is None else max(latency, asked.start)
    # Among the checked values, only the longest path depends on the objective.
    session = replace(longest, slo_s=start)
    return CostStep(session, replace(result, of_instance=session), start, piece.until_s)


def _down_from_the_longest(asked: OverRange, solving: Solving) -> Iterator[CostStep]:
    """Steps by falling objective: the next one begins just below the worst-case latency of the last one's plan."""
    end = slo = asked.end
    while True:
        session = asked.at(slo)
        result = asked.solved(solving, session, asked.space)
        found = result.evaluation
        taken = None if found is None else asked.taken_s(found)
        if result.value is None or taken is None:
            # Without a plan under this objective there is none under a shorter one, and nothing more is known.
            yield CostStep(session, result, asked.start, end)
            return
        start = max(taken, asked.start)
        shortest = asked.at(start)
        yield CostStep(shortest, _under(result, shortest), start, end)
        if start <= asked.start:
            return
        end = slo = max(asked.start, start * (1 - JUST))


def _up_from_the_lowest(asked: OverRange, solving: Solving) -> Iterator[CostStep]:
    """Steps by rising rate: the next one begins just above the capacity of the last plan's machines."""
    start = rate = asked.start
    while True:
        session = asked.at(rate)
        result = asked.solved(solving, session, asked.space)
        if result.plan is None or result.value is None:
            # A plan at a higher rate, filled with dummies, would be a plan here.
            yield CostStep(session, result, start, asked.end)
            return
        end = min(_taken_at_most(asked, session, result.plan, rate), asked.end)
        lowest, highest = asked.at(start), asked.at(end)
        kept = [_under(replace(result, plan=_filled(result.plan, one)), one) for one in (lowest, highest)]
        if any(one.value != result.value or one.evaluation is None or not one.evaluation.feasible for one in kept):
            yield CostStep(session, result, rate, rate)
            return
        yield CostStep(highest, kept[-1], start, end)
        if end >= asked.end:
            return
        start, rate = end, min(end * (1 + JUST), asked.end)


def _full(plan: ModulePlan) -> tuple[Allocation, ...]:
    """The allocations of a module, with a partial machine counted as a full one."""
    return tuple(
        replace(a, machines=a.machines + (a.partial_rps > 0), partial_rps=Fraction(0)) for a in plan.allocations
    )


def full_rate(plan: ModulePlan) -> Fraction:
    """Requests per second of a module's machines if all of them are full."""
    return _taken(_full(plan))


def _taken(allocations: tuple[Allocation, ...]) -> Fraction:
    """Requests per second of full machines."""
    return sum((a.machines * a.configuration.throughput_rps for a in allocations), Fraction(0))


def _filled(plan: Plan, session: Session) -> Plan:
    """The plan for the rates of a session, with dummies that fill all of its machines."""
    full = [_full(own) for own in plan.modules]
    dummies = [_taken(own) - module.rate_rps for own, module in zip(full, session.modules, strict=True)]
    return Plan(tuple(ModulePlan(own, rate) for own, rate in zip(full, dummies, strict=True)))


def _taken_at_most(asked: OverRange, session: Session, plan: Plan, rate: Fraction) -> Fraction:
    """The highest rate that the machines of a plan can take if the rates that vary are those of `rate`."""
    varies = application_modules(session, asked.of) if asked.of else range(len(session.modules))
    return min(_taken(_full(plan.modules[m])) * rate / session.modules[m].rate_rps for m in varies)


def _under(result: SessionResult, session: Session) -> SessionResult:
    """The result for another session of the step, on which its plan is checked."""
    assert result.plan is not None
    found = evaluate(session, result.plan, result.space)
    return replace(result, evaluation=found, value=found.value, of_instance=session)
