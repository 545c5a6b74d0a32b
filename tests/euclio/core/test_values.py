"""What a value may be, on command lines, in settings and in files."""

import argparse
import math
from decimal import Decimal
from typing import Annotated

import pytest

from euclio.core.errors import InputError
from euclio.core.values import COUNT, NOT_NEGATIVE, PART, POSITIVE, SEED, whole
from euclio.files.boundary import FileModel, Whole, obeying, validated


@pytest.mark.parametrize(
    ("values", "text", "number"),
    [(POSITIVE, "0.5", 0.5), (PART, "0", 0.0), (COUNT, "7", 7), (SEED, str(2**63 - 1), 2**63 - 1)],
)
def test_options_are_read_from_their_text(values, text, number):
    assert values.parse(text) == number
    assert type(values.parse(text)) is values.kind


@pytest.mark.parametrize(
    ("values", "text"),
    [(POSITIVE, "inf"), (POSITIVE, "nan"), (PART, "1"), (COUNT, "1.0"), (COUNT, "9" * 41), (SEED, "-1"), (COUNT, "")],
)
def test_a_wrong_option_is_refused_in_the_words_of_the_rule(values, text):
    with pytest.raises(argparse.ArgumentTypeError) as error:
        values.parse(text)
    assert str(error.value) == f"{text!r} must be {values.words}"


@pytest.mark.parametrize("value", [1, 1.5, Decimal("0.1")])
def test_plain_numbers_of_every_kind_become_floats(value):
    assert POSITIVE.read(value) == float(value)
    assert type(POSITIVE.read(value)) is float


@pytest.mark.parametrize("value", [True, "1", None, 0, -1, math.nan, math.inf, Decimal("inf"), 10**400, [1]])
def test_a_wrong_plain_value_is_refused(value):
    with pytest.raises(InputError) as error:
        POSITIVE.read(value)
    assert str(error.value) == f"is {value!r}; it must be a number greater than 0"


def test_whole_numbers_have_a_range_and_no_fraction():
    assert [whole(0, 3).read(v) for v in (0, 3)] == [0, 3]
    for value in (-1, 4, 1.0, False):
        with pytest.raises(InputError, match="it must be a whole number from 0 to 3"):
            whole(0, 3).read(value)
    assert NOT_NEGATIVE.read(0) == 0.0


class Counted(FileModel):
    """A file with a number from 1 to 3."""

    count: Annotated[Whole, obeying(whole(1, 3))]


def test_a_leaf_of_a_file_refuses_in_the_same_words():
    assert validated(Counted, {"count": 2}, None).count == 2
    with pytest.raises(InputError, match=r"^f: count: is 4; it must be a whole number from 1 to 3$"):
        validated(Counted, {"count": 4}, "f")
    with pytest.raises(InputError, match=r"^f: count: is the text '2'; it must be a whole number$"):
        validated(Counted, {"count": "2"}, "f")
