"""The course of a day for the prover: corners of its modules in each step, within ends of machines (ours)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from euclio.problems.day.instance import Day
from euclio.proving.day.corners import (
    ZERO,
    Choices,
    Corner,
    Shape,
    Uses,
    Vector,
    choices_of,
    uses_of,
)
from euclio.proving.effort import refuse_late
from euclio.proving.paths import around, through

FIRST_END = 2
"""Machines of a type up to which the uses of a module are listed at first."""


@dataclass(frozen=True, slots=True)
class Course:
    """Corners of all modules in each step, within ends of the numbers of machines.

    The cheapest choice of corners with machines that cover them, changes included, costs no more than any plan. To see
    this, cut a plan in each step, module and type to at most `tops` machines. Then

    - no term of the cost grows. Prices are not below 0, and min(a, t) − min(b, t) exceeds neither a − b if that is
      above 0, nor 0 otherwise;

    - the stock is kept, as there are fewer machines;

    - each module covers a corner that its use lies beyond, since corners have at most `tops` machines. These corners
      take no longer than the uses of the plan, so that all paths keep the SLO.

    More machines may make one module faster so that others can be slower, which is covered as well. A use with more
    machines than the ends has a corner of more than the end of one type, and of the least duration on it.

    Attributes:
        day: the instance.
        most: by module and type the ends: machines up to which uses are listed.
        tops: the ends, and one more where there may be more.
        steps: by step the choices of corners.
        uses: by module the uses within the ends.
    """

    day: Day
    most: Shape
    tops: Shape
    steps: tuple[Choices, ...]
    uses: tuple[Uses, ...] = field(repr=False, compare=False)

    @property
    def axes(self) -> list[tuple[int, int]]:
        """Modules and hardware types of which there may be machines, by their places."""
        return [(m, h) for m, row in enumerate(self.tops) for h, n in enumerate(row) if n]

    def ends_in_the_way(self, machines: Sequence[Shape]) -> set[tuple[int, int]]:
        """Modules and types whose ends a way relies on, given its machines by step; empty if it is that of a plan."""
        found: set[tuple[int, int]] = set()
        for k, (choices, on) in enumerate(zip(self.steps, machines, strict=True)):
            if self.serving(choices, on) is None:
                fastest = [(m, choices.fastest(m, own, False)) for m, own in enumerate(on)]
                found |= self.ends_of((k, m, i) for m, i in fastest if i is not None)
        return found

    def ends_of(self, corners: Iterable[tuple[int, int, int]]) -> set[tuple[int, int]]:
        """Modules and types of corners beyond the ends, given corners by step, module and place; others are none."""
        chosen = [(m, self.steps[k].corners[m][i]) for k, m, i in corners]
        return {(m, next(h for h, n in enumerate(one.machines) if n)) for m, one in chosen if one.above}

    def serving(self, choices: Choices, machines: Sequence[Vector]) -> list[Corner] | None:
        """Uses of some machines that serve a step, by module; None if there are none among its corners."""
        places = [choices.fastest(m, own, True) for m, own in enumerate(machines)]
        known = [i for i in places if i is not None]
        if len(known) < len(places):
            return None
        times = [choices.times[m][i] for m, i in enumerate(known)]
        if max(through(self.day.session, times)) > choices.slo:
            return None
        return [choices.corners[m][i] for m, i in enumerate(known)]


def course_of(day: Day, most: Shape, deadline: float, before: Course | None = None) -> Course:
    """The course of a day within ends.

    Args:
        day: the instance.
        most: the ends, by module and type.
        deadline: `time.perf_counter` value at which to stop.
        before: a course within other ends; modules with the same ends keep its uses.

    Raises:
        TooManyError: a module has too many numbers of machines.
        GivenUpError: the deadline has passed.
    """
    session = day.session
    uses: list[Uses] = []
    for m, (module, budget) in enumerate(zip(session.modules, budgets_of(day), strict=True)):
        same = before is not None and before.most[m] == most[m]
        uses.append(before.uses[m] if before and same else uses_of(session, module, budget, most[m], deadline))
    tops = tuple(
        tuple(map(max, *(corner.machines for corner in own.beyond), end, end))
        for own, end in zip(uses, most, strict=True)
    )
    known: dict[tuple[int, Fraction], list[Corner]] = {}
    steps: dict[tuple[Fraction, ...], Choices] = {}
    for rates in dict.fromkeys(step.rates_rps for step in day.steps):
        for m, rate in enumerate(rates):
            refuse_late(deadline)
            if (m, rate) not in known:
                known[m, rate] = list(uses[m].corners(rate)) if rate else [Corner((0,) * len(most[m]), ZERO)]
        steps[rates] = choices_of(session, [known[m, rate] for m, rate in enumerate(rates)])
    return Course(day, most, tops, tuple(steps[step.rates_rps] for step in day.steps), tuple(uses))


def first_ends(day: Day) -> Shape:
    """Few machines of each type on which a module is fast enough, and no more than the stock."""
    types = [(h.name, FIRST_END if h.count is None else min(FIRST_END, h.count)) for h in day.session.hardware]
    return tuple(
        tuple(
            n if any(c.hardware == name and c.duration_s < budget for c in module.profile) else 0 for name, n in types
        )
        for module, budget in zip(day.session.modules, budgets_of(day), strict=True)
    )


def longer_ends(course: Course, ends: Iterable[tuple[int, int]]) -> Shape:
    """The ends with some of them, by module and type, half as far again, and no further than the stock."""
    found = [list(row) for row in course.most]
    for m, h in ends:
        count = course.day.session.hardware[h].count
        further = found[m][h] + found[m][h] // 2 + 1
        found[m][h] = further if count is None else min(further, count)
    return tuple(map(tuple, found))


def budgets_of(day: Day) -> list[Fraction]:
    """By module the most seconds of a use within the SLO in any step: the others take their least durations."""
    session, count = day.session, len(day.session.modules)
    least = [min((c.duration_s for c in module.profile), default=ZERO) for module in session.modules]
    unit = lcm(session.slo_s.denominator, *(duration.denominator for duration in least))
    whole = [int(duration * unit) for duration in least]
    found = [0] * count
    for busy in {tuple(map(bool, step.rates_rps)) for step in day.steps}:
        times = [t * there for t, there in zip(whole, busy, strict=True)]
        for m, others in enumerate(around(session, times)):
            if busy[m]:
                found[m] = max(found[m], int(session.slo_s * unit) - others)
    return [Fraction(budget, unit) for budget in found]
