"""Simulations of any length: windows end where requests do, and nothing that is proven drifts away."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from euclio.core.errors import InputError
from euclio.problems.session import (
    Allocation,
    Configuration,
    Hardware,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Policy,
    Session,
)
from euclio.problems.session.rules import DummyRule
from euclio.serving.session.metrics import describe
from euclio.serving.session.server import Server
from euclio.serving.session.setup import Partial, Setup
from euclio.serving.session.simulation import simulate
from euclio.serving.session.system import build_system
from euclio.serving.setup import Arrivals
from euclio.serving.units import Clock

ONE = Configuration("h", 1, 1, "0.05")


def alone(
    rate: str, c: Configuration = ONE, machines: int = 1, dummies: Fraction = Fraction(0)
) -> tuple[Session, Plan]:
    """One module on so many whole machines, and a partial one if that is not enough."""
    session = Session("alone", 10**5, [Hardware("h", 1)], [Module("m", rate, [c])])
    left = session.modules[0].rate_rps + dummies - machines * c.throughput_rps
    return session, Plan((ModulePlan((Allocation(c, machines, max(left, Fraction(0))),), dummies),))


def odd(seconds: float) -> list[float]:
    """A length, and its neighbours."""
    return [seconds, math.nextafter(seconds, 0), math.nextafter(seconds, math.inf)]


@pytest.mark.fifth("seconds")
@pytest.mark.parametrize("arrivals", [a for a in Arrivals if a is not Arrivals.TRACE])
@pytest.mark.parametrize("seconds", [*odd(150.0), *odd(0.3), *odd(1e-7), 1e-10, 99.99999999999999])
def test_every_request_stands_in_a_window(arrivals: Arrivals, seconds: float) -> None:
    """Windows ended at the seconds rounded down, and a request at the very end was written into row 100 of 100."""
    session, plan = alone("12", machines=0)
    found = simulate(session, plan, Setup(arrivals, seconds=seconds, full_load_rps=1800 / seconds))
    assert len(found.windows) <= 100
    assert found.windows.sum(axis=0).tolist() == [found.arrived, found.attained]


@pytest.mark.parametrize("seconds", [-1.0, 1.1e9, math.nan, math.inf])
def test_lengths_that_cannot_be_counted_are_refused(seconds: float) -> None:
    """As numbers of ticks they did not fit into 64 bits; the command refused them, Python did not."""
    with pytest.raises(InputError, match="number of seconds"):
        Setup(seconds=seconds)


def test_an_arrival_behind_the_last_window_is_refused() -> None:
    """Rather than counted in memory that is not the table's."""
    session, plan = alone("12", machines=0)
    server = Server(build_system(session, plan), until_ticks=1000, window_ticks=10)
    with pytest.raises(ValueError, match="behind the last window"):
        server.feed(np.array([0, 1000]), np.ones((2, 1), np.int64), last=True)


@pytest.mark.compiled
def test_a_clock_that_would_run_out_is_an_error() -> None:
    """A hundred thousand requests, each of which takes 10⁵ s on its own: more than a hundred years."""
    session, plan = alone("10", Configuration("h", 10**6, 1, 10**5))
    with pytest.raises(InputError, match="longer than can be counted"):
        simulate(session, plan, Setup(Arrivals.UNIFORM, 1.0, 1.0, timeout_s=0.0, full_load_rps=100000))


def test_a_partial_machine_may_be_used_as_rarely_as_one_likes() -> None:
    """Once in 10¹² s, on a machine that others share: the time between its batches did not fit into 64 bits."""
    session, plan = alone("0.000000000001", machines=0)
    assert simulate(session, plan, Setup(Arrivals.UNIFORM, seconds=10, partial=Partial.SHARED)).arrived == 1


def full(seed: int) -> tuple[Session, Plan, PlanSpace]:
    """Machines that take turns and are as full as can be, of durations and rates of many digits and any size."""
    draw = Random(f"long/{seed}")
    scale = draw.choice((1e-9, 1e-6, 1e-3, 1.0))
    c = Configuration("h", draw.choice((1, 2, 3, 8)), draw.choice((1, 2, 3)), repr(draw.uniform(1, 9) * scale))
    machines, rule = draw.choice((1, 2, 3)), draw.choice(tuple(DummyRule))
    rate = machines * c.throughput_rps
    if rule is DummyRule.NONE:
        # As a float prints it, and no more than the machines can take.
        printed = Fraction(repr(float(rate)))
        session, plan = alone(repr(float(rate) if printed <= rate else math.nextafter(float(rate), 0)), c, machines - 1)
        return session, plan, PlanSpace(Policy.IN_TURN, rule)
    share = repr(float(rate) * draw.uniform(1 - 0.5 / machines, 0.999))
    session, plan = alone(share, c, machines, rate - Fraction(share))
    return session, plan, PlanSpace(Policy.IN_TURN, rule)


@pytest.mark.parametrize("seed", range(40))
def test_nothing_drifts(seed: int) -> None:
    """At most what is proven after 20,000 requests, where a nanosecond per batch added up to many times as much."""
    session, plan, space = full(seed)
    seconds = 20_000 / float(session.modules[0].rate_rps)
    found = simulate(session, plan, Setup(Arrivals.UNIFORM, seconds=seconds), space)
    (module,) = describe(found)["modules"]
    assert found.arrived > 19_000
    proven_ns = -(-found.system.modules[0].latency_ticks // found.system.clock.ticks_per_ns)
    assert found.modules[0].latencies.largest_ns <= proven_ns
    assert module["within_worst_case"] == 1


def test_durations_shorter_than_a_nanosecond_are_whole_ticks() -> None:
    """12 ps are 3/250 ns; batch 1, half full: it is busy half of the time, rounded or not."""
    session, plan = alone("41666666666.66667", Configuration("h", 1, 1, "0.000000000012"), 0)
    found = simulate(session, plan, Setup(Arrivals.UNIFORM, seconds=1e-6))
    assert found.system.clock.ticks_per_ns % 250 == 0
    assert found.machines.busy[0] == pytest.approx(0.5, abs=0.001)


@pytest.mark.parametrize(
    ("rate", "duration", "arrivals", "ticks"),
    [
        ("12", "0.05", "poisson", 1),
        ("12", "0.05", "uniform", 3),
        ("10", "0.05", "uniform", 1),
        ("12", "1e-12", "poisson", 1000),
    ],
)
def test_ticks_are_no_finer_than_needed(rate: str, duration: str, arrivals: str, ticks: int) -> None:
    """Nanoseconds, unless durations, or the period 1/12 s of requests that come evenly, ask for parts of them."""
    session, plan = alone(rate, Configuration("h", 1, 1, Fraction(duration)), 0)
    assert build_system(session, plan, None, Setup(arrivals), fine=True).clock == Clock(ticks, exact=True)


def test_long_durations_leave_less_room_for_ticks() -> None:
    """17 digits are no whole ticks here, of which there may be 2⁶¹; they are rounded down, by less than one."""
    c = Configuration("h", 3, 3, "0.030218817178058098")
    session, plan = alone("4.78515200999613", c, 1, c.throughput_rps - Fraction("4.78515200999613"))
    space = PlanSpace(Policy.IN_TURN, DummyRule.CONTINUOUS)
    system = build_system(session, plan, space, Setup(Arrivals.UNIFORM, seconds=300_000), fine=True)
    below = c.duration_s - Fraction(system.machines[0].duration_ticks[3], system.clock.ticks_per_s)
    assert 0 <= below < Fraction(1, system.clock.ticks_per_s)


def uneven() -> tuple[Session, Plan, PlanSpace]:
    """Two modules apart at 15 and 9 requests per second; of the second a machine that is full and a partial one."""
    c = Configuration("h", 2, 1, "0.26")
    modules = [Module("often", 15, [ONE]), Module("seldom", 9, [c])]
    session = Session("uneven", 100, [Hardware("h", 1)], modules)
    part = 9 - c.throughput_rps
    plans = (ModulePlan((Allocation(ONE, 0, Fraction(15)),)), ModulePlan((Allocation(c, 1, part),)))
    return session, Plan(plans), PlanSpace(Policy.MACHINE_RATE, DummyRule.NONE)


@pytest.mark.compiled
def test_full_machines_do_not_fall_behind_where_some_requests_invoke_them() -> None:
    """3 of 5 requests do: time-outs of b/f alone close batches of the full machine early, and it never catches up."""
    session, plan, space = uneven()
    found = simulate(session, plan, Setup(Arrivals.UNIFORM, seconds=3000), space)
    counted = found.system.evaluation.modules[1].worst_case_latency_s
    # W - 1 = (3 - 1)/5, over the rate.
    assert found.modules[1].latencies.largest_ns <= (counted + Fraction(2, 5) / 9) * 10**9
    assert (found.machines.served[1:] > 1.99 * found.machines.batches[1:]).all()
    early = simulate(session, plan, Setup(Arrivals.UNIFORM, seconds=3000, timeout_s=0.26), space)
    assert early.modules[1].latencies.largest_ns > 10 * counted * 10**9
