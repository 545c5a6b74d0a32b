"""The independent prover of loads over time: is any plan cheaper than a cutoff? (ours).

The prover lists all uses of few machines of each module, and corners of all others (`euclio.proving.day.corners`). The
cheapest way through the steps, over vectors of all machines together, is then a bound on all plans; it is a plan if it
relies on uses alone. If it relies on an end of the lists, the prover extends them. Beyond some hundred thousand vectors
it tries the program of the corners, whose proof is a file (`euclio.proving.day.proof`). All arithmetic is in fractions
or integers. Where modules may share machines, each step is bounded by itself (`euclio.proving.day.shared`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

from euclio.core.certificate import Search
from euclio.problems.day.instance import Day
from euclio.problems.day.plan import DayPlan, Idle, Staffing, StepPlan
from euclio.problems.day.sharing import DaySpace
from euclio.proving.day.corners import TOO_MANY, TooManyError
from euclio.proving.day.course import Course, course_of, first_ends, longer_ends
from euclio.proving.day.joint import MOST_CELLS, Together, Way
from euclio.proving.day.program import Program
from euclio.proving.day.shared import bounded_by_steps
from euclio.proving.effort import GivenUpError, refuse_late
from euclio.proving.files.branch_and_bound import MOST_NODES, UnprovenError, prove, relaxed

MOST_VARIABLES = 10_000
"""Most variables of a program; beyond, a file would be too large to be of use."""
MUCH = 1e-6
"""Part of a corner with which a linear program relies on it; no proof rests on it."""


@dataclass(frozen=True, slots=True)
class DayFound:
    """The outcome of a search over vectors of machines.

    Attributes:
        course: the course within the last ends.
        way: the cheapest way within them; or the place of a step that cannot be served. None means too many vectors.
        proven: whether the way, or that there is none, shows that no plan costs less than the cutoff.
        entries: number of vectors times steps in the search.
    """

    course: Course
    way: Way | int | None
    proven: bool
    entries: int


def find_better(day: Day, space: DaySpace | None, cutoff: Fraction | None, deadline: float) -> Search:
    """Search for a plan that costs less than a cutoff.

    Args:
        day: the instance.
        space: the plan space.
        cutoff: money in all. None means that any plan is better.
        deadline: `time.perf_counter` value at which to stop; infinity disables it.
    """
    if space is not None and space.charging.packs and len(day.session.modules) > 1:
        shown = bounded_by_steps(day, cutoff, deadline)
        # A cheaper plan of whole machines would refute the claim.
        whole = shown if shown.exhausted else find_better(day, None, cutoff, deadline)
        return whole if whole.plan is not None else shown
    try:
        found = searched(day, cutoff, deadline)
        if found.proven:
            return Search(None, True, found.entries)
        if isinstance(found.way, Way):
            return Search(_plan(found.course, found.way), False, found.entries)
        return _by_branch_and_bound(found, cutoff, deadline)
    except GivenUpError as error:
        return Search(None, False, 0, str(error))


def searched(day: Day, cutoff: Fraction | None, deadline: float) -> DayFound:
    """The cheapest way over vectors of machines, within ends that grow while it relies on them.

    Raises:
        TooManyError: a module has too many numbers of machines.
        GivenUpError: the deadline has passed.
    """
    if _is_too_long(day):
        raise TooManyError
    course, entries = course_of(day, first_ends(day), deadline), 0
    while True:
        try:
            together = Together(course, deadline)
            way = together.way()
            entries += together.entries
            if isinstance(way, int) or (cutoff is not None and way.cost >= cutoff):
                return DayFound(course, way, True, entries)
            ends = course.ends_in_the_way(way.machines)
            if not ends:
                return DayFound(course, way, False, entries)
            longer = course_of(day, longer_ends(course, ends), deadline, course)
            Together(longer, deadline)
        except TooManyError:
            return DayFound(course, _way_of_a_plan(course, cutoff, deadline), False, entries)
        course = longer


def _is_too_long(day: Day) -> bool:
    """Whether there are too many vectors and too many variables from the first ends on."""
    ends = [(m, h, n) for m, row in enumerate(first_ends(day)) for h, n in enumerate(row) if n]
    changes = sum((day.price_of_start(m, h) > 0) + (day.price_of_stop(m, h) > 0) for m, h, _ in ends)
    variables = len(ends) * len(day.steps) + changes * (len(day.steps) - 1)
    return prod(n + 1 for *_, n in ends) > MOST_CELLS and variables > MOST_VARIABLES


def _way_of_a_plan(course: Course, cutoff: Fraction | None, deadline: float) -> Way | None:
    """The cheapest way of uses alone, if there is one below the cutoff, and not too many vectors."""
    try:
        way = Together(course, deadline, real=True).way()
    except TooManyError:
        return None
    return way if isinstance(way, Way) and (cutoff is None or way.cost < cutoff) else None


def _by_branch_and_bound(found: DayFound, cutoff: Fraction | None, deadline: float) -> Search:
    """Try the program of the corners where there are too many vectors."""
    model = Program(narrowed_course(found.course, cutoff, deadline)).model()
    if len(model.variables) > MOST_VARIABLES:
        return Search(None, False, found.entries, TOO_MANY)
    try:
        proof = prove(model, cutoff, None, deadline, MOST_NODES)
    except UnprovenError as error:
        return Search(None, False, found.entries, f"there are too many numbers of machines to try all; {error}")
    return Search(None, True, found.entries + proof.nodes)


def narrowed_course(course: Course, cutoff: Fraction | None, deadline: float) -> Course:
    """A course whose ends the linear program of its corners does not rely on, or the last one that can be listed.

    Raises:
        GivenUpError: the deadline has passed.
    """
    while True:
        model = Program(course).model()
        found = relaxed(model, deadline) if len(model.variables) <= MOST_VARIABLES else None
        refuse_late(deadline)
        if found is None or (cutoff is not None and found.cost >= cutoff):
            return course
        ends = course.ends_of(
            (int(k), int(m), int(i))
            for variable, value in zip(model.variables, found.values, strict=True)
            if variable.name.startswith("need") and value > MUCH
            for _, k, m, i in [variable.name.split("_")]
        )
        if not ends:
            return course
        try:
            course = course_of(course.day, longer_ends(course, ends), deadline, course)
        except TooManyError:
            return course


def alone(course: Course, k: int) -> Course:
    """The course of one step, as a day of its own."""
    return replace(course, day=replace(course.day, steps=course.day.steps[k : k + 1]), steps=course.steps[k : k + 1])


def _plan(course: Course, way: Way) -> DayPlan:
    names = [hardware.name for hardware in course.day.session.hardware]
    steps: list[StepPlan] = []
    for choices, on in zip(course.steps, way.machines, strict=True):
        chosen = course.serving(choices, on)
        assert chosen is not None  # a way of a plan relies on uses alone
        staffings = []
        for corner, machines in zip(chosen, on, strict=True):
            idle = [(name, n - used) for name, n, used in zip(names, machines, corner.machines, strict=True)]
            staffings.append(Staffing(corner.serving, tuple(Idle(name, n) for name, n in idle if n)))
        steps.append(StepPlan(tuple(staffings)))
    return DayPlan(tuple(steps))
