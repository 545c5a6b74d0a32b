from dataclasses import replace
from itertools import groupby

import pytest
from worked_examples import scrooge, scrooge_best_plan

from euclio import solve
from euclio.core.result import Status
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.arrays import session_arrays
from euclio.workloads.session.protocol import SEED, draw
from euclio.workloads.session.random_sessions import random_session
from formulations.engines.highs import HIGHS
from formulations.engines.interface import EngineLimits
from formulations.session.scrooge import allocation_model, useful_entries
from heuristics.session import SCROOGE_SPACE
from heuristics.session.scrooge import full_latency

MILP = "scrooge-milp"


def one_module(rate_rps, slo_s, *rows):
    """A session of one module; rows are (batch, duration) on one worker type at price 2."""
    return Session(
        "one", slo_s, [Hardware("X", 2)], [Module("M", rate_rps, [Configuration("X", b, 1, d) for b, d in rows])]
    )


def as_printed(session):
    """Equations (1)-(2d) row by row: every entry, one per worker type, one row (2c) per entry and edge."""
    from pulp import LpMinimize, LpProblem, lpSum

    s = session_arrays(session, SCROOGE_SPACE)
    model, terms = LpProblem("as_printed", LpMinimize), []
    starts = [model.add_variable(f"l_{m}", 0) for m in range(s.rate.size)]
    for m, module in enumerate(session.modules):
        hardware = {k: module.profile[s.profile_index[k]].hardware for k in range(int(s.first[m]), int(s.first[m + 1]))}
        x = {k: model.add_variable(f"x_{k}", cat="Binary") for k in hardware}
        t = {k: model.add_variable(f"t_{k}", 0) for k in hardware}
        for k in hardware:
            model += t[k] <= float(s.rate[m]) * x[k]
            terms.append(float(s.price[k] / s.throughput[k]) * t[k])
        model += lpSum(t.values()) == float(s.rate[m])
        for _, same in groupby(sorted(hardware, key=hardware.__getitem__), hardware.__getitem__):
            model += lpSum(x[k] for k in same) <= 1
        for n in s.child[s.child_first[m] : s.child_first[m + 1]].tolist() or [None]:
            end = s.slo if n is None else starts[n]
            for k in hardware:
                model += starts[m] + float(full_latency(s)[k]) * x[k] <= end
    model.setObjective(lpSum(terms))
    return model


# Scrooge's worked example (Tables 3 and 4, durations only).


def test_worked_example_comes_out_as_in_the_paper():
    """A on one X<4,2> and a share of Y<2,1>, B on 1.6 Y<4,2>: 7.5444 at 272.8 ms."""
    result = solve(scrooge(), MILP)
    assert [m.allocations for m in result.plan.modules] == [m.allocations for m in scrooge_best_plan().modules]


def test_first_step_of_the_worked_example_takes_every_machine_for_full():
    """A on 1.33 X<4,2>, B on 1.6 Y<4,2>: 80/60.15·2 + 320/200·3 = 7.46, a bound on 7.5444."""
    result = solve(scrooge(), MILP)
    assert result.stats["first_step_cost_per_h"] == pytest.approx(80 / (8 / 0.133) * 2 + 320 / 200 * 3)
    assert result.bound == pytest.approx(7.46)
    assert result.status is Status.FEASIBLE


# The model.


@pytest.mark.parametrize("seed", range(12))
def test_model_has_the_optimum_of_the_equations_as_printed(seed):
    """Our form of the model leaves out entries; the paper's equations word for word leave out none."""
    session = random_session(seed, 1 + seed % 3, 6, slo_over_least=(2, 6))
    ours = HIGHS.run(allocation_model(session, session_arrays(session, SCROOGE_SPACE))[0], EngineLimits())
    printed = HIGHS.run(as_printed(session), EngineLimits())
    assert ours.status == printed.status
    assert ours.objective == pytest.approx(printed.objective, rel=1e-7)


def test_beaten_entries_are_left_out():
    """80, 60 and 42 requests per second at the same price; the last entry is slower than the second."""
    session = one_module(100, 1, (16, "0.2"), (6, "0.1"), (5, "0.12"))
    assert useful_entries(session_arrays(session, SCROOGE_SPACE)) == [[0, 1]]


def test_entries_that_the_slo_leaves_no_room_for_are_left_out():
    """0.4 s at batch 16 is more than 0.3 s."""
    session = one_module(100, "0.3", (16, "0.2"), (6, "0.1"))
    assert useful_entries(session_arrays(session, SCROOGE_SPACE)) == [[1]]


def test_names_that_look_alike_stay_apart():
    session = scrooge()
    a, b = session.modules
    alike = replace_modules(session, (Module("a b", 80, a.profile), Module("a-b", 320, b.profile)))
    assert solve(alike, MILP).value == solve(session, MILP).value


def replace_modules(session, modules):
    names = [m.name for m in modules]
    return Session(session.name, session.slo_s, session.hardware, modules, [(names[0], names[1])])


def test_exported_model_has_readable_names(tmp_path):
    solve(scrooge(), MILP, export_lp=tmp_path / "model.lp")
    text = (tmp_path / "model.lp").read_text()
    assert "after_A_B: l_A - l_B + 199.5 x_A_X_b4_e2" in text
    assert "l_max <= 300" in text


@pytest.mark.parametrize("number", [2, 5, 8])
def test_a_plain_run_of_the_engine_finds_the_same_optimum(number):
    session = draw(SEED, number).session
    model = allocation_model(session, session_arrays(session, SCROOGE_SPACE))[0]
    runs = [HIGHS.run(model, EngineLimits(plain=plain)) for plain in (False, True)]
    assert [run.status for run in runs] == ["optimal", "optimal"]
    assert runs[0].objective == pytest.approx(runs[1].objective, rel=1e-9)


# The solver.


@pytest.mark.parametrize("seed", range(30))
def test_bound_optimum_and_plan_are_in_order(seed):
    """Scrooge's model relaxes the plan space that `exact` searches."""
    session = random_session(seed, 1 + seed % 4, 8, concurrency=3)
    ours, best = solve(session, MILP), solve(session, "exact", space=SCROOGE_SPACE)
    if ours.status is Status.INFEASIBLE:
        assert best.status is Status.INFEASIBLE
    elif best.cost is not None:
        assert ours.bound <= best.cost * (1 + 1e-9)
        assert ours.cost is None or ours.cost >= best.cost * (1 - 1e-9)


@pytest.mark.fifth("number")
@pytest.mark.parametrize("number", range(1, 9))
def test_workloads_get_a_plan_at_its_claimed_cost(number):
    result = solve(draw(SEED, number).session, MILP)
    assert result.claimed == pytest.approx(result.cost, rel=1e-9)


def test_a_plan_that_matches_the_first_step_is_proven_optimal():
    """Two whole machines of 50 requests per second, 0.2 s each, and an SLO of just that."""
    result = solve(one_module(100, "0.2", (5, "0.1")), MILP)
    assert (result.status, result.cost) == (Status.OPTIMAL, 4)


def test_infeasible_second_step_falls_back_on_the_greedy_search():
    """201 req/s leave 1 for the third machine of 100: no batch of it is collected within 0.32 s."""
    result = solve(one_module(201, "0.32", (16, "0.16"), (1, "0.02"), (2, "0.05")), MILP)
    assert result.stats["greedy_fallback"] == 1
    assert result.status is Status.FEASIBLE


def test_no_time_for_the_partial_allocation_is_said():
    """10 req/s a machine, 0.5 req/s left over: 2 s for a batch of 1, and the SLO is 0.3 s; batch 2 takes 0.38 s."""
    result = solve(one_module("20.5", "0.3", (1, "0.1"), (2, "0.19")), MILP)
    assert (result.status, result.plan) == (Status.UNKNOWN, None)
    assert "partial allocations" in result.reason


def test_time_limit_without_a_plan_is_unknown():
    result = solve(draw(SEED, 2).session, MILP, time_limit_s=1e-6)
    assert (result.status, result.plan) == (Status.UNKNOWN, None)


@pytest.mark.parametrize("number", [2, 8])
def test_engines_agree_on_the_first_step(number):
    session = draw(SEED, number).session
    highs, cbc = (solve(session, MILP, engine=engine) for engine in ("highs", "cbc"))
    assert highs.stats["first_step_cost_per_h"] == pytest.approx(cbc.stats["first_step_cost_per_h"], rel=1e-7)


def test_restricted_hardware_is_obeyed():
    plan = solve(scrooge(), MILP, hardware=("Y",)).plan
    assert {a.configuration.hardware for m in plan.modules for a in m.allocations} == {"Y"}


@pytest.mark.parametrize("change", [{"policy": "tc"}, {"dummy": "machine"}, {"max_allocations": 1}])
def test_other_spaces_are_refused(change):
    assert solve(scrooge(), MILP, space=replace(SCROOGE_SPACE, **change)).status is Status.INAPPLICABLE
