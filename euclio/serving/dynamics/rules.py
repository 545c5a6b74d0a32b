"""How a coordinator reacts: who plans, when, with which workers (Scrooge §3.4 to §3.6, §4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from euclio.serving.dynamics.planning import Planner

S_PER_H = 3600
TESTBED = {"P100": 8, "V100": 8}
"""Workers with a GPU that there are (Scrooge §4.1); those without one have no limit."""


class Expecting(StrEnum):
    """What a worker expects a frame to take in the modules to come, when it decides whether to drop it."""

    EXECUTION = "execution"
    """The execution of a batch as it is planned: the "profiled (or recently observed) execution latency" (§3.6)."""
    LEAST = "least"
    """The execution of a batch of one, as it was profiled."""
    WORST_CASE = "worst case"
    """The execution of a batch as it is planned, and as long as it may be waited for."""
    NOTHING = "nothing"
    """No frame is dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """A coordinator's rules.

    Attributes:
        planner: who plans.
        window_s: rates and execution times are looked at every so many seconds (Scrooge §3.5 footnote 6).
        change: a change of a rate by more than this part is significant. Rates are planned for that much higher than
            they are seen to be; all is allocated anew once more comes than is planned for, or if what would be planned
            for now is lower by more than this part.
        epoch_s: least time between two allocations that no client caused.
        turn_off_s: how long a worker on which nothing is placed stays on (turn-off delay).
        warm_up_s: how long a worker with a GPU takes to load a module.
        limits: most workers by type.
        front_ends: workers without a GPU per module that needs them, where the planner does not plan for these.
        front_ends_first: whether front-ends do the work of their modules when a frame comes, before all other modules.
        alike: whether any type with a GPU is taken for one that is sold out, as if it were the same; else the planner
            is asked again without that type first.
        expecting: what a worker expects of the modules to come when it drops frames that would be late (early
            dropping).
        failures_ns: when workers fail: each time the one with a GPU that serves and was turned on first.
        state: by name of a module whose machines hold state (Scrooge §3.1): money for each of them that is added or
            removed, as state is migrated then (§3.4). What that costs is not printed.
        kept_s: how long a plan is expected to be kept: the coordinator weighs what moving state costs against what a
            plan saves in so many seconds (ours). None: it does not weigh it, as in the paper's equations.
    """

    planner: Planner
    window_s: Fraction = Fraction(1)
    change: Fraction = Fraction(1, 10)
    epoch_s: Fraction = Fraction(0)
    turn_off_s: Fraction = Fraction(30)
    warm_up_s: Fraction = Fraction(5)
    limits: Mapping[str, int] = field(default_factory=lambda: dict(TESTBED))
    front_ends: int = 0
    front_ends_first: bool = False
    alike: bool = False
    expecting: Expecting = Expecting.EXECUTION
    failures_ns: tuple[int, ...] = ()
    state: Mapping[str, Fraction] = field(default_factory=dict)
    kept_s: Fraction | None = None

    @property
    def state_per_h(self) -> tuple[tuple[str, Fraction], ...]:
        """By module: money for each change of its machines per hour that a plan is kept; nothing is not weighed."""
        if self.kept_s is None:
            return ()
        return tuple((name, price * S_PER_H / self.kept_s) for name, price in self.state.items() if price)


SCROOGE = Rules(planner=Planner())
"""Scrooge with a turn-off delay of 30 s: the finish rate of traffic in §4.2, 97.7 %, is above what §4.4 prints for 0 s
and below what it prints for 120 s."""


def nexus(front_ends: int) -> Rules:
    """Nexus as Scrooge compares itself with it (§4.2).

    It plans for modules with a GPU only, with batching and no spatial multiplexing, as if all workers were P100. A
    turn-off delay, which it is not said to have, it has not.

    Args:
        front_ends: workers without a GPU for each module that needs them.
    """
    planner = Planner("nexus", cpu_modules=False, only="P100")
    return Rules(planner=planner, front_ends=front_ends, alike=True, turn_off_s=Fraction(0))
