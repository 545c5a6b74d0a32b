"""Lower bounds on the share of Poisson requests that no scheduler can serve in time (ours, docs/model/holding.md).

A tank drains at rate c and holds at most k units of work; requests bring one unit each at the times of a Poisson
process of rate ρ·c. Below its brim the stationary level has the distribution function P₀·e(x), where

    e(x) = Σ_{j = 0}^{⌊x⌋} (−1)ʲ/j! · (ρ(x − j))ʲ · exp(ρ(x − j))

is Erlang's sum for the queue M/D/1 (Erlang 1909; Brun and Garcia 2000 have it for a finite buffer). The share that is
turned away follows from P₀. The sum alternates, and its terms are far larger than the sum. So it is computed in whole
numbers with enough digits, and every operation is rounded down and up: the result is a pair of fractions with the sum
between them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

# How many Poisson requests are within reach at once, by Erlang's loss formula (ours, docs/model/holding.md).
# Suppose that at most N of the served requests may come within any span s. Then at least as many are turned away as in
# a system of N servers, each of which keeps a request for s. Of Poisson requests this is the share B(N, λs) (Erlang
# 1917). With I = 1/B, I(0) = 1 and I(N) = 1 + N/(λs)·I(N − 1): sums of positive terms, computed in whole numbers and
# rounded both ways.

SCALE = 1 << 96


def fewest_at_once(load: Fraction, late: Fraction) -> int:
    """The fewest requests that must be taken at once so that no more than a share is turned away.

    `load` requests come within the span in the mean.
    """
    return len(_inverses(load, late, 0)[1]) - 1


def least_work_at_once(load: Fraction, late: Fraction) -> Fraction:
    """The same where requests may be taken in part, and the share is one of all work.

    The lost share is convex in the work that can be taken, and equals Erlang's loss at whole numbers of requests. So
    between two whole numbers it lies above the line through the two points before and above that through the two
    behind.
    """
    if late >= 1:
        return Fraction(0)
    lows, highs = _inverses(load, late, 1)
    lost = [(Fraction(SCALE, high), Fraction(SCALE, low)) for low, high in zip(lows, highs, strict=True)]
    n = len(lost) - 2
    if n < 1:
        return Fraction(0)
    needs = [Fraction(n - 1)]
    falls = lost[n][0] - lost[n + 1][1]
    if falls > 0:
        needs.append(n - (late - lost[n][0]) / falls)
    if n >= 2:
        needs.append(n - 1 + (lost[n - 1][0] - late) / (lost[n - 2][1] - lost[n - 1][0]))
    return min(Fraction(n), max(needs))


def _inverses(load: Fraction, late: Fraction, more: int) -> tuple[list[int], list[int]]:
    """1/B for 0, 1, … requests in units of 1/`SCALE`, rounded down and up, until it may reach 1/late; then `more`."""
    lows, highs = [SCALE], [SCALE]
    above, below = load.denominator, load.numerator
    enough = SCALE * late.denominator
    while more >= 0:
        if highs[-1] * late.numerator >= enough:
            more -= 1
            if more < 0:
                break
        n = len(lows)
        lows.append(SCALE + n * above * lows[-1] // below)
        highs.append(SCALE - -n * above * highs[-1] // below)
    return lows, highs


BITS = 64
"""About the certain bits of the sum; its terms are computed with more."""
MOST_TERMS = 400
"""Largest buffer, in requests, whose sum is computed; larger ones lose hardly anything unless the load exceeds 1."""


@dataclass(frozen=True, slots=True)
class Between:
    """A number that is known to lie between two whole multiples of 2⁻ᵇ, both at least 0."""

    low: int  # the lower one, times 2ᵇ
    high: int  # the upper one, times 2ᵇ
    bits: int  # b

    @classmethod
    def of(cls, value: Fraction, bits: int) -> Between:
        """A fraction of at least 0."""
        scaled = value.numerator << bits
        return cls(scaled // value.denominator, -(-scaled // value.denominator), bits)

    def times(self, other: Between) -> Between:
        """The product."""
        shift = self.bits
        return Between((self.low * other.low) >> shift, -((-self.high * other.high) >> shift), shift)

    def over(self, divisor: int) -> Between:
        """The quotient by a whole number."""
        return Between(self.low // divisor, -(-self.high // divisor), self.bits)

    def power(self, exponent: int) -> Between:
        """The power with a whole exponent of at least 0."""
        result, base = Between(1 << self.bits, 1 << self.bits, self.bits), self
        while exponent:
            if exponent & 1:
                result = result.times(base)
            exponent >>= 1
            if exponent:
                base = base.times(base)
        return result


def exponential(value: Fraction, bits: int) -> Between:
    """The exponential function at a fraction of at least 0, by its series at value / 2ˢ ≤ 1/2 and s squares.

    The rest of the series after a term is less than that term, since each term is at most half of the one before.
    """
    halvings = max(0, math.ceil(2 * value).bit_length())
    inner = Between.of(value / (1 << halvings), bits)
    term = total = Between(1 << bits, 1 << bits, bits)
    k = 0
    while term.high > 1:
        k += 1
        term = term.times(inner).over(k)
        total = Between(total.low + term.low, total.high + term.high, bits)
    total = Between(total.low, total.high + term.high + 1, bits)
    for _ in range(halvings):
        total = total.times(total)
    return total


def erlang_sum(load: Fraction, level: Fraction) -> tuple[Fraction, Fraction]:
    """Two fractions with Erlang's sum e(level) between them.

    Args:
        load: ρ, work that arrives over what can be drained.
        level: x in units of a request's work, from 0 to `MOST_TERMS`.
    """
    guard = 64
    while True:
        bits = BITS + guard
        low, high = _summed(load, level, bits)
        # e(0) = 1, and e grows, so that e is at least 1.
        if high - low <= (1 << guard):
            return Fraction(low, 1 << bits), Fraction(high, 1 << bits)
        guard *= 2


def _summed(load: Fraction, level: Fraction, bits: int) -> tuple[int, int]:
    whole = int(level)
    part = level - whole
    step = exponential(load, bits)
    growth = exponential(load * part, bits)
    low = high = 0
    for j in range(whole, -1, -1):
        # growth stands at exp(ρ(x − j)).
        term = Between.of(load * (level - j), bits).power(j).times(growth).over(math.factorial(j))
        low, high = (low - term.high, high - term.low) if j & 1 else (low + term.low, high + term.high)
        growth = growth.times(step)
    return max(low, 1 << bits), high


def least_share_of_requests(load: Fraction, buffer: Fraction) -> Fraction:
    """Least share of requests that are turned away, where each is taken whole or not at all.

    The tank takes a request if the level is at most buffer − 1. With P₀ = 1/(1 + ρ·e(k − 1)), since it is busy for
    ρ times the share that it takes, that share is e(k − 1)/(1 + ρ·e(k − 1)).

    Args:
        load: ρ, above 0.
        buffer: k, work that can be done within the available time, in units of a request's work.
    """
    if buffer < 1:
        return Fraction(1)
    if buffer - 1 > MOST_TERMS:
        return max(Fraction(0), 1 - 1 / load)
    most = erlang_sum(load, buffer - 1)[1]
    return max(Fraction(0), 1 - most / (1 + load * most))


def least_share_of_work(load: Fraction, buffer: Fraction) -> Fraction:
    """Least share of all work that is turned away, where requests may be taken in part.

    The tank fills up to its brim k and the rest flows over: e(k)·P₀ = 1, and it drains the share 1 − P₀ of its
    capacity.
    """
    if buffer > MOST_TERMS:
        return max(Fraction(0), 1 - 1 / load)
    most = erlang_sum(load, buffer)[1]
    return max(Fraction(0), 1 - (1 - 1 / most) / load)


def least_share_in_order(load: Fraction, room: Fraction) -> Fraction:
    """Share of requests that find more work before them than there is room for, if none are turned away.

    The tank has no brim: its level is that of the queue M/D/1, P(level ≤ x) = (1 − ρ)·e(x) (Erlang 1909), and grows
    without bound if the load is 1 or more.

    Args:
        load: ρ, above 0.
        room: the level that a request may make, its own work included, in units of a request's work.
    """
    if load >= 1 or room < 1:
        return Fraction(1)
    if room - 1 > MOST_TERMS:
        return Fraction(0)
    return max(Fraction(0), 1 - (1 - load) * erlang_sum(load, room - 1)[1])
