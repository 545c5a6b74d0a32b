"""JSON out: numbers of every kind."""

from fractions import Fraction

import numpy as np
import pytest

from euclio.files.json_writing import json_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.int64(3), "3"),
        (np.float32(1.5), "1.5"),
        (np.float64(0.1), "0.1"),
        (np.float32("inf"), "null"),
        (np.bool_(True), "true"),
        (Fraction(1, 8), "0.125"),
        (float("nan"), "null"),
        (True, "true"),
        (None, "null"),
    ],
)
def test_numbers_of_every_kind_are_written(value, text):
    """A user's solver may count in numpy; its result ended as an internal error when it was written."""
    assert json_text({"n": value}) == f'{{"n": {text}}}'
