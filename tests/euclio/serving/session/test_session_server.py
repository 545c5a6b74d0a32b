"""The driver of the compiled simulator: feeding, room, logs, windows, what is counted."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from euclio.core.errors import InputError
from euclio.problems.session import Allocation, Configuration, Hardware, Module, ModulePlan, Plan, Session
from euclio.serving.session.engine import tables as t
from euclio.serving.session.server import Counts, Logs, Server
from euclio.serving.session.setup import Dispatch, Dropping, Setup
from euclio.serving.session.simulation import Driver
from euclio.serving.session.system import System, build_system
from euclio.serving.units import Ints

CONFIGURATIONS = [Configuration("one", 4, 1, "0.03"), Configuration("one", 1, 2, "0.015")]


def diamond(dispatch: Dispatch | None = None) -> System:
    """Four modules, of which b is invoked 2.5 times per request and c every third time."""
    rates = {"a": 60, "b": 150, "c": 20, "d": 60}
    modules = [Module(name, rate, CONFIGURATIONS) for name, rate in rates.items()]
    session = Session("diamond", 1, [Hardware("one", 1)], modules, [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    four = CONFIGURATIONS[0]
    machines = {name: divmod(Fraction(rate), four.throughput_rps) for name, rate in rates.items()}
    plan = Plan(tuple(ModulePlan((Allocation(four, int(n), f),)) for n, f in machines.values()))
    return build_system(session, plan, None, Setup(dispatch=dispatch))


def arrivals(number: int = 3000, rate: float = 60) -> Ints:
    """Poisson arrivals, two of them at the same time."""
    times = np.cumsum(np.random.default_rng(5).exponential(size=number) / rate * 1e9).astype(np.int64)
    times[7] = times[6]
    return times


def served(system: System, times: Ints, size: int, **options: int) -> Server:
    """A server that was fed `size` arrivals at a time and has answered them all."""
    server = Server(system, until_ticks=int(times[-1]) + 1, logs=True, **options)
    counts = Counts([module.per_request for module in system.modules])
    pieces: Iterator[tuple[Ints, Ints]] = (
        (times[k : k + size], counts.take(len(times[k : k + size]))) for k in range(0, len(times), size)
    )
    Driver(server, pieces).finish()
    return server


def same(one: Logs, other: Logs) -> bool:
    """Whether everything happened alike."""
    return (
        np.array_equal(one.executions, other.executions)
        and np.array_equal(one.invocations, other.invocations)
        and np.array_equal(one.requests, other.requests)
    )


@pytest.mark.fifth("dispatch")
@pytest.mark.parametrize("dispatch", [None, *Dispatch])
def test_how_arrivals_are_fed_changes_nothing(dispatch: Dispatch | None) -> None:
    """One by one, in pieces, all at once: the same events, and every request is answered."""
    system, times = diamond(dispatch), arrivals(400)
    whole = served(system, times, len(times))
    assert len(whole.logs().requests) == len(times)
    for size in (1, 64):
        assert same(whole.logs(), served(system, times, size).logs())


def test_invocations_follow_the_rates() -> None:
    """⌊(k + 1)·r⌋ - ⌊k·r⌋ invocations of request k, however they are taken."""
    ratios = [Fraction(1), Fraction(5, 2), Fraction(1, 3), Fraction(10**12 + 1, 10**12)]
    counts = Counts(ratios)
    found = np.concatenate([counts.take(n) for n in (1, 0, 5, 100, 7)])
    for m, ratio in enumerate(ratios[:3]):
        wanted = [int((k + 1) * ratio) - int(k * ratio) for k in range(len(found))]
        assert found[:, m].tolist() == wanted


def test_rows_of_what_is_over_are_used_anew() -> None:
    """Nothing stays in flight, and the tables are as large as what was in flight at once, not as all there was."""
    server = served(diamond(), arrivals(20_000, 40), 5000)
    state = server.state
    assert state.number[[t.COMMITTED, t.REQUESTS_IN_FLIGHT, t.EVENTS]].tolist() == [0, 0, 0]
    assert len(state.request) <= 2048
    assert len(server.logs().requests) == 20_000


def test_an_overloaded_system_gets_the_room_it_needs() -> None:
    """At three times the rate requests pile up, and all are answered in the end."""
    times = arrivals(20_000, 180)
    server = served(diamond(), times, 6000)
    assert server.state.number[t.ANSWERED] == len(times)
    assert len(server.state.request) > 2048
    ends = server.logs().requests[:, t.ANSWER_FINISHED]
    assert ends.max() > 1.5 * times[-1]


def test_windows_count_what_arrived_and_what_was_in_time() -> None:
    """By the second of arrival; together as many as arrived and as were in time."""
    times = arrivals(1500)
    server = served(diamond(), times, 200, window_ticks=10**9)
    window, number = server.state.window, server.state.number
    assert window[:, t.WINDOW_ARRIVED].tolist() == np.bincount(times // 10**9).tolist()
    assert window[:, t.WINDOW_ATTAINED].sum() == number[t.ANSWERED] - number[t.LATE]


def test_what_is_counted_is_what_is_logged() -> None:
    """Batches, busy time, ended invocations and latencies against the logs."""
    server = served(diamond(), arrivals(2000), 300)
    logs, state = server.logs(), server.state
    machines = len(server.system.machines)
    lasted = logs.executions[:, t.LOG_END] - logs.executions[:, t.LOG_START]
    own = logs.executions[:, t.LOG_MACHINE]
    assert state.machine[:, t.BATCHES].tolist() == np.bincount(own, minlength=machines).tolist()
    assert state.machine[:, t.BUSY].tolist() == np.bincount(own, lasted, machines).tolist()
    assert state.module[:, t.ENDED].tolist() == np.bincount(logs.invocations[:, t.PASSAGE_MODULE]).tolist()
    latency = logs.requests[:, t.ANSWER_FINISHED] - logs.requests[:, t.ANSWER_ARRIVED]
    assert state.largest[-1] == latency.max()
    assert state.total[-1] == latency.sum()
    assert state.histogram[-1].sum() == len(latency)


def test_clients_send_when_they_are_answered() -> None:
    """Five clients: never more than five requests in flight, and each arrives when another one ends."""
    system = diamond(Dispatch.PULL)
    server = Server(system, until_ticks=10**10, logs=True, closed_loop=True)
    server.feed(np.zeros(5, np.int64), np.ones((5, 4), np.int64), last=True)
    server.advance()
    requests = server.logs().requests
    assert len(requests) > 500
    ends = set(requests[:, t.ANSWER_FINISHED].tolist())
    assert all(arrival == 0 or arrival in ends for arrival in requests[:, t.ANSWER_ARRIVED].tolist())
    assert requests[:, t.ANSWER_ARRIVED].max() < 10**10


def test_clients_do_not_go_with_dropping() -> None:
    """A client whose request is hopeless from the start would send the next one at the same moment, for ever."""
    with pytest.raises(InputError, match="dropping never only"):
        Setup(clients=3, dropping=Dropping.HOPELESS)


def test_dummies_may_be_as_rare_as_one_in_a_million_years() -> None:
    """As a plan has them whose rates were written with rounding: none comes, and nothing overflows."""
    one = CONFIGURATIONS[0]
    rate = one.throughput_rps - Fraction(1, 10**13)
    session = Session("rare", 1, [Hardware("one", 1)], [Module("a", rate, CONFIGURATIONS)])
    system = build_system(session, Plan((ModulePlan((Allocation(one, 1),), Fraction(1, 10**13)),)))
    assert system.modules[0].dummy_period_ticks > 0
    server = served(system, np.arange(20, dtype=np.int64) * 10**7, 20)
    assert len(server.logs().requests) == 20
