"""Proof files of days: no machines that serve all steps cost less than a cutoff, with changes (ours).

The prover lists corners of what each module's machines do in a step. Whoever believes these lists needs no search over
the day: that no way through the steps is cheaper is a small program, and its proof a file.
"""

from __future__ import annotations

from fractions import Fraction

from euclio.core.certificate import NoProofError
from euclio.day.certify.corners import OutOfTimeError, TooManyError
from euclio.day.certifying import MOST_VARIABLES, OUT_OF_TIME, TOO_MANY, alone, reaching, searched
from euclio.day.evaluate import evaluate
from euclio.day.instance import Day
from euclio.day.plan import DayPlan
from euclio.proofs.branching import UnprovenError, prove
from euclio.proofs.model import Proof
from euclio.proofs.rounding import decimals, raised

ROOM = Fraction(5, 10**10)
"""Share of the cutoff by which the number in the file may be above it, so that it is short; below the tolerance."""


def day_proof(day: Day, space: object, plan: DayPlan | None, cutoff: Fraction | None, deadline: float) -> Proof:
    """A proof that no plan of a day costs less than a cutoff, or that there is none.

    Args:
        day: the instance; the prover covers it.
        space: there is nothing to restrict.
        plan: a feasible plan, which stands in the file as a solution; None: there is none.
        cutoff: money in all, above 0; None: there is no plan.
        deadline: `time.perf_counter` value at which to stop.

    Raises:
        NoProofError: there is none; says why in one line.
    """
    try:
        found = searched(day, cutoff, deadline)
        course = found.course if found.proven else reaching(found.course, cutoff, deadline)
        if cutoff is None and isinstance(found.way, int):
            # That one step has no plan is enough.
            course = alone(course, found.way)
        model = course.model()
        if len(model.variables) > MOST_VARIABLES:
            raise NoProofError(f"the day makes a program of more than {MOST_VARIABLES:,} variables")
        point = None if plan is None else course.point(evaluate(day, plan).machines)
    except TooManyError:
        raise NoProofError(TOO_MANY) from None
    except OutOfTimeError:
        raise NoProofError(OUT_OF_TIME) from None
    reason = ""
    for promised in _promises(cutoff):
        try:
            return prove(model, promised, point, deadline)
        except UnprovenError as error:
            reason = str(error)
    raise NoProofError(reason)


def _promises(cutoff: Fraction | None) -> list[Fraction | None]:
    """Numbers to be proven, one of which is enough: a short one a little above the cutoff, and the cutoff itself."""
    return [None] if cutoff is None else [raised(cutoff, decimals(cutoff * ROOM)), cutoff]
