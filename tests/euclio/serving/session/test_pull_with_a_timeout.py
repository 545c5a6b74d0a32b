"""Machines that pull and wait for more: by hand, and the same events in both simulators."""

import math
from fractions import Fraction

import numpy as np
import pytest
from session_reference import serve, serve_clients

from euclio.problems.session import Allocation, Configuration, Hardware, Module, ModulePlan, Plan, Session
from euclio.serving.session.engine import tables as t
from euclio.serving.session.server import Logs, Server
from euclio.serving.session.setup import Dispatch, Partial, Setup
from euclio.serving.session.system import System, build_system
from euclio.serving.units import Ints

MS = 10**6


def one_machine(timeout_s: float | None, slots: int = 1) -> System:
    """A machine with batches of up to 3 that take 10, 12 or 15 ms."""
    profile = [Configuration("A", b, slots, d) for b, d in ((1, "0.01"), (2, "0.012"), (3, "0.015"))]
    session = Session("one", 1, [Hardware("A", 1)], [Module("m", profile[-1].throughput_rps, profile)])
    plan = Plan((ModulePlan((Allocation(profile[-1], 1),)),))
    return build_system(session, plan, None, Setup(dispatch=Dispatch.PULL, timeout_s=timeout_s))


def two_modules(timeout_s: float | None, partial: Partial) -> System:
    """A chain whose second module is invoked 2.5 times per request; several machines each, of two configurations."""
    profile = [Configuration("A", 1, 2, "0.01"), Configuration("A", 4, 1, "0.03"), Configuration("A", 2, 1, "0.02")]
    rates = {"a": 140, "b": 350}
    session = Session("two", 1, [Hardware("A", 1)], [Module(n, r, profile) for n, r in rates.items()], [("a", "b")])
    first, second = profile[0], profile[1]
    plans = []
    for rate in rates.values():
        rest = rate - first.throughput_rps if rate > first.throughput_rps else Fraction(rate)
        whole = (Allocation(first, 1),) if rate > first.throughput_rps else ()
        machines, over = divmod(rest, second.throughput_rps)
        plans.append(ModulePlan((*whole, Allocation(second, int(machines), over))))
    setup = Setup(dispatch=Dispatch.PULL, timeout_s=timeout_s, partial=partial)
    return build_system(session, Plan(tuple(plans)), None, setup)


def logs_of(system: System, times: Ints, counts: Ints) -> Logs:
    server = Server(system, until_ticks=int(times[-1]) + 1, logs=True)
    server.feed(times, counts, last=True)
    server.advance()
    return server.logs()


def executions(system: System, arrival_ms: list[int]) -> list[tuple[float, float, int]]:
    """Start and end in milliseconds, and size, of every batch, in both simulators."""
    times = np.array(arrival_ms, np.int64) * MS
    logs = logs_of(system, times, np.ones((len(times), 1), np.int64))
    ordered = logs.executions[np.argsort(logs.executions[:, t.LOG_START], kind="stable")]
    found = [(row[t.LOG_START] / MS, row[t.LOG_END] / MS, int(row[t.LOG_SIZE])) for row in ordered]
    reference = serve(system, times.tolist(), [[1]] * len(times))
    assert [(e.start_ticks / MS, e.end_ticks / MS, e.size) for e in reference.executions] == found
    return found


def test_without_a_timeout_nothing_waits() -> None:
    assert executions(one_machine(None), [0, 1, 2, 3]) == [(0, 10, 1), (10, 25, 3)]
    assert executions(one_machine(0.0), [0, 1, 2, 3]) == [(0, 10, 1), (10, 25, 3)]


def test_a_full_batch_starts_at_once() -> None:
    assert executions(one_machine(0.02), [0, 1, 2]) == [(2, 17, 3)]


def test_a_machine_waits_for_its_timeout_from_the_first_that_waits() -> None:
    assert executions(one_machine(0.02), [5, 9]) == [(25, 37, 2)]


def test_a_machine_waits_for_its_timeout_from_when_it_became_free() -> None:
    """What came while it was busy, at 3 ms, joins what comes within the time-out after 17 ms."""
    assert executions(one_machine(0.02), [0, 1, 2, 3, 30]) == [(2, 17, 3), (37, 49, 2)]


def test_what_arrives_as_the_timeout_passes_joins() -> None:
    assert executions(one_machine(0.02), [0, 20]) == [(20, 32, 2)]


def test_two_slots_wait_each_for_a_batch_of_their_own() -> None:
    found = executions(one_machine(0.02, slots=2), [0, 1, 2, 3, 4, 5, 6])
    assert found == [(2, 17, 3), (5, 20, 3), (37, 47, 1)]


def test_without_end_a_machine_waits_until_its_batch_is_full_and_nothing_is_left_behind() -> None:
    assert executions(one_machine(math.inf), [0, 50, 100, 400, 500]) == [(100, 115, 3), (500, 512, 2)]


@pytest.mark.fifth("timeout_s")
@pytest.mark.parametrize("partial", [Partial.ALONE, Partial.SHARED])
@pytest.mark.parametrize("timeout_s", [None, 0.0, 0.001, 0.015, 0.2, math.inf])
def test_both_simulators_make_the_same_events(timeout_s: float | None, partial: Partial) -> None:
    system = two_modules(timeout_s, partial)
    for seed in range(5):
        gaps = np.random.default_rng(seed).exponential(1 / (60 + 40 * seed), 400)
        times = np.floor(np.cumsum(gaps) * 1000).astype(np.int64) * MS
        reference = serve(system, times.tolist())
        counts = np.array([[1, (5 * (k + 1)) // 2 - (5 * k) // 2] for k in range(len(times))])
        logs = logs_of(system, times, counts)
        assert sorted((e.start_ticks, e.machine, e.size, e.end_ticks) for e in reference.executions) == sorted(
            (int(r[t.LOG_START]), int(r[t.LOG_MACHINE]), int(r[t.LOG_SIZE]), int(r[t.LOG_END])) for r in logs.executions
        )
        assert logs.requests[np.argsort(logs.requests[:, 0]), t.ANSWER_FINISHED].tolist() == reference.finish_ticks


def test_clients_fewer_than_a_batch_are_served_where_it_is_never_full() -> None:
    system = one_machine(math.inf)
    reference = serve_clients(system, 2, 40 * MS, [1])
    assert [e.size for e in reference.executions] == [2, 2, 2, 2]
    server = Server(system, until_ticks=40 * MS, closed_loop=True)
    server.feed(np.zeros(2, np.int64), np.ones((2, 1), np.int64), last=True)
    server.advance()
    assert server.state.number[t.ANSWERED] == 8
