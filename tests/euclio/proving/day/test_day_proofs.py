"""Proof files of small days: true cutoffs get one, others none, and plans are points of the model."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from proof_texts import day_text

import euclio
from euclio.core.certificate import NoProofError
from euclio.core.solving import solve
from euclio.problems.day import evaluate
from euclio.proving.day.certifying import find_better
from euclio.proving.day.course import course_of, first_ends
from euclio.proving.day.program import Program
from euclio.proving.files.checker import check_text
from tests.drawn.days import tied_day
from tests.drawn.reference_days import day_truth

TOLERANCE = Fraction(1, 10**9)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_shown_is_the_optimum_of_an_enumeration(seed):
    """Two steps, all numbers of machines; changes for money and for nothing, steps without requests, a stock."""
    day = tied_day(seed, steps=2)
    least = day_truth(day, None).lower
    if least:
        assert check_text(day_text(day, None, None, least, math.inf)).bound == least
        with pytest.raises(NoProofError):
            day_text(day, None, None, least * (1 + TOLERANCE), math.inf)


@pytest.mark.parametrize("seed", range(120))
def test_a_true_cutoff_gets_a_file_and_no_other(seed):
    """What the prover of days certifies gets a file; what it refutes gets none."""
    day = tied_day(seed)
    search = find_better(day, None, None, math.inf)
    if search.plan is None:
        assert check_text(day_text(day, None, None, None, math.inf)).infeasible
        return
    least = evaluate(day, search.plan).value
    for cutoff in (least, least * (1 - TOLERANCE)) if least else ():
        shown = check_text(day_text(day, None, search.plan, cutoff, math.inf))
        assert cutoff <= shown.bound <= shown.solved == least
    for cutoff in (least * (1 + TOLERANCE) + TOLERANCE, None):
        with pytest.raises(NoProofError):
            day_text(day, None, None, cutoff, math.inf)


@pytest.mark.parametrize("solver", ["day-exact", "day-peak", "day-thresholds"])
@pytest.mark.parametrize("seed", range(60))
def test_a_plan_is_a_point_that_costs_no_more(seed, solver):
    """Model and checker agree on what serves a step and what changes cost, of plans with idle machines too."""
    day = tied_day(seed)
    result = solve(day, solver)
    if result.plan is None:
        return
    program = Program(course_of(day, first_ends(day), math.inf))
    model, point = program.model(), program.point(result.evaluation.machines)
    assert model.problems(point) == []
    assert model.cost(point) <= result.value


@pytest.mark.parametrize("seed", range(60))
def test_no_need_of_a_step_covers_another(seed):
    """What covers another one would be a variable that nothing needs."""
    day = tied_day(seed)
    for choices in course_of(day, first_ends(day), math.inf).steps:
        some = [corner.machines for corner in choices.corners[0]]
        for one in some:
            assert not any(other != one and all(a <= b for a, b in zip(other, one, strict=True)) for other in some)


def test_the_same_day_gives_the_same_bytes():
    day = tied_day(1)
    plan = find_better(day, None, None, math.inf).plan
    cutoff = evaluate(day, plan).value
    assert len({day_text(day, None, plan, cutoff, math.inf) for _ in range(2)}) == 1


def test_a_deadline_that_is_past_leaves_no_file():
    with pytest.raises(NoProofError, match="time limit"):
        day_text(tied_day(1), None, None, Fraction(1), -math.inf)


def test_a_long_day_is_refused_in_one_line(monkeypatch):
    day = tied_day(1)
    least = evaluate(day, find_better(day, None, None, math.inf).plan).value
    monkeypatch.setattr("euclio.proving.day.proof.MOST_VARIABLES", 10)
    with pytest.raises(NoProofError, match="more than 10 variables"):
        day_text(day, None, None, least, math.inf)


def test_certify_writes_it(tmp_path):
    day = tied_day(1)
    certificate = euclio.certify(day, euclio.solve(day, "day-exact"), proof=tmp_path / "p.vipr")
    assert certificate.evidence == "file"
    assert euclio.check_proof(tmp_path / "p.vipr").accepted
