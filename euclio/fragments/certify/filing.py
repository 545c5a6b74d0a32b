"""Proof files of fleets of few fragments: no division into realigned sets takes less than a cutoff (ours).

The prover finds the least GPU share of every set of fragments. Whoever believes that list needs no search of divisions:
that none is cheaper is a small program, one binary variable per set, and its proof a file.
"""

from __future__ import annotations

import math
from fractions import Fraction

from euclio.core.certificate import NoProofError
from euclio.fragments.certifying import MOST_FRAGMENTS, OUT_OF_TIME, OutOfTimeError, Prover
from euclio.fragments.instance import Fleet
from euclio.fragments.plan import FragmentPlan
from euclio.fragments.space import FragmentSpace
from euclio.proofs.branching import UnprovenError, prove
from euclio.proofs.model import ZERO, Model, Proof, Row, Variable

ONE = Fraction(1)


def fleet_proof(
    fleet: Fleet, space: FragmentSpace, plan: FragmentPlan | None, cutoff: Fraction | None, deadline: float
) -> Proof:
    """A proof that no division of the fragments takes less than a cutoff, or that there is none.

    Args:
        fleet: the instance.
        space: the plan space.
        plan: a feasible plan, which stands in the file as a solution; None: there is none.
        cutoff: percent of one GPU, above 0; None: there is no plan.
        deadline: `time.perf_counter` value at which to stop.

    Raises:
        NoProofError: there is none; says why in one line.
    """
    if len(fleet.fragments) > MOST_FRAGMENTS:
        raise NoProofError(f"fleets of more than {MOST_FRAGMENTS} fragments have no proof model yet")
    try:
        shares = {mask: best.total_pct for mask, best in Prover(fleet, space, deadline).sets().items()}
        model = division(fleet, shares)
        # Shares are whole percents, and so is the least sum of some.
        promised = None if cutoff is None else Fraction(math.ceil(cutoff))
        point = None if plan is None else point_of(plan, shares)
        return prove(model, promised, point, deadline)
    except OutOfTimeError:
        raise NoProofError(OUT_OF_TIME) from None
    except UnprovenError as error:
        raise NoProofError(str(error)) from None


def division(fleet: Fleet, shares: dict[int, int]) -> Model:
    """Every fragment is in exactly one of the sets that are chosen.

    Args:
        fleet: the instance.
        shares: least GPU share in percent of every set that may be one; bit k of its number stands for fragment k.
    """
    variables = tuple(Variable(f"set_{mask}", ZERO, ONE, True, Fraction(share)) for mask, share in shares.items())
    holding = [tuple(j for j, mask in enumerate(shares) if mask >> k & 1) for k in range(len(fleet.fragments))]
    rows = tuple(Row(f"one_{k}", dict.fromkeys(own, ONE), ONE, True) for k, own in enumerate(holding))
    notes = (
        f"fleet {fleet.name}",
        "set_m is 1 where the fragments whose bits m has are a set; its coefficient in the objective is the least GPU "
        "share that serves them together, in percent of one GPU. Rows one_k have fragment k in one set.",
        "No plan takes less than the file shows, if no share is less than in the objective. That was searched for by "
        "euclio's independent prover, and is not in this file.",
    )
    return Model(variables, rows, tuple(holding), notes)


def point_of(plan: FragmentPlan, shares: dict[int, int]) -> dict[int, Fraction]:
    """The sets of a feasible plan as a point of the model, by index of the variable."""
    place = {mask: j for j, mask in enumerate(shares)}
    return {place[sum(1 << k for k in own.fragments)]: ONE for own in plan.sets}
