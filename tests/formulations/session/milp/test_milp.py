"""Solvers `milp` and `milp-split` against enumeration of all plans, and their engine options."""

from fractions import Fraction
from itertools import product

import pytest

from euclio.core.registry import EngineOptions, Limits
from euclio.core.result import Status, WarmStart
from euclio.core.solving import solve
from euclio.problems.session import FULL_SPACE, Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.policies import POLICIES
from formulations.engines.interface import EngineLimits, Outcome
from formulations.engines.milp import run_twice
from formulations.engines.registry import find_engine
from formulations.session.joint.problem import joint_problem
from formulations.session.milp import joint
from formulations.session.milp.joint import run_milp
from formulations.session.milp.joint_model import joint_model
from formulations.session.milp.points import point_of
from tests.drawn.close_sessions import close_session
from tests.drawn.small_sessions import small_session

SPACES = [PlanSpace(p, rule, most) for p, rule, most in product(POLICIES, ("none", "machine"), (1, 2, None))]
SPACES += [PlanSpace(single_hardware=True), PlanSpace(batching=False), PlanSpace(concurrency=False)]


def agrees(seed: int, name: str, space: PlanSpace, engine: str = "highs") -> bool:
    session = small_session(seed)
    best, answer = solve(session, "plan-bruteforce", space=space), solve(session, name, space=space, engine=engine)
    same = best.cost is None or answer.cost == pytest.approx(best.cost, rel=1e-9)
    return answer.status is best.status and same


@pytest.mark.parametrize("name", ["milp", "milp-split"])
@pytest.mark.parametrize("seed", range(200, 240))
def test_agrees_with_enumeration(seed, name):
    """The joint model and the one over splits, against all plans."""
    assert agrees(seed, name, SPACES[seed % len(SPACES)])


@pytest.mark.parametrize("name", ["milp", "milp-split"])
@pytest.mark.parametrize("seed", range(240, 246))
def test_agrees_with_enumeration_on_cbc(seed, name):
    """In a second engine: what both find is in the model and not in an engine."""
    assert agrees(seed, name, FULL_SPACE, "cbc")


def feasible_session():
    return small_session(next(s for s in range(300, 400) if solve(small_session(s), "harpagon").cost is not None))


def test_where_highs_fails_over_a_limit_on_the_cost_the_limit_is_a_row(monkeypatch):
    session, asked = feasible_session(), []

    def failing(model, engine, limits, start=None):
        asked.append(limits.most)
        if limits.most is not None:
            return Outcome(Status.UNKNOWN, "Solve error")
        return run_twice(model, engine, limits, start)

    monkeypatch.setattr(joint, "run_twice", failing)
    answer = run_milp(session, FULL_SPACE, Limits())
    assert answer.claimed == pytest.approx(float(solve(session, "exact").cost), rel=1e-9)
    assert asked[0] is not None
    assert set(asked[1:]) == {None}


def test_the_joint_model_uses_the_plan_that_it_starts_from():
    session = feasible_session()
    best = solve(session, "exact").plan
    answer = run_milp(session, FULL_SPACE, Limits(options=EngineOptions(warm_start=best)))
    assert answer.stats["runs"] == 0 or answer.warm_start is WarmStart.USED


@pytest.mark.parametrize("name", ["milp", "milp-split"])
def test_the_exported_model_has_readable_names(name, tmp_path):
    solve(feasible_session(), name, export_lp=tmp_path / "model.lp")
    assert "start_M0" in (tmp_path / "model.lp").read_text()


@pytest.mark.parametrize("name", ["milp", "milp-split"])
def test_no_time_gives_no_false_proof(name):
    assert solve(feasible_session(), name, time_limit_s=1e-9).status in (Status.UNKNOWN, Status.FEASIBLE)


@pytest.mark.parametrize("name", ["milp", "milp-split"])
def test_the_same_seed_gives_the_same_plan(name):
    first, second = (solve(feasible_session(), name, seed=7) for _ in range(2))
    assert first.plan == second.plan


@pytest.mark.parametrize(("kept_seed", "start"), [(47, "none"), (346, "harpagon")])
def test_highs_does_not_lose_the_optimum(kept_seed, start):
    """With restarts (or tolerances of 1e-9) HiGHS 1.13.1 calls a worse plan optimal; the optimum keeps every row."""
    session = small_session(kept_seed)
    answer = solve(session, "milp", warm_start=start)
    assert (answer.status, answer.cost) == (Status.OPTIMAL, pytest.approx(solve(session, "exact").cost, rel=1e-9))


@pytest.mark.parametrize("seed", range(400, 420))
def test_the_optimal_plan_keeps_every_row_of_the_joint_model(seed):
    """A row that forbids the optimum would be an error that tolerances hide."""
    best = solve(small_session(seed), "exact")
    if best.plan is None:
        return
    joint = joint_model(joint_problem(small_session(seed), FULL_SPACE))
    for _ in range(3):
        run = find_engine("highs").run(joint.model, EngineLimits(relaxed=True))
        joint.separate(run.values)
    point = point_of(joint, best.plan, best.evaluation)
    assert not [row.name for row in joint.model.constraints() if excess(row, point) > 1e-9]


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("space", [FULL_SPACE, PlanSpace("rr", charging="whole"), PlanSpace(charging="whole")])
def test_plans_that_are_held_to_more_keep_every_row_of_the_joint_model(seed, space):
    """Changes, spare machines and largest shares; without machines that are as many as one likes."""
    session = close_session(seed)
    best = solve(session, "plan-bruteforce", space=space)
    if best.plan is None or 0 in session.price.values():
        return
    joint = joint_model(joint_problem(session, space, best.value))
    point = point_of(joint, best.plan, best.evaluation)
    assert not [row.name for row in joint.model.constraints() if excess(row, point) > 1e-9]
    assert sum(point[v.name] * c for v, c in joint.cost.items()) == pytest.approx(float(best.value))


def excess(row, point):
    """By how much a point breaks a row of a PuLP model."""
    value = row.constant + sum(factor * point[variable.name] for variable, factor in row.items())
    return {-1: value, 0: abs(value), 1: -value}[row.sense]


def test_latencies_far_below_the_slo_make_no_session_infeasible():
    """HiGHS called the model infeasible, with presolve and without: its rows had shares of the SLO below 1e-6.

    A rare module collects its batch in 1,514,955 s, which leaves the last one seconds of an objective of 1,537,560 s.
    """
    profile = (
        Configuration("h2", 7, 3, Fraction("0.7")),
        Configuration("h2", 32, 1, Fraction("0.2")),
        Configuration("h1", 5, 4, Fraction("0.2")),
    )
    modules = (
        Module("rare", Fraction("0.0000026403382992515413"), (Configuration("h2", 4, 4, Fraction("1.6")),)),
        Module("often", Fraction(51), (Configuration("h2", 2, 3, Fraction("0.57")),)),
        Module("last", Fraction(520), profile),
    )
    types = (Hardware("h1", Fraction("2.07")), Hardware("h2", Fraction("2.07")))
    delay_s = {("rare", "last"): 22600, ("often", "last"): 151496}
    session = Session("rare", "1537560.3829739483", types, modules, tuple(delay_s), delay_s=delay_s)
    space = PlanSpace("rr", "none")
    one, other = (solve(session, name, space=space) for name in ("milp", "exact"))
    assert (one.status, one.cost) == (Status.OPTIMAL, pytest.approx(other.cost, rel=1e-9))
