"""One long simulation of one system, whose latencies are counted as it goes on."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from euclio.serving.arrivals import duration_factors
from euclio.serving.attainment.latencies import LEVELS, STEP, Latencies, Passages, Tally, Watched, levels_of
from euclio.serving.session.engine.between_modules import count
from euclio.serving.session.in_turn import InTurn, RequestStream, compile_in_turn, covers
from euclio.serving.session.server import Piece, Server
from euclio.serving.session.setup import Setup
from euclio.serving.session.simulation import Driver, compile_simulator, incoming
from euclio.serving.session.system import System


def coming(system: System, setup: Setup, window_s: float, windows: int) -> RequestStream:
    """The requests of a run with these arguments, for it and others that differ in their machines alone."""
    until = max(1, system.clock.up(window_s)) * windows + math.floor(system.slo_ticks * LEVELS[-1]) + 1
    return RequestStream(system, lasting(system, setup, until))


def lasting(system: System, setup: Setup, until_ticks: int) -> Setup:
    """The setup with requests that come until a time."""
    return replace(setup, seconds=until_ticks / system.clock.ticks_per_s)


class Run:
    """A simulation of one system that can be gone on with; it begins with idle machines."""

    def __init__(
        self,
        system: System,
        setup: Setup,
        window_s: float,
        windows: int,
        requests: RequestStream | None = None,
        watched: Sequence[Watched] = (),
    ) -> None:
        """Set up the simulation.

        Attributes:
            tallies: what is counted of each of them.
        """
        self._window = max(1, system.clock.up(window_s))
        self._levels = levels_of(system)
        self._begun = 0
        self._arrived = np.zeros(windows, np.int64)
        self._within = np.zeros((windows, len(LEVELS) + 1), np.int64)
        until = self._window * windows + int(self._levels[-1]) + 1
        setup = lasting(system, setup, until)
        self.tallies = [Tally(own, system, self._window, windows) for own in watched]
        self._in_turn: InTurn | None = None
        if covers(system, setup.noise):
            compile_in_turn()
            self._in_turn = InTurn(
                system,
                requests or RequestStream(system, setup),
                seed=setup.seed,
                watched={own.module for own in watched},
            )
            return
        compile_simulator()
        factors = duration_factors(setup.noise, setup.seed)
        self._server = Server(system, until_ticks=until, factors=factors, logs=True, seed=setup.seed)
        self._passages = Passages(system) if watched or system.objectives else None
        self._several = bool(system.objectives)
        """Whether requests are held against objectives of modules, which may be kept before they are answered."""
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
            for tally in self.tallies:
                tally.add(
                    arrivals[first:last], self._in_turn.module_latencies(tally.watched.module, int(first), int(last))
                )
            self._in_turn.forget(int(last))
            self._begun = windows
            return
        self._driver.go_to(self._window * windows + int(self._levels[-1]) + 1)
        self._begun = windows
        logs = self._server.logs()
        _, arrived, finished = logs.requests.T
        # Dropped requests finish at -1; they are beyond the last level.
        took = np.where(finished < 0, np.iinfo(np.int64).max, finished - arrived)
        if self._passages is not None:
            self._passages.take(logs)
            given = self._passages.give(self.tallies, self._window * windows)
            arrived, took = given if self._several else (arrived, took)
        self._server.keep_logs(True)
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
            if self._passages is not None:
                self._passages.expect(arrivals, counts)
            window = arrivals // self._window
            inside = window[window < len(self._arrived)]
            if inside.size:
                counted = np.bincount(inside - inside[0])
                self._arrived[inside[0] :][: counted.size] += counted
            yield arrivals, counts
