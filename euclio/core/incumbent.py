"""Incumbent and bound of the run under way, in memory that forked processes share.

A worker process is forked from this one, so both see the same two numbers. A reader needs no message and does not stop
the solver (ours).
"""

from __future__ import annotations

import math
import mmap
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from euclio.core.objective import Goal
from euclio.core.words import amount, percent

BYTES = 16


class Incumbent:
    """The incumbent's value and the best proven bound; both are unknown at first.

    Attributes:
        numbers: value and bound as two floats, in the unit of the objective; NaN or infinite if unknown. Machine code
            writes here too, through `numpy.frombuffer`.
    """

    def __init__(self) -> None:
        self.numbers = memoryview(mmap.mmap(-1, BYTES)).cast("d")
        self.clear()

    def __reduce__(self) -> tuple[type[Incumbent], tuple[()]]:
        """A copy, as in a process that a solver starts, is independent; no process reads it."""
        return Incumbent, ()

    def clear(self) -> None:
        """Reset both to unknown."""
        self.note(None, None)

    def note(self, value: float | None, bound: float | None) -> None:
        """Report the current values.

        Args:
            value: the incumbent's value, in the unit of the objective. None means that there is none yet.
            bound: the proven bound. None means that there is none yet.
        """
        self.numbers[0] = math.nan if value is None else value
        self.numbers[1] = math.nan if bound is None else bound

    @property
    def value(self) -> float | None:
        """The incumbent's value; None if there is none yet."""
        return _known(self.numbers[0])

    @property
    def bound(self) -> float | None:
        """The proven bound; None if there is none yet."""
        return _known(self.numbers[1])

    def in_words(self, goal: Goal) -> str:
        """The known ones of plan, bound and gap, such as "plan 12.4 per hour, bound 12.1, gap 2.42 %".

        Args:
            goal: the objective of the run.
        """
        value, bound = self.value, self.bound
        if value is None and bound is None:
            return ""
        words = ["no plan yet" if value is None else f"plan {amount(value, digits=6)} {goal.unit}"]
        if bound is not None:
            words.append(f"bound {amount(bound, digits=6)}")
            if value is not None:
                words.append(f"gap {percent(max(0.0, goal.gap(value, bound)))}")
        return ", ".join(words)


def _known(number: float) -> float | None:
    return number if math.isfinite(number) else None


_incumbent = Incumbent()
_is_taken = False


def incumbent_in_words(goal: Goal) -> str:
    """Incumbent and bound of the run in this process or in one forked from it; empty if nothing is known."""
    return _incumbent.in_words(goal)


def forget_incumbent() -> None:
    """Forget the values left behind by a killed run."""
    _incumbent.clear()


@contextmanager
def shared_incumbent() -> Iterator[Incumbent | None]:
    """Have the enclosed run report its incumbent and bound; both are unknown before and after it.

    Yields:
        The shared values. None inside another run or in a thread next to others, where they would be ambiguous.
    """
    global _is_taken
    if _is_taken or threading.current_thread() is not threading.main_thread():
        yield None
        return
    _is_taken = True
    _incumbent.clear()
    try:
        yield _incumbent
    finally:
        _incumbent.clear()
        _is_taken = False
