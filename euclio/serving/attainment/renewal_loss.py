"""The same share where gaps between requests are independent and alike, as gamma gaps (ours, docs/model/holding.md).

Consider the tank of `least_loss` at the arrivals of requests. Levels are rounded down to a grid, which can only lose
work, and probabilities of gaps are bounded from below (`Gaps`). The result is a Markov chain with finitely many states.
Numbers h(level), one per state, prove that it turns away at least the share g if

    g + h(level) ≤ turned away + expected h(next level)    for every level:

in the sum over a long run, h cancels. A linear system in floating point proposes h; then g is the least of the right
side less h, less a bound on the error of floating point.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from euclio.core.lazy import late
from euclio.serving.arrivals import TAIL
from euclio.serving.setup import Arrivals, Setup
from euclio.serving.units import Floats

gammainc = late("scipy.special", "gammainc")
"""Importing it takes as long as half a solve, which has no need of it."""

STATES = 300
"""Levels of the grid at most ..."""
FINEST = 64
"""... and per request."""
LIBRARY = 1e-9
"""Assumed error of distribution functions of libraries, far more than they document."""

Gaps = Callable[[Floats], Floats]
"""Lower bound on the probability that a gap is at most x mean gaps, for each x of an array."""


def gaps_of(setup: Setup, rate_rps: float) -> Gaps | None:
    """A lower bound on the distribution function of gaps; None if they are not independent and alike."""
    match setup.arrivals:
        case Arrivals.POISSON:
            return lambda y: -np.expm1(-y) - LIBRARY
        case Arrivals.GAMMA:
            shape = 1 / setup.cv**2
            return lambda y: gammainc(shape, shape * y).astype(np.float64) - LIBRARY
        case Arrivals.BURSTY:
            return lambda y: 1 - (1 + y / (TAIL - 1)) ** -TAIL - LIBRARY
        case Arrivals.ON_OFF:
            return _interrupted(setup.on_s * rate_rps, setup.off_s * rate_rps)
        case _:
            return None


def _interrupted(on: float, off: float) -> Gaps:
    """Gaps of a Poisson process that is switched on and off: hyperexponential with two phases (Kuczura 1973).

    Bursts and the silence between them have mean lengths of `on` and `off` mean gaps.
    """
    burst_rate, ends, begins = (on + off) / on, 1 / on, 1 / off
    middle = burst_rate + ends + begins
    spread = math.sqrt(middle**2 - 4 * burst_rate * begins)
    fast, slow = (middle + spread) / 2, (middle - spread) / 2
    weight = (burst_rate - slow) / (fast - slow)
    return lambda y: 1 - weight * np.exp(-fast * y) - (1 - weight) * np.exp(-slow * y) - LIBRARY


def least_share(gaps: Gaps, load: Fraction, buffer: Fraction, *, whole: bool) -> Fraction:
    """Least share that is turned away, as in `least_loss`: of requests that are taken `whole`, or of all work.

    It is a lower bound on the share of the chain, and never less than the share that follows from the load alone.
    """
    if whole and buffer < 1:
        return Fraction(1)
    certain = max(0.0, 1 - 1 / float(load) - LIBRARY)
    unit = min(FINEST, int(STATES / max(1.0, float(buffer))))
    if unit < 1:
        return Fraction(certain)
    brim = math.floor(buffer * unit)
    if not whole and buffer * unit != brim:
        brim += 1
    levels = np.arange(brim + 1)
    if whole:
        fits = levels + unit <= brim
        after, lost = np.where(fits, levels + unit, levels), np.where(fits, 0.0, 1.0)
    else:
        after, lost = np.minimum(levels + unit, brim), np.maximum(0, levels + unit - brim) / unit
    # drained[j]: probability that at most j are drained, from below; the load a little lower, as it was rounded.
    drained = np.clip(gaps(levels * float(load) * (1 - LIBRARY) / unit), 0.0, 1.0)
    drained[0] = 0.0
    drained = np.maximum.accumulate(drained)
    exactly = np.diff(drained, prepend=0.0)
    fallen = after[:, None] - levels[None, :]
    moves = np.where(fallen > 0, exactly[np.clip(fallen, 0, brim)], 0.0)
    moves[:, 0] = np.maximum(0.0, 1 - moves[:, 1:].sum(axis=1))
    share = _shown(moves, lost)
    return Fraction(max(certain, share, 0.0))


def _shown(moves: Floats, lost: Floats) -> float:
    """The share that numbers h show, from below."""
    states = len(lost)
    system = np.eye(states) - moves
    system[:, 0] += 1.0
    proposed: Floats = np.linalg.solve(system, lost).astype(np.float64)
    h: Floats = proposed - proposed[0]
    # Shares drained are known from below and rounded; each row adds up to 1 within this.
    error = float(np.abs(h).max() + 1) * (states + 4) * 2.0**-50
    slack: Floats = lost + moves @ h - h
    return float(slack.min()) - error
