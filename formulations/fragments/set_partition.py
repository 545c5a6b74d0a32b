"""Solver `set-partition`: every fragment in one candidate set, at the least GPU share (docs/model/fragments.md).

HiGHS proposes a partition, a branch and bound in whole numbers proves it (`formulations/fragments/set_partition.py`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.fragments import Fleet, FragmentPlan, FragmentSpace
from euclio.problems.fragments.least_budget import unserved
from euclio.problems.fragments.realigned import Priced
from formulations.engines.cpsat import COEFFICIENT_LIMIT, CP_SAT
from formulations.engines.highs_arrays import Linear, Program, solve_mip
from formulations.engines.interface import engine_limits
from formulations.fragments.candidates import Places, TimeUpError, candidate_sets
from formulations.fragments.columns.tables import UNIT

# The best partition of fragments by listed sets, proven in whole numbers (ours).
#
# Branch and bound works as follows. HiGHS proposes prices, which are rounded to whole units and lowered until no set
# gains. The worth of the remaining fragments at such prices is then a bound for any tolerance of HiGHS. GPU shares are
# whole percents, so it is rounded up. A node branches on the fragment in the fewest sets, since every partition has one
# of these sets.

MOST_NODES = 20_000
"""Most nodes of a proof; each takes a millisecond or more."""

FITS_PCT = 2**40
"""Sums of all sets' GPU shares below this are computed in 64 bits, others in Python's integers."""

Ints = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ProvenPartition:
    """The result of the search.

    Attributes:
        chosen: places of the sets of the best partition; None if none was found or given.
        share_pct: its GPU share; None as `chosen`.
        bound_pct: no partition has a GPU share below this.
        nodes: number of nodes.
    """

    chosen: tuple[int, ...] | None
    share_pct: int | None
    bound_pct: int
    nodes: int

    @property
    def proven(self) -> bool:
        """Whether the partition is the best one."""
        return self.share_pct == self.bound_pct


def best_partition(
    holds: Flags, share_pct: Sequence[int], start: Sequence[int] | None, deadline: float
) -> ProvenPartition:
    """The best partition.

    Args:
        holds: whether a set holds a fragment, shape (sets, fragments).
        share_pct: GPU share of each set; each fragment has a set of its own.
        start: a partition for a warm start, as places of its sets; None if there is none.
        deadline: `time.perf_counter` value at which to stop.
    """
    kind = np.int64 if sum(share_pct) < FITS_PCT else object
    search = _PartitionSearch(holds, np.array(share_pct, dtype=kind), deadline)
    if start is not None:
        search.chosen, search.best = tuple(start), sum(share_pct[k] for k in start)
    finished = search.node(np.ones(holds.shape[1], dtype=np.bool_), np.arange(len(holds)), (), 0)
    best = None if search.chosen is None else int(search.best)
    return ProvenPartition(
        search.chosen, best, best if finished and best is not None else search.root_pct, search.nodes
    )


class _PartitionSearch:
    """Depth-first search.

    Attributes:
        best: GPU share of the incumbent, infinite if there is none.
        chosen: its sets.
        root_pct: bound of the first node.
        nodes: number of nodes.
    """

    def __init__(self, holds: Flags, share: Ints, deadline: float) -> None:
        self._holds, self._share, self._deadline = holds, share, deadline
        self.best: float = math.inf
        self.chosen: tuple[int, ...] | None = None
        self.root_pct, self.nodes = 0, 0
        # The least GPU share of the sets so far, by the remaining fragments.
        self._seen: dict[bytes, int] = {}

    def node(self, left: Flags, sets: Ints, taken: tuple[int, ...], cost_pct: int) -> bool:
        """Search partitions of the remaining fragments; returns whether the search was complete."""
        if not left.any():
            if cost_pct < self.best:
                self.best, self.chosen = cost_pct, taken
            return True
        # The same fragments remained before at no higher cost, so all completions were tried then.
        if self._seen.get(left.tobytes(), math.inf) <= cost_pct:
            return True
        self._seen[left.tobytes()] = cost_pct
        if self.nodes >= MOST_NODES or time.perf_counter() >= self._deadline:
            return False
        self.nodes += 1
        holds = self._holds[np.ix_(sets, np.flatnonzero(left))]
        worth, reduced = _priced(holds, self._share[sets])
        if not taken:
            self.root_pct = -(-worth // UNIT)
        useful = np.flatnonzero(reduced <= self._slack(cost_pct, worth))
        sets, reduced, holds = sets[useful], reduced[useful], holds[useful]
        own = np.flatnonzero(holds[:, np.argmin(holds.sum(axis=0))])
        for k in own[np.argsort(reduced[own], kind="stable")].tolist():
            # The incumbent may have improved since the choice of these sets.
            if reduced[k] > self._slack(cost_pct, worth):
                break
            rest = left.copy()
            rest[left] = ~holds[k]
            others = sets[~holds[:, holds[k]].any(axis=1)]
            if not self.node(rest, others, (*taken, int(sets[k])), cost_pct + int(self._share[sets[k]])):
                return False
        return True

    def _slack(self, cost_pct: int, worth: int) -> float:
        """Largest sum of the reduced costs of a better partition's sets, in units."""
        # Shares are whole percents, so a better partition has at least one less.
        return (self.best - 1 - cost_pct) * UNIT - worth


def _priced(holds: Flags, share: Ints) -> tuple[int, Ints]:
    """The worth of all fragments at prices at which no set gains, and the sets' reduced costs, in units.

    Args:
        holds: whether a set holds a fragment, shape (sets, fragments).
        share: GPU shares of the sets in percent, shape (sets,).
    """
    found = Linear(-holds.T.astype(float), np.full(holds.shape[1], -1.0)).solve(share.astype(float))
    duals = np.zeros(holds.shape[1]) if found is None else found.duals
    prices = np.array([math.floor(price * UNIT) for price in duals.tolist()], dtype=share.dtype)
    # Each set has a fragment, so lowering each price by the largest gain leaves no set with a gain.
    prices = prices - max(0, -int((share * UNIT - holds @ prices).min(initial=0)))
    return int(prices.sum()), share * UNIT - holds @ prices


# Input and output of set partitioning for any solver: sets, their GPU shares, and a plan of some of them.


@dataclass(frozen=True, slots=True)
class Partitioning:
    """A problem: partition fragments by sets, at the least GPU share.

    Attributes:
        places: per set the places of its fragments in the fleet.
        priced: per set its GPU share and its plan.
        holds: whether a set holds a fragment, shape (sets, fragments).
        deadline: `time.perf_counter` value; infinite means none.
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
        """Remaining seconds; infinite means no limit."""
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
    """The sets of a fleet, or the answer if there is nothing to partition.

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
        # A fragment that cannot be served in time alone cannot be served in time with others either.
        return Answer(None, "infeasible", infeasible=True, reason=unserved(fleet.network), stats=found.stats)
    return found


def solve_set_partition(fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan]) -> Answer[FragmentPlan]:
    """The best plan of a fleet, or a plan and a bound if time or nodes do not suffice.

    Args:
        fleet: the instance.
        space: plan space.
        limits: time limit.

    Raises:
        InapplicableError: there are too many sets.
    """
    problem = partitioning(fleet, space, limits)
    if isinstance(problem, Answer):
        return problem
    found = best_partition(problem.holds, problem.share_pct, _proposed(problem), problem.deadline)
    stats = {**problem.stats, "nodes": float(found.nodes)}
    if found.chosen is None or found.share_pct is None:
        reason = "the time limit was reached"
        return Answer(None, "time limit", bound=float(found.bound_pct), reason=reason, stats=stats)
    raw = "optimal" if found.proven else "gap"
    return Answer(problem.plan(found.chosen), raw, float(found.share_pct), float(found.bound_pct), stats=stats)


def _proposed(problem: Partitioning) -> list[int] | None:
    """The partition from HiGHS, at the sum of the shares of its sets; None if it is no partition."""
    program = Program()
    program.variables(len(problem.priced), 0.0, 1.0, whole=True)
    program.cost = [float(share) for share in problem.share_pct]
    for own in problem.holds.T:
        columns = np.flatnonzero(own)
        program.row(columns.tolist(), [1.0] * len(columns), 1.0, 1.0)
    values = solve_mip(program, problem.left_s, gap=0.0).values
    if values is None:
        return None
    chosen = np.flatnonzero(values > 0.5)
    return chosen.tolist() if (problem.holds[chosen].sum(axis=0) == 1).all() else None


# Solver `set-partition-cpsat`: every fragment in one candidate set, in CP-SAT, the twin of `set-partition`.
#
# All numbers of the model are whole, so it needs no scale, and its bound is that of the problem.


def solve_set_partition_cpsat(fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan]) -> Answer[FragmentPlan]:
    """The best plan of a fleet.

    Args:
        fleet: the instance.
        space: plan space.
        limits: time limit, seed, threads and log file.

    Raises:
        InapplicableError: there are too many sets, or GPU shares that CP-SAT cannot add up.
    """
    problem = partitioning(fleet, space, limits)
    if isinstance(problem, Answer):
        return problem
    share = problem.share_pct
    if sum(share) >= COEFFICIENT_LIMIT:
        raise InapplicableError(f"the GPU shares of all sets add up to {sum(share)} %, past 2^31")
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    taken = [model.new_bool_var(f"set_{k}") for k in range(len(share))]
    for own in problem.holds.T:
        model.add_exactly_one(taken[k] for k in np.flatnonzero(own).tolist())
    model.minimize(cp_model.LinearExpr.weighted_sum(taken, share))
    found = CP_SAT.run(model, engine_limits(limits, problem.left_s))
    stats = {**problem.stats, "conflicts": float(found.nodes)}
    bound = None if found.bound is None else float(found.bound)
    if found.values is None:
        reason = "the time limit was reached"
        return Answer(None, found.raw_status, bound=bound, reason=reason, stats=stats)
    chosen = tuple(k for k, own in enumerate(taken) if found.values[own.index])
    claimed = float(sum(share[k] for k in chosen))
    return Answer(problem.plan(chosen), found.raw_status, claimed, bound, stats=stats, trace=found.trace_from(0.0))
