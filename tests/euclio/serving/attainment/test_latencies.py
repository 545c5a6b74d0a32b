"""Latencies at single modules: what is counted of them, and objectives that plans keep."""

import numpy as np
import pytest
from worked_examples import M_1, M_3, module

from euclio import solve
from euclio.core.errors import InputError
from euclio.problems.session import Hardware, Session
from euclio.problems.session.space import FULL_SPACE
from euclio.serving.attainment import long_run
from euclio.serving.attainment.confidence import Estimate
from euclio.serving.attainment.demand import Demand, ModuleObjective
from euclio.serving.attainment.long_run import AT_SLO, Run, Tally, Watched
from euclio.serving.attainment.trials import PlanJudgement, part_of_error
from euclio.serving.session import Setup
from euclio.serving.session.engine.between_modules import UNANSWERED
from euclio.serving.session.in_turn import NOT_INVOKED
from euclio.serving.session.system import build_system

GPU = [Hardware("gpu", 1)]
SESSION = Session("two", "1.4", GPU, [module("a", 60, M_1), module("b", 60, M_3)], [("a", "b")])
PART = Session("part", "1.4", GPU, [module("a", 60, M_1), module("b", 20, M_3)], [("a", "b")])
"""A third of the requests invokes b."""
SETUP = Setup(seed=4, dummies=False, partial="shared")


def system_of(session):
    return build_system(session, solve(session).plan, FULL_SPACE, SETUP)


def tally(objective_s=None):
    """Windows of 1 s."""
    return Tally(Watched(0, objective_s), system_of(SESSION), 10**9, 4)


def took(*milliseconds):
    return np.array([one if one in (NOT_INVOKED, UNANSWERED) else one * 10**6 for one in milliseconds], np.int64)


def test_requests_that_do_not_invoke_a_module_do_not_count():
    """Of three that do, one takes longer than 0.05 s and one is not answered."""
    own = tally(0.05)
    own.add(np.arange(4) * 10**8, took(40, NOT_INVOKED, 60, UNANSWERED))
    found = own.latencies(1)
    assert found.arrived.tolist() == [3]
    assert found.late.tolist() == [2]
    # Eight times 0.05 s: the one that is not answered.
    assert found.slower[-1].tolist() == [1]
    assert found.slower[AT_SLO].tolist() == [2]


def test_a_percentile_is_that_of_the_requests_which_invoke_the_module():
    own = tally()
    own.add(np.arange(12) * 10**7, took(10, 20, 30, 40, NOT_INVOKED, 50, 60, 70, 80, 90, NOT_INVOKED, 100))
    assert own.quantile_s(0, 0.9) == pytest.approx(0.09, rel=1e-3)
    assert own.quantile_s(0, 0.5) == pytest.approx(0.05, rel=1e-3)


def test_a_share_that_was_not_answered_has_no_percentile():
    own = tally()
    own.add(np.arange(4) * 10**7, took(10, 20, 30, UNANSWERED))
    assert own.quantile_s(0, 0.75) == pytest.approx(0.03, rel=1e-3)
    assert own.quantile_s(0, 0.76) is None


def test_the_begin_of_a_simulation_is_left_out():
    """The first 128 windows of 1 s have 1 s, the others 2 s."""
    own = Tally(Watched(0), system_of(SESSION), 10**9, 256)
    own.add(np.arange(256) * 10**9, took(*[1000] * 128, *[2000] * 128))
    assert own.quantile_s(0, 0.5) == pytest.approx(1, rel=1e-3)
    assert own.quantile_s(128, 0.01) == pytest.approx(2, rel=1e-3)


@pytest.mark.parametrize("session", [SESSION, PART])
def test_the_engine_and_modules_in_turn_count_the_same(session, monkeypatch):
    system, watched = system_of(session), (Watched(0), Watched(1), Watched(0, 0.5), Watched(1, 0.5))
    runs = []
    for serves in (long_run.covers, lambda *_: False):
        monkeypatch.setattr(long_run, "covers", serves)
        run = Run(system, SETUP, 0.5, 300, watched=watched)
        run.go_on(200)
        run.go_on(300)
        runs.append(run.tallies)
    for one, other in zip(*runs, strict=True):
        if one.watched.objective_s is None:
            assert one.quantile_s(0, 0.9) == other.quantile_s(0, 0.9) is not None
        else:
            assert (one.latencies(300).arrived == other.latencies(300).arrived).all()
            assert (one.latencies(300).slower == other.latencies(300).slower).all()


def test_a_module_counts_the_requests_that_invoke_it():
    run = Run(system_of(PART), SETUP, 0.5, 300, watched=(Watched(0, 0.5), Watched(1, 0.5)))
    all_of_them = run.go_on(300).arrived.sum()
    every, third = (own.latencies(300).arrived.sum() for own in run.tallies)
    assert every == all_of_them
    assert third == pytest.approx(all_of_them / 3, abs=1)


def test_objectives_share_the_error_that_is_allowed():
    """5 %: half of it for the first plan, of which three statements have a third each."""
    assert part_of_error(0, 3) == pytest.approx(1 - 0.025 / 3)
    assert part_of_error(1, 3) == pytest.approx(1 - 0.025 / 7 / 3)


def test_looks_share_it_too():
    """Three looks have 1, 2 and 4 sevenths of what one alone would have."""
    errors = [1 - part_of_error(1, 1, look, 3) for look in range(3)]
    assert errors == pytest.approx([0.025 / 7 * part / 7 for part in (1, 2, 4)])


def test_a_plan_fails_with_one_module():
    """The module may miss 1 % and misses up to 2 %: as if 10 % were missed where 5 % may be."""
    objective = ModuleObjective("a", 0.99, 0.5)
    demand = Demand(0.95, Setup(), (objective,))
    judged = PlanJudgement(
        Estimate(1, 0.999, 0.9, 30, 50, 1000), 1.0, 1, ((objective, Estimate(0.99, 0.98, 0.9, 30, 50, 1)),)
    )
    assert not judged.keeps(demand)
    assert judged.lower(demand) == pytest.approx(0.9)


def test_a_module_that_a_session_does_not_have_is_refused():
    with pytest.raises(InputError, match=r"names aa, which is no module of two; did you mean a\?"):
        solve(SESSION, attainment=0.9, module_p90={"aa": 0.5})


@pytest.mark.parametrize("seconds", [0, -1])
def test_an_objective_is_positive(seconds):
    with pytest.raises(InputError, match="greater than 0"):
        solve(SESSION, module_p90={"a": seconds})


@pytest.mark.slow
def test_a_plan_keeps_the_objective_of_a_module():
    """Without it, plans of this session take longer in a."""
    free = solve(SESSION, "exact", attainment=0.9)
    seconds = 0.8 * free.options["attainment"]["module_latency_s"]["a"]
    result = solve(SESSION, "exact", module_p90={"a": seconds})
    (own,) = result.options["attainment"]["modules"]
    assert own["kept_at_least"] >= 0.9
    assert result.options["attainment"]["module_latency_s"]["a"] <= seconds * 1.001
    assert result.options["attainment"]["target"] == 0.9
    assert result.bound <= result.cost
    assert result.cost >= free.cost
