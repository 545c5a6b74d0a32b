"""Nasty fleets beyond the plain reference: provers, bounds and plans may not contradict one another."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from euclio.core.registry import solvers_of
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.core.tolerances import PROOF_TOLERANCE
from euclio.problems.fragments import Budgets, Fleet, FragmentSpace, Sharing, evaluate
from euclio.problems.fragments.realigned import least_set, part_of
from euclio.problems.fragments.stages import Stages
from euclio.proving.fragments.certifying import bound_of_uniform, find_better
from euclio.proving.fragments.duality import bound_of
from euclio.proving.fragments.pricing import TooLargeError
from tests.drawn.fleets import fleet_case
from tests.drawn.reference_fleets import fleet_truth
from tests.drawn.truth import TooLargeError as ReferenceTooLargeError

LIMIT_S = 5.0


def at_most(bound: float | Fraction, value: Fraction) -> bool:
    return Fraction(bound) <= value * (1 + Fraction(PROOF_TOLERANCE))


def contradictions_of_proofs(fleet: Fleet, space: FragmentSpace) -> list[str]:
    """Contradictions between prover and truth: a bound above it, a better plan than the best, or none above it."""
    try:
        best = fleet_truth(fleet, space).upper
    except ReferenceTooLargeError:
        found = solve(fleet, "set-partition", space=space, time_limit_s=LIMIT_S)
        if found.status not in (Status.OPTIMAL, Status.INFEASIBLE):
            return []
        best = found.value
    deadline = time.perf_counter() + LIMIT_S
    if best is None:
        search = find_better(fleet, space, None, deadline)
        return [] if search.plan is None else ["a plan where there is none"]
    lines = [] if not find_better(fleet, space, best + 1, deadline).exhausted else ["one above the best was certified"]
    below = find_better(fleet, space, best, deadline)
    if below.plan is not None:
        lines.append(f"a plan below {best}: {evaluate(fleet, below.plan, space)}")
    bound = bound_by_prices(fleet, space, deadline)
    return lines if bound is None or bound <= best else [*lines, f"bound {bound} above {best}"]


def bound_by_prices(fleet: Fleet, space: FragmentSpace, deadline: float) -> int | None:
    """The prover's bound on many fragments; None if it has none."""
    stages = Stages(fleet.network)
    alone = [least_set(stages, [part_of(fleet, [k])], space, merge=True) for k in range(len(fleet.fragments))]
    shares = [own.total_pct for own in alone if own is not None]
    own = space.budgets is Budgets.OWN and space.sharing is Sharing.REALIGNED
    if len(shares) < len(alone) or space.sharing is Sharing.ALONE or own:
        return None
    try:
        if space.sharing is Sharing.UNIFORM:
            return bound_of_uniform(fleet, space).share_pct
        return bound_of(fleet, space, shares, Fraction(10**30), deadline).share_pct
    except TooLargeError:
        return None


def contradictions_of_solvers(fleet: Fleet, space: FragmentSpace, limit_s: float = LIMIT_S) -> list[str]:
    """Contradictions between solvers: an error, a bound above a plan, or two optima."""
    lines, values, bounds, optima = [], {}, {}, {}
    for solver in solvers_of("fragments"):
        if solver.space_on(fleet, space) != space or solver.name == "set-partition-cpsat":
            continue
        found = solve(fleet, solver.name, space=space, time_limit_s=limit_s)
        if found.status is Status.ERROR:
            lines.append(f"{solver.name}: {found.reason}")
        if found.wall_s > limit_s + 1:
            lines.append(f"{solver.name} took {found.wall_s:.1f} s")
        if found.value is not None:
            values[solver.name] = found.value
        if found.bound is not None:
            bounds[solver.name] = found.bound
        if found.status in (Status.OPTIMAL, Status.INFEASIBLE):
            optima[solver.name] = found.value
    lines += [
        f"bound {bound} of {one} above {value} of {other}"
        for one, bound in bounds.items()
        for other, value in values.items()
        if not at_most(bound, value)
    ]
    if len(set(optima.values())) > 1 and not (
        None not in optima.values() and at_most(max(optima.values()), min(optima.values()))
    ):
        lines.append(f"optima {optima}")
    return lines


def nasty(seed: int, least: int, most: int) -> tuple[Fleet, FragmentSpace]:
    """A nasty fleet with so many fragments, and a plan space."""
    rng = Random(f"{least} to {most}/{seed}")
    number = rng.randint(least, most)
    fleet, space = fleet_case(rng, number)
    fragments = list(fleet.fragments)
    while len(fragments) < number:
        fragments.append(replace(rng.choice(fleet.fragments), name=f"g{len(fragments)}"))
    return Fleet(fleet.name, fleet.network, fragments, fleet.points), space


@pytest.mark.parametrize("seed", range(40))
def test_the_prover_is_right_on_few_fragments(seed):
    """Nothing below the listed optimum, and the optimum itself, where all plans can be listed."""
    fleet, space = nasty(seed, 1, 6)
    assert contradictions_of_proofs(fleet, space) == []


@pytest.mark.parametrize("seed", [k for k in range(16) if k not in (7, 15)])
def test_the_prover_is_right_on_more_fragments(seed):
    """The same of seven to nine fragments, where there are more ways to divide them."""
    fleet, space = nasty(seed, 7, 9)
    assert contradictions_of_proofs(fleet, space) == []


@pytest.mark.parametrize("seed", range(20))
def test_solvers_do_not_contradict_one_another(seed):
    """Too many fragments to list: no bound is above the plan of another, and two proofs are one value."""
    fleet, space = nasty(seed, 20, 60)
    assert contradictions_of_solvers(fleet, space) == []
