"""What the search knows: best plan, bound, and how both came about."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from euclio.core.result import PROOF_TOLERANCE
from formulations.pipeline.columns.enumeration import Ints

Counts = list[tuple[int, Ints]]
"""A plan: columns, each with its numbers of virtual GPUs by position."""

STEP = PROOF_TOLERANCE / 10
"""A better plan has to be better by this part."""
CLOSED = PROOF_TOLERANCE / 2
"""Relative distance of bound and incumbent that is left open; the rest is for rounding."""


@dataclass(slots=True)
class Progress:
    """Best plan and bound so far; costs have their sign changed.

    Attributes:
        bound: no plan is better.
        started: when the search started, on the clock of `time.perf_counter`.
        plan: the best plan so far; None: none yet.
        value: its value.
        exhausted: there is no plan.
        stats: counters.
        trace: seconds, value (None: no plan yet) and bound.
    """

    bound: float
    started: float = field(default_factory=time.perf_counter)
    plan: Counts | None = None
    value: float = -math.inf
    exhausted: bool = False
    stats: dict[str, float] = field(default_factory=dict)
    trace: list[tuple[float, float | None, float]] = field(default_factory=list)

    @property
    def target(self) -> float:
        """What a better plan has to exceed."""
        return self.value + STEP * abs(self.value) if self.plan is not None else -math.inf

    @property
    def closed(self) -> bool:
        """Whether the incumbent is proven, within the tolerance that counts as optimal."""
        return self.plan is not None and self.bound - self.value <= CLOSED * abs(self.value)

    def improve(self, value: float, plan: Counts) -> None:
        """Take a plan if it is better."""
        if value > self.value:
            self.value, self.plan = value, plan
            self._note()

    def lower(self, bound: float) -> None:
        """Take a bound if it is better; it stays above the incumbent."""
        bound = max(bound, self.target)
        if bound < self.bound:
            self.bound = bound
            self._note()

    def count(self, name: str, by: float) -> None:
        """Add to a counter."""
        self.stats[name] = self.stats.get(name, 0) + by

    def _note(self) -> None:
        value = None if self.plan is None else self.value
        self.trace.append((time.perf_counter() - self.started, value, self.bound))
