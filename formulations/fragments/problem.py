"""What set partitioning is given and answers, whoever solves it: sets, their GPU shares, and a plan of some of them."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.fragments import Fleet, FragmentPlan, FragmentSpace
from euclio.problems.fragments.least_budget import unserved
from euclio.problems.fragments.realigned import Priced
from formulations.fragments.candidates import Places, TimeUpError, candidate_sets
from formulations.fragments.closing import Flags


@dataclass(frozen=True, slots=True)
class Partitioning:
    """Fragments to be partitioned by sets, at the least GPU share.

    Attributes:
        places: per set the places of its fragments in the fleet.
        priced: per set its GPU share and its plan.
        holds: whether a set holds a fragment, shape (sets, fragments).
        deadline: `time.perf_counter` value; infinite: none.
    """

    places: tuple[Places, ...]
    priced: tuple[Priced, ...]
    holds: Flags
    deadline: float

    @property
    def share_pct(self) -> list[int]:
        """GPU share of each set."""
        return [own.total_pct for own in self.priced]

    @property
    def left_s(self) -> float:
        """Seconds that are left; infinite: no limit."""
        return self.deadline - time.perf_counter()

    @property
    def stats(self) -> dict[str, float]:
        """Counters of all answers."""
        return {"sets": float(len(self.priced))}

    def plan(self, chosen: tuple[int, ...]) -> FragmentPlan:
        """The plan of some sets."""
        return FragmentPlan(tuple(self.priced[k].plan for k in chosen))


def partitioning(
    fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan]
) -> Partitioning | Answer[FragmentPlan]:
    """The sets of a fleet, or the answer where there is nothing to partition.

    Raises:
        InapplicableError: there are too many sets.
    """
    deadline = limits.deadline()
    try:
        sets = candidate_sets(fleet, space, deadline)
    except TimeUpError:
        return Answer(None, "time limit", reason="the time limit was reached before every set was priced")
    number = len(fleet.fragments)
    holds = np.zeros((len(sets), number), dtype=np.bool_)
    for row, places in zip(holds, sets, strict=True):
        row[list(places)] = True
    found = Partitioning(tuple(sets), tuple(sets.values()), holds, deadline)
    if not all((k,) in sets for k in range(number)):
        # Whoever is not served in time alone is not served in time with others either.
        return Answer(None, "infeasible", infeasible=True, reason=unserved(fleet.network), stats=found.stats)
    return found
