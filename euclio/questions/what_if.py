"""The cheapest plan of a session at several rates and objectives, charged in several ways (ours)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from euclio.core.families import family_of
from euclio.core.lazy import late_value
from euclio.core.progress import told
from euclio.core.showing import Framed, Plotted
from euclio.core.solver import AnySolver
from euclio.core.solving import solver_for
from euclio.core.space_fields import word
from euclio.problems.session.changes import SessionChanges, source_rate
from euclio.problems.session.instance import Session
from euclio.problems.session.rules import Charging
from euclio.problems.session.space import PlanSpace
from euclio.questions.question import SessionResult, Solving, used_hardware
from euclio.questions.sweep.axes import OBJECTIVE, RATE, RATE_OF, SLO, Axis, axis
from euclio.questions.sweep.grid import CHARGINGS, Grid, Point, Swept
from euclio.questions.varied import Several, varied
from euclio.serving.attainment.demand import Demand
from euclio.serving.session.setup import Dropping


@dataclass(frozen=True, slots=True, repr=False)
class WhatIf(Framed, Plotted):
    """The answer: at each point a plan, or the fact that there is none.

    Attributes:
        question: the question.
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
        return used_hardware(self.question.session, self.points.values())


def what_if(session: Session, *, solving: Solving | None = None, demand: Demand | None = None, **asked: Any) -> WhatIf:
    """The plan of a session at each of several rates and objectives.

    Args:
        session: the session.
        solving: the function that solves a point; None means the one for the demand.
        demand: the demand that all plans keep under random arrivals; None means no demand.
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
    """A question about a session.

    Args:
        session: the session.
        rates: requests per second of all sources together, or by name of applications, of which one may have several;
            empty means the session's own.
        slos: objectives in seconds, or by name, of which one may have several; empty means the session's own.
        chargings: ways of charging machines.
        changes: other changes, of prices, stock or headroom, at all points.
        solver: name of a solver, or a `Solver`; None means the exact one.
        space: plan space; None means the solver's own.
        time_limit_s: limit of each run in seconds; None means no limit.

    Raises:
        InputError: a rate, objective, price or stock that does not fit the session, an unknown solver or way of
            charging.
    """
    chosen = solver_for(family_of(session), solver)
    ways = tuple(dict.fromkeys(Charging(word(way, Charging, "--machines")) for way in chargings))
    rate, slo = varied(rates, "rate_rps"), varied(slos, "slo_s")
    if rate.fixed or slo.fixed:
        changes = replace(changes or SessionChanges(), rates_rps=rate.fixed or None, objectives_s=slo.fixed or None)
    own = Axis(RATE, "", (source_rate(session),), 0)
    axes = [axis(session, RATE_OF if rate.of else RATE, rate.values, rate.of) if rate.values else own]
    axes += [axis(session, OBJECTIVE if slo.of else SLO, slo.values, slo.of)] if slo.values else []
    asked = Grid(session, changes, chosen, space or chosen.space, time_limit_s, ways, tuple(axes))
    for place in asked.places:
        asked.session_at(place)
    return asked


@told("solving all points")
def answered(asked: Grid, solving: Solving | None = None) -> WhatIf:
    """The answer to a question; `solving` solves a point, by default as the question's demand requires."""
    solved = Swept(asked, solving or asked.solving(), no_plan=lambda _: "there is no plan under a longer SLO either")
    found = {(one.rate_rps, one.slo_s, one.charging): one for one in solved.complete().points.values()}
    order = [(rate, slo, way) for rate in asked.rates for slo in asked.slos for way in asked.chargings]
    answer = WhatIf(asked, {place: found[place] for place in order})
    # If late requests are dropped, a longer objective drops fewer, and those that stay delay others.
    if asked.demand is not None and asked.demand.setup.dropping is Dropping.NEVER:
        for rate in asked.rates:
            for way in asked.chargings:
                _share_plans(answer.curve(rate, way), answer.points)
    return answer


def _share_plans(curve: list[Point], found: dict[tuple[Fraction, Fraction, Charging], Point]) -> None:
    """Give points of a curve the cheaper plans of shorter objectives, which keep at least as much under theirs."""
    best: SessionResult | None = None
    for point in curve:
        value = point.result.value
        if best is not None and best.value is not None and (value is None or best.value < value):
            shared = replace(best, wall_s=0.0, of_instance=point.session)
            found[point.rate_rps, point.slo_s, point.charging] = replace(point, result=shared)
        elif value is not None:
            best = point.result
