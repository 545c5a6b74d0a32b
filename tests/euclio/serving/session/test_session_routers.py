"""Routers of single invocations: worked by hand, drawn at the planned rates, and alike in all three simulators."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from session_reference import Served, serve
from session_reference.dealing import Draws

from euclio.core.compiled import using
from euclio.core.ways import Way
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.problems.session.policies import Policy
from euclio.problems.session.rules import DummyRule
from euclio.problems.session.space import PlanSpace
from euclio.serving.arrivals import first_draws
from euclio.serving.session.engine import routers, tables
from euclio.serving.session.engine.routers import RATE, TARGET_COLUMNS, TARGET_MEMBER, TARGET_SIZE
from euclio.serving.session.in_turn import InTurn, RequestStream, covers
from euclio.serving.session.server import Server
from euclio.serving.session.setup import Dispatch, Setup
from euclio.serving.session.simulation import Driver, incoming, simulate
from euclio.serving.session.system import System, build_system
from euclio.serving.session.targets import DEALINGS
from euclio.serving.setup import Arrivals

S = 10**9
PRICE = [Hardware("p", 1)]
ROUTERS = [dispatch for dispatch, dealing in DEALINGS.items() if dealing.queued]
EVEN = PlanSpace(policy=Policy.LOAD_BALANCER)
ONE = Configuration("p", 1, 1, 1)
"""One invocation at a time, a second each."""
PAIR = Configuration("p", 2, 1, 2)
"""Two at a time, in two seconds."""


def machines(
    dispatch: Dispatch, count: int, c: Configuration = ONE, partial: str = "0", timeout_s: float | None = None
) -> System:
    """A module on so many machines; with a partial one, which has a rate of its own."""
    session = Session("one", 10, PRICE, [Module("m", count * c.throughput_rps + Fraction(partial), [c])])
    plan = Plan((ModulePlan((Allocation(c, count, Fraction(partial)),)),))
    space = PlanSpace() if partial != "0" else EVEN
    return build_system(session, plan, space, Setup(dispatch=dispatch, timeout_s=timeout_s))


def given(served: Served) -> list[int]:
    """The machines that invocations were given to."""
    return [invocation.machine for invocation in served.invocations]


def sizes(served: Served) -> list[tuple[int, int, int]]:
    """Machine, start in seconds and size of each batch."""
    return [(e.machine, e.start_ticks // S, e.size) for e in served.executions]


def test_round_robin_takes_turns_and_machines_take_what_waits() -> None:
    """Of eight at 0, each of two machines is given four; it starts with two, and with the others 2 s later."""
    served = serve(machines(Dispatch.ROUND_ROBIN, 2, PAIR), [0] * 8)
    assert given(served) == [0, 1] * 4
    assert sizes(served) == [(0, 0, 2), (1, 0, 2), (0, 2, 2), (1, 2, 2)]


def test_a_free_machine_starts_with_one_and_gathers_while_it_is_busy() -> None:
    """At 0, 0.5 and 1 s: one alone until 2 s, for it is free; the others together then, as a dynamic batcher at 0."""
    served = serve(machines(Dispatch.ROUND_ROBIN, 1, PAIR), [0, S // 2, S])
    assert sizes(served) == [(0, 0, 1), (0, 2, 2)]


def test_a_queue_delay_lets_a_free_machine_wait() -> None:
    """With a delay of 1 s the one that comes at 0 is joined by that of 0.5 s; the third waits from 2.5 to 3.5 s."""
    served = serve(machines(Dispatch.ROUND_ROBIN, 1, PAIR, timeout_s=1.0), [0, S // 2, S])
    assert [(e.start_ticks, e.size) for e in served.executions] == [(S // 2, 2), (S // 2 + 3 * S, 1)]


def test_least_outstanding_avoids_whoever_has_more() -> None:
    """0 gets the first, 1 the second, 2 the third; by 1.5 s all are idle but 0, which has had a fourth since 1.2 s."""
    times = [0, S // 10, S // 5, S + S // 5 + 1, S + S // 2, S + S // 2, S + S // 2]
    served = serve(machines(Dispatch.LEAST_OUTSTANDING, 3), times)
    assert given(served)[:4] == [0, 1, 2, 0]
    assert given(served)[4:] == [1, 2, 0], "of equal ones the next in turn, and only then the one with work"


def test_ties_go_round() -> None:
    """All idle each time: they take turns, though the first would always do."""
    served = serve(machines(Dispatch.LEAST_OUTSTANDING, 3), [2 * k * S for k in range(7)])
    assert given(served) == [0, 1, 2, 0, 1, 2, 0]


def test_what_ends_at_this_moment_still_counts() -> None:
    """When the third comes the first ends: both machines count one, so that who was drawn first gets it, either one."""
    system = machines(Dispatch.POWER_OF_TWO, 2)
    runs = [given(serve(system, [0, S // 2, S], seed=seed)) for seed in range(10)]
    assert all(run[0] != run[1] for run in runs)
    assert {run[2] == run[0] for run in runs} == {True, False}


def test_loads_are_over_rates() -> None:
    """One machine at 1/s and a partial one at 1/2: 1/1, then 2/1 and 1/(1/2) are alike, the second in turn; then 0."""
    served = serve(machines(Dispatch.LEAST_OUTSTANDING, 1, partial="0.5"), [0] * 6)
    assert given(served) == [0, 1, 0, 0, 1, 0]


@pytest.mark.parametrize("seed", range(10))
def test_power_of_two_with_two_machines_takes_the_idle_one(seed: int) -> None:
    """Both are drawn, in whatever order: the second invocation goes to the other machine, the next pair likewise."""
    served = serve(machines(Dispatch.POWER_OF_TWO, 2), [0, 0, 5 * S, 5 * S], seed=seed)
    assert [sorted(given(served)[k : k + 2]) for k in (0, 2)] == [[0, 1], [0, 1]]


def test_power_of_two_takes_the_lesser_of_two_that_are_drawn() -> None:
    """Three machines, followed by the draws themselves: one of three, then one of the two others; ties to the first."""
    draws, load, wanted = Draws(*first_draws(7, 1)[0].tolist()), [0, 0, 0], []
    for _ in range(50):
        draws.below(1)  # there is one target
        one = draws.below(3)
        draws.below(2)  # of the same target, without that machine
        other = [k for k in range(3) if k != one][draws.below(2)]
        chosen = other if load[other] < load[one] else one
        load[chosen] += 1
        wanted.append(chosen)
    assert given(serve(machines(Dispatch.POWER_OF_TWO, 3), [0] * 50, seed=7)) == wanted
    assert max(load) - min(load) <= 3


def drawing() -> tuple[np.ndarray, np.ndarray]:
    """Two machines at 1/s and one at 1/2 as targets, and a router at its beginning."""
    target = np.zeros((2, TARGET_COLUMNS), np.int64)
    for row, columns in zip(target, ((0, 2, 4), (2, 1, 1)), strict=True):
        row[[TARGET_MEMBER, TARGET_SIZE, RATE]] = columns
    router = np.zeros((1, routers.ROUTER_COLUMNS), np.int64)
    router[0, routers.FIRST : routers.SECOND + 1] = first_draws(0, 1)
    return target, router


def test_random_draws_by_rate() -> None:
    """They get two, two and one of five: within four deviations of 9,000 draws."""
    target, router = drawing()
    counted = Counter(routers.drawn_machine(target, 0, 5, router, 0) for _ in range(9_000))
    for machine, share in ((0, 0.4), (1, 0.4), (2, 0.2)):
        assert abs(counted[machine] - 9_000 * share) < 4 * (9_000 * share * (1 - share)) ** 0.5


def test_the_second_of_two_draws_is_by_rate_among_the_others() -> None:
    """Without the first of two at 1/s and one at 1/2: two of three go to the second, never one to itself."""
    target, router = drawing()
    counted = Counter(routers.drawn_other(target, 0, 5, router, 0, 0, 0) for _ in range(9_000))
    assert set(counted) == {1, 2}
    assert abs(counted[1] - 6_000) < 4 * (9_000 * 2 / 9) ** 0.5


def test_draws_are_those_of_the_reference() -> None:
    """The same generator in the kernel and in Python's whole numbers, for bounds up to those of the largest modules."""
    router = np.zeros((1, routers.ROUTER_COLUMNS), np.int64)
    router[0, routers.FIRST : routers.SECOND + 1] = first_draws(5, 1)
    draws = Draws(*first_draws(5, 1)[0].tolist())
    for bound in (1, 2, 10, 2**31 - 1, (2**31 - 1) * 10**6) * 20:
        assert routers.draw(router, 0, bound) == draws.below(bound)


def test_one_machine_is_the_same_behind_every_router() -> None:
    runs = [serve(machines(router, 1, PAIR), [k * k * S // 7 for k in range(40)]) for router in ROUTERS]
    assert all(run.executions == runs[0].executions and run.finish_ticks == runs[0].finish_ticks for run in runs)
    pulled = serve(machines(Dispatch.PULL, 1, PAIR), [k * k * S // 7 for k in range(40)])
    assert pulled.executions == runs[0].executions, "and as a machine that pulls from its module's queue"


CHAIN = Session(
    "chain",
    "0.2",
    PRICE,
    [
        Module("a", 2500, [Configuration("p", 8, 2, "0.0173"), Configuration("p", 4, 1, "0.0091")]),
        Module("b", 3750, [Configuration("p", 4, 1, "0.0091")]),
    ],
    [("a", "b")],
)
A, B = CHAIN.modules[0].profile


def chain(dispatch: Dispatch) -> System:
    """Two modules, whole and partial machines, of which requests make 1, then 1 or 2 invocations."""
    rest = 2500 - 2 * A.throughput_rps - B.throughput_rps
    first = ModulePlan((Allocation(A, 2), Allocation(B, 1, rest)))
    second = ModulePlan((Allocation(B, 8, 3750 - 8 * B.throughput_rps),))
    return build_system(CHAIN, Plan((first, second)), PlanSpace(), Setup(dispatch=dispatch))


def by_engine(system: System, setup: Setup) -> np.ndarray:
    server = Server(system, until_ticks=system.clock.up(setup.seconds), logs=True, seed=setup.seed)
    Driver(server, incoming(system, setup)).finish()
    number, arrived, finished = server.logs().requests.T
    found = np.zeros(len(number), np.int64)
    found[number] = finished - arrived
    return found


@pytest.mark.parametrize("router", ROUTERS)
def test_modules_by_themselves_answer_at_the_same_ticks(router: Dispatch) -> None:
    """Guards that a router that looks at what machines have in hand sees the same without events: at every request."""
    system, setup = chain(router), Setup(dispatch=router, seconds=1.0, seed=3)
    assert covers(system, 0.0)
    wanted = by_engine(system, setup)
    served = InTurn(system, RequestStream(system, setup), system.clock.up(setup.seconds), seed=setup.seed)
    for part in range(1, 6):
        served.go_to(system.clock.up(setup.seconds) * part // 5)
    served.go_to(1 << 62)
    assert (served.latencies(0, len(wanted)) == wanted).all()


@pytest.mark.parametrize("router", ROUTERS)
def test_a_group_at_half_the_rate_of_the_next_has_its_turn_at_the_same_time(router: Dispatch) -> None:
    """By turns the second group is given the first of three invocations, without events too: it was the first group."""
    slow, fast = Configuration("p", 4, 1, "0.1"), Configuration("p", 1, 1, "0.05")
    session = Session("groups", 10, PRICE, [Module("m", 120, [slow, fast])])
    plan = Plan((ModulePlan((Allocation(slow, 1), Allocation(fast, 4))),))
    setup = Setup(load=0.9, dispatch=router, seconds=2.0, seed=3)
    system = build_system(session, plan, PlanSpace(), setup)
    wanted = by_engine(system, setup)
    served = InTurn(system, RequestStream(system, setup), system.clock.up(setup.seconds), seed=setup.seed)
    served.go_to(1 << 62)
    assert (served.latencies(0, len(wanted)) == wanted).all()


@pytest.mark.parametrize("router", [Dispatch.RANDOM, Dispatch.POWER_OF_TWO])
def test_a_seed_is_a_run(router: Dispatch) -> None:
    """The same arrivals evenly spaced: only what is drawn differs, and only by the seed."""
    setup = Setup(Arrivals.UNIFORM, dispatch=router, seconds=0.5, seed=1)
    system = chain(router)
    one, again, other = (
        by_engine(system, setup),
        by_engine(system, setup),
        by_engine(system, Setup(Arrivals.UNIFORM, dispatch=router, seconds=0.5, seed=2)),
    )
    assert one.tobytes() == again.tobytes()
    assert one.tobytes() != other.tobytes()


@pytest.mark.fifth("router")
@pytest.mark.parametrize("router", ROUTERS)
def test_interpreted_and_compiled_are_the_same(router: Dispatch) -> None:
    """Every latency of a simulation, to the tick."""
    system, setup = chain(router), Setup(dispatch=router, seconds=0.2, seed=4)
    found = []
    for way in (Way.INTERPRETED, Way.COMPILED):
        with using(way):
            found.append(by_engine(system, setup).tobytes())
    assert found[0] == found[1]


def test_what_waits_in_the_queue_of_a_machine_is_counted() -> None:
    """Seven at once for two machines of one: four for the first, of which three wait; three and two for the second."""
    system = machines(Dispatch.ROUND_ROBIN, 2)
    server = Server(system, until_ticks=1)
    server.feed(np.zeros(7, np.int64), np.ones((7, 1), np.int64), last=True)
    server.advance()
    assert server.state.machine[:, tables.MOST_WAITING].tolist() == [3, 2]


def test_turns_before_a_batcher_on_each_machine_keep_what_is_proven() -> None:
    """Policy shared-queue counts on 2d, also behind round robin: even requests are all in time."""
    c = Configuration("p", 32, 1, "0.8")
    session = Session("M_3", "1.6", PRICE, [Module("M_3", 200, [c])])
    found = simulate(
        session,
        Plan((ModulePlan((Allocation(c, 5),)),)),
        Setup(Arrivals.UNIFORM, dispatch=Dispatch.ROUND_ROBIN, seconds=100, dummies=False),
        PlanSpace(policy=Policy.SHARED_QUEUE),
    )
    assert found.late == 0
    assert found.latencies.max_s is not None
    assert found.latencies.max_s > 1.2


def test_at_random_each_machine_is_a_queue_of_its_own() -> None:
    """Ten machines at 90 %: M/D/1 takes 1 + 0.9/(2·0.1) = 5.5 s (Pollaczek, Khinchine); two choices less than half."""
    session = Session("one", 10, PRICE, [Module("m", 9, [ONE])])
    plan = Plan((ModulePlan((Allocation(ONE, 10, Fraction(0)),), Fraction(1)),))
    space = PlanSpace(policy=Policy.LOAD_BALANCER, dummy=DummyRule.CONTINUOUS)

    def mean_s(router: Dispatch) -> float:
        setup = Setup(dispatch=router, seconds=20_000, dummies=False)
        return simulate(session, plan, setup, space).latencies.mean_s or 0.0

    assert mean_s(Dispatch.RANDOM) == pytest.approx(5.5, rel=0.05)
    assert mean_s(Dispatch.LEAST_OUTSTANDING) < mean_s(Dispatch.POWER_OF_TWO) < 5.5 / 2
