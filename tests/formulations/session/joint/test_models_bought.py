"""Joint models of both engines where machines are charged whole, and where there is a stock of them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session, evaluate
from euclio.problems.session.policies import POLICIES
from formulations.session.joint.problem import joint_problem
from formulations.session.joint.search import most_cost
from formulations.session.surplus import countable, first_plan
from tests.drawn.small_sessions import bought_session, stocked

pytest.importorskip("ortools")
from formulations.session.cpsat.joint_model import joint_model

MODELS = ("milp", "cpsat")
WHOLE = PlanSpace(charging="whole")


def chain(slo, *modules, hardware, rate=10):
    """Chained modules; each is a list of rows (hardware, batch, duration)."""
    profiles = [[Configuration(h, b, 1, d) for h, b, d in rows] for rows in modules]
    made = [Module(f"m{i}", rate, profile) for i, profile in enumerate(profiles)]
    return Session("chain", slo, hardware, made, [(f"m{i}", f"m{i + 1}") for i in range(len(made) - 1)])


def same(session, name, space=WHOLE, **options):
    """The model's result, which is as brute force has it."""
    best = solve(session, "plan-bruteforce", space=space)
    found = solve(session, name, space=space, time_limit_s=20.0, **options)
    assert found.status is best.status, (found.reason, best.reason)
    assert best.value is None or best.value <= found.value <= best.value * (1 + Fraction(1, 10**9))
    return found


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("slo", ["0.8", "0.7", "0.6", "0.5", "0.41", "0.4"])
def test_spare_machines_buy_latency(name, slo):
    """10 req/s in batches of 4 that take 0.4 s: n machines take 0.4 + 4/(10 n) s."""
    same(chain(slo, [("h", 4, "0.4")], hardware=[Hardware("h", 1)]), name)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("slo", "status"), [("0.801", Status.OPTIMAL), ("0.8", Status.INFEASIBLE)])
def test_machines_that_cost_nothing_are_as_many_as_it_takes(name, slo, status):
    session = chain(slo, [("h", 4, "0.4")], [("h", 4, "0.4")], hardware=[Hardware("h", 0)])
    assert same(session, name).status is status


@pytest.mark.fifth("slo")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("slo", ["0.5", "0.55", "0.6", "0.7", "1"])
def test_machines_that_cost_nothing_next_to_some_that_cost_something(name, slo):
    rows = [("h", 4, "0.4"), ("k", 1, "0.1")]
    same(chain(slo, rows, rows, hardware=[Hardware("h", 0), Hardware("k", 2)]), name)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("count", "status"), [(3, Status.OPTIMAL), (1, Status.INFEASIBLE), (0, Status.INFEASIBLE)])
def test_no_plan_for_want_of_machines_is_proven(name, count, status):
    """Any n machines of k take 0.2 + 1/(5 n) s, any number of h more than 0.4 s: within 0.69 s it takes three of k."""
    rows = [("h", 4, "0.4"), ("k", 1, "0.2")]
    session = chain("0.69", rows, rows, hardware=[Hardware("h", 1), Hardware("k", 5, count)])
    found = same(session, name)
    assert found.status is status
    assert ("within the stock (proven)" in found.reason) == (status is Status.INFEASIBLE)


@pytest.mark.fifth("count")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("count", [0, 1, 2, 3])
@pytest.mark.parametrize("rule", ["none", "machine"])
def test_shares_of_a_stock_are_summed(name, count, rule):
    """Two modules of 7 req/s on machines of 10 take 1.4 machines, of 20 at thrice the price 0.7."""
    rows = [("h", 1, "0.1"), ("k", 4, "0.2")]
    session = chain(9, rows, rows, hardware=[Hardware("h", 1, count), Hardware("k", 6)], rate=7)
    same(session, name, PlanSpace(dummy=rule))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("price", ["1.000000004", "1e-12", "1e9"])
def test_prices_that_are_all_but_alike_and_far_apart(name, price):
    rows = [("a", 2, "0.1"), ("b", 2, "0.1"), ("b", 6, "0.3")]
    hardware = [Hardware("a", price), Hardware("b", 1)]
    same(chain("0.35", rows, hardware=hardware, rate=50), name)
    same(chain("0.35", rows, hardware=[Hardware("a", price), Hardware("b", 1, 1)], rate=50), name)


@pytest.mark.fifth("rate")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("rate", [13.333333333333334, 13.333333333333332, 26.666666666666668, 26.666666666666664])
@pytest.mark.parametrize("rule", ["none", "machine"])
@pytest.mark.parametrize("count", [None, 1, 2])
def test_rates_that_are_multiples_of_throughputs_as_floats_print_them(name, rate, rule, count):
    """A sliver of rate over whole machines takes a machine more, charged whole."""
    session = chain("0.61", [("h", 4, "0.3"), ("k", 1, "0.3")], hardware=[Hardware("h", 1, count), Hardware("k", 1)])
    module = Module("m", rate, session.modules[0].profile)
    same(Session("one", session.slo_s, session.hardware, [module]), name, PlanSpace(dummy=rule, charging="whole"))


@pytest.mark.fifth("policy")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("policy", POLICIES)
def test_continuous_dummies_coincide_with_whole_ones(name, policy):
    """Under every policy, here where concurrency is 1."""
    for seed in (3, 7, 12):
        same(bought_session(seed), name, PlanSpace(policy, "continuous", concurrency=False, charging="whole"))


@pytest.mark.parametrize("name", MODELS)
def test_continuous_dummies_under_round_robin_with_concurrency_are_inapplicable(name):
    """A full machine takes 2d, one that is nearly full d + b/t = 1.5 d."""
    session = Session("one", 9, [Hardware("h", 1)], [Module("m", 10, [Configuration("h", 2, 2, "0.2")])])
    assert solve(session, name, policy="rr", dummy="continuous", charging="whole").status is Status.INAPPLICABLE
    assert countable(session, PlanSpace("rr", "continuous", charging="whole")).dummy == "continuous"


@pytest.mark.parametrize("name", MODELS)
def test_packed_machines_are_refused(name):
    assert solve(bought_session(1), name, charging="packed").status is Status.INAPPLICABLE


@pytest.mark.parametrize("name", MODELS)
def test_one_hardware_type_within_a_stock(name):
    for seed in range(6):
        same(stocked(bought_session(seed), seed), name, PlanSpace(single_hardware=True, charging="whole"))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", range(8))
def test_a_plan_to_start_from_changes_nothing(seed, name):
    """Machines of which there is no stock are not enough: a plan is found in the model without prices first."""
    session = stocked(bought_session(seed), seed)
    assert same(session, name).value == same(session, name, warm_start="plan-bruteforce").value


@pytest.mark.parametrize("name", MODELS)
def test_a_bound_of_a_stopped_run_is_no_higher_than_the_optimum(name):
    for seed in range(20, 26):
        session = stocked(bought_session(seed), seed)
        best = solve(session, "plan-bruteforce", space=WHOLE)
        stopped = solve(session, name, space=WHOLE, time_limit_s=0.02)
        assert stopped.status is not Status.ERROR
        assert best.value is None or stopped.bound is None or stopped.bound <= float(best.value) * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_the_first_plan_is_a_plan_wherever_there_is_one(seed):
    """A model that starts without a plan may end without one when its time is over."""
    session = bought_session(seed)
    plan = first_plan(session, WHOLE)
    best = solve(session, "plan-bruteforce", space=WHOLE)
    assert (plan is None) == (best.value is None)
    assert plan is None or evaluate(session, plan, WHOLE).cost_per_h >= best.value
    # Where there is no time to make it cheaper, it is a plan as well.
    late = first_plan(session, WHOLE, until=0.0)
    assert (late is None) == (plan is None)
    assert late is None or evaluate(session, late, WHOLE).feasible


def test_every_row_stays_within_the_limit_of_coefficients():
    from euclio.workloads.session.random_sessions import random_session
    from formulations.engines.cpsat import check_rows

    session = random_session(3, 2, 200, hardware=12, concurrency=8, slo_over_least=(5.0, 6.0))
    plan = first_plan(session, WHOLE)
    problem = joint_problem(session, WHOLE, evaluate(session, plan, WHOLE).cost_per_h)
    most = most_cost(problem)
    check_rows(joint_model(problem, most, [Fraction(0)] * 2, [most] * 2).model)


def test_a_stock_is_a_row_of_the_exported_model(tmp_path):
    session = chain(9, [("h", 1, "0.1")], hardware=[Hardware("h", 1, 3)])
    file = tmp_path / "model.lp"
    for space in (PlanSpace("tc", "none", charging="whole"), WHOLE):
        solve(session, "milp", space=space, export_lp=file)
        assert "stock_h" in file.read_text()
