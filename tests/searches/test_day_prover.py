"""The prover of loads over time of several modules, against the plain reference and on days whose numbers are known."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from fractions import Fraction

import pytest
from proof_texts import day_text

import euclio
from euclio.core.certificate import NoProofError, Verdict
from euclio.core.solving import solve
from euclio.problems.day import Day, Step, evaluate
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.proving.day.certifying import TOO_MANY, find_better, searched
from euclio.proving.day.corners import TooManyError
from euclio.proving.day.course import budgets_of, course_of, first_ends
from euclio.proving.day.joint import Together
from euclio.proving.day.program import Program
from euclio.proving.day.proof import _programs
from euclio.proving.files.branch_and_bound import UnprovenError, prove
from euclio.proving.files.checker import check_text
from tests.bench.day_instances import day as bench_day
from tests.bench.day_instances import planner
from tests.drawn.days import nasty_day
from tests.drawn.reference_days import _uses, ends, least_cost

TOLERANCE = Fraction(1, 10**9)
CELLS = 5_000
"""Joint vectors of machines that the reference lists at most."""
SEEDS = pytest.mark.parametrize("seed", range(60))


def pair(slo: str, rates=((10, 10),), **changes) -> Day:
    """A cheap module before a dear one; a machine takes 0.1 s for a batch of 1, so that n take 0.1 + 0.1/n s."""
    hardware = [Hardware("cheap", "0.1"), Hardware("dear", 10)]
    modules = [Module(name, 10, [Configuration(name, 1, 1, "0.1")]) for name in ("cheap", "dear")]
    session = Session("pair", slo, hardware, modules, [("cheap", "dear")])
    return Day("pair", session, [Step(3600, own) for own in rates], **changes)


@SEEDS
def test_it_finds_no_less_than_there_is_and_no_more_than_the_reference(seed):
    """What the prover calls the least costs no more than what was enumerated; where it calls a day infeasible it is."""
    day = nasty_day(seed)
    most = ends(day, CELLS)
    least = None if most is None else least_cost(day, most)
    search = find_better(day, None, None, math.inf)
    assert search.exhausted == (search.plan is None)
    if least is not None:
        checked = evaluate(day, search.plan)
        assert checked.feasible
        assert checked.value <= least


@SEEDS
def test_true_claims_are_certified_with_a_file_and_false_ones_are_neither(seed):
    """A cutoff at the least cost is proven, one a little above it is refuted, and no file can be made of that."""
    day = nasty_day(seed)
    plan = find_better(day, None, None, math.inf).plan
    if plan is None:
        assert check_text(day_text(day, None, None, None, math.inf)).infeasible
        return
    least = evaluate(day, plan).value
    if least:
        assert find_better(day, None, least, math.inf).exhausted
        cutoff = least * (1 - TOLERANCE)
        shown = check_text(day_text(day, None, plan, cutoff, math.inf))
        assert cutoff <= shown.bound <= shown.solved <= least
    above = least * (1 + TOLERANCE) + TOLERANCE
    assert evaluate(day, find_better(day, None, above, math.inf).plan).value == least
    for cutoff in (above, None):
        with pytest.raises(NoProofError, match="a plan that costs less"):
            day_text(day, None, None, cutoff, math.inf)
        for program, _ in _programs(searched(day, None, math.inf).course, math.inf):
            with pytest.raises(UnprovenError):
                prove(program.model(), cutoff, None, math.inf, 10)


@SEEDS
def test_every_use_lies_beyond_a_corner(seed):
    """All uses of two machines more than the ends of the lists, at every rate of the day; nothing else is a proof."""
    day = nasty_day(seed)
    most = first_ends(day)
    course = course_of(day, most, math.inf)
    for m, (module, budget) in enumerate(zip(day.session.modules, budgets_of(day), strict=True)):
        uses = [use for use in _uses(day.session, module, tuple(n + 2 for n in most[m])) if use.latency <= budget]
        for step, choices in zip(day.steps, course.steps, strict=True):
            rate, unit = step.rates_rps[m], Fraction(choices.slo) / day.session.slo_s
            if rate and all(choices.corners):
                slowest = [max(own) for own in choices.times]
                for use in uses:
                    in_stock = all(
                        h.count is None or n <= h.count for h, n in zip(day.session.hardware, use.machines, strict=True)
                    )
                    if use.rate >= rate and in_stock and use.latency * unit <= slowest[m]:
                        place = choices.fastest(m, use.machines, False)
                        assert place is not None
                        enough = choices.times[m][0]
                        assert choices.times[m][place] <= max(use.latency * unit, enough)


@SEEDS
@pytest.mark.parametrize("solver", ["day-exact", "day-peak", "day-thresholds"])
def test_a_plan_is_a_point_of_both_programs_that_costs_no_more(seed, solver):
    """Checker and programs agree on what serves a step and what changes cost, of plans with idle machines too."""
    day = nasty_day(seed)
    result = solve(day, solver)
    if result.plan is None:
        return
    course = course_of(day, first_ends(day), math.inf)
    for program, _ in _programs(course, math.inf):
        model, point = program.model(), program.point(result.evaluation.machines)
        assert model.problems(point) == []
        assert model.cost(point) <= result.value


@SEEDS
def test_what_has_too_many_vectors_is_proven_by_branching(seed, monkeypatch):
    """The same where no vectors of all modules together are listed: true claims may stay open, no false one holds."""
    day = nasty_day(seed)
    plan = find_better(day, None, None, math.inf).plan
    monkeypatch.setattr("euclio.proving.day.joint.MOST_CELLS", 0)
    monkeypatch.setattr("euclio.proving.day.certifying.MOST_NODES", 20)
    least = None if plan is None else evaluate(day, plan).value
    if least is not None:
        above = find_better(day, None, least * (1 + TOLERANCE) + TOLERANCE, math.inf)
        assert not above.exhausted
        assert "too many numbers of machines" in above.reason


def test_a_module_has_more_machines_than_serve_it_alone_where_others_may_be_slower_for_it():
    """Within 0.32 s one dear machine leaves 0.12 s, for five cheap ones: 10.50. Two dear ones cost 20 and more.

    Alone one cheap machine serves, in 0.2 s, and the lists of uses begin with two.
    """
    day = pair("0.32")
    search = find_better(day, None, Fraction(20), math.inf)
    assert evaluate(day, search.plan).machines == (((5, 0), (0, 1)),)
    assert find_better(day, None, Fraction("10.5"), math.inf).exhausted
    course = searched(day, Fraction("10.5"), math.inf).course
    assert prove(Program(course).model(), Fraction("10.5")).cutoff == Fraction("10.5")


def test_machines_stay_on_where_changes_cost_more_than_they_do():
    """The middle step of three needs one dear machine, not two: the other costs 10 to leave on, 12 or 8 to change."""
    rates = ((10, 20), (10, 10), (10, 20))
    kept = pair("0.4", rates, price_per_change=6)
    assert evaluate(kept, find_better(kept, None, None, math.inf).plan).value == 3 * Fraction("20.1")
    stopped = pair("0.4", rates, price_per_change=4)
    assert evaluate(stopped, find_better(stopped, None, None, math.inf).plan).value == 3 * Fraction("20.1") - 2


def test_a_module_without_a_configuration_that_is_fast_enough():
    """A batch takes 0.1 s, and collecting it some more; a program without variables shows that nothing serves."""
    day = pair("0.1")
    assert find_better(day, None, None, math.inf).exhausted
    assert check_text(day_text(day, None, None, None, math.inf)).infeasible


def test_no_number_of_machines_is_as_fast_as_the_least_durations():
    """0.2 s are the least durations of the pair; a file shows that each machine takes longer."""
    day = pair("0.2", ((0, 10), (10, 0), (10, 10)))
    assert find_better(day, None, None, math.inf).exhausted
    assert check_text(day_text(day, None, None, None, math.inf)).infeasible


def test_a_module_to_which_nothing_comes_takes_no_time():
    """Alone either module has the whole 0.2 s, and one machine; so 0.1 + 10 in all if changes are free."""
    day = pair("0.2", ((0, 10), (10, 0)))
    assert evaluate(day, find_better(day, None, None, math.inf).plan).value == Fraction("10.1")


def test_a_stock_of_all_modules_together():
    """Two modules on one type that need two machines each within 0.3 s: three in stock have no plan, four have."""
    modules = [Module(name, 10, [Configuration("h", 1, 1, "0.1")]) for name in "ab"]
    for count in (3, 4):
        session = Session("stock", "0.3", [Hardware("h", 1, count)], modules, [("a", "b")])
        day = Day("stock", session, [Step(3600, (10, 10)), Step(3600, (10, 0))])
        if count == 3:
            assert check_text(day_text(day, None, None, None, math.inf)).infeasible
        plan = find_better(day, None, None, math.inf).plan
        assert (plan is None) == (count == 3)
        assert plan is None or evaluate(day, plan).value == 5
        least = Together(course_of(day, first_ends(day), math.inf), math.inf).least()
        assert least == [[((2,), (2,))] * (count == 4), [((1,), (0,))]]


def test_certify_writes_a_file_of_several_modules(tmp_path):
    day = pair("0.32", ((10, 10), (20, 10)))
    certificate = euclio.certify(day, euclio.solve(day, "day-exact"), proof=tmp_path / "p.vipr")
    assert (certificate.verdict, certificate.evidence) == (Verdict.CERTIFIED, "file")
    assert euclio.check_proof(tmp_path / "p.vipr").accepted


def test_a_claim_that_is_too_good_is_refuted():
    """The plan with a machine more of each, as if it were the optimum."""
    day = pair("0.32")
    peak = euclio.solve(day, "day-peak")
    steps = tuple(
        replace(
            step,
            modules=tuple(
                replace(own, serving=tuple(replace(s, machines=s.machines + 1) for s in own.serving))
                for own in step.modules
            ),
        )
        for step in peak.plan.steps
    )
    value = evaluate(day, replace(peak.plan, steps=steps)).value
    assert find_better(day, None, value, math.inf).plan is not None


def test_a_deadline_that_is_past_leaves_the_claim_open_and_no_file():
    day = nasty_day(24)
    search = find_better(day, None, Fraction(1), -math.inf)
    assert (search.plan, search.exhausted, search.reason) == (None, False, "the time limit was reached")
    with pytest.raises(NoProofError, match="time limit"):
        day_text(day, None, None, Fraction(1), -math.inf)


@pytest.mark.slow
@pytest.mark.parametrize("modules", [2, 6])
def test_a_limit_is_kept(modules):
    """Six models on four types of machines for a day of 288 steps, and two of them, whose uses alone take longer."""
    day = bench_day(planner(), "noisy")
    session = day.session
    named = [module.name for module in session.modules[:modules]]
    edges = [edge for edge in session.edges if set(edge) <= set(named)]
    session = Session("part", session.slo_s, session.hardware, session.modules[:modules], edges)
    day = replace(day, session=session, steps=tuple(Step(s.length_s, s.rates_rps[:modules]) for s in day.steps))
    started = time.perf_counter()
    search = find_better(day, None, Fraction(1000), started + 1)
    assert (search.plan, search.exhausted) == (None, False)
    assert search.reason
    assert "\n" not in search.reason
    assert time.perf_counter() - started < 3


def test_what_is_too_large_is_refused_in_one_line(monkeypatch):
    monkeypatch.setattr("euclio.proving.day.joint.MOST_CELLS", 0)
    monkeypatch.setattr("euclio.proving.day.certifying.MOST_CELLS", 0)
    monkeypatch.setattr("euclio.proving.day.certifying.MOST_VARIABLES", 1)
    search = find_better(pair("0.32"), None, Fraction(1), math.inf)
    assert (search.exhausted, search.reason) == (False, TOO_MANY)


def test_all_modules_together_take_one_node_where_each_by_itself_takes_hundreds():
    """A kept case: 2,255 nodes with a corner of each module, so that the file has the least machines of all."""
    day = nasty_day(355)
    plan = find_better(day, None, None, math.inf).plan
    least = evaluate(day, plan).value
    course = searched(day, least, math.inf).course
    (_, few), (together, _) = _programs(course, math.inf)
    assert few < 2_255
    assert together == Program(course, Together(course, math.inf).least())
    assert "need_0_0 " in day_text(day, None, plan, least, math.inf).replace("\n", " ")


def test_together_refuses_what_has_too_many_vectors(monkeypatch):
    monkeypatch.setattr("euclio.proving.day.joint.MOST_ENTRIES", 1)
    day = pair("0.32")
    with pytest.raises(TooManyError):
        Together(course_of(day, first_ends(day), math.inf), math.inf)
