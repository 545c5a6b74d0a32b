"""Rules for values, shared by command lines, calls, files, experiments and settings of instances (ours).

`Values` reads the text of an option and the plain value of a setting. `euclio.files.boundary.obeying` makes a leaf of
file models of it. All three refuse a value with the same words. A reader of option text also takes the Python
equivalent: a number for its text, a list for names divided by commas, a dict for NAME=VALUE.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from euclio.core.errors import InputError
from euclio.core.numbers import Number, exact_number
from euclio.core.words import joined

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
        words: the allowed values, as errors name them after "it must be".
        kind: int for whole numbers, else float.
        holds: the rule.
    """

    words: str
    kind: type[NumberT]
    holds: Callable[[Any], bool]

    def read(self, value: Any) -> NumberT:
        """The number in a plain value; raises an `InputError` if the value is no number, or breaks the rule."""
        kinds = int if self.kind is int else (int, float, Decimal)
        number = self.number(value) if isinstance(value, kinds) and not isinstance(value, bool) else None
        if number is None:
            raise InputError(f"is {value!r}; it must be {self.words}")
        return number

    def parse(self, text: Number) -> NumberT:
        """The number in the text of an option, or given in its place.

        Raises:
            argparse.ArgumentTypeError: there is none, or it breaks the rule.
        """
        plain = _plain_text(text)
        number = self.number(plain) if self.kind is float or len(plain) <= LONGEST_WHOLE else None
        if number is None:
            raise argparse.ArgumentTypeError(f"{text!r} must be {self.words}")
        return number

    def number(self, value: Any) -> NumberT | None:
        """The number in a number or a text. None means that it is not a finite number or breaks the rule."""
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


def seconds(text: Number) -> float:
    """A positive number of seconds."""
    number = positive(text)
    if number > 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is too long; give seconds")
    return number


def count_or_any(text: Number | None) -> int | None:
    """A whole number, at least 1, or None for "any"."""
    return None if text is None or text == "any" else count(text)


def names(text: str | Iterable[str]) -> tuple[str, ...]:
    """Names divided by commas, each once."""
    listed = text.split(",") if isinstance(text, str) else _each(text)
    found = tuple(dict.fromkeys(part.strip() for part in listed if part.strip()))
    if not found:
        raise argparse.ArgumentTypeError("give at least one name; names are divided by commas")
    return found


def counts(text: Number | Iterable[Number]) -> tuple[int, ...]:
    """Whole numbers from 1 on divided by commas, each once."""
    return tuple(dict.fromkeys(count(number) for number in divided(text)))


def numbers(text: Number | Iterable[Number]) -> tuple[float, ...]:
    """Positive numbers divided by commas."""
    return tuple(positive(number) for number in divided(text))


def exact_positive(text: Number) -> Fraction:
    """The exact value of a decimal text, above 0."""
    return _exact(text, zero=False)


def exact_not_negative(text: Number) -> Fraction:
    """The exact value of a decimal text, at least 0."""
    return _exact(text, zero=True)


def named(read: Callable[[Any], ValueT]) -> Callable[[str | Mapping[str, Any]], dict[str, ValueT]]:
    """A reader of values by name, as in ``A100=4,T4=20``; `read` reads one value."""

    def parse(text: str | Mapping[str, Any]) -> dict[str, ValueT]:
        if isinstance(text, Mapping):
            return {str(name): read(value) for name, value in text.items()}
        found: dict[str, ValueT] = {}
        for part in divided(text):
            name, sign, value = (piece.strip() for piece in str(part).rpartition("="))
            if not (name and sign and value):
                raise argparse.ArgumentTypeError(f"{part!r} must be NAME=VALUE; pairs are divided by commas")
            if name in found:
                raise argparse.ArgumentTypeError(f"{name!r} is given twice; keep one of them")
            found[name] = read(value)
        return found

    return parse


def one_or_named(read: Callable[[Any], ValueT]) -> Callable[[Any], ValueT | dict[str, ValueT]]:
    """A reader of a value, or of values by name such as ``a=1,b=2``."""
    by_name = named(read)

    def parse(given: Any) -> ValueT | dict[str, ValueT]:
        return by_name(given) if isinstance(given, Mapping) or "=" in str(given) else read(given)

    return parse


def named_points(read: Callable[[str], ValueT]) -> Callable[[str], dict[str, tuple[ValueT, ...]]]:
    """A reader of values by name, as in ``A100=1.1,1.5,T4=0.3``; `read` reads one value; duplicates count once."""

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


def amounts_by_name(text: str | Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Fraction]]:
    """Exact numbers that are not negative by two names, as in ``region=T4:1,L4:2,power=T4:70``."""
    return _by_two_names(text, exact_not_negative, "NUMBER")


def texts_by_name(text: str | Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """Texts by two names, as in ``gpus=small:1g,large:3g``."""
    return _by_two_names(text, str, "TEXT")


def _by_two_names(
    text: str | Mapping[str, Mapping[str, Any]], parse: Callable[[Any], ValueT], of_kind: str
) -> dict[str, dict[str, ValueT]]:
    if isinstance(text, Mapping):
        return {str(name): named(parse)(each) for name, each in text.items()}
    found: dict[str, dict[str, ValueT]] = {}
    name = ""
    for part in divided(text):
        own, sign, pair = (piece.strip() for piece in str(part).rpartition("="))
        name = own if sign else name
        of, _, amount = (piece.strip() for piece in pair.rpartition(":"))
        if not (name and of and amount):
            raise argparse.ArgumentTypeError(
                f"{part!r} must be NAME=TYPE:{of_kind}, or TYPE:{of_kind} after such a pair"
            )
        if of in found.setdefault(name, {}):
            raise argparse.ArgumentTypeError(f"{of!r} is given twice for {name!r}; keep one of them")
        found[name][of] = parse(amount)
    return found


def capacities(text: str | Mapping[str, Any] | tuple[str, Iterable[Number]]) -> tuple[str, tuple[Fraction, ...]]:
    """A name and exact numbers that are not negative, as in ``power=1600,2400``."""
    if isinstance(text, Mapping):
        if len(text) != 1:
            raise argparse.ArgumentTypeError(f"{text!r} must name one resource")
        text = next(iter(text.items()))
    if isinstance(text, str):
        name, sign, amounts = (piece.strip() for piece in text.rpartition("="))
        if not (name and sign and amounts):
            raise argparse.ArgumentTypeError(f"{text!r} must be NAME=VALUE,VALUE")
        text = name, amounts
    return text[0], tuple(dict.fromkeys(exact_not_negative(number) for number in divided(text[1])))


def read(parse: Callable[[Any], ValueT], value: Any, flag: str) -> ValueT:
    """The value of a parameter, read by its parser.

    Raises:
        InputError: the value is invalid; the error names the parameter.
    """
    try:
        return parse(value)
    except argparse.ArgumentTypeError as error:
        raise InputError(str(error).removeprefix(f"{value!r} "), field=flag) from None


def read_if(parse: Callable[[Any], ValueT], value: Any, flag: str) -> ValueT | None:
    """As `read`; None stays None."""
    return None if value is None else read(parse, value, flag)


def one_of(words: Iterable[str], value: Any, flag: str) -> Any:
    """The value of a parameter, if it is one of some words.

    Raises:
        InputError: it is another word; the error names the parameter.
    """
    known = tuple(words)
    if value not in known:
        raise InputError(f"must be {joined(known, 'or')}", field=flag)
    return value


def file_path(text: str | Path) -> Path:
    """The path of a file or a folder."""
    if not str(text).strip():
        raise argparse.ArgumentTypeError(f"{str(text)!r} must be the name of a file or folder")
    return Path(text)


def exacts(text: Number | Iterable[Number]) -> tuple[Fraction, ...]:
    """Positive exact numbers divided by commas, each once."""
    return tuple(dict.fromkeys(exact_positive(number) for number in divided(text)))


def exacts_or_named(given: Any) -> tuple[Fraction, ...] | dict[str, tuple[Fraction, ...]]:
    """Positive exact numbers divided by commas, or such numbers by name, as in ``first token=0.3,0.4,answer=1``."""
    if isinstance(given, Mapping):
        return {str(name): exacts(values) for name, values in given.items()}
    return named_points(exact_positive)(given) if isinstance(given, str) and "=" in given else exacts(given)


def divided(text: Number | Iterable[Number]) -> list[Number]:
    """The parts of a text that commas divide, or the values given in its place: one, or several."""
    if isinstance(text, str):
        return [part.strip() for part in text.split(",")]
    return [text] if isinstance(text, Real | Decimal) else _each(text)


def _each(values: Any) -> list[Any]:
    """The values of a list."""
    if not isinstance(values, Iterable):
        raise argparse.ArgumentTypeError(f"{values!r} must be a list, or a text divided by commas")
    return list(values)


def _plain_text(value: Any) -> str:
    """The text of an option, or of a number in its place; empty for other values, such as True and False."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        return ""
    if isinstance(value, Fraction) and value.denominator != 1:
        return repr(float(value))
    return str(value)


def _exact(text: Number, *, zero: bool) -> Fraction:
    words = "a number of at least 0" if zero else "a number greater than 0"
    plain = _plain_text(text)
    if not isinstance(text, Fraction) and (len(plain) > LONGEST_WHOLE or not _DECIMAL.fullmatch(plain)):
        raise argparse.ArgumentTypeError(f"{str(text)[:LONGEST_WHOLE]!r} must be {words}")
    try:
        return exact_number(text if isinstance(text, Fraction) else plain, "", zero=zero)
    except InputError as error:
        raise argparse.ArgumentTypeError(error.message) from None
