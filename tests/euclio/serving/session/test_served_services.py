"""Objectives of modules, delays and applications in simulations: numbers by hand, laws, and what is refused."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from random_plans import random_case, random_session

from euclio import pool, solve
from euclio.core.errors import InputError
from euclio.problems.session import Allocation, Configuration, Hardware, Module, ModulePlan, Plan, Session
from euclio.problems.session.latency.of_requests import doubts
from euclio.problems.session.objectives import Application, Objective
from euclio.problems.session.space import FULL_SPACE, PlanSpace
from euclio.serving.attainment import long_run
from euclio.serving.attainment.long_run import Run
from euclio.serving.session import Setup, simulate
from euclio.serving.session.engine.tables import ELSEWHERE
from euclio.serving.session.in_turn import share_in_time
from euclio.serving.session.metrics import describe
from euclio.serving.session.server import together
from euclio.serving.session.service import DEPLOYED
from euclio.serving.session.system import build_system
from tests.drawn.plans import random_plan

GPU = [Hardware("g", 1)]
TWO, ONE = Configuration("g", 2, 1, "0.02"), Configuration("g", 1, 1, "0.01")
PLAN = Plan((ModulePlan((Allocation(TWO, 0, Fraction(50)),)), ModulePlan((Allocation(ONE, 0, Fraction(50)),))))
EVENLY = Setup("uniform", seconds=1)


def chain(first: str, answer: str, delay: str = "0.05", rate: int | str = 50) -> Session:
    """Two modules one after the other, with an objective each and a delay between them."""
    return Session(
        "chain",
        None,
        GPU,
        [Module("a", 50, [TWO]), Module("b", rate, [ONE])],
        [("a", "b")],
        objectives=[Objective("first token", "a", first), Objective("answer", "b", answer)],
        delay_s={("a", "b"): delay},
    )


@pytest.mark.parametrize(
    ("first", "answer", "kept"),
    [
        ("0.03", "0.1", (25, 50, 25)),
        ("0.03", "0.095", (25, 25, 25)),
        ("0.04", "0.095", (50, 25, 25)),
        ("0.04", "0.1", (50, 50, 50)),
        ("0.019999999", "0.089999999", (0, 0, 0)),
    ],
)
def test_a_chain_by_hand(first, answer, kept):
    """50 requests, one every 20 ms, in batches of two that take 20 ms.

    Requests 0 and 1 come at 0 and 20 ms and leave a at 40 ms: after 40 and 20 ms. They reach b at 90 ms, where one
    begins at 90 and one at 100 ms and takes 10 ms: they are answered after 100 and 90 ms. So it goes on.
    """
    found = simulate(chain(first, answer), PLAN, EVENLY)
    assert [one.arrived for one in found.objectives] == [50, 50]
    assert (*(one.kept for one in found.objectives), found.attained) == kept
    assert [one.latencies.max_s for one in found.objectives] == [0.04, 0.1]
    assert found.latencies.max_s == 0.1
    told = describe(found)
    assert [one["attainment"] for one in told["objectives"]] == [kept[0] / 50, kept[1] / 50]
    assert told["attainment"] == kept[2] / 50
    assert [one["worst_case_s"] for one in told["objectives"]] == pytest.approx([0.06, 0.06 + 0.05 + 0.03])
    assert told["worst_case_s"] == pytest.approx(0.14)


def test_a_request_that_skips_a_module_is_done_with_the_one_before_it():
    """Every other request invokes b: 0, 2, 4, ... are done after 40 ms, 1, 3, 5, ... after 20 + 50 + 10 ms."""
    plan = Plan((PLAN.modules[0], ModulePlan((Allocation(ONE, 0, Fraction(25)),))))
    found = simulate(chain("1", "0.06", rate=25), plan, EVENLY)
    assert [one.kept for one in found.objectives] == [50, 25]
    assert found.objectives[1].latencies.total_ns == 25 * (40 + 80) * 10**6
    assert found.latencies.total_ns == found.objectives[1].latencies.total_ns


def test_no_request_is_late_because_of_a_module_that_leads_to_no_objective():
    """The second module never catches up."""
    slow = Configuration("g", 1, 1, "0.03")
    session = replace(chain("0.04", "1"), modules=(Module("a", 50, [TWO]), Module("b", 50, [slow])))
    session = replace(session, slo_s=None, objectives=session.objectives[:1])
    plan = Plan((PLAN.modules[0], ModulePlan((Allocation(slow, 1, Fraction(50) - slow.throughput_rps),))))
    setup = replace(EVENLY, timeout_s=float("inf"), noise=0.0)
    found = simulate(session, plan, setup)
    assert (found.attainment, found.late, found.dropped) == (1, 0, 0)
    assert found.latencies.max_s > 0.04
    assert simulate(session, plan, replace(setup, dropping="hopeless")).dropped == 0


def test_hopeless_requests_are_those_that_miss_an_objective():
    """A batch starts when the later of its two requests comes, and takes 20 + 50 + 10 ms from there to the answer.

    So none is answered within 79 ms, and with 80 ms the later ones are. The earlier ones are dropped when it starts.
    """
    found = simulate(chain("0.04", "0.079"), PLAN, replace(EVENLY, dropping="hopeless"))
    assert (found.dropped, found.attained) == (50, 0)
    kept = simulate(chain("0.04", "0.08"), PLAN, replace(EVENLY, dropping="hopeless"))
    assert kept.dropped == 25


@pytest.mark.parametrize("seed", range(60))
def test_no_delay_and_an_objective_at_the_end_change_nothing(seed):
    """Guards plain sessions: what is printed and counted is the same to the bit, also by the quick simulator."""
    stream = random.Random(seed)
    session = random_session(stream)
    plan = random_plan(stream, session, FULL_SPACE)
    if plan is None:
        pytest.skip("a plan that cannot be priced")
    last = [m.name for m, end in zip(session.modules, session.ends(), strict=True) if end is not None]
    objectives = tuple(Objective(name, name, session.slo_s) for name in last)
    said = replace(session, objectives=objectives, delay_s=dict.fromkeys(session.edges, 0))
    setup = Setup(
        stream.choice(["uniform", "poisson", "bursty"]),
        seconds=200 / float(max(module.rate_rps for module in session.modules)),
        seed=seed,
        noise=stream.choice([0.0, 0.2]),
        hold=stream.random() < 0.3,
        dropping=stream.choice(["never", "hopeless"]),
    )
    plain, found = simulate(session, plan, setup), simulate(said, plan, setup)
    told = describe(found)
    assert [one["to"] for one in told.pop("objectives")] == last
    assert told == describe(plain)
    assert (found.windows == plain.windows).all()
    quick = replace(setup, noise=0.0)
    shares = [share_in_time(one, plan, FULL_SPACE, quick, 100) for one in (session, said)]
    assert shares[0] == shares[1]


def drawn(seed: int) -> Session:
    """Up to four modules at one rate in up to two applications, with delays and objectives that plans can keep."""
    rng = random.Random(seed)
    names = "abcd"[: rng.randint(1, 4)]
    modules = []
    for name in names:
        duration = Fraction(rng.randint(1, 6), 100)
        profile = [Configuration("g", b, 1, duration * (1 + Fraction(b, 4))) for b in (1, 2, 4)[: rng.randint(1, 3)]]
        modules.append(Module(name, 20, profile))
    edges = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if rng.random() < 0.4]
    delays = {edge: rng.choice([0, "0.01", "0.033", "0.004"]) for edge in edges}
    objectives = [Objective(f"to {name}", name, Fraction(rng.randint(20, 60), 100)) for name in names]
    kept = rng.sample(objectives, rng.randint(1, len(names)))
    named = [Application("first", names[0])] if rng.random() < 0.5 else []
    return Session("drawn", None, GPU, modules, edges, objectives=kept, delay_s=delays, applications=named)


@pytest.mark.parametrize("seed", range(60))
def test_plans_keep_every_objective_of_requests_that_come_evenly(seed):
    """Where the worst case is proven of requests (`doubts`): plays plans out against ends and delays of the checker.

    No request takes longer to an objective than the checker says, dummies sent or not.
    """
    session, space = drawn(seed), PlanSpace(policy=random.Random(seed).choice(["in-turn", "tc"]))
    result = solve(session, "exact", space=space)
    if result.plan is None or doubts(session, result.space, result.plan, result.evaluation):
        return
    for changes in ({}, DEPLOYED):
        found = simulate(session, result.plan, Setup("uniform", seconds=20, **changes), result.space)
        told = describe(found)
        assert found.attainment == 1, seed
        for one in told["objectives"]:
            assert one["latency_max_s"] is None or one["latency_max_s"] <= one["worst_case_s"] + 1e-9


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_the_engine_and_modules_in_turn_keep_the_same_objectives(seed, monkeypatch):
    """Windows of a long simulation by both simulators; guards what is counted of requests that are still under way."""
    case = random_case(seed, several=True)
    system = replace(case.system, hold=False, drops=False)
    if not system.objectives or not long_run.covers(system, 0.0):
        return
    setup, runs = Setup(seed=seed), []
    for serves in (long_run.covers, lambda *_: False):
        monkeypatch.setattr(long_run, "covers", serves)
        run = Run(system, setup, 3 / float(system.rate_rps), 100)
        run.go_on(60)
        runs.append(run.go_on(100))
    assert (runs[0].arrived == runs[1].arrived).all()
    assert np.abs(runs[0].slower - runs[1].slower).sum() <= 0.02 * runs[0].slower.size


def test_an_application_is_served_as_by_itself():
    """The first one draws as it would alone, at its own rate; a request is of one application."""
    one = chain("0.06", "0.2")
    other = Session("other", "0.3", GPU, [Module("m", 20, [TWO])])
    together_ = pool([one, other])
    plan = Plan((*PLAN.modules, ModulePlan((Allocation(TWO, 0, Fraction(20)),))))
    setup = Setup(seconds=20, seed=3)
    alone, both = simulate(one, PLAN, setup), simulate(together_, plan, setup)
    for mine, his in zip(alone.objectives, both.objectives, strict=False):
        assert (mine.arrived, mine.kept, mine.latencies.total_ns) == (his.arrived, his.kept, his.latencies.total_ns)
    assert both.arrived == sum(own.arrived for own in both.objectives[1:])
    assert both.objectives[2].arrived == pytest.approx(400, abs=80)
    assert both.offered_rps == 70


def test_requests_of_an_application_whose_rate_is_said():
    """100 requests per second invoke a module of 25 invocations: every fourth request does."""
    session = Session("rare", 1, GPU, [Module("m", 25, [ONE])], applications=[Application("rare", ("m",), 100)])
    found = simulate(session, Plan((ModulePlan((Allocation(ONE, 0, Fraction(25)),)),)), EVENLY)
    assert (found.arrived, found.modules[0].ready, found.modules[0].latencies.entries) == (100, 25, 25)
    with pytest.raises(InputError, match="invoke a module each"):
        simulate(session, found.plan, replace(EVENLY, clients=2))


def test_streams_come_together_by_time_whatever_their_pieces():
    """At one time the first application comes first, also where a piece ends at that time."""
    modules = [Module("a", 2, [ONE]), Module("b", 1, [ONE])]
    session = Session("both", 1, GPU, modules, applications=[Application("a", ("a",)), Application("b", ("b",))])
    plan = Plan(tuple(ModulePlan((Allocation(ONE, 0, module.rate_rps),)) for module in modules))
    system = build_system(session, plan)
    rng = random.Random(0)
    times = [sorted(rng.choices(range(12), k=count)) for count in (40, 25)]
    wanted = sorted((time, stream) for stream, own in enumerate(times) for time in own)
    for size in (1, 2, 7, 100):
        pieces = [[np.array(own[k : k + size]) for k in range(0, len(own), size)] for own in times]
        found = [
            (time, int(row[0] == ELSEWHERE))
            for own, rows in together(system, pieces)
            for time, row in zip(own, rows, strict=True)
        ]
        assert found == wanted
    assert [len(own) for own, _ in together(system, [[], []])] == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"delay_s": {("a", "b"): 200_000}}, "the delay from a to b is 200000 s; up to 100000 s are simulated"),
        ({"applications": [Application("only", ("a",), 10**9)]}, ""),
    ],
)
def test_long_delays_are_refused_and_rare_invocations_are_not(change, said):
    session = replace(chain("0.1", "0.2"), slo_s=None, **change)
    if said:
        with pytest.raises(InputError, match=said):
            build_system(session, PLAN)
    else:
        assert build_system(session, PLAN).modules[0].per_request == Fraction(5, 10**8)
