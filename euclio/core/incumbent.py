"""How far the run that is under way has come: the value of its best plan and its bound, in memory that forks share.

A process that works for this one was forked from it, so both see the same two numbers, and whoever waits can say at any
moment what is known, without a message and without a stop of the solver (ours).
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
    """The value of the best plan found so far and the bound proven so far; at first neither is known.

    Attributes:
        numbers: value and bound as two floats, in the unit of the objective; not a number or infinite: not known.
            Machine code writes here too, through `numpy.frombuffer`.
    """

    def __init__(self) -> None:
        self.numbers = memoryview(mmap.mmap(-1, BYTES)).cast("d")
        self.clear()

    def __reduce__(self) -> tuple[type[Incumbent], tuple[()]]:
        """A copy, as in a process that a solver starts, is one of its own that nobody watches."""
        return Incumbent, ()

    def clear(self) -> None:
        """Nothing is known any more."""
        self.note(None, None)

    def note(self, value: float | None, bound: float | None) -> None:
        """Say what is known now.

        Args:
            value: the value of the best plan, in the unit of the objective; None: there is none yet.
            bound: the proven bound; None: there is none yet.
        """
        self.numbers[0] = math.nan if value is None else value
        self.numbers[1] = math.nan if bound is None else bound

    @property
    def value(self) -> float | None:
        """The value of the best plan; None: there is none yet."""
        return _known(self.numbers[0])

    @property
    def bound(self) -> float | None:
        """The proven bound; None: there is none yet."""
        return _known(self.numbers[1])

    def in_words(self, goal: Goal) -> str:
        """Plan, bound and gap as far as they are known, such as "plan 12.4 per hour, bound 12.1, gap 2.42 %".

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
    """What is known of the run that is under way in this process or in one forked from it; empty: nothing."""
    return _incumbent.in_words(goal)


def forget_incumbent() -> None:
    """Forget what a run has left behind that was killed."""
    _incumbent.clear()


@contextmanager
def shared_incumbent() -> Iterator[Incumbent | None]:
    """Have a run say how far it is, while it is inside; it begins and ends with nothing known.

    Yields:
        Where it says so; None: nobody would know of which run that is, since it is one within another one or in a
        thread next to others.
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
