"""Modules served one after the other answer requests when the engine does, on random plans of random sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from random_plans import random_case
from session_reference import serve
from session_reference.records import ELSEWHERE, NEVER, counts_of

from euclio.serving.session import in_turn
from euclio.serving.session.engine.between_modules import MOST_MOVED, UNANSWERED, Passing, in_order
from euclio.serving.session.engine.loop import FOREVER
from euclio.serving.session.in_turn import InTurn, RequestStream, covers
from euclio.serving.session.server import Server
from euclio.serving.session.setup import Setup
from euclio.serving.session.simulation import Driver
from euclio.serving.session.system import System


def plain(system: System) -> System:
    """The system without what modules cannot be served apart with."""
    return replace(system, hold=False, drops=False)


def served(seed: int) -> tuple[System, np.ndarray, np.ndarray] | None:
    """A system, when requests come, and their invocations; None: modules cannot be served apart."""
    case = random_case(seed, 400)
    system = plain(case.system)
    if not covers(system, 0.0):
        return None
    arrival = np.array(case.arrival_ticks, np.int64)
    given = [counts_of(system, k) for k in range(len(arrival))]
    return system, arrival, np.array(given, np.int64)


def in_turn_of(system: System, arrival: np.ndarray, counts: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> InTurn:
    """A simulation that is given these requests, in two pieces."""
    pieces = [(arrival[:99], counts[:99]), (arrival[99:], counts[99:])]
    monkeypatch.setattr(in_turn, "incoming", lambda system, setup: iter(pieces))
    return InTurn(system, RequestStream(system, Setup()), int(arrival[-1]) + 1)


def by_engine(system: System, arrival: np.ndarray, counts: np.ndarray, until: int) -> np.ndarray:
    """Latencies of requests, as the engine answers them until a time."""
    server = Server(system, until_ticks=until, logs=True)
    Driver(server, iter([(arrival, counts), (arrival[:0], counts[:0])])).go_to(until)
    found = np.full(len(arrival), UNANSWERED)
    number, came, finished = server.logs().requests.T
    found[number] = finished - came
    return found


@pytest.mark.parametrize("seed", range(100))
def test_requests_are_answered_at_the_same_time(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Times that meet at equal ticks included, but for the order of batches of two modules that end at one tick."""
    case = served(seed)
    if case is None:
        return
    system, arrival, counts = case
    until = int(arrival[-1]) + 1
    found = in_turn_of(system, arrival, counts, monkeypatch)
    found.go_to(until)
    wanted = by_engine(system, arrival, counts, until)
    assert (found.latencies(0, len(arrival)) != wanted).mean() <= 0.02


@pytest.mark.parametrize("seed", range(100))
def test_requests_keep_the_same_objectives(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of sessions with objectives, delays and applications: the longest time, each longer by its objective's end.

    A request that is late at a module that leads nowhere is not late, and one of another application does not count.
    The plain simulator says when the invocations were done. In pieces, what is on its way to a module is not lost.
    """
    case = random_case(seed, 400, several=True)
    system = plain(case.system)
    if not covers(system, 0.0) or any(machine.timeout_ticks < 0 for machine in system.machines):
        return
    arrival, counts = np.array(case.arrival_ticks, np.int64), by_the_rates(system, case.counts)
    found = in_turn_of(system, arrival, counts, monkeypatch)
    for k in range(1, 5):
        found.go_to(int(arrival[-1]) * k // 4)
    found.go_to(FOREVER)
    reference = serve(system, case.arrival_ticks, counts.tolist())
    wanted = np.array(reference.finish_ticks) - arrival
    if system.objectives:
        ends = np.array([system.slo_ticks - one.limit_ticks for one in system.objectives])
        done = np.array(reference.objective_ticks)
        wanted = np.where(done == NEVER, 0, done - arrival[:, None] + ends).max(axis=1)
    assert (found.latencies(0, len(arrival)) != wanted).mean() <= 0.02


def by_the_rates(system: System, counts: Sequence[Sequence[int]] | None) -> np.ndarray:
    """Invocations of requests as the rates say, each of the same stream as with the given ones."""
    assert counts is not None
    first = [next(m for m, own in enumerate(system.modules) if own.stream == k) for k in range(len(system.shares))]
    so_far, found = [0] * len(first), []
    for row in counts:
        stream = next(k for k, m in enumerate(first) if row[m] != ELSEWHERE)
        found.append(counts_of(system, so_far[stream], stream))
        so_far[stream] += 1
    return np.array(found, np.int64)


@pytest.mark.parametrize("seed", range(0, 100, 5))
def test_a_simulation_in_pieces_is_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches that are open, running or waiting when a piece ends go on in the next one."""
    case = served(seed)
    if case is None:
        return
    system, arrival, counts = case
    whole, pieces = (in_turn_of(system, arrival, counts, monkeypatch) for _ in range(2))
    until = int(arrival[-1]) + 1
    whole.go_to(until)
    for k in range(1, 8):
        pieces.go_to(until * k // 7)
    assert (whole.latencies(0, len(arrival)) == pieces.latencies(0, len(arrival))).all()


@pytest.mark.parametrize("ends", [[5, 3, 9, 4, 4], list(range(200, 0, -1))])
def test_batches_go_on_as_they_end_however_far_from_in_order_they_were_closed(ends: list[int]) -> None:
    """Of equal ends the batch that was closed first is first; 200 in falling order are too many to be moved one by one.

    Those that end at the time or later are left out.
    """
    nothing = np.zeros(0, np.int64)
    row = np.array(ends, np.int64)
    batches = Passing(row, np.ones(len(row), np.int64), np.arange(len(row)), nothing, np.zeros(2, np.int64))
    assert (in_order(batches, 500, np.zeros(len(row), np.int64)) < 0) == (len(ends) > 2 * MOST_MOVED)
    wanted = [k for k in sorted(range(len(ends)), key=ends.__getitem__) if ends[k] < 9]
    assert in_turn._ended_in_order(batches, 9).tolist() == wanted
