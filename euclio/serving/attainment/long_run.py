"""One long simulation of one system, whose latencies are counted as it goes on."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from euclio.serving.arrivals import duration_factors
from euclio.serving.histogram import BINS, bins_of, quantiles
from euclio.serving.session.engine import tables as t
from euclio.serving.session.engine.between_modules import UNANSWERED, count
from euclio.serving.session.in_turn import NOT_INVOKED, InTurn, RequestStream, compile_in_turn, covers
from euclio.serving.session.server import Logs, Piece, Server
from euclio.serving.session.setup import Setup
from euclio.serving.session.simulation import Driver, compile_simulator, incoming
from euclio.serving.session.system import System
from euclio.serving.units import NS_PER_S, Ints

# Its latencies, counted window by window: how many requests of each were slower than each level.

FINE = tuple(2.0**-k / 20 for k in range(6, 0, -1))
"""Shares for an SLO far longer than latencies: without them no request would be nearly late."""
LEVELS = (*FINE, *(k / 20 for k in range(1, 20)), 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 8.0)
"""Shares of the SLO with which latencies are compared. Shares above 1 show lasting queues, and shares below 1 requests
that were nearly late."""
AT_SLO = LEVELS.index(1.0)

STEP = 128
"""Windows that are simulated before logs are cleared, which bounds memory."""


@dataclass(frozen=True, slots=True)
class Latencies:
    """Requests of consecutive windows of one length, by the time of their arrival."""

    arrived: Ints  # requests of each window, shape (windows,)
    # of these, those that took longer than each of `LEVELS` times the SLO, or were dropped, shape (levels, windows).
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


def levels_at(objective_ticks: int) -> Ints:
    """`LEVELS` times an objective in ticks."""
    found = np.array([math.floor(objective_ticks * level) for level in LEVELS], np.int64)
    found[AT_SLO] = objective_ticks
    return found


class ByWindow:
    """Counts of requests by window of arrival, and by the levels of an objective that they exceeded."""

    def __init__(self, objective_ticks: int, window: int, windows: int) -> None:
        """Begin without counts; the objective and the length of a window are in ticks."""
        self.levels, self.window = levels_at(objective_ticks), window
        self.arrived, self.within = np.zeros(windows, np.int64), np.zeros((windows, len(LEVELS) + 1), np.int64)

    def add(self, arrivals: Ints, took: Ints) -> ByWindow:
        """Count requests by arrivals in ticks, ascending from 0; those that exceed all levels were not answered."""
        count(np.ascontiguousarray(arrivals), took, self.window, self.levels, self.arrived, self.within)
        return self

    def latencies(self, windows: int) -> Latencies:
        """The counts of the first `windows` windows."""
        own = self.arrived[:windows]
        return Latencies(own.copy(), own - self.within[:windows, :-1].cumsum(axis=1).T)


# Latencies at single modules in one long simulation: counted by window, and as a histogram (ours).
# The latency at a module begins when the request is ready there and ends with the last of its invocations there.
# Requests that do not invoke the module do not count; those that have not passed it in time exceed all levels.

MOST_WATCHED = 64
"""Most modules of a session whose percentiles are stated: each takes about a megabyte."""


class Watched(NamedTuple):
    """A module whose latencies are counted."""

    module: int  # its number
    # its objective in seconds; None asks for the distribution of its latencies.
    objective_s: float | None = None


class Tally:
    """Counts of a module's latencies: by window if there is an objective, else as a histogram.

    There is a histogram for each period of arrivals, twice as long as the one before, so that the start of a simulation
    can be left out.
    """

    def __init__(self, watched: Watched, system: System, window: int, windows: int) -> None:
        """Begin without counts; windows are `window` ticks long."""
        self.watched, self._window, self._clock = watched, window, system.clock
        self._histograms: list[Ints] = []
        self._counted: ByWindow | None = None
        if watched.objective_s is not None:
            self._counted = ByWindow(system.clock.up(watched.objective_s), window, windows)

    def add(self, arrivals: Ints, took: Ints) -> None:
        """Count requests.

        `arrivals` ascend; `took` may be `UNANSWERED`, or `NOT_INVOKED`, which does not count.
        """
        invoked = took != NOT_INVOKED
        arrivals, took = arrivals[invoked], took[invoked]
        if self._counted is not None:
            self._counted.add(arrivals, took)
            return
        pieces = arrivals // (self._window * STEP)
        ends = self._window * STEP * (1 << np.arange(int(pieces[-1]).bit_length() + 1)) if pieces.size else ()
        first = 0
        for k, end in enumerate(ends):
            last = int(np.searchsorted(arrivals, end))
            while len(self._histograms) <= k:
                self._histograms.append(np.zeros(0, np.int64))
            self._histograms[k] = _added(
                self._histograms[k], bins_of(took[first:last], UNANSWERED, self._clock.ticks_per_ns)
            )
            first = last

    def latencies(self, windows: int) -> Latencies:
        """The latencies of the first `windows` windows against the objective."""
        assert self._counted is not None, "there is no objective"
        return self._counted.latencies(windows)

    def quantile_s(self, begin: int, share: float) -> float | None:
        """The latency in seconds that a share of the requests does not exceed, to 0.1 %.

        Args:
            begin: windows to leave out; up to twice as many are left out.
            share: the share.

        Returns:
            The latency; None if too few were answered, or there are none.
        """
        pieces = -(-begin // STEP)
        kept = self._histograms[(pieces - 1).bit_length() + 1 if pieces else 0 :]
        if not kept:
            return None
        histogram = np.zeros(max(len(own) for own in kept) + 1, np.int64)
        for own in kept:
            histogram[: len(own)] += own
        answered, wanted = int(histogram[:BINS].sum()), max(1, math.ceil(share * int(histogram.sum()) - 1e-9))
        if wanted > answered:
            return None
        return float(quantiles(histogram[:BINS], np.array([wanted / answered]))[0]) / NS_PER_S


def _added(histogram: Ints, bins: Ints) -> Ints:
    """The histogram with some more entries."""
    more = np.bincount(bins, minlength=len(histogram))
    more[: len(histogram)] += histogram
    return more


class Passages:
    """The engine's logs of single modules, request by request, until they are counted."""

    def __init__(self, system: System) -> None:
        """Begin without requests."""
        self._system, self._first = system, 0
        self._arrivals = np.zeros(0, np.int64)
        self._counts = np.zeros((0, len(system.modules)), np.int64)
        self._rows = np.zeros((0, t.PASSAGE_LOG_COLUMNS), np.int64)

    def expect(self, arrivals: Ints, counts: Ints) -> None:
        """Note requests that come: when, and how often each invokes which module."""
        self._arrivals = np.concatenate((self._arrivals, arrivals))
        self._counts = np.concatenate((self._counts, counts))

    def take(self, logs: Logs) -> None:
        """Note the invocations that have ended."""
        rows = logs.invocations
        self._rows = np.concatenate((self._rows, rows[rows[:, t.PASSAGE_REQUEST] >= self._first]))

    def give(self, tallies: list[Tally], until: int) -> tuple[Ints, Ints]:
        """Count the requests that came before a time, whose invocations have ended by now, or never will in time.

        Returns:
            Their arrivals; their latencies as in `InTurn.latencies`, 0 if modules have no objectives.
        """
        requests = int(np.searchsorted(self._arrivals, until))
        given = self._rows[:, t.PASSAGE_REQUEST] < self._first + requests
        rows, self._rows = self._rows[given], self._rows[~given]
        arrivals, self._arrivals = self._arrivals[:requests], self._arrivals[requests:]
        counts, self._counts = self._counts[:requests], self._counts[requests:]
        for tally in tallies:
            m = tally.watched.module
            tally.add(arrivals, _took(rows[rows[:, t.PASSAGE_MODULE] == m], counts[:, m], self._first))
        took = _against_objectives(self._system, arrivals, rows, counts, self._first)
        self._first += requests
        return arrivals, took


def _took(rows: Ints, counts: Ints, first: int) -> Ints:
    """Latencies of requests at a module, from its log of the requests from `first` on."""
    place = rows[:, t.PASSAGE_REQUEST] - first
    ready, ended = np.zeros(len(counts), np.int64), np.zeros(len(counts), np.int64)
    ready[place] = rows[:, t.PASSAGE_READY]
    np.maximum.at(ended, place, rows[:, t.PASSAGE_END])
    over = np.bincount(place, minlength=len(counts)) == counts
    return np.where(counts <= 0, NOT_INVOKED, np.where(over, ended - ready, UNANSWERED))


def _against_objectives(system: System, arrivals: Ints, rows: Ints, counts: Ints, first: int) -> Ints:
    """Latencies of requests up to their objectives, from the log of the requests from `first` on."""
    longest = np.zeros(len(arrivals), np.int64)
    for one in system.objectives:
        among = sorted(_until(system, one.module))
        own = rows[np.isin(rows[:, t.PASSAGE_MODULE], among)]
        place, ended = own[:, t.PASSAGE_REQUEST] - first, arrivals.copy()
        np.maximum.at(ended, place, own[:, t.PASSAGE_END])
        over = np.bincount(place, minlength=len(arrivals)) == np.maximum(counts[:, among], 0).sum(axis=1)
        took = np.where(over, ended - arrivals + system.slo_ticks - one.limit_ticks, UNANSWERED)
        longest = np.maximum(longest, np.where(counts[:, one.module] < 0, 0, took))
    return longest


def _until(system: System, module: int) -> set[int]:
    """A module and all before it."""
    found, open_ones = {module}, [module]
    while open_ones:
        new = set(system.modules[open_ones.pop()].parents) - found
        found |= new
        open_ones += new
    return found


def coming(system: System, setup: Setup, window_s: float, windows: int) -> RequestStream:
    """The requests of a run with these arguments, for all runs that differ only in their machines."""
    until = max(1, system.clock.up(window_s)) * windows + math.floor(system.slo_ticks * LEVELS[-1]) + 1
    return RequestStream(system, lasting(system, setup, until))


def lasting(system: System, setup: Setup, until_ticks: int) -> Setup:
    """The setup with requests that come until a time."""
    return replace(setup, seconds=until_ticks / system.clock.ticks_per_s)


class Run:
    """A simulation of one system that can be continued; it begins with idle machines."""

    def __init__(
        self,
        system: System,
        setup: Setup,
        window_s: float,
        windows: int,
        requests: RequestStream | None = None,
        watched: Sequence[Watched] = (),
    ) -> None:
        """Set up the simulation of at most `windows` windows of `window_s` seconds, which replace the setup's seconds.

        `requests` are the draws of another simulation under this setup, if any. `tallies` also counts the latencies of
        the modules in `watched`.
        """
        self._window = max(1, system.clock.up(window_s))
        self._counts = ByWindow(system.slo_ticks, self._window, windows)
        self._begun = 0
        until = self._window * windows + int(self._counts.levels[-1]) + 1
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
        """Whether modules have objectives, which requests may keep before they are answered."""
        self._driver = Driver(self._server, self._counted(incoming(system, setup)))

    def go_on(self, windows: int, ends_at: float | None = None) -> Latencies:
        """Simulate until `windows` windows in all are over, and it is known which of their requests were slow.

        The simulation goes on long enough that a request without an answer is slower than all levels.

        Args:
            windows: number of windows, those of earlier calls included.
            ends_at: time of the monotonic clock at which it ends with fewer windows, but at least `STEP`.
        """
        while self._begun < windows and not (self._begun and ends_at is not None and time.monotonic() >= ends_at):
            self._go_to(min(self._begun + STEP, windows))
        return self._counts.latencies(self._begun)

    def _go_to(self, windows: int) -> None:
        if self._in_turn is not None:
            self._in_turn.go_to(self._window * windows + int(self._counts.levels[-1]) + 1)
            arrivals = self._in_turn.arrivals()
            first, last = np.searchsorted(arrivals, (self._window * self._begun, self._window * windows))
            took = self._in_turn.latencies(first, last)
            self._counts.add(arrivals[first:last], took)
            for tally in self.tallies:
                tally.add(
                    arrivals[first:last], self._in_turn.module_latencies(tally.watched.module, int(first), int(last))
                )
            self._in_turn.forget(int(last))
            self._begun = windows
            return
        self._driver.go_to(self._window * windows + int(self._counts.levels[-1]) + 1)
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
        row, column = arrived // self._window, np.searchsorted(self._counts.levels, took)
        inside = row < len(self._counts.within)
        if inside.any():
            columns, first = self._counts.within.shape[1], int(row[inside].min())
            counted = np.bincount((row[inside] - first) * columns + column[inside])
            cells = self._counts.within.reshape(-1)[first * columns :][: counted.size]
            cells += counted

    def _counted(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """The same pieces, whose arrivals are counted by window."""
        for arrivals, counts in pieces:
            if self._passages is not None:
                self._passages.expect(arrivals, counts)
            window = arrivals // self._window
            inside = window[window < len(self._counts.arrived)]
            if inside.size:
                counted = np.bincount(inside - inside[0])
                self._counts.arrived[inside[0] :][: counted.size] += counted
            yield arrivals, counts
