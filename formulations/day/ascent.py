"""Numbers that follow subgradients of a bound, each by as much as its own have been large of late (ours).

A bound that holds for any prices is the largest at some; where it has an edge, a subgradient says which side is up. The
moves are those of Adam (Kingma and Ba, *Adam: A Method for Stochastic Optimization*, ICLR 2015, algorithm 1): a mean of
the last subgradients over the root of the mean of their squares, so that a price that is to move in one step of the day
does not wait for those that move in all of them. Their length falls from move to move, by the same factor.
"""

from __future__ import annotations

import numpy as np

from formulations.day.choices import Floats

FIRST_LENGTH, LAST_LENGTH = 0.2, 0.005
"""Length of the first move and of the last one, in units of the numbers."""
MEAN, SQUARE = 0.8, 0.95
"""Share of the mean before in the next one, of subgradients and of their squares."""


def length_of(n: int, moves: int) -> float:
    """Length of move n of so many."""
    return float(FIRST_LENGTH * (LAST_LENGTH / FIRST_LENGTH) ** (n / moves))


class Moves:
    """Moves of some numbers.

    Attributes:
        unit: what a move of length 1 adds to each number at most, about.
        least: subgradients that are small against it move a number by less.
    """

    def __init__(self, unit: Floats, least: float) -> None:
        """None is made yet."""
        self.unit, self.least = unit, least
        self._made = 0
        self._mean: Floats = np.zeros(1)
        self._square: Floats = np.zeros(1)

    def next(self, subgradient: Floats, length: float) -> Floats:
        """What the next move adds to the numbers."""
        self._made += 1
        self._mean = MEAN * self._mean + (1 - MEAN) * subgradient
        self._square = SQUARE * self._square + (1 - SQUARE) * subgradient**2
        # Both begin at 0 and are too small by as much at first.
        mean, square = self._mean / (1 - MEAN**self._made), self._square / (1 - SQUARE**self._made)
        moved: Floats = length * self.unit * mean / (np.sqrt(square) + self.least)
        return moved
