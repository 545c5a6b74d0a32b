"""Types of arguments that several verbs share."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Verbs = argparse._SubParsersAction[argparse.ArgumentParser]


def seconds(text: str) -> float:
    """A positive number of seconds."""
    number = positive(text)
    if number > 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is too long; give seconds")
    return number


def positive(text: str) -> float:
    """A finite number greater than 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        raise argparse.ArgumentTypeError(f"{text!r} must be a number greater than 0")
    return number


def count(text: str) -> int:
    """A whole number, at least 1."""
    number = _whole(text)
    if number is None or number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number, at least 1")
    return number


def seed(text: str) -> int:
    """A seed: a whole number from 0 to 2^63 - 1."""
    number = _whole(text)
    if number is None or not 0 <= number < 2**63:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number from 0 to 2^63 - 1")
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


def part(text: str) -> float:
    """A number from 0 to less than 1."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be a number from 0 to less than 1")
    return number


def numbers(text: str) -> tuple[float, ...]:
    """Positive numbers divided by commas."""
    return tuple(positive(number) for number in text.split(","))


def _whole(text: str) -> int | None:
    try:
        return int(text) if len(text) <= 40 else None
    except ValueError:
        return None
