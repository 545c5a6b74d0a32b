"""Moves along subgradients, on a bound whose top is known."""

import numpy as np
import pytest

from formulations.day.bounds import Moves, length_of


def test_moves_reach_the_top_of_a_roof_whatever_the_sizes_of_its_slopes():
    """Each number moves by its own subgradients: a slope of 1000 next to one of 1 does not hold the other back."""
    top, slopes = np.array([3.0, -2.0, 0.5]), np.array([1000.0, 1.0, 0.01])
    moves, at = Moves(np.ones(3), 1e-6), np.zeros(3)
    for n in range(240):
        at = at + moves.next(slopes * np.sign(top - at), length_of(n, 240))
    assert at == pytest.approx(top, abs=0.02)


def test_what_does_not_push_does_not_move():
    moves = Moves(np.ones(2), 0.1)
    assert moves.next(np.zeros(2), 0.2) == pytest.approx(np.zeros(2))


def test_moves_get_shorter_by_the_same_factor():
    lengths = [length_of(n, 100) for n in range(101)]
    ratios = np.array(lengths[1:]) / np.array(lengths[:-1])
    assert ratios == pytest.approx(np.full(100, ratios[0]))
    assert lengths[0] == pytest.approx(40 * lengths[-1])
