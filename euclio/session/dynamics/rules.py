"""How a coordinator reacts: who plans, when, with which workers (Scrooge §3.4 to §3.6, §4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from euclio.session.dynamics.planning import Planner

TESTBED = {"P100": 8, "V100": 8}
"""Workers with a GPU that there are (Scrooge §4.1); those without one have no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """A coordinator's rules.

    Attributes:
        planner: who plans.
        window_s: rates and execution times are looked at every so many seconds (Scrooge §3.5 footnote 6).
        headroom: rates are planned for so much higher than they are seen to be.
        change: a fall of a rate or an execution time by more than this part is significant; a rise is once it is more
            than what was planned for.
        epoch_s: least time between two allocations that no client caused.
        turn_off_s: how long a worker on which nothing is placed stays on (turn-off delay).
        warm_up_s: how long a worker with a GPU takes to load a module.
        limits: most workers by type.
        front_ends: workers without a GPU per module that needs them, where the planner does not plan for these.
        alike: whether any type with a GPU is taken for one that is sold out, as if it were the same; else the planner
            is asked again without that type first.
        dropping: whether frames that could not be answered in time any more are dropped (early dropping).
        failures_ns: when workers fail: each time the one with a GPU that serves and was turned on first.
    """

    planner: Planner
    window_s: Fraction = Fraction(1)
    headroom: Fraction = Fraction(0)
    change: Fraction = Fraction(1, 10)
    epoch_s: Fraction = Fraction(0)
    turn_off_s: Fraction = Fraction(30)
    warm_up_s: Fraction = Fraction(5)
    limits: Mapping[str, int] = field(default_factory=lambda: dict(TESTBED))
    front_ends: int = 0
    alike: bool = False
    dropping: bool = True
    failures_ns: tuple[int, ...] = ()
