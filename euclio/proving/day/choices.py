"""What the modules may choose from in a step, with latencies as whole numbers (ours).

Latencies and the SLO are multiplied by what makes all of them whole, and once more by the number of modules and one;
what stands for uses that take longer than its latency counts one more. So a path of such times is at most that of the
SLO if and only if its latencies are, or less where one of them is only come near to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from euclio.problems.session import Session
from euclio.proving.day.corners import Corner, Vector
from euclio.proving.files.corners import covers

Times = tuple[int, ...]
Timed = list[tuple[int, Corner]]
"""Corners with their times."""


@dataclass(frozen=True, slots=True)
class Choices:
    """Corners of all modules in a step.

    Attributes:
        corners: by module its corners, those of the least time first, of the same time the cheapest first. One module
            may have one with less time or fewer machines than any other, but none has both.
        times: their times, in a unit of the step's own.
        slo: the SLO, in this unit.
    """

    corners: tuple[tuple[Corner, ...], ...]
    times: tuple[Times, ...]
    slo: int

    def fastest(self, m: int, machines: Sequence[int], real: bool) -> int | None:
        """Place of the fastest corner of a module that some machines cover; real: of those that are uses."""
        for i, corner in enumerate(self.corners[m]):
            if covers(tuple(machines), corner.machines) and not (real and corner.above):
                return i
        return None


def choices_of(session: Session, corners: Sequence[Sequence[Corner]]) -> Choices:
    """Corners of a step, without those that no plan within the SLO has or that another one makes needless.

    A time below what the module has left next to the slowest corners of all others is raised to that: no path needs it
    to be less. One module after the other; later ones see what is raised. Where no plan serves the step all corners
    stay as they are.

    Args:
        session: the DAG; a module to which nothing comes takes no time, so that paths may pass it.
        corners: by module corners of all its uses that serve the step.
    """
    denominators = [corner.latency_s.denominator for own in corners for corner in own]
    unit = lcm(session.slo_s.denominator, *denominators) * (len(corners) + 1)
    slo = int(session.slo_s * unit)
    timed = [[(int(corner.latency_s * unit) + corner.above, corner) for corner in own] for own in corners]
    if all(timed):
        least = [min(t for t, _ in own) for own in timed]
        limits = [slo - around(session, least, m) for m in range(len(timed))]
        fast = [[(t, one) for t, one in own if t <= most] for own, most in zip(timed, limits, strict=True)]
        timed = _raised(session, fast, slo) if all(fast) else timed
    reduced = [_least(session, own) for own in timed]
    return Choices(
        tuple(tuple(corner for _, corner in own) for own in reduced),
        tuple(tuple(t for t, _ in own) for own in reduced),
        slo,
    )


def _raised(session: Session, timed: Sequence[Timed], slo: int) -> list[Timed]:
    found = list(timed)
    slowest = [max(t for t, _ in own) for own in found]
    for m, own in enumerate(found):
        # What there is no choice of stays as it is: a module to which nothing comes takes no time.
        if len(own) > 1:
            enough = slo - around(session, slowest, m)
            found[m] = [(max(t, enough), corner) for t, corner in own]
            slowest[m] = max(t for t, _ in found[m])
    return found


def around(session: Session, times: Sequence[int], m: int) -> int:
    """The time of the longest path through a module, without its own."""
    before, after = [0] * len(times), [0] * len(times)
    parents = session.parents()
    for i in session.order:
        before[i] = max((before[p] + times[p] for p in parents[i]), default=0)
    for i in reversed(session.order):
        for p in parents[i]:
            after[p] = max(after[p], after[i] + times[i])
    return before[m] + after[m]


def longest(session: Session, times: Sequence[int]) -> int:
    """The time of the longest path."""
    return max(around(session, times, m) + times[m] for m in range(len(times)))


def _least(session: Session, timed: Timed) -> Timed:
    """Those that have less time or fewer machines than each other one."""
    prices = [hardware.price_per_h for hardware in session.hardware]

    def key(entry: tuple[int, Corner]) -> tuple[int, Fraction, int, Vector, bool]:
        t, corner = entry
        price = sum((p * n for p, n in zip(prices, corner.machines, strict=True)), Fraction(0))
        return t, price, sum(corner.machines), corner.machines, corner.above

    found: Timed = []
    # What has no more time and no more machines costs no more, so that it comes before.
    for t, corner in sorted(timed, key=key):
        if not any(covers(corner.machines, other.machines) for _, other in found):
            found.append((t, corner))
    return found
