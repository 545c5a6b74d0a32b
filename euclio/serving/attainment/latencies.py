"""Latencies of one long simulation, counted window by window: how many requests of each were slower than what."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from euclio.serving.histogram import BINS, bins_of, quantiles
from euclio.serving.session.engine import tables as t
from euclio.serving.session.engine.between_modules import UNANSWERED, count
from euclio.serving.session.in_turn import NOT_INVOKED
from euclio.serving.session.server import Logs
from euclio.serving.session.system import System
from euclio.serving.units import NS_PER_S, Ints

FINE = tuple(2.0**-k / 20 for k in range(6, 0, -1))
"""Shares of an SLO that is far longer than latencies are: without them nothing would nearly be late."""
LEVELS = (*FINE, *(k / 20 for k in range(1, 20)), 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 8.0)
"""Shares of the SLO that latencies are held against. Those above 1 show queues that last, those below what nearly
was late."""
AT_SLO = LEVELS.index(1.0)

STEP = 128
"""Windows that are simulated before logs are taken away, which bounds memory."""


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


def levels_of(system: System) -> Ints:
    """`LEVELS` times the objective of a system in ticks."""
    return levels_at(system.slo_ticks)


def levels_at(objective_ticks: int) -> Ints:
    """`LEVELS` times an objective in ticks."""
    found = np.array([math.floor(objective_ticks * level) for level in LEVELS], np.int64)
    found[AT_SLO] = objective_ticks
    return found


def windows_of(arrivals: Ints, took: Ints, window: int, windows: int, levels: Ints) -> Latencies:
    """Latencies of requests by window.

    `arrivals` ascend from 0 on, in ticks; what took longer than all `levels` (`levels_of`) was not answered.
    """
    arrived, within = np.zeros(windows, np.int64), np.zeros((windows, len(levels) + 1), np.int64)
    count(np.ascontiguousarray(arrivals), took, window, levels, arrived, within)
    return Latencies(arrived, arrived - within[:, :-1].cumsum(axis=1).T)


# Latencies at single modules in one long simulation: counted by window, and as a histogram (ours).
#
# What a module takes for a request begins when the request is ready there and ends with the last of its invocations
# there. Requests that do not invoke the module do not count; those that have not passed it in time are slower than all.

MOST_WATCHED = 64
"""Percentiles are stated of sessions of so many modules at most: each takes about a megabyte."""


class Watched(NamedTuple):
    """A module whose latencies are counted."""

    module: int  # its number
    # seconds that its latencies are held against; None: none, their distribution is asked for.
    objective_s: float | None = None


class Tally:
    """What is counted of a module's latencies: by window where there is an objective, else as a histogram.

    Histograms are kept apart by when requests came, each for twice as long as the one before, so that the begin of a
    simulation can be left out.
    """

    def __init__(self, watched: Watched, system: System, window: int, windows: int) -> None:
        """Nothing is counted yet. `window` is in ticks."""
        self.watched, self._window, self._clock = watched, window, system.clock
        self._levels: Ints | None = None
        self._histograms: list[Ints] = []
        if watched.objective_s is not None:
            self._levels = levels_at(system.clock.up(watched.objective_s))
            self._arrived = np.zeros(windows, np.int64)
            self._within = np.zeros((windows, len(LEVELS) + 1), np.int64)

    def add(self, arrivals: Ints, took: Ints) -> None:
        """Count requests.

        `arrivals` ascend; what they took at the module may be `UNANSWERED`, or `NOT_INVOKED`, which does not count.
        """
        invoked = took != NOT_INVOKED
        arrivals, took = arrivals[invoked], took[invoked]
        if self._levels is not None:
            count(arrivals, took, self._window, self._levels, self._arrived, self._within)
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
        """What is held against an objective, of so many windows."""
        own = self._arrived[:windows]
        return Latencies(own.copy(), own - self._within[:windows, :-1].cumsum(axis=1).T)

    def quantile_s(self, begin: int, share: float) -> float | None:
        """The latency in seconds that a share of the requests does not exceed, to 0.1 %.

        Args:
            begin: windows that are left out, or up to twice as many.
            share: the share.

        Returns:
            The latency; None: so many were not answered, or there are none.
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
    """What the engine logs of single modules, request by request, until it is counted."""

    def __init__(self, system: System) -> None:
        """No request has come."""
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
            When they came; how long they took as `InTurn.latencies` has it, 0 where modules have no objectives.
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
    """How long requests took at a module, by what was logged there of those from the first on."""
    place = rows[:, t.PASSAGE_REQUEST] - first
    ready, ended = np.zeros(len(counts), np.int64), np.zeros(len(counts), np.int64)
    ready[place] = rows[:, t.PASSAGE_READY]
    np.maximum.at(ended, place, rows[:, t.PASSAGE_END])
    over = np.bincount(place, minlength=len(counts)) == counts
    return np.where(counts <= 0, NOT_INVOKED, np.where(over, ended - ready, UNANSWERED))


def _against_objectives(system: System, arrivals: Ints, rows: Ints, counts: Ints, first: int) -> Ints:
    """How long requests took until the objectives that they are held against, by what was logged from the first on."""
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
