"""The compiled simulator and the one in plain Python make the same events, on random plans of random sessions.

60 plans; the environment variable EUCLIO_ORACLE sets another number.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
import pytest
from random_plans import Case, random_case
from session_reference import Served, serve, serve_clients
from session_reference.records import NEVER, counts_of

from euclio.serving.session.engine import tables as t
from euclio.serving.session.server import Logs, Server
from euclio.serving.units import Ints

SEEDS = range(int(os.environ.get("EUCLIO_ORACLE", "60")))


def by_reference(case: Case) -> Served:
    if case.clients:
        until = case.arrival_ticks[-1] // 4 + 1
        return serve_clients(case.system, case.clients, until, counts_of(case.system, 0), case.factors)
    return serve(case.system, case.arrival_ticks, case.counts, case.factors)


def by_engine(case: Case) -> Server:
    system, closed = case.system, case.clients > 0
    arrival = np.array([0] * case.clients if closed else case.arrival_ticks, np.int64)
    until = case.arrival_ticks[-1] // 4 + 1 if closed else case.arrival_ticks[-1] + 1
    if case.counts is not None and not closed:
        counts = np.array(case.counts, np.int64)
    else:
        numbers = [0] * case.clients if closed else range(len(arrival))
        counts = np.array([counts_of(system, k) for k in numbers], np.int64)
    server = Server(system, until_ticks=until, factors=np.array(case.factors), logs=True, closed_loop=closed)
    server.feed(arrival, counts, last=True)
    server.advance()
    return server


def rows(served: Served) -> Logs:
    """What the reference says, in the form of the engine's logs."""
    executions = [(e.module, e.machine, e.size, e.start_ticks, e.end_ticks) for e in served.executions]
    # The engine keeps no log of what is dropped, but for its request.
    ended = [i for i in served.invocations if i.end_ticks != NEVER]
    invocations = [(i.request, i.module, i.ready_ticks, i.machine, i.start_ticks, i.end_ticks) for i in ended]
    requests = [(k, a, f) for k, (a, f) in enumerate(zip(served.arrival_ticks, served.finish_ticks, strict=True))]
    return Logs(*(np.array(found, np.int64) for found in (executions, invocations, requests)))


def ordered(table: Ints) -> list[list[int]]:
    return sorted(table.tolist())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("shared", [False, True], ids=["alone", "shared"])
def test_the_same_events(seed: int, shared: bool) -> None:
    """The compiled simulator against the plain one that is read line by line: every time, every batch."""
    case = random_case(seed, shared=shared)
    same_events(by_reference(case), by_engine(case).logs())


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_events_with_objectives_delays_and_applications(seed: int) -> None:
    """The same, and for each objective the same requests that are in time, late, or of another application.

    Delays meet the ends of batches and other delays, objectives stand anywhere, and requests skip their modules.
    """
    case = random_case(seed, several=True)
    served, server = by_reference(case), by_engine(case)
    same_events(served, server.logs())
    counts = [list(row) for row in server_counts(case, len(served.arrival_ticks))]
    late = np.zeros(len(counts), bool)
    for k, objective in enumerate(case.system.objectives):
        own = np.array([row[objective.module] >= 0 for row in counts])
        done = np.array([ticks[k] for ticks in served.objective_ticks])
        took = done - np.array(served.arrival_ticks)
        kept = own & (done != NEVER) & (took <= objective.limit_ticks)
        late |= own & ~kept
        assert server.state.objective[k].tolist()[2:] == [own.sum(), kept.sum()]
        assert server.state.total[len(case.system.modules) + 1 + k] == took[own & (done != NEVER)].sum()
    if case.system.objectives:
        dropped = np.array(served.finish_ticks) == NEVER
        assert server.state.number[t.LATE] == (late & ~dropped).sum()
        assert server.state.number[t.DROPPED] == dropped.sum()
        assert not (dropped & ~late).any()


def server_counts(case: Case, requests: int) -> Sequence[Sequence[int]]:
    """Invocations of the requests that came."""
    if case.clients:
        return [counts_of(case.system, 0)] * requests
    assert case.counts is not None
    return case.counts


def same_events(served: Served, found: Logs) -> None:
    wanted = rows(served)
    assert ordered(found.requests) == ordered(wanted.requests)
    assert ordered(found.executions) == ordered(wanted.executions)
    assert ordered(found.invocations) == ordered(wanted.invocations)


def test_the_same_seed_gives_the_same_bytes() -> None:
    for seed in range(5):
        one, other = by_engine(random_case(seed)).logs(), by_engine(random_case(seed)).logs()
        for name in ("executions", "invocations", "requests"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
