"""What solvers of a family are tried on (`euclio check-solver`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from euclio.core.objective import Goal


@dataclass(frozen=True, slots=True)
class Sources:
    """What solvers of a problem family are tried on.

    Attributes:
        small: a seed in, a small instance that brute force can do out; some have no plan.
        large: an instance that takes exact methods longer than `LARGE_LIMIT_S`.
        restricted: instance and plan space in; other plan spaces, each with what differs in words, out.
        scaled: instance and goal in; a like instance and the factor between the values of equal plans out.
        permuted: the same instance in another order and with other names.
        references: solvers that prove optima, in the order in which they are asked.
    """

    small: Callable[[int], Any]
    large: Callable[[], Any]
    restricted: Callable[[Any, Any], Iterator[tuple[str, Any]]]
    scaled: Callable[[Any, Goal], tuple[Any, Fraction]]
    permuted: Callable[[Any], Any]
    references: tuple[str, ...]
