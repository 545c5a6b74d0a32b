"""A grid of changes of a session: a plan at each place, many of which follow from looser limits (ours).

A plan that is optimal under a looser limit and keeps a tighter one is optimal there too, as fewer plans keep the
tighter one. If there is no plan, there is none under a tighter limit either. Only the other places are solved.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product

from euclio.core.progress import progress_bar
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session.changes import source_rate
from euclio.problems.session.evaluate import evaluate
from euclio.problems.session.instance import Session
from euclio.problems.session.rules import Charging
from euclio.questions.question import Question, SessionResult, Solved, Solving
from euclio.questions.sweep.axes import OBJECTIVE, RATE, RATE_OF, SLO, Axis, changed

CHARGINGS = (Charging.SHARE, Charging.WHOLE)
"""Ways of charging that are compared if none is named."""

Place = tuple[int, ...]
"""A place on each axis."""


@dataclass(frozen=True, slots=True)
class Point(Solved):
    """The plan at one place, charged in one way.

    Attributes:
        rate_rps: requests per second of the sources, or of the application that varies, without headroom.
        slo_s: latency objective in seconds; of several the one that varies, or else the longest.
        charging: how its machines are charged.
    """

    rate_rps: Fraction
    slo_s: Fraction
    charging: Charging

    @property
    def rounded_up_per_h(self) -> Fraction | None:
        """Money per hour of the plan with all machines bought whole; None without a plan, or if stock forbids it."""
        if self.checked is None or self.charging.whole:
            return self.result.value
        whole = evaluate(self.session, self.checked[0], replace(self.result.space, charging=Charging.WHOLE))
        return whole.cost_per_h if whole.feasible else None


@dataclass(frozen=True, slots=True)
class Grid(Question):
    """A grid of changes of a session; its ways of charging replace the plan space's own.

    Attributes:
        chargings: ways of charging.
        axes: the axes, in the order of `euclio.questions.sweep.axes.KINDS`.
    """

    chargings: tuple[Charging, ...]
    axes: tuple[Axis, ...]

    @property
    def places(self) -> Iterator[Place]:
        """Every place of the grid; the last axis moves first."""
        return product(*(range(len(one.values)) for one in self.axes))

    @property
    def plans(self) -> int:
        """The number of plans in the grid."""
        return math.prod(len(one.values) for one in self.axes) * len(self.chargings)

    @property
    def start(self) -> Place:
        """The place of the session's own values, or of those nearest to them."""
        return tuple(one.start for one in self.axes)

    def session_at(self, place: Place) -> Session:
        """The session at a place."""
        values = [(one.kind, one.of, one.values[k]) for one, k in zip(self.axes, place, strict=True)]
        return changed(values, self.changes).applied_to(self.session)

    @property
    def rate_axis(self) -> Axis | None:
        """The axis of rates; None if rates do not vary."""
        return next((one for one in self.axes if one.kind in (RATE, RATE_OF)), None)

    @property
    def slo_axis(self) -> Axis | None:
        """The axis of objectives; None if objectives do not vary."""
        return next((one for one in self.axes if one.kind in (SLO, OBJECTIVE)), None)

    @property
    def rates(self) -> list[Fraction]:
        """Requests per second, ascending: of the sources, or of the application that varies."""
        axis = self.rate_axis
        return [source_rate(self.session)] if axis is None else [value for value in axis.values if value is not None]

    @property
    def slos(self) -> list[Fraction]:
        """Objectives in seconds, ascending: of several the one that varies, or else the longest."""
        axis = self.slo_axis
        return [self.session.slo_s] if axis is None else [value for value in axis.values if value is not None]

    def value_at(self, place: Place, axis: Axis | None) -> Fraction | None:
        """The value of an axis at a place; None without an axis."""
        return None if axis is None else axis.values[place[self.axes.index(axis)]]


LOOSER = ", not even under looser limits"


def under_looser_limits(reason: str) -> str:
    """Why a place has no plan, given why there is none under looser limits."""
    # A remedy for the looser limits may not be enough here, so only the fact is kept.
    return (reason.partition(";")[0].removesuffix(LOOSER) or "there is no plan") + LOOSER


@dataclass(slots=True)
class Swept:
    """The plans of a grid that are known so far.

    Attributes:
        question: the question.
        solving: the function that solves a point.
        points: by place and way of charging, in the order in which they were found.
        no_plan: the reason why a place has no plan, given the reason under looser limits.
    """

    question: Grid
    solving: Solving = solve
    points: dict[tuple[Place, Charging], Point] = field(default_factory=dict)
    no_plan: Callable[[str], str] = under_looser_limits

    def point(self, place: Place, way: Charging) -> Point:
        """The plan at a place, or the fact that there is none; solves the place if it is not known yet."""
        if (place, way) not in self.points:
            asked = self.question
            here, space = asked.session_at(place), replace(asked.space, charging=way)
            result = self._settled(place, way, here) or asked.solved(self.solving, here, space)
            rate = asked.value_at(place, asked.rate_axis)
            if rate is None:
                rate = source_rate(here) / (1 + ((asked.changes and asked.changes.headroom) or 0))
            slo = asked.value_at(place, asked.slo_axis) or here.slo_s
            self.points[place, way] = Point(here, result, rate, slo, way)
        return self.points[place, way]

    def complete(self) -> Swept:
        """All places; those with the loosest limits come first, as they settle most others. A bar shows progress."""
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
        """The result that follows from results under looser limits; None if none does."""
        for (other, its), point in reversed(self.points.items()):
            if its is way and self._is_looser(other, place):
                found = self._still(point.result, here)
                if found is not None:
                    return found
        return None

    def _is_looser(self, other: Place, place: Place) -> bool:
        """Whether a place differs by looser limits alone."""
        steps = zip(self.question.axes, other, place, strict=True)
        return all(a >= b if one.kind.limits else a == b for one, a, b in steps)

    def _still(self, last: SessionResult, here: Session) -> SessionResult | None:
        """The result under looser limits if it is proven to be the result here too; None otherwise."""
        if last.status is Status.INFEASIBLE and self.question.solver.kind == "exact":
            return replace(last, reason=self.no_plan(last.reason), wall_s=0.0, of_instance=here)
        # The attainment of a plan under a looser objective proves nothing for a tighter one.
        if self.question.demand is not None or last.status is not Status.OPTIMAL or last.plan is None:
            return None
        found = evaluate(here, last.plan, last.space)
        return replace(last, evaluation=found, wall_s=0.0, of_instance=here) if found.feasible else None
