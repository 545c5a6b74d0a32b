"""Types of arguments that several verbs share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from euclio.core.values import COUNT, PART, POSITIVE, SEED

if TYPE_CHECKING:
    Verbs = argparse._SubParsersAction[argparse.ArgumentParser]

positive, part, count, seed = POSITIVE.parse, PART.parse, COUNT.parse, SEED.parse


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


def numbers(text: str) -> tuple[float, ...]:
    """Positive numbers divided by commas."""
    return tuple(positive(number) for number in text.split(","))
