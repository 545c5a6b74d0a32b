"""Proof files of small fleets: true cutoffs get one, others none, and plans are points of the model."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from proof_texts import fleet_text
from tiny_fleets import SPACES

import euclio
from euclio.core.certificate import NoProofError
from euclio.core.solving import solve
from euclio.fragments import FragmentSpace
from euclio.fragments.certify.filing import division, point_of
from euclio.fragments.certifying import Prover
from euclio.fragments.workloads.random_fleets import random_fleet
from euclio.fragments.workloads.small_fleets import small_fleet
from euclio.proofs.checker import check_text

TOLERANCE = Fraction(1, 10**9)


@pytest.mark.parametrize("changes", SPACES, ids=str)
@pytest.mark.parametrize("seed", range(20))
def test_a_true_cutoff_gets_a_file_and_no_other(seed, changes):
    """The optimum by enumeration, and infeasibility, in every plan space; shares are whole, so the file is sharp."""
    fleet, space = small_fleet(seed), FragmentSpace(**changes)
    least = solve(fleet, "fragments-bruteforce", space=space)
    if least.value is None:
        assert check_text(fleet_text(fleet, space, None, None, math.inf)).infeasible
        return
    for cutoff in (least.value, least.value * (1 - TOLERANCE)):
        shown = check_text(fleet_text(fleet, space, least.plan, cutoff, math.inf))
        assert shown.bound == shown.solved == least.value
    for cutoff in (least.value * (1 + TOLERANCE), None):
        with pytest.raises(NoProofError):
            fleet_text(fleet, space, None, cutoff, math.inf)


@pytest.mark.parametrize("solver", ["graft", "regroup", "fragments-bruteforce"])
@pytest.mark.parametrize("seed", range(20))
def test_a_plan_is_a_point_that_takes_no_more(seed, solver):
    """Model and checker agree on what is a division, and no set takes less than in the model's list."""
    fleet, space = small_fleet(seed), FragmentSpace()
    result = solve(fleet, solver, space=space)
    if result.plan is None or not result.evaluation.feasible:
        return
    shares = {mask: best.total_pct for mask, best in Prover(fleet, space, math.inf).sets().items()}
    model, point = division(fleet, shares), point_of(result.plan, shares)
    assert model.problems(point) == []
    assert model.cost(point) <= result.value


def test_the_same_fleet_gives_the_same_bytes():
    fleet, space = small_fleet(3), FragmentSpace()
    least = solve(fleet, "fragments-bruteforce", space=space)
    assert len({fleet_text(fleet, space, least.plan, least.value, math.inf) for _ in range(2)}) == 1


def test_a_larger_fleet_is_refused_in_one_line():
    with pytest.raises(NoProofError, match="more than 12 fragments"):
        fleet_text(random_fleet(0, 13, 3), FragmentSpace(), None, Fraction(1), math.inf)


def test_a_deadline_that_is_past_leaves_no_file():
    with pytest.raises(NoProofError, match="time limit"):
        fleet_text(small_fleet(0), FragmentSpace(), None, Fraction(1), -math.inf)


def test_certify_writes_it(tmp_path):
    fleet = small_fleet(3)
    certificate = euclio.certify(fleet, euclio.solve(fleet, "fragments-bruteforce"), proof=tmp_path / "p.vipr")
    assert certificate.evidence == "file"
    assert euclio.check_proof(tmp_path / "p.vipr").accepted
