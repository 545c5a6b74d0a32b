"""Least cost as a function of the latency objective, over a range of objectives at once (ours).

The modes of a module are its cheapest plans within their own latencies, whatever the objective of the session is. So
they are found once (`frontiers.py`), and all choices of one mode per module that are cheaper than every faster one are
the steps of the function (`merging.py`).

What is proven. A mode costs no more than every plan that is slower than the module's next mode; between that and the
next budget that was searched are some `TIE` of a latency. Latencies are rounded up to whole parts of the largest
objective, 2⁻⁶⁰ of it, costs down to whole parts of the largest sum. So the cost of a choice is a bound for all
objectives below the latency of the next choice, but for `SLO_SLACK` of it, which all of that stays far within.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from euclio.core.registry import Limits
from euclio.core.solver import Piece
from euclio.problems.session import ModulePlan, Plan, PlanSpace, Session
from euclio.problems.session.arrays import Ints, SessionArrays, module_plan, session_arrays
from formulations.effort import UndecidedError
from formulations.session.curve.frontiers import Frontiers, frontiers
from formulations.session.curve.merging import Choices, Merge, components, undominated
from formulations.session.exact.solver import relaxed_arrays
from formulations.tolerances import FRONTIER, SLO_SLACK, STEP

PARTS = 2**60
"""Whole parts of the largest objective, and of the largest sum of costs: two of these sums fit into 63 bits."""
WIDEST = 2.0**20
"""Where a cheapest choice costs less than the largest sum over this, it has too few parts to prove anything."""
ROUNDED_UP = 1.0 + 2.0**-50
"""Factor that makes up for what floating point takes off a latency in parts."""
BOUNDS = 1.0 - 4.0 * FRONTIER
"""Share of a sum of modes that no plan costs less than: modes may be cheaper by `FRONTIER` than those found."""
BLURRED = Fraction(SLO_SLACK)
"""Share of a latency below a step within which something cheaper may be hidden."""


class _Step(NamedTuple):
    """A choice that is cheaper than every faster one.

    Attributes:
        latency_s: its longest path in seconds, in floating point.
        cost: its cost per hour, rounded down.
        bound: lower bound on the cost of all plans that are faster than the next step.
        plan: plan of each module; a mode has one plan in all of the steps.
    """

    latency_s: Fraction
    cost: float
    bound: float
    plan: tuple[ModulePlan, ...]


def cost_pieces(
    session: Session, space: PlanSpace, limits: Limits[Plan], from_s: Fraction, to_s: Fraction
) -> list[Piece[Plan]] | None:
    """Least cost of a session as a function of its latency objective.

    Args:
        session: the session; its own objective does not matter.
        space: plan space with a countable dummy rule and a policy whose form is known.
        limits: time limit.
        from_s: least objective in seconds.
        to_s: largest objective in seconds.

    Returns:
        Pieces by rising objective; None: the method does not cover the session, or it ran out of time or of room.
    """
    if session.stock or session.resources or session.running or session.spare_machines or not space.dummy.countable:
        return None
    deadline, longest = limits.deadline(), replace(session, slo_s=to_s)
    spaces = [space.on(h.name) for h in space.hardware_of(session)] if space.single_hardware else [space]
    steps: list[_Step] = []
    for one in spaces:
        arrays = relaxed_arrays(longest, one, session_arrays(longest, one))
        if (arrays.first[1:] == arrays.first[:-1]).any():
            continue
        found = frontiers(arrays, float(from_s), deadline)
        if not found.complete:
            return None
        try:
            steps += _steps(longest, arrays, found)
        except UndecidedError:
            return None
    return list(_pieces(steps, from_s, to_s))


def _steps(session: Session, arrays: SessionArrays, found: Frontiers) -> Iterator[_Step]:
    """The choices of one mode per module that are cheaper than every faster one.

    Raises:
        UndecidedError: there are too many of them, or costs are too far apart for whole parts.
    """
    modules, size = arrays.rate.size, int(found.store.size[0])
    rows = [np.flatnonzero(found.module[:size] == m) for m in range(modules)]
    if not all(row.size for row in rows):
        return
    part = sum(float(found.cost[row].max()) for row in rows) / PARTS or 1.0
    if sum(float(found.cost[row].min()) for row in rows) * WIDEST < part * PARTS:
        raise UndecidedError
    single = [_in_whole_numbers(found, row, m, arrays, part) for m, row in enumerate(rows)]
    index = session.index
    edges = [(index[a], index[b]) for a, b in session.edges]
    # Up to as far past the SLO as the arrays have it, so that no tie with it is lost.
    merged = Merge(PARTS + modules).merged(components(edges, session.order, single))
    tick_s, plans = Fraction(arrays.slo) / PARTS, _plans(session, arrays, found, merged.taken)
    for latency, cost, taken in zip(merged.latency.tolist(), merged.cost.tolist(), merged.taken.tolist(), strict=True):
        yield _Step(latency * tick_s, cost * part, cost * part * BOUNDS, tuple(map(plans.__getitem__, taken)))


def _plans(session: Session, arrays: SessionArrays, found: Frontiers, taken: Ints) -> dict[int, ModulePlan]:
    """The plans of the modes that are taken, by their numbers."""
    plans = {}
    for row in np.unique(taken).tolist():
        m, machines = int(found.module[row]), np.zeros(arrays.batch.size, np.int64)
        first, last = arrays.first[m], arrays.first[m + 1]
        machines[first:last] = found.store.machines[row, : last - first]
        plans[row] = module_plan(session, arrays, m, machines, int(found.store.partial_at[row]))
    return plans


def _in_whole_numbers(found: Frontiers, row: Ints, m: int, s: SessionArrays, part: float) -> Choices:
    """The modes of module m: latencies rounded up, costs down, those slower than a cheaper one left out."""
    latency = np.ceil(found.latency[row] / s.slo * ROUNDED_UP * PARTS).astype(np.int64)
    cost = np.floor(found.cost[row] / part).astype(np.int64)
    taken = np.full((row.size, s.rate.size), -1, np.int64)
    taken[:, m] = row
    return undominated(Choices(latency, cost, taken))


def _pieces(steps: Sequence[_Step], from_s: Fraction, to_s: Fraction) -> Iterator[Piece[Plan]]:
    """The pieces of the function from choices that hold all of its steps."""
    kept = _falling(steps, from_s * (1 - BLURRED))
    if not kept or kept[0].latency_s > from_s * (1 + BLURRED):
        yield Piece(kept[0].latency_s * (1 - BLURRED) if kept else to_s, None, 0.0)
    for i, step in enumerate(kept):
        until = kept[i + 1].latency_s * (1 - BLURRED) if i + 1 < len(kept) else to_s
        yield Piece(until, Plan(step.plan), step.bound)


def _falling(steps: Iterable[_Step], from_s: Fraction) -> list[_Step]:
    """Steps at which the cost falls by more than proofs leave open; before an objective, the last one only."""
    kept: list[_Step] = []
    for step in sorted(steps, key=lambda one: (one.latency_s, one.cost)):
        if kept and step.cost >= kept[-1].cost * float(1 - STEP):
            # As cheap within that: one plan stands for both.
            kept[-1] = kept[-1]._replace(bound=min(kept[-1].bound, step.bound))
        elif kept and step.latency_s <= from_s:
            kept[-1] = step
        else:
            kept.append(step)
    return kept
