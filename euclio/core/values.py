"""What a value may be, said once for command lines, files, experiments and settings of generated instances (ours).

A record of `Values` reads the text of an option and the plain value of a setting; `euclio.files.boundary.obeying` makes
a leaf of file models of it. All three refuse with the same words.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from euclio.core.errors import InputError
from euclio.core.numbers import exact_number

if TYPE_CHECKING:
    Verbs = argparse._SubParsersAction[argparse.ArgumentParser]

NumberT = TypeVar("NumberT", int, float)
ValueT = TypeVar("ValueT")

LONGEST_WHOLE = 40
"""Characters of the longest whole or exact number that is read from an option."""

_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class Values(Generic[NumberT]):
    """Finite numbers that keep to a rule.

    Attributes:
        words: what they are, as errors say it after "it must be".
        kind: int for whole numbers, else float.
        holds: the rule.
    """

    words: str
    kind: type[NumberT]
    holds: Callable[[Any], bool]

    def read(self, value: Any) -> NumberT:
        """The number that a plain value is.

        Raises:
            InputError: it is none, or breaks the rule.
        """
        kinds = int if self.kind is int else (int, float, Decimal)
        number = self.number(value) if isinstance(value, kinds) and not isinstance(value, bool) else None
        if number is None:
            raise InputError(f"is {value!r}; it must be {self.words}")
        return number

    def parse(self, text: str) -> NumberT:
        """The number in the text of an option.

        Raises:
            argparse.ArgumentTypeError: there is none, or it breaks the rule.
        """
        number = self.number(text) if self.kind is float or len(text) <= LONGEST_WHOLE else None
        if number is None:
            raise argparse.ArgumentTypeError(f"{text!r} must be {self.words}")
        return number

    def number(self, value: Any) -> NumberT | None:
        """The number that a number or a text is; None: none that is finite and keeps to the rule."""
        try:
            number = self.kind(value)
        except (ValueError, OverflowError):
            return None
        return number if (self.kind is int or math.isfinite(number)) and self.holds(number) else None


def whole(least: int = 1, most: int = 10**6) -> Values[int]:
    """Whole numbers within a range, both ends included."""
    return Values(f"a whole number from {least} to {most}", int, lambda number: least <= number <= most)


LARGEST_SEED = 2**63 - 1

POSITIVE = Values("a number greater than 0", float, lambda number: number > 0)
NOT_NEGATIVE = Values("a number of at least 0", float, lambda number: number >= 0)
PART = Values("a number from 0 to less than 1", float, lambda number: 0 <= number < 1)
SHARE = Values("a number from 0 to 1", float, lambda number: 0 <= number <= 1)
COUNT = Values("a whole number, at least 1", int, lambda number: number >= 1)
COUNT_OR_NONE = Values("a whole number, at least 0", int, lambda number: number >= 0)
SEED = Values("a whole number from 0 to 2^63 - 1", int, lambda number: 0 <= number <= LARGEST_SEED)

positive, part, count, seed = POSITIVE.parse, PART.parse, COUNT.parse, SEED.parse
count_or_none = COUNT_OR_NONE.parse
"""Types of arguments that several verbs share, as the functions below."""


def seconds(text: str) -> float:
    """A positive number of seconds."""
    number = positive(text)
    if number > 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is too long; give seconds")
    return number


def count_or_any(text: str) -> int | None:
    """A whole number, at least 1, or None for "any"."""
    return None if text == "any" else count(text)


def names(text: str) -> tuple[str, ...]:
    """Names divided by commas, each once."""
    found = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not found:
        raise argparse.ArgumentTypeError("give at least one name; names are divided by commas")
    return found


def counts(text: str) -> tuple[int, ...]:
    """Whole numbers from 1 on divided by commas, each once."""
    return tuple(dict.fromkeys(count(number) for number in text.split(",")))


def numbers(text: str) -> tuple[float, ...]:
    """Positive numbers divided by commas."""
    return tuple(positive(number) for number in text.split(","))


def exact_positive(text: str) -> Fraction:
    """The exact value of a decimal text, above 0."""
    return _exact(text, zero=False)


def exact_not_negative(text: str) -> Fraction:
    """The exact value of a decimal text, at least 0."""
    return _exact(text, zero=True)


def named(read: Callable[[str], ValueT]) -> Callable[[str], dict[str, ValueT]]:
    """What reads values by name, as in ``A100=4,T4=20``; `read` reads one value."""

    def parse(text: str) -> dict[str, ValueT]:
        found: dict[str, ValueT] = {}
        for part in text.split(","):
            name, sign, value = (piece.strip() for piece in part.rpartition("="))
            if not (name and sign and value):
                raise argparse.ArgumentTypeError(f"{part!r} must be NAME=VALUE; pairs are divided by commas")
            if name in found:
                raise argparse.ArgumentTypeError(f"{name!r} is given twice; keep one of them")
            found[name] = read(value)
        return found

    return parse


def named_points(read: Callable[[str], ValueT]) -> Callable[[str], dict[str, tuple[ValueT, ...]]]:
    """What reads one value or more by name, as in ``A100=1.1,1.5,T4=0.3``; `read` reads one value, each counts once."""

    def parse(text: str) -> dict[str, tuple[ValueT, ...]]:
        found: dict[str, tuple[ValueT, ...]] = {}
        name = ""
        for part in text.split(","):
            own, sign, value = (piece.strip() for piece in part.rpartition("="))
            if not value or (not own if sign else not name):
                raise argparse.ArgumentTypeError(f"{part!r} must be NAME=VALUE; pairs are divided by commas")
            if own in found:
                raise argparse.ArgumentTypeError(f"{own!r} is given twice; keep one of them")
            name = own or name
            found[name] = tuple(dict.fromkeys((*found.get(name, ()), read(value))))
        return found

    return parse


def capacities(text: str) -> tuple[str, tuple[Fraction, ...]]:
    """A name and exact numbers that are not negative, as in ``power=1600,2400``."""
    name, sign, numbers = (piece.strip() for piece in text.rpartition("="))
    if not (name and sign and numbers):
        raise argparse.ArgumentTypeError(f"{text!r} must be NAME=VALUE,VALUE")
    return name, tuple(dict.fromkeys(exact_not_negative(number.strip()) for number in numbers.split(",")))


def exacts(text: str) -> tuple[Fraction, ...]:
    """Positive exact numbers divided by commas, each once."""
    return tuple(dict.fromkeys(exact_positive(number.strip()) for number in text.split(",")))


def _exact(text: str, *, zero: bool) -> Fraction:
    words = "a number of at least 0" if zero else "a number greater than 0"
    if len(text) > LONGEST_WHOLE or not _DECIMAL.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text[:LONGEST_WHOLE]!r} must be {words}")
    try:
        return exact_number(text, "", zero=zero)
    except InputError as error:
        raise argparse.ArgumentTypeError(error.message) from None
