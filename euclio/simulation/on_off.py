"""Bursts with silence between them: a Poisson process that is switched on and off (an interrupted Poisson process)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from euclio.simulation.units import Floats

PHASES = 1 << 8
"""On phases that are drawn at once."""


def on_off_times(
    on_s: float, off_s: float, rate_rps: float, stream: np.random.Generator, most: int
) -> Iterator[Floats]:
    """Arrivals without end in seconds, in pieces of `most`.

    On and off phases take turns, both of exponential length; while on, requests come at the rate that makes the mean
    rate as asked. The process begins as it would be found at any time: on with the share of time that it is on.

    Args:
        on_s: mean length of an on phase.
        off_s: mean length of an off phase.
        rate_rps: mean rate over all time.
        stream: where phases and arrivals have generators of their own from.
        most: arrivals in a piece.
    """
    phase_stream, arrival_stream = stream.spawn(2)
    phases = _Phases(on_s, off_s, phase_stream)
    pace = rate_rps * (on_s + off_s) / on_s
    last = 0.0
    while True:
        sums = np.cumsum(np.concatenate(([last], arrival_stream.exponential(size=most))))[1:]
        last = float(sums[-1])
        yield phases.real_times(sums / pace)


class _Phases:
    """The off phases that stand between times on; on the clock of time on, requests are a Poisson process."""

    def __init__(self, on_s: float, off_s: float, stream: np.random.Generator) -> None:
        self.means, self.stream = (on_s, off_s), stream
        self.on, self.off = 0.0, 0.0
        """Time on and off of all phases that are drawn."""
        if stream.random() >= on_s / (on_s + off_s):
            self.off = float(stream.exponential(off_s))
        self.ends, self.offsets = np.zeros(0), np.zeros(0)
        """Time on at the end of each on phase, and time off before it."""

    def real_times(self, clock_s: Floats) -> Floats:
        """Times on as times since the begin; they ascend, from call to call too."""
        ends, offsets = [self.ends], [self.offsets]
        while self.on <= clock_s[-1]:
            lengths = self.stream.exponential(size=(PHASES, 2)) * self.means
            until = np.cumsum(np.concatenate(([self.on], lengths[:, 0])))[1:]
            before = np.cumsum(np.concatenate(([self.off], lengths[:, 1])))
            ends.append(until)
            offsets.append(before[:-1])
            self.on, self.off = float(until[-1]), float(before[-1])
        self.ends, self.offsets = np.concatenate(ends), np.concatenate(offsets)
        phase = np.searchsorted(self.ends, clock_s, side="right")
        found: Floats = clock_s + self.offsets[phase]
        # Phases that are over are forgotten: memory does not grow with time.
        self.ends, self.offsets = self.ends[phase[-1] :], self.offsets[phase[-1] :]
        return found
