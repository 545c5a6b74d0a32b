"""The most requests of a session within a budget, with proof: the inverse of the least cost (ours; docs/howto/most.md).

All rates, or those of one application, are multiplied by a factor. If a higher rate never costs less
(`never_cheaper_at_more`), a plan at one factor serves every lower one. Then the search halves the range between a
factor within the budget and one beyond it. A plan is the cheapest up to the capacity of its machines, and the search
jumps there. The answer is such a breakpoint, and just above it no plan is within the budget. Otherwise costs may fall
with the rate. Then the search finds a factor just below one that is beyond the budget, and claims nothing for higher
ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import cycle
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.lazy import late_value
from euclio.core.progress import told
from euclio.core.result import Status
from euclio.core.showing import Framed, Head, View
from euclio.core.solver import AnySolver
from euclio.core.solving import solver_for
from euclio.core.words import amount, full
from euclio.problems.session.changes import SessionChanges, source_rate
from euclio.problems.session.costs import HOURS_PER_MONTH, money
from euclio.problems.session.demands import never_cheaper_at_more
from euclio.problems.session.instance import Session
from euclio.problems.session.machine_limits import least_machines
from euclio.problems.session.plan import Plan
from euclio.problems.session.rules import Charging
from euclio.problems.session.services import application_modules, application_rate
from euclio.problems.session.space import PlanSpace
from euclio.problems.session.table import plan_table
from euclio.questions.cost_curve import full_rate
from euclio.questions.question import Question, Solved, Solving
from euclio.serving.attainment.demand import Demand

JUST = Fraction(1, 10**9)
"""Share of a factor between a breakpoint and the next factor that is tried."""
MOST_DOUBLINGS = 40
"""The most times that the session's own rates are doubled or halved."""


@dataclass(frozen=True, slots=True)
class MostAsked(Question):
    """The question.

    Attributes:
        budget_per_h: money per hour that a plan may cost.
        of: name of the application whose requests are counted; empty means all.
    """

    budget_per_h: Fraction
    of: str = ""

    def at(self, factor: Fraction) -> Session:
        """The session with its rates, or those of the application, times a factor."""
        base = self.base
        if self.of:
            return SessionChanges(rates_rps={self.of: application_rate(base, self.of) * factor}).applied_to(base)
        return SessionChanges(rate_rps=source_rate(base) * factor).applied_to(base)

    @property
    def base(self) -> Session:
        """The session with all other changes."""
        return self.session if self.changes is None else self.changes.applied_to(self.session)

    @property
    def rate_rps(self) -> Fraction:
        """Requests per second at factor 1 of the requests that are counted."""
        return application_rate(self.base, self.of) if self.of else source_rate(self.base)

    @property
    def counted(self) -> tuple[int, ...]:
        """Indices of the modules whose rates are multiplied."""
        return application_modules(self.base, self.of) if self.of else tuple(range(len(self.base.modules)))

    @property
    def monotone(self) -> bool:
        """Whether it is proven that the least cost never falls with the factor.

        The proof fills the machines of a plan, module by module, so that it also holds if some rates stay the same.
        """
        return never_cheaper_at_more(self.base, self.space) and self.demand is None


@dataclass(frozen=True, slots=True)
class Tried(Solved):
    """The least cost at a factor."""

    factor: Fraction

    def is_within(self, budget_per_h: Fraction) -> bool:
        """Whether a plan within the budget was found."""
        return self.result.value is not None and self.result.value <= budget_per_h

    def is_beyond(self, budget_per_h: Fraction) -> bool:
        """Whether it is proven that no plan is within the budget."""
        if self.result.status is Status.INFEASIBLE:
            return True
        # A plan that is proven to be the cheapest is compared exactly, a bound as the float that it is.
        if self.result.status is Status.OPTIMAL:
            return not self.is_within(budget_per_h)
        return self.result.bound is not None and self.result.bound > float(budget_per_h)


@dataclass(frozen=True, slots=True, repr=False)
class Most(Framed):
    """The answer.

    Attributes:
        question: the question.
        own: the least cost at the session's own rates.
        best: the largest factor with a plan within the budget; None if no factor has one.
        above: the least factor that was tried above it; None if nothing limits the requests.
    """

    _view = late_value("euclio.questions.most", "VIEW")

    question: MostAsked
    own: Tried
    best: Tried | None
    above: Tried | None

    @property
    def rate_rps(self) -> Fraction | None:
        """The most requests per second; None if no rate is within the budget."""
        return None if self.best is None else self.question.rate_rps * self.best.factor

    @property
    def proven(self) -> bool:
        """Whether it is proven that no plan is within the budget just above `best`, and the two factors meet."""
        if self.best is None or self.above is None or not self.above.is_beyond(self.question.budget_per_h):
            return False
        return self.above.factor <= self.best.factor * (1 + 2 * JUST)

    @property
    def largest_of_all(self) -> bool:
        """Whether it is proven that every rate from `above` on is beyond the budget."""
        return self.proven and self.question.monotone

    @property
    def lacking_per_h(self) -> Fraction | None:
        """Money per hour that the session's own rates need beyond the budget; None if they need none or it is open."""
        cost = self.own.result.value
        if cost is None or self.own.is_within(self.question.budget_per_h):
            return None
        return cost - self.question.budget_per_h


def question(
    session: Session,
    budget_per_h: Fraction,
    *,
    of: str = "",
    changes: SessionChanges | None = None,
    solver: str | AnySolver | None = None,
    space: PlanSpace | None = None,
    time_limit_s: float | None = None,
    demand: Demand | None = None,
) -> MostAsked:
    """A question about a session.

    Args:
        session: the session.
        budget_per_h: money per hour that a plan may cost.
        of: name of an application; empty means all requests.
        changes: changes of the session at all rates.
        solver: name of a solver, or a `Solver`; None means the exact one.
        space: plan space; None means the solver's own with whole machines.
        time_limit_s: limit of each run in seconds; None means no limit.
        demand: the demand that all plans keep under random arrivals; None means no demand.

    Raises:
        InputError: a solver that proves nothing, or an unknown application.
    """
    chosen = solver_for(family_of(session), solver)
    if chosen.kind == "heuristic":
        raise InputError(f"{chosen.name} proves no least cost; use exact", field="--solver")
    used = replace(chosen.space, charging=Charging.WHOLE) if space is None else space
    asked = MostAsked(session, changes, chosen, used, time_limit_s, budget_per_h, of, demand=demand)
    if of:
        application_modules(asked.base, of)
    least = _least_per_h(asked.base)
    if least > budget_per_h:
        message = f"is {full(budget_per_h)}, less than least machines cost at any rate, {full(least)}; raise it"
        raise InputError(message, field="--budget")
    return asked


def _least_per_h(session: Session) -> Fraction:
    """Money per hour that least machines cost at any rate, however low."""
    price = session.price
    paid = sum((n * price[name] for name, n in session.at_least.items()), Fraction(0))
    standing = Fraction(0)
    for name, least in least_machines(session).items():
        standing += least * min(price[c.hardware] for c in session.modules[session.index[name]].profile)
    return max(paid, standing)


@told("looking for the most requests")
def answered(asked: MostAsked) -> Most:
    """The largest factor within the budget; the search starts at the session's own rates, doubles, halves and jumps."""
    solving = asked.solving()
    own = _tried(asked, solving, Fraction(1))
    if own is None:
        raise InputError("is too high for this session's machines", field="--rate")
    low, high = (own, None) if own.is_within(asked.budget_per_h) else (None, own)
    for _ in range(MOST_DOUBLINGS):
        if low is not None and high is not None:
            break
        factor = low.factor * 2 if low is not None else high.factor / 2 if high is not None else Fraction(1)
        found = _tried(asked, solving, factor)
        if found is None:
            # The rates are beyond those of any session: on the way up nothing limits them.
            break
        low, high = (
            (_at_breakpoint(asked, solving, found), high) if found.is_within(asked.budget_per_h) else (low, found)
        )
    if low is None or high is None:
        return Most(asked, own, low, high)
    for next_factor in _between(asked.monotone):
        if high.factor <= low.factor * (1 + 2 * JUST):
            break
        found = _tried(asked, solving, next_factor(low.factor, high.factor))
        if found is not None and found.is_within(asked.budget_per_h):
            low = _at_breakpoint(asked, solving, found)
        elif found is not None:
            high = found
    return Most(asked, own, low, high)


def _between(jumps: bool) -> Iterator[Callable[[Fraction, Fraction], Fraction]]:
    """In turn, the rules for the next factor between one within the budget and one beyond it."""
    return cycle([_just_above, _middle] if jumps else [_middle])


def _just_above(low: Fraction, high: Fraction) -> Fraction:
    return min(low * (1 + JUST), (low + high) / 2)


def _middle(low: Fraction, high: Fraction) -> Fraction:
    """The middle as a short number: halves of halves of breakpoints would have more and more digits."""
    middle = Fraction(float((low + high) / 2))
    return middle if low < middle < high else (low + high) / 2


def _tried(asked: MostAsked, solving: Solving, factor: Fraction) -> Tried | None:
    """The least cost at a factor; None if the rates are higher than those of any session."""
    try:
        session = asked.at(factor)
    except InputError:
        return None
    return Tried(session, asked.solved(solving, session, asked.space), factor)


def _at_breakpoint(asked: MostAsked, solving: Solving, found: Tried) -> Tried:
    """The same plan at the largest factor that its machines can take, if costs never fall with the rate."""
    plan: Plan | None = found.result.plan
    if not asked.monotone or plan is None:
        return found
    most = min(full_rate(plan.modules[m]) / found.session.modules[m].rate_rps for m in asked.counted)
    if most <= 1:
        return found
    kept = _tried(asked, solving, found.factor * most)
    return kept if kept is not None and kept.is_within(asked.budget_per_h) else found


SCHEMA = "euclio/most/1"


def in_lines(found: Most) -> list[str]:
    """The answer in sentences."""
    asked = found.question
    budget, whose = f"{money(asked.session, asked.budget_per_h)} per hour", f" of {asked.of}" if asked.of else ""
    if found.best is None or found.rate_rps is None:
        least = asked.rate_rps * (Fraction(1) if found.above is None else found.above.factor)
        lines = [
            f"{asked.session.name}: {amount(least)} req/s{whose} has no plan within {budget}, nor has any higher rate"
        ]
        if not (found.question.monotone and found.above is not None and found.above.is_beyond(asked.budget_per_h)):
            lines = [f"{asked.session.name}: no rate{whose} with a plan within {budget} was found"]
    else:
        share = f"{amount(found.best.factor)} times the session's {amount(asked.rate_rps)}"
        lines = [f"{asked.session.name}: {amount(found.rate_rps)} req/s{whose} within {budget}, {share}"]
    if found.best is None:
        lines.append("lower rates were not tried")
    elif found.above is None:
        lines.append("nothing limits the requests: rates as high as a session may have are within the budget")
    elif not found.proven:
        lines.append("not proven: a run ended at its limit")
    elif found.largest_of_all:
        lines.append("proven: no rate that is higher by a billionth has a plan within the budget")
    else:
        lines.append("proven: a billionth above, no plan is within the budget; higher rates may cost less")
    if found.lacking_per_h is not None:
        month = money(asked.session, found.lacking_per_h * HOURS_PER_MONTH)
        lines.append(f"the session's own {amount(asked.rate_rps)} req/s{whose}: needs {month} per month more")
    elif found.own.result.value is None:
        lines.append(f"the session's own {amount(asked.rate_rps)} req/s{whose}: {found.own.result.status.value}")
    return lines


def most_table(found: Most) -> RenderableType:
    """The answer in sentences, and the plan."""
    parts: list[RenderableType] = [Text("\n".join(in_lines(found)))]
    if found.best is not None:
        parts += [Text(""), plan_table(found.best.session, found.best.result)]
    return Group(*parts)


def describe_most(found: Most) -> dict[str, Any]:
    """The answer as plain data with fractions."""
    asked, best, above = found.question, found.best, found.above
    return {
        **asked.described(SCHEMA),
        "budget_per_h": asked.budget_per_h,
        "of": asked.of,
        "rate_rps": found.rate_rps,
        "factor": None if best is None else best.factor,
        "cost_per_h": None if best is None else best.result.value,
        "next_rate_rps": None if above is None else asked.rate_rps * above.factor,
        "next_cost_per_h": None if above is None else above.result.value,
        "proven": found.proven,
        "largest_of_all": found.largest_of_all,
        "lacking_per_h": found.lacking_per_h,
    }


def _head(found: Most) -> Head:
    rate = "no rate" if found.rate_rps is None else f"{full(found.rate_rps)} req/s"
    budget = f"within {money(found.question.session, found.question.budget_per_h)} per hour"
    return Head(found.question.session.name, "", (rate, budget, "proven" if found.proven else "not proven"))


VIEW = View(_head, most_table, rows=lambda found: [describe_most(found)])
