"""Dataclasses in files: their fractions are read as they were written."""

from dataclasses import dataclass
from fractions import Fraction

import pytest

from euclio.core.errors import InputError
from euclio.files.boundary import validated
from euclio.files.dataclass_files import exact_data, file_model, made, plain_data
from euclio.files.json_reading import parse_json
from euclio.files.json_writing import json_text


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a plan of somebody's family."""

    share: Fraction


@dataclass(frozen=True, slots=True)
class Own:
    """A plan of somebody's family."""

    parts: tuple[Part, ...]
    rates: dict[str, Fraction]


@pytest.mark.parametrize(
    "value", [Fraction(1, 3), Fraction(-22, 7), Fraction(1, 8), Fraction(3), Fraction(1, 3**200), Fraction(1, 10**45)]
)
def test_fractions_are_read_as_they_were_written(value):
    """Those that no decimal says stand there as text; fifteen digits of them were other plans."""
    own = Own((Part(value),), {"a": value})
    text = json_text(exact_data(plain_data(own)))
    assert made(Own, validated(file_model(Own), parse_json(text), None)) == own


def test_fractions_that_a_decimal_says_stay_numbers():
    assert json_text(exact_data(plain_data(Part(Fraction(5, 8))))) == '{"share": 0.625}'


@pytest.mark.parametrize("text", ["0.5", "1/0", "one half", "1/ 3"])
def test_other_texts_are_no_numbers(text):
    with pytest.raises(InputError, match="must be a number, without quotes"):
        validated(file_model(Part), {"share": text}, None)
