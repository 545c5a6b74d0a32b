"""Multiples of a fraction, rounded down: exact for steps and counts of any size."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from euclio.serving.units import whole_multiples

large = st.integers(1, 10**30)


@given(large, large, st.integers(0, 10**9), st.integers(0, 200))
def test_every_one_is_exact(above: int, below: int, first: int, count: int) -> None:
    """Held against whole numbers of any size, as far as they fit into 64 bits."""
    step = min(Fraction(above, below), Fraction(2**62, first + count + 1))
    wanted = [k * step.numerator // step.denominator for k in range(first, first + count)]
    assert whole_multiples(step, first, count).tolist() == wanted


def test_pieces_are_those_of_the_whole() -> None:
    """At 4.78515200999613 per second, as a thousand seconds have them."""
    step = 10**9 / Fraction("4.78515200999613")
    pieces = [whole_multiples(step, first, 500) for first in range(0, 5000, 500)]
    assert np.array_equal(np.concatenate(pieces), whole_multiples(step, 0, 5000))
