"""Confidence bounds on an attainment that was measured in one long simulation (ours).

Late requests come in clusters: a queue that has grown by chance makes hundreds of them. So neither requests nor short
windows are independent, and the evidence is the number of clusters, not of requests. Windows are joined to blocks that
are long against the autocorrelation time of latencies (`memory`). The late requests of blocks are then close to
independent, but few blocks may have most of them. Student's bound is too tight then: a sample without the largest
clusters has both a mean and a spread that are too small. The bound is that of Fay and Feuer (1997) for weighted sums of
Poisson counts: the quantile of a gamma distribution whose mean and variance are those of the late requests, with the
largest block counted once more. With k blocks alike it is the exact bound of a Poisson count, `3 / n` for k = 0
included; it is skewed as such sums are.

The longest blocks grow as the square root of the simulation, and so does their number: long blocks show dependence that
short ones miss, and the more there are, the less the largest one counts. So the bound comes closer to the share as one
over the root of the length, which is as fast as any (Glynn and Whitt, 1991, on means of batches, ask for both to grow).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from euclio.core.lazy import late
from euclio.serving.attainment.long_run import AT_SLO, FINE, LEVELS, Latencies
from euclio.serving.units import Floats, Ints

gammaincinv = late("scipy.special", "gammaincinv")
"""Importing it takes as long as half a solve, which has no need of it."""

BLOCK = 5
"""Length of the shortest blocks, over the memory."""
FEWEST_BLOCKS = 20
"""With fewer blocks there is no bound. The number of the longest blocks is at least the geometric mean of this number
and that of the shortest."""
LIKELY = 0.9
"""Probability that the true share is at most the upper bound, which states nothing."""
SEEN = 10
"""The largest cluster is taken at the highest level, up to the SLO, that this number of blocks has seen exceeded."""
ALIKE = 0.005
"""Halves of a simulation in which nothing is random are alike if no more than this share of requests tells them apart
at any level."""
WINDOWED = 5.0
"""Autocorrelations are added up to a lag of this many times their sum (Sokal's automatic windowing)."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured attainment.

    Attributes:
        share: requests answered within the SLO, of all.
        lower: the true share is at least this, with the confidence; 0 if the simulation is too short.
        confidence: probability that such a bound holds.
        blocks: blocks of time that are long enough to be taken as independent.
        clusters: how many clusters of late requests alike would be as much evidence.
        requests: requests that were counted.
        upper: it is likely to be no more than this (`LIKELY`); 1 if the simulation is too short.
    """

    share: float
    lower: float
    confidence: float
    blocks: int
    clusters: float
    requests: int
    upper: float = 1.0


def estimate(found: Latencies, confidence: float) -> Estimate:
    """The attainment of a simulation without its begin, with a bound.

    The bound is the lowest of those for blocks of `BLOCK` memories, of twice that, and so on while there are enough of
    them (`FEWEST_BLOCKS`): longer blocks show dependence that shorter ones miss.

    Args:
        found: latencies by window; without a request there is no bound.
        confidence: of the bound, one-sided.
    """
    requests, late = int(found.arrived.sum()), int(found.late.sum())
    if not requests:
        return Estimate(0.0, 0.0, confidence, 0, 0.0, 0)
    shortest = math.ceil(BLOCK * memory(found))
    blocks = len(found.arrived) // shortest
    lower, upper, clusters = (1.0, 0.0, math.inf) if blocks >= FEWEST_BLOCKS else (0.0, 1.0, 0.0)
    windows, level, fewest = shortest, _seen_level(found, shortest), math.sqrt(FEWEST_BLOCKS * blocks)
    while len(found.arrived) // windows >= max(FEWEST_BLOCKS, fewest):
        counted = _late(found, windows, level)
        clusters = min(clusters, counted.clusters)
        lower = min(lower, 1 - counted.most(confidence) / requests)
        upper = max(upper, 1 - counted.least(LIKELY) / requests)
        windows *= 2
    return Estimate(1 - late / requests, max(0.0, lower), confidence, blocks, clusters, requests, upper)


def goes_on(found: Latencies, confidence: float) -> Estimate:
    """The attainment of a simulation in which nothing is random, such as one of evenly spaced requests.

    It may repeat itself so slowly that its memory cannot be measured, as batches of machines drift past each other. If
    its halves are alike, the estimate assumes that it goes on as the worse half. The lower bound subtracts the
    difference of the halves, and a margin for events too rare to occur in the simulation. Otherwise the bound is that
    of any other simulation.

    Args:
        found: as for `estimate`.
        confidence: as for `estimate`.
    """
    known = estimate(found, confidence)
    half = len(found.arrived) // 2
    if not (found.until(half).arrived.any() and found.since(half).arrived.any()):
        return known
    before, after = (row.slower.sum(axis=1) / row.arrived.sum() for row in (found.until(half), found.since(half)))
    if (np.abs(after - before) > ALIKE).any():
        return known
    late, apart = float(max(before[AT_SLO], after[AT_SLO])), float(abs(before[AT_SLO] - after[AT_SLO]))
    return replace(known, lower=max(0.0, 1 - late - apart + math.log(1 - confidence) / known.requests))


def memory(found: Latencies) -> float:
    """The integrated autocorrelation time in windows, at least 1; the longer one of lateness and latencies.

    Latencies are capped at the highest level. They vary long before any request is late, and show queues that are
    hardly ever emptied.
    """
    coarse = len(FINE)
    steps = np.diff((0.0, *LEVELS[coarse:]))
    taken = (found.slower[coarse:] * steps[:, None]).sum(axis=0)
    return max(_autocorrelation_time(_residuals(row, found.arrived)) for row in (found.late, taken))


def _seen_level(found: Latencies, windows: int) -> int:
    """The highest level up to the SLO that `SEEN` blocks of so many windows have seen exceeded; -1 if there is none."""
    levels = range(AT_SLO, -1, -1)
    return next((k for k in levels if int((_blocks(found.slower[k], windows) > 0).sum()) >= SEEN), -1)


@dataclass(frozen=True, slots=True)
class _Late:
    """Late requests of independent blocks: their number, its variance, and the largest block, once more."""

    number: float
    variance: float
    largest: float

    @property
    def clusters(self) -> float:
        """How many clusters alike would be as much evidence, with the largest block."""
        return (self.number + self.largest) ** 2 / (self.variance + self.largest**2)

    def most(self, confidence: float) -> float:
        """An upper bound on the mean of the number."""
        mean = self.number + self.largest
        return float(gammaincinv(self.clusters, confidence)) * mean / self.clusters

    def least(self, confidence: float) -> float:
        """A lower bound on it."""
        if not self.number:
            return 0.0
        # The variance is at least that of independent late requests.
        clusters = self.number**2 / max(self.variance, self.number)
        return float(gammaincinv(clusters, 1 - confidence)) * self.number / clusters


def _late(found: Latencies, windows: int, level: int) -> _Late:
    """The late requests by blocks of so many windows.

    The largest block is taken at a level that enough blocks have seen exceeded. If the SLO is exceeded too rarely to
    show how many requests may be late at a time, requests that were nearly late show it.
    """
    arrived, late = _blocks(found.arrived, windows), _blocks(found.late, windows)
    blocks = len(arrived)
    near = arrived if level < 0 else _blocks(found.slower[level], windows)
    largest = float(near.max())
    spread = float((_residuals(late, arrived) ** 2).sum()) * blocks / (blocks - 1)
    whole = len(found.arrived) / (blocks * windows)
    return _Late(float(late.sum()) * whole, spread * whole**2, largest * whole)


def _blocks(row: Ints, windows: int) -> Ints:
    """Sums over this many windows each, without the incomplete rest."""
    whole = len(row) // windows * windows
    found: Ints = row[:whole].reshape(-1, windows).sum(axis=1)
    return found


def _residuals(row: Ints | Floats, arrived: Ints) -> Floats:
    """Excess of each window over the value that its requests would have if all requests were alike."""
    found: Floats = row - row.sum() / arrived.sum() * arrived
    return found


def _autocorrelation_time(row: Floats) -> float:
    """1 + 2 Σ ρ_k, up to the first lag that is `WINDOWED` times this sum."""
    size = len(row)
    transformed = np.fft.rfft(row - row.mean(), 2 * size)
    correlation = np.fft.irfft(transformed * transformed.conj())[:size]
    if correlation[0] <= 1e-9 * max(1.0, float(np.abs(row).max()) ** 2):
        return 1.0
    sums = 2 * np.cumsum(correlation / correlation[0]) - 1
    enough = np.arange(size) >= WINDOWED * sums
    return max(1.0, float(sums[int(np.argmax(enough))])) if enough.any() else float(size)
