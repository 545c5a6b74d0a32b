"""Least vectors: none covers another one, and each that is left out covers one of them."""

from __future__ import annotations

import random

import pytest

from euclio.proving.files.model import covers, least_vectors


@pytest.mark.parametrize("seed", range(30))
def test_what_is_left_out_covers_what_is_kept(seed):
    """Programs list these as all the alternatives there are: one too few would be a wrong proof."""
    rng = random.Random(seed)
    some = [tuple(rng.randrange(4) for _ in range(3)) for _ in range(rng.randrange(25))]
    kept = least_vectors(some)
    assert all(one in kept or any(covers(one, other) for other in kept) for one in some)
    assert not any(one != other and covers(one, other) for one in kept for other in kept)


def test_the_order_is_that_in_which_they_come_and_each_stands_once():
    """Files of days list needs from the cheapest on, and the same day gives the same bytes."""
    assert least_vectors([(2, 0), (0, 1), (2, 0), (3, 1), (1, 3)]) == ((2, 0), (0, 1))
