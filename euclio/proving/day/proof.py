"""Proof files of days: no machines that serve all steps cost less than a cutoff, with changes (ours).

The prover lists corners of the uses of each module's machines in a step. Given these lists, a small program shows that
no way through the steps is cheaper, and its proof is a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction

from euclio.core.certificate import NoProofError
from euclio.problems.day.evaluate import evaluate
from euclio.problems.day.instance import Day
from euclio.problems.day.plan import DayPlan
from euclio.problems.day.sharing import DaySpace
from euclio.proving.day.certifying import MOST_VARIABLES, alone, narrowed_course, searched
from euclio.proving.day.corners import Shape, TooManyError
from euclio.proving.day.course import Course
from euclio.proving.day.joint import Together, Way
from euclio.proving.day.program import Program
from euclio.proving.files.branch_and_bound import MOST_NODES, UnprovenError, prove
from euclio.proving.files.model import Proof
from euclio.proving.files.safe_bounds import decimals, raised

ROOM = Fraction(5, 10**10)
"""Share of the cutoff by which the number in the file may be above it, so that it is short; below the tolerance."""
FEW_NODES, MUCH_WORK = 30, 10_000
"""Nodes, and nodes times variables, after which the other program replaces that of each module by itself."""
NO_SHARED = "proof files of days cover no machines that modules share"


def day_proof(
    day: Day, space: DaySpace | None, plan: DayPlan | None, cutoff: Fraction | None, deadline: float
) -> Proof:
    """A proof that no plan of a day costs less than a cutoff, or that there is none.

    Args:
        day: the instance; the prover covers it.
        space: the plan space.
        plan: a feasible plan, which stands in the file as a solution; None if there is none.
        cutoff: money in all, above 0. None claims that there is no plan.
        deadline: `time.perf_counter` value at which to stop.

    Raises:
        NoProofError: there is none; says why in one line.
    """
    if space is not None and space.charging.packs:
        raise NoProofError(NO_SHARED)
    found = searched(day, cutoff, deadline)
    if isinstance(found.way, Way) and not found.proven:
        raise NoProofError("there is a plan that costs less")
    course = found.course if found.proven else narrowed_course(found.course, cutoff, deadline)
    if cutoff is None and isinstance(found.way, int):
        # One step without a plan is enough.
        course = alone(course, found.way)
    machines = None if plan is None else evaluate(day, plan).machines
    return _proof_of(_programs(course, deadline), machines, cutoff, deadline)


def _programs(course: Course, deadline: float) -> Iterator[tuple[Program, int]]:
    """Programs to be tried one after the other, and nodes after which to give each up.

    That of each module by itself shows more, and all modules together take fewer nodes.
    """
    least = None
    if len(course.day.session.modules) > 1:
        with suppress(TooManyError):
            least = Together(course, deadline).least()
    by_module = Program(course)
    if least is None:
        yield by_module, MOST_NODES
    else:
        yield by_module, min(FEW_NODES, MUCH_WORK // (1 + len(by_module.model().variables)) + 1)
        yield Program(course, least), MOST_NODES


def _proof_of(
    programs: Iterable[tuple[Program, int]],
    machines: Sequence[Shape] | None,
    cutoff: Fraction | None,
    deadline: float,
) -> Proof:
    """The first proof that is found, with the machines of a plan as a solution."""
    reason = ""
    for program, nodes in programs:
        model = program.model()
        if len(model.variables) > MOST_VARIABLES:
            reason = f"the day makes a program of more than {MOST_VARIABLES:,} variables"
            continue
        point = None if machines is None else program.point(machines)
        for promised in _promises(cutoff):
            try:
                return prove(model, promised, point, deadline, nodes)
            except UnprovenError as error:
                reason = str(error)
    raise NoProofError(reason)


def _promises(cutoff: Fraction | None) -> list[Fraction | None]:
    """Numbers to be proven, one of which is enough: a short one a little above the cutoff, and the cutoff itself."""
    return [None] if cutoff is None else [raised(cutoff, decimals(cutoff * ROOM)), cutoff]
