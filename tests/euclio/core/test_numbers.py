"""Numbers as text: every one that was read can be written exactly, and nothing is written that cannot be read."""

import random
from decimal import Decimal
from fractions import Fraction

import pytest

from euclio.core.numbers import (
    LONGEST_NUMBER,
    MOST_DIGITS,
    decimal_text,
    exact,
    exact_decimal_text,
    fraction_of,
    fraction_text,
    has_text,
)
from euclio.files.json_reading import parse_json


def drawn_text(rng):
    """A number as JSON may have it, of at most 40 characters, with an exponent now and then."""
    digits = "".join(rng.choice("0123456789") for _ in range(rng.randint(1, 36))).lstrip("0") or "7"
    place = rng.randint(0, len(digits) - 1)
    text = digits if place == 0 else f"{digits[:place]}.{digits[place:]}"
    return text if rng.randrange(2) else f"{text}e{rng.randint(-12, 12)}"


def test_every_number_that_is_read_is_written_exactly():
    """Digits without a point and an exponent are at most as long as any other text of the same number."""
    rng = random.Random(1)
    for _ in range(3000):
        text = drawn_text(rng)
        if len(text) > LONGEST_NUMBER:
            continue
        value = exact(parse_json(text))
        written = exact_decimal_text(value)
        assert written is not None, text
        assert len(written) <= LONGEST_NUMBER, text
        assert exact(parse_json(written)) == value, text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(1, 8), "0.125"),
        (Fraction(-5, 2), "-2.5"),
        (Fraction(10**12), "1000000000000"),
        (Fraction(1, 10**12), "0.000000000001"),
        (Fraction(10**33 + 1, 10**45), "1000000000000000000000000000000001e-45"),
        (Fraction(1, 10**60), "1e-60"),
        (Fraction(10**39), "1" + "0" * 39),
        (Fraction(12 * 10**39), "12e39"),
    ],
)
def test_decimals_that_end_are_written_in_full(value, text):
    """What takes more than 40 characters is written with an exponent, if that is shorter."""
    assert (decimal_text(value), exact(Decimal(text))) == (text, value)


@pytest.mark.parametrize(
    "value",
    [
        Fraction(1, 3),
        Fraction("0.055543266525810760792743698119258100625"),
        Fraction(10**41 + 1),
        Fraction(2, 5**300),
        Fraction("123456789012345678901234567890.123456789012345678901234567890"),
    ],
)
def test_what_no_decimal_of_40_characters_says_is_rounded(value):
    """The second one has 41 characters, as the cost of a measured profile at a price of four digits had."""
    assert exact_decimal_text(value) is None
    written = decimal_text(value)
    assert len(written) <= LONGEST_NUMBER
    assert abs(exact(parse_json(written)) - value) <= value * Fraction(1, 10**14)


@pytest.mark.parametrize(
    "value", [Fraction(1, 3), Fraction(-7, 3), Fraction(0), Fraction(10**MOST_DIGITS - 1, 10**MOST_DIGITS - 2)]
)
def test_fractions_are_read_as_they_were_written(value):
    assert has_text(value)
    assert fraction_of(fraction_text(value)) == value


@pytest.mark.parametrize("text", ["", "1", "1/0", "1/-3", " 1/3", "1/3 ", "1.5/3", "1/3/4", "٣/٤", "1" * 2001 + "/1"])
def test_other_texts_are_no_fractions(text):
    """Neither is one of more digits than are written, nor one in other digits than ours."""
    assert fraction_of(text) is None


@pytest.mark.parametrize(
    "text", ["1e400", "-1e400", "1e-400", "1e999999999", "1e-999999999", "1e999999999999999999999"]
)
def test_numbers_that_no_float_holds_are_refused(text):
    """Whatever reads a number may compare it as a float."""
    from euclio.core.errors import InputError

    with pytest.raises(InputError, match="give a"):
        parse_json(f'{{"bound": {text}}}')


@pytest.mark.parametrize("text", ["1.7976931348623157e308", "5e-324", "0e500", "0.0e-500", "-0.0"])
def test_numbers_that_a_float_prints_are_read(text):
    assert float(parse_json(text)) == float(text)
