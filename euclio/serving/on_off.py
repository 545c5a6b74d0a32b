"""Bursts with silence between them: a Poisson process that is switched on and off (an interrupted Poisson process)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from euclio.serving.units import Floats

PHASES, MOST_PHASES = 1 << 8, 1 << 16
"""On phases that are drawn at once, at first and at most; the same ones, however many."""


def on_off_times(
    on_s: float, off_s: float, rate_rps: float, stream: np.random.Generator, most: int, until_s: float
) -> Iterator[Floats]:
    """Arrivals in seconds, in pieces of `most`; those behind `until_s` may be infinite.

    On and off phases take turns, both of exponential length; while on, requests come at the rate that makes the mean
    rate as asked. The process begins as it would be found at any time: on with the share of time that it is on.

    Args:
        on_s: mean length of an on phase.
        off_s: mean length of an off phase.
        rate_rps: mean rate over all time.
        stream: where phases and arrivals have generators of their own from.
        most: arrivals in a piece.
        until_s: phases are drawn until then, as where requests are rare a piece may last for ages.
    """
    phase_stream, arrival_stream = stream.spawn(2)
    phases = _Phases(on_s, off_s, phase_stream)
    pace = rate_rps * (on_s + off_s) / on_s
    last = 0.0
    while True:
        sums = np.cumsum(np.concatenate(([last], arrival_stream.exponential(size=most))))[1:]
        last = float(sums[-1])
        yield phases.real_times(sums / pace, until_s)


class _Phases:
    """The off phases that stand between times on; on the clock of time on, requests are a Poisson process."""

    def __init__(self, on_s: float, off_s: float, stream: np.random.Generator) -> None:
        self.means, self.stream = (on_s, off_s), stream
        self.on, self.off = 0.0, 0.0
        """Time on and off of all phases that are drawn."""
        if stream.random() >= on_s / (on_s + off_s):
            self.off = float(stream.exponential(off_s))
        self.ends, self.offsets = np.zeros(0), np.zeros(0)
        """Time on at the end of each on phase that is not over, and time off before it."""
        self.drawn = PHASES

    def real_times(self, clock_s: Floats, until_s: float) -> Floats:
        """Times on as times since the begin; they ascend, from call to call too. Infinite: not before `until_s`."""
        found: Floats = np.full(clock_s.shape, np.inf)
        done = 0
        while True:
            reach = int(np.searchsorted(clock_s, self.ends[-1])) if self.ends.size else 0
            if reach > done:
                phase = np.searchsorted(self.ends, clock_s[done:reach], side="right")
                found[done:reach] = clock_s[done:reach] + self.offsets[phase]
                # Phases that are over are forgotten: memory does not grow with time.
                self.ends, self.offsets = self.ends[phase[-1] :], self.offsets[phase[-1] :]
                done = reach
            if done == clock_s.size or self.on + self.off >= until_s:
                return found
            self._draw()

    def _draw(self) -> None:
        """The next phases, in place of those before, which are over for what comes."""
        lengths = self.stream.exponential(size=(self.drawn, 2)) * self.means
        until = np.cumsum(np.concatenate(([self.on], lengths[:, 0])))[1:]
        before = np.cumsum(np.concatenate(([self.off], lengths[:, 1])))
        self.ends, self.offsets = until, before[:-1]
        self.on, self.off = float(until[-1]), float(before[-1])
        self.drawn = min(2 * self.drawn, MOST_PHASES)
