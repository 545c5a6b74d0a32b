"""Proof files of small days: true cutoffs get one, others none, and plans are points of the model."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from drawn_days import drawn_day, enumerated_cost
from proof_texts import day_text

import euclio
from euclio.core.certificate import NoProofError
from euclio.core.solving import solve
from euclio.problems.day import evaluate
from euclio.proving.day.certifying import find_better
from euclio.proving.day.course import course_of, first_ends
from euclio.proving.day.program import Program
from euclio.proving.files.checker import check_text

TOLERANCE = Fraction(1, 10**9)


def _most_alone(day) -> int:
    """So many machines of any type serve the largest load alone: of one module no plan needs more."""
    rate, slo = day.largest_rates_rps[0], day.session.slo_s
    alone = {}
    for c in day.session.modules[0].profile:
        if c.duration_s < slo:
            count = math.ceil(max(rate, c.batch / (slo - c.duration_s)) / c.throughput_rps)
            alone[c.hardware] = min(count, alone.get(c.hardware, count))
    return max(alone.values(), default=0)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_shown_is_the_optimum_of_an_enumeration(seed):
    """Two steps, all machines of both tried; changes for money and for nothing, steps without requests, a stock."""
    day = drawn_day(seed, steps=2)
    least = enumerated_cost(day, 3)
    if least and _most_alone(day) <= 3:
        assert check_text(day_text(day, None, None, least, math.inf)).bound == least
        with pytest.raises(NoProofError):
            day_text(day, None, None, least * (1 + TOLERANCE), math.inf)


@pytest.mark.parametrize("seed", range(120))
def test_a_true_cutoff_gets_a_file_and_no_other(seed):
    """What the prover of days certifies gets a file; what it refutes gets none."""
    day = drawn_day(seed)
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
    day = drawn_day(seed)
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
    day = drawn_day(seed)
    for choices in course_of(day, first_ends(day), math.inf).steps:
        some = [corner.machines for corner in choices.corners[0]]
        for one in some:
            assert not any(other != one and all(a <= b for a, b in zip(other, one, strict=True)) for other in some)


def test_the_same_day_gives_the_same_bytes():
    day = drawn_day(1)
    plan = find_better(day, None, None, math.inf).plan
    cutoff = evaluate(day, plan).value
    assert len({day_text(day, None, plan, cutoff, math.inf) for _ in range(2)}) == 1


def test_a_deadline_that_is_past_leaves_no_file():
    with pytest.raises(NoProofError, match="time limit"):
        day_text(drawn_day(1), None, None, Fraction(1), -math.inf)


def test_a_long_day_is_refused_in_one_line(monkeypatch):
    day = drawn_day(1)
    least = evaluate(day, find_better(day, None, None, math.inf).plan).value
    monkeypatch.setattr("euclio.proving.day.proof.MOST_VARIABLES", 10)
    with pytest.raises(NoProofError, match="more than 10 variables"):
        day_text(day, None, None, least, math.inf)


def test_certify_writes_it(tmp_path):
    day = drawn_day(1)
    certificate = euclio.certify(day, euclio.solve(day, "day-exact"), proof=tmp_path / "p.vipr")
    assert certificate.evidence == "file"
    assert euclio.check_proof(tmp_path / "p.vipr").accepted
