"""Demands of instances and plan spaces that not every solver covers: the columns of the table of who covers what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Demand:
    """Something that an instance or a plan space may ask for, and that not every solver covers.

    Attributes:
        name: its word in `Solver.covers` and `Solver.lacks`.
        words: what is asked for, in words for people: "SOLVER does not cover ...".
        asked: instance and plan space in; whether they ask for it.
        assumed: whether a solver covers it unless it says in `Solver.lacks` that it does not; other demands are covered
            only by solvers that say so in `Solver.covers`.
        meets: names of the demands that it is the meeting of, where covering each of them is not enough.
        kept: why it is kept and not extended: no new solver or limit has to cover it; empty: it is extended.
        instead: field of the plan space and a value of it under which this is not asked for, which a refusal proposes
            where no solver covers it; None: there is none.
        named: instance and plan space in; what is asked for by its name, where it has one, for refusals.
    """

    name: str
    words: str
    asked: Callable[[Any, Any], bool]
    assumed: bool = False
    meets: tuple[str, ...] = ()
    kept: str = ""
    instead: tuple[str, Any] | None = None
    named: Callable[[Any, Any], str] | None = None

    def words_on(self, instance: Any, space: Any) -> str:
        """What an instance and a plan space ask for, in words, with its name if it has one."""
        return self.words if self.named is None else f"{self.words} ({self.named(instance, space)})"
