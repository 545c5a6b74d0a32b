"""How many Poisson requests are within reach at once, by Erlang's loss formula (ours, docs/model/holding.md).

Where at most N of the requests that are served may come within a span s, as many are turned away at least as in a
system of N servers that each keeps one for s: of Poisson requests the share B(N, λs) (Erlang 1917). With I = 1/B,
I(0) = 1 and I(N) = 1 + N/(λs)·I(N − 1): sums of positive terms, computed in whole numbers and rounded both ways.
"""

from __future__ import annotations

from fractions import Fraction

SCALE = 1 << 96


def fewest(load: Fraction, late: Fraction) -> int:
    """The fewest requests that have to be taken at once, such that no more than a share is turned away.

    Args:
        load: requests that come within the span, in the mean, above 0.
        late: share of requests that may be turned away, above 0.
    """
    return len(_inverses(load, late, 0)[1]) - 1


def least_work(load: Fraction, late: Fraction) -> Fraction:
    """The same where requests may be taken in part, and the share is one of all work.

    What is lost is convex in the work that can be taken, and is Erlang's loss where that is a whole number of requests.
    So between two of them it lies above the lines through the two before and through the two behind.
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
    """1/B for 0, 1, … requests in units of 1/`SCALE`, rounded down and up, until it may reach 1/late; and some more."""
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
