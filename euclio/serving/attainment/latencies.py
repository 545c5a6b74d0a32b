"""Latencies of one long simulation, counted window by window: how many requests of each were slower than what."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from euclio.serving.session.engine.in_turn import count
from euclio.serving.session.system import System
from euclio.serving.units import Ints

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
