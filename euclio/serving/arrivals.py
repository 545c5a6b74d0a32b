"""Draws of simulations: when requests come (PPipe §7.1; gamma and on/off are ours), factors on durations, routers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from euclio.core.numbers import exact
from euclio.serving.setup import Arrivals, Setup
from euclio.serving.units import NANOSECONDS, Clock, Floats, Ints, whole_multiples

# Gaps between requests: exponential, with a heavy tail, of a given variability, or as recorded.

Gaps = Callable[[int], Floats]
"""Returns the given number of further gaps, which go on where the last ones ended."""

TAIL = 2.5
"""Exponent of the tail of bursty gaps (Pareto of the second kind, also called Lomax).

Their variance over their squared mean is TAIL / (TAIL - 2) = 5, and so is the index of dispersion of the counts in long
windows (1 for Poisson). Such tails converge slowly: over windows of ten requests it is about 2.6, of a hundred 3.8.
"""


def gaps_of(setup: Setup, rate_rps: float, stream: np.random.Generator) -> Gaps:
    """The gaps of a process: drawn ones have mean 1, recorded ones are in seconds at the rate.

    Gamma gaps have the setup's coefficient of variation: their shape is 1 / cv², their scale cv².
    """
    match setup.arrivals:
        case Arrivals.BURSTY:
            return lambda count: stream.pareto(TAIL, count) * (TAIL - 1)
        case Arrivals.GAMMA:
            shape = setup.cv**-2
            return lambda count: stream.gamma(shape, 1 / shape, count)
        case Arrivals.TRACE:
            return _recorded(np.asarray(setup.trace_s), rate_rps, stream)
        case _:
            return lambda count: stream.exponential(size=count)


def _recorded(trace_s: Floats, rate_rps: float, stream: np.random.Generator) -> Gaps:
    """The gaps of a trace at a pace that gives the mean rate, from a random gap on; they repeat when they run out."""
    recorded = np.diff(np.sort(trace_s))
    gaps: Floats = np.roll(recorded, -int(stream.integers(recorded.size))) / (recorded.mean() * rate_rps)
    used = 0

    def following(count: int) -> Floats:
        nonlocal used
        taken: Floats = gaps[np.arange(used, used + count) % gaps.size]
        used = (used + count) % gaps.size
        return taken

    return following


CHUNK = 1 << 16
"""Arrivals that are drawn at once."""


def arrivals_of(setup: Setup, rates_rps: Sequence[float | Fraction]) -> list[Ints]:
    """All arrivals of each stream, such as those of a model.

    Args:
        setup: how requests come, for how long, and the seed; every stream has a generator of its own.
        rates_rps: mean rate of each stream in requests per second, 0 for none. A float stands for its shortest decimal
            text.

    Returns:
        Per stream the times in whole nanoseconds, ascending, in [0, seconds).
    """
    return [np.concatenate([np.zeros(0, np.int64), *chunks]) for chunks in arrival_chunks(setup, rates_rps)]


def arrival_chunks(
    setup: Setup, rates_rps: Sequence[float | Fraction], most: int = CHUNK, clock: Clock = NANOSECONDS
) -> list[Iterator[Ints]]:
    """The arrivals of each stream piece by piece, so that memory does not grow with their number.

    Args:
        setup: as for `arrivals_of`.
        rates_rps: as for `arrivals_of`.
        most: arrivals that a piece has at most; the pieces together are the same for every size.
        clock: what times are counted in.

    Returns:
        Per stream an iterator over its pieces: whole ticks, ascending, in [0, seconds). Each evenly spaced arrival is
            rounded down by itself, so that any number of them keeps the rate.
    """
    streams = np.random.default_rng(setup.seed).spawn(len(rates_rps))
    return [_chunks(setup, rate, stream, most, clock) for rate, stream in zip(rates_rps, streams, strict=True)]


def _chunks(
    setup: Setup, rate_rps: float | Fraction, stream: np.random.Generator, most: int, clock: Clock
) -> Iterator[Ints]:
    if rate_rps <= 0:
        return
    if setup.arrivals is Arrivals.UNIFORM:
        yield from _evenly(exact(rate_rps), exact(setup.seconds), most, clock)
        return
    expected = float(rate_rps) * setup.seconds
    most = int(min(most, expected + 10 * np.sqrt(expected) + 100))
    # The last tick before the end: a product in floating point may be rounded up to the end itself.
    last = clock.up(setup.seconds) - 1
    for times in _times(setup, float(rate_rps), stream, most):
        inside = times < setup.seconds
        if inside.any():
            yield np.minimum(np.floor(times[inside] * clock.ticks_per_s).astype(np.int64), last)
        if not inside.all():
            return


def _times(setup: Setup, rate_rps: float, stream: np.random.Generator, most: int) -> Iterator[Floats]:
    """Arrivals at random without end in seconds, in pieces of `most`."""
    match setup.arrivals:
        case Arrivals.ON_OFF:
            return on_off_times(setup.on_s, setup.off_s, rate_rps, stream, most, setup.seconds)
        case Arrivals.TRACE:
            return _summed(gaps_of(setup, rate_rps, stream), 1.0, most)
        case _:
            return _summed(gaps_of(setup, rate_rps, stream), rate_rps, most)


def _evenly(rate_rps: Fraction, seconds: Fraction, most: int, clock: Clock) -> Iterator[Ints]:
    """Arrivals before the end, where request k comes at k over the rate."""
    requests = math.ceil(rate_rps * seconds)
    for first in range(0, requests, most):
        yield whole_multiples(clock.ticks_per_s / rate_rps, first, min(most, requests - first))


def _summed(gaps: Gaps, pace: float, most: int) -> Iterator[Floats]:
    """Sums of gaps over the pace, added one after the other, so that the size of pieces makes no difference."""
    last = 0.0
    while True:
        sums = np.cumsum(np.concatenate(([last], gaps(most))))[1:]
        last = float(sums[-1])
        yield sums / pace


# Bursts with silence between them: a Poisson process that is switched on and off (an interrupted Poisson process).

PHASES, MOST_PHASES = 1 << 8, 1 << 16
"""On phases that are drawn at once, at first and at most; their number does not change the phases."""


def on_off_times(
    on_s: float, off_s: float, rate_rps: float, stream: np.random.Generator, most: int, until_s: float
) -> Iterator[Floats]:
    """Arrivals in seconds, in pieces of `most`; those behind `until_s` may be infinite.

    On and off phases take turns, both of exponential length. While on, requests come at the rate that gives the mean
    rate. The process begins in its stationary state: it is on with probability equal to its share of time on.

    Args:
        on_s: mean length of an on phase.
        off_s: mean length of an off phase.
        rate_rps: mean rate over all time.
        stream: the source of the generators of phases and of arrivals.
        most: arrivals in a piece.
        until_s: phases are drawn until then, since a piece of rare requests may be very long.
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
        """Convert times on to times since the start; they ascend across calls. Infinite if not before `until_s`."""
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
        """Draw the next phases in place of the former ones, which are over for all arrivals to come."""
        lengths = self.stream.exponential(size=(self.drawn, 2)) * self.means
        until = np.cumsum(np.concatenate(([self.on], lengths[:, 0])))[1:]
        before = np.cumsum(np.concatenate(([self.off], lengths[:, 1])))
        self.ends, self.offsets = until, before[:-1]
        self.on, self.off = float(until[-1]), float(before[-1])
        self.drawn = min(2 * self.drawn, MOST_PHASES)


# A simulation's draws beside arrivals: factors on durations, and the first states of the routers' generators.

FACTORS = 1 << 16
"""Factors that are drawn, then used in turn."""


def duration_factors(noise: float, seed: int) -> Floats:
    """Log-normal factors of mean 1 by which durations differ from the expected ones (PPipe §7.1 measures them).

    Args:
        noise: their coefficient of variation; at 0 all factors are 1.
        seed: seed; arrivals of the same seed have streams of their own.
    """
    if not noise:
        return np.ones(1)
    variance = np.log1p(noise**2)
    stream = np.random.default_rng([seed, 1])
    return np.exp(stream.normal(-variance / 2, np.sqrt(variance), FACTORS))


MULTIPLIERS = 40014, 40692
MODULI = 2147483563, 2147483399
"""Of the two multiplicative generators that are combined (L'Ecuyer 1988, CACM 31, 742)."""
STREAM = 2
"""Tells these draws from arrivals and noise of the same seed."""


def first_draws(seed: int, modules: int) -> Ints:
    """The states of the two generators of each module, shape (modules, 2) (docs/model/serving.md, draws).

    Args:
        seed: of the simulation.
        modules: number of modules; each has generators of its own, so that none depends on the draws of others.
    """
    drawn = np.random.SeedSequence((seed, STREAM)).generate_state(2 * modules, np.uint32)
    states: Ints = 1 + drawn.reshape(modules, 2).astype(np.int64) % (np.array(MODULI) - 1)
    return states
