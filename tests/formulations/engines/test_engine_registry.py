"""An engine that is added by one file and one line runs every formulation that is written in PuLP."""

import time
from dataclasses import dataclass, field

import pytest

from euclio.core.errors import InputError
from euclio.core.registry import EngineOptions, Limits, find_solver
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.pipeline import PipelineSpace
from euclio.workloads.pipeline.small_clusters import small_cluster
from euclio.workloads.session.random_sessions import random_session
from formulations.engines.cpsat import CP_SAT
from formulations.engines.highs import HIGHS
from formulations.engines.interface import Engine, EngineLimits, Outcome, Point
from formulations.engines.milp import run_twice
from formulations.engines.registry import ENGINES, REGISTERED, chosen_engine, find_engine

SESSION = random_session(7, 2, slo_over_least=(1.5, 4.0))
CLUSTER = small_cluster(16)
ONE_EACH = PipelineSpace(one_per_sequence=True)


@dataclass(slots=True)
class Mine:
    """An engine that leaves the work to another one, and prunes by nothing."""

    name: str = "mine"
    prunes: bool = False
    asked: list[EngineLimits] = field(default_factory=list)

    def run(self, model, limits, start=None):
        """Note what it is asked, and ask HiGHS."""
        self.asked.append(limits)
        return HIGHS.run(model, limits, start)


@pytest.fixture
def mine(monkeypatch):
    engine = Mine()
    monkeypatch.setitem(REGISTERED, "mine", lambda: engine)
    return engine


@pytest.mark.parametrize(
    ("solver", "instance", "space"),
    [
        ("milp", SESSION, None),
        ("milp-split", SESSION, None),
        ("scrooge-milp", SESSION, None),
        ("ppipe", CLUSTER, ONE_EACH),
    ],
)
def test_a_registered_engine_runs_every_model_in_pulp(mine, solver, instance, space):
    found = find_solver(solver)
    answer = found.run(instance, found.space_on(instance, space), Limits(options=EngineOptions(engine="mine")))
    usual = solve(instance, solver, space=space)
    assert answer.claimed == pytest.approx(usual.value, rel=1e-9)
    assert mine.asked


def test_an_engine_that_does_not_prune_is_given_the_limit_as_a_row(mine):
    find_solver("milp").run(SESSION, find_solver("milp").space, Limits(options=EngineOptions(engine="mine")))
    assert {limits.most for limits in mine.asked} == {None}


def test_registered_engines_have_the_names_that_they_are_found_by():
    assert [find_engine(name).name for name in ENGINES] == list(ENGINES)


def test_the_first_engine_is_the_default():
    assert chosen_engine(EngineOptions()) is HIGHS


def test_an_unknown_engine_is_refused_with_those_that_there_are(mine):
    with pytest.raises(InputError, match="known: highs, cbc, highs-program, scip, gurobi, mine"):
        find_engine("cplex")


def test_infeasible_counts_only_where_it_is_said_twice():
    asked = []

    class Unsure:
        name, prunes = "unsure", False

        def run(self, model, limits, start=None):
            asked.append(limits.presolve)
            return Outcome(Status.FEASIBLE if limits.presolve else Status.INFEASIBLE, "", nodes=3)

    run = run_twice(None, Unsure(), EngineLimits())
    assert (run.status, run.nodes, asked) == (Status.FEASIBLE, 6, [False, True])


def test_the_second_run_has_the_time_that_the_first_has_left():
    """`milp-split` with a limit of 60 s ended after 111: its second run had the whole limit once more."""
    asked = []

    class Slow(Mine):
        def run(self, model, limits, start=None):
            asked.append(limits.time_limit_s)
            time.sleep(0.06)
            return Outcome(Status.INFEASIBLE, "none", nodes=3)

    assert run_twice(None, Slow(), EngineLimits(time_limit_s=10.0)).infeasible
    assert asked[0] == 10.0
    assert asked[1] <= 10.0 - 0.06
    asked.clear()
    late = run_twice(None, Slow(), EngineLimits(time_limit_s=0.05))
    assert (asked, late.status, late.nodes) == ([0.05], Status.UNKNOWN, 3)


def test_an_outcome_is_translated_into_the_terms_of_a_problem():
    run = Outcome(Status.FEASIBLE, "limit", {0: 1, 1: 0}, 12, 8, 5, (Point(0.5, None, 7), Point(1.0, 12, 8)))
    other = run.translated(lambda values: [i for i in values if values[i]], lambda n: n / 4, lambda n: n / 4 - 1)
    assert (other.values, other.objective, other.bound, other.nodes) == ([0], 3.0, 1.0, 5)
    assert [(p.wall_s, p.incumbent, p.bound) for p in other.trace_from(2.0)] == [(2.5, None, 0.75), (3.0, 3.0, 1.0)]


def test_all_engines_keep_to_one_interface():
    engines: list[Engine] = [CP_SAT, *map(find_engine, ENGINES)]
    assert [(engine.name, engine.prunes) for engine in engines] == [
        ("cpsat", False),
        ("highs", True),
        ("cbc", False),
        ("highs-program", True),
        ("scip", True),
        ("gurobi", True),
    ]
