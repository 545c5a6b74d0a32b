"""Plans over a grid: each place is solved once, and not at all where a looser limit settles it (ours).

A plan that is optimal under a looser limit (a longer objective, more stock, more of a resource) and keeps to a tighter
one is optimal there too, as fewer plans keep to that. Where there is no plan, there is none under a tighter one either.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from euclio.core.progress import progress_bar
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session.changes import source_rate
from euclio.problems.session.evaluate import evaluate
from euclio.problems.session.instance import Session
from euclio.problems.session.rules import Charging
from euclio.questions.question import SessionResult, Solving
from euclio.questions.sweep.question import Place, Sweep, question
from euclio.questions.what_if import Point

LOOSER = ", not even under looser limits"


@dataclass(slots=True)
class Swept:
    """The plans of a grid that are known so far.

    Attributes:
        question: what was asked.
        solving: what solves a point.
        points: by place and way of charging, in the order in which they were found.
    """

    question: Sweep
    solving: Solving = solve
    points: dict[tuple[Place, Charging], Point] = field(default_factory=dict)

    def point(self, place: Place, way: Charging) -> Point:
        """The plan at a place, or that there is none; solved where it is not known yet."""
        if (place, way) not in self.points:
            asked = self.question
            here, space = asked.session_at(place), replace(asked.space, charging=way)
            result = self._settled(place, way, here) or asked.solved(self.solving, here, space)
            rate = source_rate(here) / (1 + ((asked.changes and asked.changes.headroom) or 0))
            self.points[place, way] = Point(here, result, rate, here.slo_s, way)
        return self.points[place, way]

    def complete(self) -> Swept:
        """All places, the loosest limits first, which settle most of the others; a bar shows how far it is."""
        places = sorted(self.question.places, key=self._loosest_first)
        with progress_bar("solving all points", len(places) * len(self.question.chargings)) as step:
            for place in places:
                for way in self.question.chargings:
                    self.point(place, way)
                    step()
        return self

    @property
    def uncovered(self) -> dict[Charging, str]:
        """The ways of charging that the solver covers at no known point, with the reason."""
        found = {}
        for way in self.question.chargings:
            results = [point.result for point in self.points.values() if point.charging is way]
            if results and all(result.status is Status.INAPPLICABLE for result in results):
                found[way] = results[0].reason
        return found

    def only(self, chargings: Iterable[Charging]) -> Swept:
        """The plans of some of the ways of charging."""
        kept = tuple(chargings)
        points = {place: point for place, point in self.points.items() if point.charging in kept}
        return Swept(replace(self.question, chargings=kept), self.solving, points)

    def _loosest_first(self, place: Place) -> list[int]:
        return [-k if one.kind.limits else k for one, k in zip(self.question.axes, place, strict=True)]

    def _settled(self, place: Place, way: Charging, here: Session) -> SessionResult | None:
        """The result that follows from what is known under looser limits; None if nothing does."""
        for (other, its), point in reversed(self.points.items()):
            if its is way and self._is_looser(other, place):
                found = _still(point.result, here, exact=self.question.solver.kind == "exact")
                if found is not None:
                    return found
        return None

    def _is_looser(self, other: Place, place: Place) -> bool:
        """Whether a place differs by looser limits alone."""
        steps = zip(self.question.axes, other, place, strict=True)
        return all(a >= b if one.kind.limits else a == b for one, a, b in steps)


def _still(last: SessionResult, here: Session, *, exact: bool) -> SessionResult | None:
    """The result under looser limits where it is proven to be one here too; None if it is not."""
    if last.status is Status.INFEASIBLE and exact:
        # What would help there may not be enough here, so that only the fact is passed on.
        fact = last.reason.partition(";")[0].removesuffix(LOOSER) or "there is no plan"
        return replace(last, reason=fact + LOOSER, wall_s=0.0)
    if last.status is not Status.OPTIMAL or last.plan is None:
        return None
    checked = evaluate(here, last.plan, last.space)
    return replace(last, evaluation=checked, wall_s=0.0) if checked.feasible else None


def sweep(session: Session, *, solving: Solving = solve, **asked: Any) -> Swept:
    """The plan of a session at each place of a grid.

    Args:
        session: the session.
        solving: what solves a point.
        **asked: as of `question`.
    """
    return Swept(question(session, solving=solving, **asked), solving).complete()
