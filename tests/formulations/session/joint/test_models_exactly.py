"""Models with tolerances on nasty numbers: what they call optimal or infeasible is so in fractions."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session, evaluate
from formulations.effort import Effort, UndecidedError
from formulations.session.joint.candidates import priced
from formulations.session.joint.problem import joint_problem
from formulations.session.module.in_integers import cheapest_plan, needs_within, rational_module
from tests.drawn.small_sessions import small_session

pytest.importorskip("ortools")

JOINT = ("milp", "cpsat")
ALL = (*JOINT, "milp-split", "cpsat-split")


def one_module(slo, rate, *rows, price=1):
    """A session of one module; rows are (batch, duration) on one hardware type."""
    profile = [Configuration("h", b, 1, d) for b, d in rows]
    return Session("one", slo, [Hardware("h", price)], [Module("m", rate, profile)])


def two_prices(first, second, slo="0.6"):
    """Two chained modules; each has a fast configuration on h and a slow one on k."""
    profile = [Configuration("h", 1, 1, "0.1"), Configuration("k", 4, 1, "0.2")]
    modules = [Module(name, 30, profile) for name in ("a", "b")]
    return Session("two", slo, [Hardware("h", first), Hardware("k", second)], modules, [("a", "b")])


def decided(session, name, space=None, **options):
    """Whether a solver and the enumeration of all plans agree, optimum or infeasibility."""
    space = space or PlanSpace()
    best = solve(session, "plan-bruteforce", space=space)
    found = solve(session, name, space=space, time_limit_s=20.0, **options)
    close = best.value is None or (found.value is not None and found.value <= best.value * (1 + Fraction(1, 10**9)))
    return found.status is best.status and close


@pytest.mark.fifth("first")
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(("first", "second"), [(0, 0), (0, 1), (1, 0), (1e-12, 1e12), (1e12, 1e-12), (1e-12, 1e-12)])
def test_prices_of_nothing_and_far_apart(name, first, second):
    """`cpsat` divided by zero at price 0 and left the range of whole numbers where prices are far apart."""
    assert decided(two_prices(first, second), name)


@pytest.mark.fifth("space")
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("space", [PlanSpace(), PlanSpace("rr", "none", 2), PlanSpace("machine-rate", "machine")])
@pytest.mark.parametrize("off", [0, 1, -1])
def test_an_slo_on_the_boundary_and_one_unit_next_to_it(name, space, off):
    loose = two_prices(2, 1, "3")
    latency = solve(loose, "plan-bruteforce", space=space).evaluation.latency_s
    tight = Session("two", latency + Fraction(off, 10**20), loose.hardware, loose.modules, loose.edges)
    assert decided(tight, name, space)


@pytest.mark.fifth("rate")
@pytest.mark.parametrize("name", JOINT)
@pytest.mark.parametrize("rate", [13.333333333333334, 13.333333333333332, 26.666666666666668, 26.666666666666664])
@pytest.mark.parametrize("rule", ["none", "machine"])
def test_rates_that_are_multiples_of_throughputs_as_floats_print_them(name, rate, rule):
    assert decided(one_module("0.45", rate, (4, "0.3"), (1, "0.3")), name, PlanSpace(dummy=rule))


@pytest.mark.parametrize("name", ALL)
def test_an_almost_full_partial_machine_next_to_whole_ones(name):
    """4.999999999999999 machines: `cpsat` rounded the cost of five once as a bound, and of four and a rest apart."""
    session = one_module(574903253655.9646, 3.478846201132907e-11, (2, 287451626827.9822), price=3.333333333333333e-07)
    assert decided(session, name, PlanSpace("rr", "none"))


def test_highs_does_not_call_a_model_infeasible_that_its_presolve_cannot_keep():
    """With presolve, HiGHS 1.13.1 calls this model infeasible under every tolerance of its rows."""
    d = 1e-12
    fours = [Configuration("h", b, 1, d) for b in (4, 6, 2)]
    modules = [
        Module("M0", 1e12, fours),
        Module("M1", 1e12, [Configuration("h", 8, 1, d), Configuration("h", 2, 1, d), Configuration("h", 1, 2, d)]),
        Module("M2", 1e12, fours),
        Module("M3", 1e12, [Configuration("h", 6, 1, d), Configuration("h", 2, 2, d), Configuration("h", 3, 1, d)]),
    ]
    session = Session("s", 4.73937396867184e-12, [Hardware("h", 0.1)], modules, [("M0", "M2"), ("M1", "M2")])
    assert decided(session, "milp", PlanSpace("tc-shared", "machine", 1))


@pytest.mark.parametrize("name", ALL)
def test_alike_modules_without_edges_are_proven_in_spite_of_ties(name):
    profile = [Configuration("h", b, 1, d) for b, d in ((1, "0.1"), (2, "0.2"), (4, "0.3"))]
    modules = [Module(f"m{i}", 25, profile) for i in range(4)]
    assert decided(Session("alike", "0.6", [Hardware("h", 1)], modules), name)


@pytest.mark.parametrize("name", ALL)
def test_a_plan_more_expensive_by_a_billionth_is_not_optimal(name):
    """Two configurations whose prices differ by four billionths: within a tolerance of a millionth they are alike."""
    hardware = [Hardware("a", "1.000000004"), Hardware("b", 1)]
    module = Module("m", 20, [Configuration("a", 2, 1, "0.1"), Configuration("b", 2, 1, "0.1")])
    assert decided(Session("near", 1, hardware, [module]), name, warm_start="none")


@pytest.mark.parametrize("name", JOINT)
def test_a_bound_of_a_stopped_run_is_no_higher_than_the_optimum(name):
    session = small_session(104)
    best, stopped = solve(session, "plan-bruteforce"), solve(session, name, time_limit_s=0.05, warm_start="none")
    assert stopped.bound is None or Fraction(stopped.bound) <= best.value * (1 + Fraction(1, 10**9))


def test_ties_among_whole_machines_are_cut_off_together():
    """With one module on whole machines at price 2, every plan cheaper than 6 costs at most 4."""
    session = one_module("0.6", 30, (1, "0.1"), (2, "0.2"), price=2)
    best = solve(session, "plan-bruteforce")
    cut = priced(joint_problem(session, PlanSpace()), best.plan, best.evaluation, best.value, Fraction(0))
    assert (cut.states, cut.whole, cut.cheaper) == ({}, (0,), 4)


def cheapest(single, space, budget_s, strictly=False, nodes=200_000):
    """The cheapest plan of a session's only module, by the search in integers."""
    module = rational_module(single.modules[0], single.price, space)
    return cheapest_plan(module, needs_within(module, budget_s, strictly=strictly), None, Effort(nodes, math.inf))


@pytest.mark.parametrize("seed", range(500, 530))
@pytest.mark.parametrize("policy", ["tc", "tc-shared", "rr"])
def test_the_exact_search_of_one_module_agrees_with_enumeration(seed, policy):
    """The search that settles a model's rounding has to be right by itself."""
    whole, space = small_session(seed), PlanSpace(policy)
    single = Session("one", whole.slo_s, whole.hardware, whole.modules[:1])
    best, plan = solve(single, "plan-bruteforce", space=space), cheapest(single, space, single.slo_s)
    assert (
        None if plan is None else evaluate(single, replace(best.plan, modules=(plan,)), space).cost_per_h
    ) == best.value


def test_the_exact_search_of_one_module_takes_strictly_for_strictly():
    session = one_module("0.3", 10, (1, "0.2"))
    assert cheapest(session, PlanSpace(dummy="none"), Fraction("0.4"), strictly=True) is not None
    assert cheapest(session, PlanSpace(dummy="none"), Fraction("0.3"), strictly=True) is None


def test_the_exact_search_of_one_module_gives_up():
    with pytest.raises(UndecidedError):
        cheapest(one_module(9, 1000, (1, "0.1"), (2, "0.2"), (3, "0.31")), PlanSpace(), Fraction(9), nodes=0)


@pytest.mark.parametrize("name", JOINT)
def test_nothing_is_proven_of_a_sliver_that_no_batch_can_be_collected_from(name):
    """Three machines and 4e-16 of one: without dummies the rest takes longer than any SLO."""
    session = one_module(10**12, 60.00000000000001, (2, "0.1"))
    assert solve(session, name, space=PlanSpace(dummy="none")).status is Status.INFEASIBLE
