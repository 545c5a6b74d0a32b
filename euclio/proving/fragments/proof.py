"""Proof files of fleets: no division into realigned sets takes less than a cutoff (ours).

For few fragments the prover finds the least GPU share of every set of them. Given that list, a small program with one
binary variable per set shows that no division is cheaper, and its proof is a file. For more fragments the prover finds
prices of the fragments and the largest gain of a set at these prices. Given the gains, a plan's share is at least a sum
of prices less gains, which the file adds up.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from euclio.core.certificate import NoProofError
from euclio.problems.fragments.evaluate import evaluate
from euclio.problems.fragments.instance import Fleet
from euclio.problems.fragments.plan import FragmentPlan
from euclio.problems.fragments.space import Budgets, FragmentSpace, Sharing
from euclio.proving.effort import OUT_OF_TIME
from euclio.proving.files.branch_and_bound import prove
from euclio.proving.files.model import ZERO, Model, Proof, Row, Variable
from euclio.proving.fragments.certifying import MOST_FRAGMENTS, Prover
from euclio.proving.fragments.duality import Priced, bound_of
from euclio.proving.fragments.pricing import UNIT

ONE = Fraction(1)


def fleet_proof(
    fleet: Fleet, space: FragmentSpace, plan: FragmentPlan | None, cutoff: Fraction | None, deadline: float
) -> Proof:
    """A proof that no division of the fragments takes less than a cutoff, or that there is none.

    Args:
        fleet: the instance.
        space: the plan space.
        plan: a feasible plan, which stands in the file as a solution; None if there is none.
        cutoff: percent of one GPU, above 0. None claims that there is no plan.
        deadline: `time.perf_counter` value at which to stop.

    Raises:
        NoProofError: there is none; says why in one line.
    """
    if len(fleet.fragments) > MOST_FRAGMENTS:
        return _priced_proof(fleet, space, plan, cutoff, deadline)
    shares = {mask: best.total_pct for mask, best in Prover(fleet, space, deadline).sets().items()}
    model = division(fleet, shares)
    # Shares are whole percents, and so is their least sum.
    promised = None if cutoff is None else Fraction(math.ceil(cutoff))
    point = None if plan is None else point_of(plan, shares)
    return prove(model, promised, point, deadline)


def _priced_proof(
    fleet: Fleet, space: FragmentSpace, plan: FragmentPlan | None, cutoff: Fraction | None, deadline: float
) -> Proof:
    apart = Prover(fleet, space, deadline).apart()
    if space.sharing is not Sharing.REALIGNED or space.budgets is Budgets.OWN or apart is None or cutoff is None:
        raise NoProofError(f"fleets of more than {MOST_FRAGMENTS} fragments have no proof model in this plan space yet")
    alone = [sum(stage.total_pct for stage in own.stages) for own in apart.sets]
    found = bound_of(fleet, space, alone, cutoff, deadline)
    if found.priced is None or found.share_pct < cutoff:
        raise NoProofError("no prices of the fragments say so" if found.ended else OUT_OF_TIME)
    point = None if plan is None else priced_point(fleet, space, plan, found.priced)
    # A plan may take more than all fragments alone do, and is to be a point all the same.
    most = max(Fraction(sum(alone)), ZERO if point is None else point[0] * found.priced.step_pct)
    model = priced_program(fleet, found.priced, most)
    return replace(prove(model, Fraction(math.ceil(cutoff)), point, deadline), is_sum=True)


def priced_program(fleet: Fleet, priced: Priced, most_pct: Fraction) -> Model:
    """The least share of a plan by prices of its fragments.

    Args:
        fleet: the instance.
        priced: prices, and the gains of sets at them.
        most_pct: GPU share in percent that some plan takes.
    """
    step = Fraction(priced.step_pct)
    variables = [Variable("steps", ZERO, Fraction(math.ceil(most_pct / step)), True, step)]
    variables += [Variable(f"sets_{t}", ZERO, Fraction(n), True) for t, n in enumerate(priced.members)]
    terms = {0: -step} | {t: Fraction(-gain, UNIT) for t, gain in enumerate(priced.gains, 1) if gain}
    row = Row("prices", terms, -Fraction(sum(priced.prices), UNIT))
    notes = (
        f"fleet {fleet.name}",
        f"steps: GPU share of all sets in steps of {step} %; sets_t: sets whose least limit is the t-th. A plan has no "
        "more of these than there are fragments with that limit.",
        "Row prices: sets take no less than the prices of their fragments less what a set of that limit gains at most, "
        "which is its coefficient. The prices of all fragments sum up to the number on the other side.",
        "That no set gains more was searched for by euclio's independent prover, and is not in this file.",
    )
    return Model(tuple(variables), (row,), (), notes)


def priced_point(fleet: Fleet, space: FragmentSpace, plan: FragmentPlan, priced: Priced) -> dict[int, Fraction]:
    """A feasible plan as a point of the program of prices."""
    checked = evaluate(fleet, plan, space)
    assert checked.value is not None
    point = {0: Fraction(checked.value) / priced.step_pct}
    for own in plan.sets:
        at = 1 + priced.limits.index(min(priced.limit_of[k] for k in own.fragments))
        point[at] = point.get(at, ZERO) + 1
    return point


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
