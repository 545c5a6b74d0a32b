"""Proof files of small fleets: true cutoffs get one, others none, and plans are points of the model."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from proof_texts import fleet_text
from tiny_fleets import SPACES

import euclio
from euclio.core.certificate import NoProofError
from euclio.core.solving import solve
from euclio.problems.fragments import FragmentSpace
from euclio.problems.fragments.evaluate import evaluate
from euclio.proving.files.checker import check_text
from euclio.proving.fragments.certifying import Prover
from euclio.proving.fragments.duality import bound_of
from euclio.proving.fragments.proof import division, fleet_proof, point_of, priced_point, priced_program
from euclio.workloads.fragments.random_fleets import random_fleet, small_fleet

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


@pytest.mark.parametrize("changes", [{}, {"max_instances": 2}, {"max_members": 2}], ids=str)
@pytest.mark.parametrize("seed", range(20))
def test_prices_prove_nothing_false(seed, changes, monkeypatch):
    """Small fleets by the program of larger ones: at their optimum a file or none, and one billionth above it none."""
    monkeypatch.setattr("euclio.proving.fragments.proof.MOST_FRAGMENTS", 0)
    fleet, space = small_fleet(seed), FragmentSpace(**changes)
    least = solve(fleet, "fragments-bruteforce", space=space)
    if least.value is None:
        with pytest.raises(NoProofError):
            fleet_text(fleet, space, None, Fraction(1), math.inf)
        return
    none = "no prices of the fragments say so|do not fit into 64 bits"
    with suppress(NoProofError):
        shown = check_text(fleet_text(fleet, space, least.plan, least.value, math.inf))
        assert shown.bound == shown.solved == least.value
    with pytest.raises(NoProofError, match=none):
        fleet_text(fleet, space, None, least.value * (1 + TOLERANCE), math.inf)


@cache
def priced_fleet(seed):
    """A fleet with its plan of fragments by themselves, its prices and their program, once for all plans."""
    fleet, space = random_fleet(seed, 14, 5), FragmentSpace()
    apart = Prover(fleet, space, math.inf).apart()
    alone = [sum(s.total_pct for s in own.stages) for own in apart.sets]
    priced = bound_of(fleet, space, alone, Fraction(10**6), math.inf).priced
    return fleet, space, apart, priced, priced_program(fleet, priced, Fraction(sum(alone)))


@pytest.mark.parametrize("solver", ["graft", "regroup", "apart"])
@pytest.mark.parametrize("seed", range(10))
def test_any_plan_of_many_fragments_is_a_point_of_their_prices(seed, solver):
    """It guards the inequality itself: prices less gains are no more than what any plan takes."""
    fleet, space, apart, priced, model = priced_fleet(seed)
    plan = apart if solver == "apart" else solve(fleet, solver).plan
    assert model.problems(priced_point(fleet, space, plan, priced)) == []


def test_a_larger_fleet_has_a_file_of_prices(tmp_path):
    fleet = random_fleet(0, 14, 3)
    result = euclio.solve(fleet, time_limit=20)
    certificate = euclio.certify(fleet, result, proof=tmp_path / "p.vipr")
    assert (certificate.verdict, certificate.evidence) == ("certified", "file")
    assert check_text((tmp_path / "p.vipr").read_text()).bound == result.value


def test_a_plan_worse_than_all_alone_is_a_point_too():
    """A bound is certified of a poor plan as well, which then takes more than the fragments served one by one."""
    fleet, space = random_fleet(2, 14, 5), FragmentSpace()
    apart = Prover(fleet, space, math.inf).apart()
    poor = replace(apart, sets=tuple(_doubled(own) for own in apart.sets))
    assert evaluate(fleet, poor, space).feasible
    shown = check_text(fleet_text(fleet, space, poor, Fraction(1), math.inf))
    assert shown.solved == evaluate(fleet, poor, space).value > evaluate(fleet, apart, space).value


def _doubled(own):
    """A set with twice the instances of its shared stage, which serve no less."""
    return replace(own, shared=replace(own.shared, instances=2 * own.shared.instances))


def test_a_sum_is_no_program_for_others():
    """One row of a few numbers is nothing that another solver could try; the program of sets is."""
    fleet = random_fleet(0, 14, 3)
    best = euclio.solve(fleet, time_limit=20)
    assert fleet_proof(fleet, FragmentSpace(), best.plan, best.value, math.inf).is_sum
    small = small_fleet(3)
    least = solve(small, "fragments-bruteforce")
    assert not fleet_proof(small, FragmentSpace(), least.plan, least.value, math.inf).is_sum


@pytest.mark.parametrize("changes", [{"sharing": "uniform"}, {"budgets": "own"}], ids=str)
def test_a_larger_fleet_in_another_plan_space_is_refused_in_one_line(changes):
    with pytest.raises(NoProofError, match="more than 12 fragments"):
        fleet_text(random_fleet(0, 13, 3), FragmentSpace(**changes), None, Fraction(1), math.inf)


def test_a_deadline_that_is_past_leaves_no_file():
    with pytest.raises(NoProofError, match="time limit"):
        fleet_text(small_fleet(0), FragmentSpace(), None, Fraction(1), -math.inf)


def test_certify_writes_it(tmp_path):
    fleet = small_fleet(3)
    certificate = euclio.certify(fleet, euclio.solve(fleet, "fragments-bruteforce"), proof=tmp_path / "p.vipr")
    assert certificate.evidence == "file"
    assert euclio.check_proof(tmp_path / "p.vipr").accepted
