"""Input complexity over time: bounded walks that return to a level of their own (ours; Scrooge §2, Figure 3)."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Complexity:
    """How much input complexity varies; places are positions in a range, 0 at its low and 1 at its high end.

    Attributes:
        settle_s: time in which a walk comes back to its level but for 1/e, in seconds.
        spread: standard deviation of the place around the level, before it is held within the range.
    """

    settle_s: float = 10.0
    spread: float = 0.15


VARIED = Complexity()
"""How much it varies unless said otherwise: within seconds, as human activity does (Scrooge §3.5 footnote 6)."""


def walk(stream: random.Random, complexity: Complexity, seconds: int) -> list[float]:
    """Places in a range, one per second.

    The level is drawn evenly. From second to second the distance from it shrinks by exp(-1/settle_s), and a normal step
    is added that keeps its standard deviation at `spread`; what leaves the range is put back on its end.

    Args:
        stream: source of randomness.
        complexity: how much it varies.
        seconds: how many places.
    """
    level = stream.random()
    kept = math.exp(-1.0 / complexity.settle_s)
    step = complexity.spread * math.sqrt(1.0 - kept * kept)
    place = level + complexity.spread * stream.gauss(0.0, 1.0)
    found = []
    for _ in range(seconds):
        place = min(1.0, max(0.0, place))
        found.append(place)
        place = level + kept * (place - level) + step * stream.gauss(0.0, 1.0)
    return found


def at(place: float, bounds: tuple[float, float]) -> float:
    """The number at a place of a range, on a logarithmic scale."""
    low, high = bounds
    return float(low * (high / low) ** place)
