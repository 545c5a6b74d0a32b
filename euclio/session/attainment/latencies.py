"""Latencies of one long simulation, counted window by window: how many requests of each were slower than what."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from euclio.session.simulation.engine.in_turn import count
from euclio.session.simulation.in_turn import Coming, InTurn, compile_in_turn, covers
from euclio.session.simulation.server import Server
from euclio.session.simulation.setup import Setup
from euclio.session.simulation.simulation import Driver, Piece, compile_simulator, incoming
from euclio.session.simulation.system import System
from euclio.simulation.noise import duration_factors
from euclio.simulation.units import Ints

LEVELS = (*(k / 20 for k in range(1, 20)), 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 8.0)
"""Shares of the SLO that latencies are held against. Those above 1 show queues that last, those below what nearly
was late."""
AT_SLO = LEVELS.index(1.0)

STEP = 128
"""Windows that are simulated before logs are taken away, which bounds memory."""


@dataclass(frozen=True, slots=True)
class Latencies:
    """Requests of consecutive windows of one length, by the time of their arrival.

    Attributes:
        arrived: requests of each window, shape (windows,).
        slower: of these, those that took longer than each of `LEVELS` times the SLO, or were dropped, shape
            (levels, windows).
    """

    arrived: Ints
    slower: Ints

    @property
    def late(self) -> Ints:
        """Requests of each window that were not answered within the SLO, shape (windows,)."""
        late: Ints = self.slower[AT_SLO]
        return late

    def until(self, window: int) -> Latencies:
        """The windows before one."""
        return Latencies(self.arrived[:window], self.slower[:, :window])

    def since(self, window: int) -> Latencies:
        """The windows from one on."""
        return Latencies(self.arrived[window:], self.slower[:, window:])


def coming(system: System, setup: Setup, window_s: float, windows: int) -> Coming:
    """The requests of a run with these arguments, for it and others that differ in their machines alone."""
    until = max(1, system.clock.up(window_s)) * windows + math.floor(system.slo_ticks * LEVELS[-1]) + 1
    return Coming(system, lasting(system, setup, until))


def lasting(system: System, setup: Setup, until_ticks: int) -> Setup:
    """The setup with requests that come until a time."""
    return replace(setup, seconds=until_ticks / system.clock.ticks_per_s)


def levels_of(system: System) -> Ints:
    """`LEVELS` times the objective of a system in ticks."""
    found = np.array([math.floor(system.slo_ticks * level) for level in LEVELS], np.int64)
    found[AT_SLO] = system.slo_ticks
    return found


def windows_of(arrivals: Ints, took: Ints, window: int, windows: int, levels: Ints) -> Latencies:
    """Latencies of requests by window.

    Args:
        arrivals: when they came, from 0 on, in ticks.
        took: how long they took; more than all levels: they were not answered.
        window: length of a window.
        windows: how many there are.
        levels: what latencies are held against (`levels_of`).
    """
    arrived, within = np.zeros(windows, np.int64), np.zeros((windows, len(levels) + 1), np.int64)
    count(np.ascontiguousarray(arrivals), took, window, levels, arrived, within)
    return Latencies(arrived, arrived - within[:, :-1].cumsum(axis=1).T)


class Run:
    """A simulation of one system that can be gone on with; it begins with idle machines."""

    def __init__(
        self, system: System, setup: Setup, window_s: float, windows: int, requests: Coming | None = None
    ) -> None:
        """Set up the simulation.

        Args:
            system: what serves.
            setup: arrivals and dispatch, seed; its seconds are replaced.
            window_s: length of a window in seconds.
            windows: most windows that will be asked for.
            requests: the requests, where another simulation under this setup has drawn them; None: they are drawn.
        """
        self._window = max(1, system.clock.up(window_s))
        self._levels = levels_of(system)
        self._begun = 0
        self._arrived = np.zeros(windows, np.int64)
        self._within = np.zeros((windows, len(LEVELS) + 1), np.int64)
        until = self._window * windows + int(self._levels[-1]) + 1
        setup = lasting(system, setup, until)
        self._in_turn: InTurn | None = None
        if covers(system, setup.noise):
            compile_in_turn()
            self._in_turn = InTurn(system, requests or Coming(system, setup), seed=setup.seed)
            return
        compile_simulator()
        factors = duration_factors(setup.noise, setup.seed)
        self._server = Server(system, until_ticks=until, factors=factors, logs=True, seed=setup.seed)
        self._driver = Driver(self._server, self._counted(incoming(system, setup)))

    def go_on(self, windows: int, ends_at: float | None = None) -> Latencies:
        """Simulate until so many windows in all are over, and it is known which of their requests were slow.

        What is not answered yet is slower than all levels: so much time is simulated on top.

        Args:
            windows: all windows that are asked for, those of earlier calls included.
            ends_at: time, of the monotonic clock, at which it ends with fewer, but with `STEP` at least.
        """
        while self._begun < windows and not (self._begun and ends_at is not None and time.monotonic() >= ends_at):
            self._go_to(min(self._begun + STEP, windows))
        own = self._arrived[: self._begun]
        return Latencies(own.copy(), own - self._within[: self._begun, :-1].cumsum(axis=1).T)

    def _go_to(self, windows: int) -> None:
        if self._in_turn is not None:
            self._in_turn.go_to(self._window * windows + int(self._levels[-1]) + 1)
            arrivals = self._in_turn.arrivals()
            first, last = np.searchsorted(arrivals, (self._window * self._begun, self._window * windows))
            took = self._in_turn.latencies(first, last)
            count(arrivals[first:last], took, self._window, self._levels, self._arrived, self._within)
            self._begun = windows
            return
        self._driver.go_to(self._window * windows + int(self._levels[-1]) + 1)
        self._begun = windows
        _, arrived, finished = self._server.logs().requests.T
        self._server.keep_logs(True)
        # Dropped requests finish at -1; they are beyond the last level.
        took = np.where(finished < 0, np.iinfo(np.int64).max, finished - arrived)
        row, column = arrived // self._window, np.searchsorted(self._levels, took)
        inside = row < len(self._within)
        if inside.any():
            columns, first = self._within.shape[1], int(row[inside].min())
            counted = np.bincount((row[inside] - first) * columns + column[inside])
            cells = self._within.reshape(-1)[first * columns :][: counted.size]
            cells += counted

    def _counted(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """The same pieces, whose arrivals are counted by window."""
        for arrivals, counts in pieces:
            window = arrivals // self._window
            inside = window[window < len(self._arrived)]
            if inside.size:
                counted = np.bincount(inside - inside[0])
                self._arrived[inside[0] :][: counted.size] += counted
            yield arrivals, counts
