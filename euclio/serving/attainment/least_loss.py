"""What share of Poisson requests no scheduler can serve in time, bounded from below (ours, docs/model/holding.md).

A tank drains at rate c and holds at most k units of work; requests bring one unit each at the times of a Poisson
process of rate ρ·c. Below its brim the stationary level has the distribution function P₀·e(x), where

    e(x) = Σ_{j = 0}^{⌊x⌋} (−1)ʲ/j! · (ρ(x − j))ʲ · exp(ρ(x − j))

is Erlang's sum for the queue M/D/1 (Erlang 1909; Brun and Garcia 2000 have it for a finite buffer). What is turned away
follows from P₀. The sum alternates and its terms are far larger than itself, so that it is computed in whole numbers
with as many digits as that takes, every operation rounded down and up: the result is a pair of fractions with the sum
between them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

BITS = 64
"""Bits of the sum that are to be certain, about; its terms are computed with more."""
MOST_TERMS = 400
"""Largest buffer, in requests, whose sum is computed; more hardly lose anything unless the load is above 1."""


@dataclass(frozen=True, slots=True)
class Between:
    """A number that is known to lie between two whole multiples of 2⁻ᵇ, both at least 0.

    Attributes:
        low: the lower one, times 2ᵇ.
        high: the upper one, times 2ᵇ.
        bits: b.
    """

    low: int
    high: int
    bits: int

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

    What the series leaves out after a term is less than that term, as each is at most half of the one before.
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
        # e is at least 1: it grows from e(0) = 1.
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
    """Share of requests that are turned away at least, where each is taken whole or not at all.

    The tank takes a request if the level is at most buffer − 1. With P₀ = 1/(1 + ρ·e(k − 1)), since it is busy for
    ρ times the share that it takes, that share is e(k − 1)/(1 + ρ·e(k − 1)).

    Args:
        load: ρ, above 0.
        buffer: k, work that can be done within the time that there is, in units of a request's work.
    """
    if buffer < 1:
        return Fraction(1)
    if buffer - 1 > MOST_TERMS:
        return max(Fraction(0), 1 - 1 / load)
    most = erlang_sum(load, buffer - 1)[1]
    return max(Fraction(0), 1 - most / (1 + load * most))


def least_share_of_work(load: Fraction, buffer: Fraction) -> Fraction:
    """Share of all work that is turned away at least, where requests may be taken in part.

    The tank is filled up to its brim k and the rest flows over: e(k)·P₀ = 1, and what is drained is 1 − P₀ of what
    could be.

    Args:
        load: ρ, above 0.
        buffer: k, at least 0, as above.
    """
    if buffer > MOST_TERMS:
        return max(Fraction(0), 1 - 1 / load)
    most = erlang_sum(load, buffer)[1]
    return max(Fraction(0), 1 - (1 - 1 / most) / load)


def least_share_in_order(load: Fraction, room: Fraction) -> Fraction:
    """Share of requests that find more work before them than there is room for, where none are turned away.

    The tank has no brim: its level is that of the queue M/D/1, P(level ≤ x) = (1 − ρ)·e(x) (Erlang 1909), and grows
    beyond all bounds where the load is 1 or more.

    Args:
        load: ρ, above 0.
        room: the level that a request may make, its own work included, in units of a request's work.
    """
    if load >= 1 or room < 1:
        return Fraction(1)
    if room - 1 > MOST_TERMS:
        return Fraction(0)
    return max(Fraction(0), 1 - (1 - load) * erlang_sum(load, room - 1)[1])
