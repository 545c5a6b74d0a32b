"""The cheapest plan of a session at several rates and objectives, charged in several ways (ours).

Along falling objectives most plans stay the best ones: a plan that is optimal under a longer objective and keeps to a
shorter one is optimal there too, as fewer plans keep to that. Where there is no plan, there is none under a shorter
objective either. Only the other points are solved.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from euclio.core.families import family_of
from euclio.core.lazy import late_value
from euclio.core.progress import told
from euclio.core.result import Status
from euclio.core.showing import Framed, Plotted
from euclio.core.solver import AnySolver
from euclio.core.solving import solver_for
from euclio.core.space_fields import word
from euclio.problems.session.changes import SessionChanges, source_rate
from euclio.problems.session.costs import cost_by_hardware
from euclio.problems.session.evaluate import bought_machines, evaluate
from euclio.problems.session.instance import Session
from euclio.problems.session.rules import Charging
from euclio.problems.session.space import PlanSpace
from euclio.questions.question import Question, SessionResult, Solved, Solving
from euclio.questions.varied import Several, Varied, varied
from euclio.serving.attainment.demand import Demand
from euclio.serving.session.setup import Dropping

CHARGINGS = (Charging.SHARE, Charging.WHOLE)
"""Ways of charging that are set next to each other where none is named."""


@dataclass(frozen=True, slots=True)
class Point(Solved):
    """The plan for one rate, objective and way of charging.

    Attributes:
        rate_rps: requests per second of the sources, or of the application that varies, without headroom.
        slo_s: latency objective in seconds; of several the one that varies, or else the longest.
        charging: how its machines are charged.
    """

    rate_rps: Fraction
    slo_s: Fraction
    charging: Charging

    @property
    def machines(self) -> dict[str, Fraction]:
        """Machines of each hardware type that it is charged for; empty without a plan."""
        if self.checked is None:
            return {}
        plan, found = self.checked
        partial = [module.partial_rps for module in found.modules]
        return bought_machines(self.session, plan, partial, self.result.space)

    @property
    def cost_by_hardware(self) -> dict[str, Fraction]:
        """Money per hour of each hardware type; empty without a plan."""
        return {} if self.checked is None else cost_by_hardware(self.session, *self.checked)

    @property
    def rounded_up_per_h(self) -> Fraction | None:
        """Money per hour for the plan, all machines bought whole; None if there is no plan, or stock forbids it."""
        if self.checked is None or self.charging.whole:
            return self.result.value
        whole = evaluate(self.session, self.checked[0], replace(self.result.space, charging=Charging.WHOLE))
        return whole.cost_per_h if whole.feasible else None


@dataclass(frozen=True, slots=True)
class Grid(Question):
    """Rates, objectives and ways of charging; the last of these replace the plan space's own.

    Attributes:
        chargings: ways of charging.
        sessions: the session at each rate (requests per second of all sources, without headroom) and objective (in
            seconds), both ascending.
        rate_of: name of the application whose rate varies; empty: that of all sources.
        slo_of: name of the objective that varies; empty: the session's, of several the longest.
    """

    chargings: tuple[Charging, ...]
    sessions: dict[tuple[Fraction, Fraction], Session]
    rate_of: str = ""
    slo_of: str = ""

    @property
    def rates(self) -> list[Fraction]:
        """Requests per second of the sources, ascending."""
        return sorted({rate for rate, _ in self.sessions})

    @property
    def slos(self) -> list[Fraction]:
        """Objectives in seconds, ascending."""
        return sorted({slo for _, slo in self.sessions})


@dataclass(frozen=True, slots=True, repr=False)
class WhatIf(Framed, Plotted):
    """The answer: a plan, or that there is none, at each point.

    Attributes:
        question: what was asked.
        points: by rate, objective and way of charging, ascending.
    """

    _view = late_value("euclio.questions.views", "WHAT_IF")

    question: Grid
    points: dict[tuple[Fraction, Fraction, Charging], Point]

    def curve(self, rate_rps: Fraction, charging: Charging) -> list[Point]:
        """The points of one rate and way of charging, by ascending objective."""
        return [self.points[rate_rps, slo_s, charging] for slo_s in self.question.slos]

    def only(self, chargings: Iterable[Charging]) -> WhatIf:
        """The answer for some of the ways of charging."""
        kept = tuple(chargings)
        points = {place: point for place, point in self.points.items() if point.charging in kept}
        return WhatIf(replace(self.question, chargings=kept), points)

    @property
    def hardware(self) -> list[str]:
        """The hardware types that some plan uses, in the order of the session."""
        used = {name for point in self.points.values() for name, count in point.machines.items() if count}
        return [h.name for h in self.question.session.hardware if h.name in used]


def what_if(session: Session, *, solving: Solving | None = None, demand: Demand | None = None, **asked: Any) -> WhatIf:
    """The plan of a session at each of several rates and objectives.

    Args:
        session: the session.
        solving: the function that solves a point; None means the one for the demand.
        demand: what all plans keep under random arrivals; None if nothing is asked.
        **asked: as of `question`.
    """
    return answered(replace(question(session, **asked), demand=demand), solving)


def question(
    session: Session,
    *,
    rates: Several = (),
    slos: Several = (),
    chargings: Iterable[Charging | str] = CHARGINGS,
    changes: SessionChanges | None = None,
    solver: str | AnySolver | None = None,
    space: PlanSpace | None = None,
    time_limit_s: float | None = None,
) -> Grid:
    """What is asked of a session.

    Args:
        session: the session.
        rates: requests per second of all sources together, or by name of applications, of which one may have several;
            none means that of the session.
        slos: objectives in seconds, or by name, of which one may have several; none means that of the session.
        chargings: ways of charging machines.
        changes: other changes, of prices, stock or headroom, at all points.
        solver: name of a solver, or a `Solver`; None means the exact one.
        space: plan space; None means the solver's own.
        time_limit_s: limit of each run in seconds; None means no limit.

    Raises:
        InputError: a rate, objective, price or stock that does not go with the session, an unknown solver or way of
            charging.
    """
    chosen = solver_for(family_of(session), solver)
    ways = tuple(dict.fromkeys(Charging(word(way, Charging, "--machines")) for way in chargings))
    rate, slo = varied(rates, "rate_rps"), varied(slos, "slo_s")
    sessions = _changed(session, rate, slo, changes or SessionChanges())
    if rate.fixed or slo.fixed:
        changes = replace(changes or SessionChanges(), rates_rps=rate.fixed or None, objectives_s=slo.fixed or None)
    return Grid(session, changes, chosen, space or chosen.space, time_limit_s, ways, sessions, rate.of, slo.of)


def _changed(
    session: Session, rates: Varied, slos: Varied, changes: SessionChanges
) -> dict[tuple[Fraction, Fraction], Session]:
    """The session at each rate and objective, both ascending."""
    found: dict[tuple[Fraction, Fraction], Session] = {}
    for rate in sorted(set(rates.values)) or [source_rate(session)]:
        loaded = replace(changes, **rates.changes("rate_rps", "rates_rps", rate), slo_s=None, objectives_s=None)
        changed = loaded.applied_to(session)
        if not slos.values:
            found[rate, session.slo_s] = changed
        for slo in sorted(set(slos.values)):
            asked = SessionChanges(**slos.changes("slo_s", "objectives_s", slo))
            found[rate, slo] = asked.applied_to(changed)
    return found


@told("solving all points")
def answered(asked: Grid, solving: Solving | None = None) -> WhatIf:
    """The answer to a question; `solving` is what solves a point, by default as the question's demand has it."""
    solving = solving or asked.solving()
    found: dict[tuple[Fraction, Fraction, Charging], Point] = {}
    for rate in asked.rates:
        for way in asked.chargings:
            space, last = replace(asked.space, charging=way), None
            for slo in reversed(asked.slos):
                here = asked.sessions[rate, slo]
                last = _still_best(last, here, asked) or asked.solved(solving, here, space)
                found[rate, slo, way] = Point(here, last, rate, slo, way)
            # Where late requests are dropped, fewer are under a longer objective, and those that stay hold up others.
            if asked.demand is not None and asked.demand.setup.dropping is Dropping.NEVER:
                _share_plans([found[rate, slo, way] for slo in asked.slos], found)
    order = [(rate, slo, way) for rate, slo in asked.sessions for way in asked.chargings]
    return WhatIf(asked, {place: found[place] for place in order})


def _share_plans(curve: list[Point], found: dict[tuple[Fraction, Fraction, Charging], Point]) -> None:
    """Let points of a curve have the cheaper plans of shorter objectives, which keep at least as much under theirs."""
    best: SessionResult | None = None
    for point in curve:
        value = point.result.value
        if best is not None and best.value is not None and (value is None or best.value < value):
            shared = replace(best, wall_s=0.0, of_instance=point.session)
            found[point.rate_rps, point.slo_s, point.charging] = replace(point, result=shared)
        elif value is not None:
            best = point.result


def _still_best(last: SessionResult | None, session: Session, asked: Grid) -> SessionResult | None:
    """The result under a longer objective where it is proven to be one here too; None if it is not."""
    if last is None:
        return None
    if last.status is Status.INFEASIBLE and asked.solver.kind == "exact":
        reason = "there is no plan under a longer SLO either"
        return replace(last, reason=reason, wall_s=0.0, of_instance=session)
    checked, plan = last.evaluation, last.plan
    # What a plan keeps of a longer objective under random arrivals says nothing of a shorter one.
    if asked.demand is not None or last.status is not Status.OPTIMAL or checked is None or checked.latency_s is None:
        return None
    if session.objectives and plan is not None:
        found = evaluate(session, plan, last.space)
        return replace(last, evaluation=found, wall_s=0.0, of_instance=session) if found.feasible else None
    # Of all that is checked, only the longest path has to do with the objective.
    return replace(last, wall_s=0.0, of_instance=session) if checked.latency_s <= session.slo_s else None
