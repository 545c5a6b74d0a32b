"""Least cost as a function of the latency objective, over a range of objectives at once (ours).

The modes of a module are its cheapest plans within their own latencies, under any objective of the session. So
they are found once. The choices of one mode per module that are cheaper than every faster choice are the steps of the
function.

Proof. A mode costs no more than every plan that is slower than the module's next mode. Between that and the next budget
that was searched there is a gap of a few `TIE` of a latency. Latencies are rounded up to whole parts of the largest
objective, 2⁻⁶⁰ of it, costs down to whole parts of the largest sum. So the cost of a choice is a bound for all
objectives below the latency of the next choice, except within `SLO_SLACK` of it. All of these roundings stay far within
`SLO_SLACK`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, is_past
from euclio.core.registry import Limits
from euclio.core.solver import Piece
from euclio.problems.session import ModulePlan, Plan, PlanSpace, Session
from euclio.problems.session.arrays import Floats, Ints, SessionArrays, module_plan, session_arrays
from euclio.problems.session.latency.dispatch import path_times
from euclio.problems.session.machine_limits import has_floors
from euclio.problems.session.services import is_plain
from formulations.effort import UndecidedError
from formulations.session.exact.plan_store import PlanStore, new_store, store_plan, with_rows
from formulations.session.exact.solver import relaxed_arrays
from formulations.session.module.by_share import search_module
from formulations.session.module.charges import no_types
from formulations.session.module.problem import fluid_bound, module_problem, no_stock
from formulations.tolerances import FRONTIER, JUST_BELOW, SLO_SLACK, STEP

# Module frontiers for a range of latency objectives: all modes that any of them may need (compiled, ours).
#
# A search finds the cheapest plan of a module within a budget, then within just less than the latency of that plan, and
# so on. The first budget is the rest of the largest objective if each other module takes its shortest duration. The
# last one is the rest of the least objective if each takes its slowest mode.

MOST_MODES = 3000
"""Modes of a module after which its frontier is given up: next to a duration every further machine is one mode."""
MOST_NODES = 1 << 18
"""Nodes of the search for one mode after which the frontier is given up: some hundredths of a second."""


class Frontiers(NamedTuple):
    """The modes of all modules; those of one module by falling latency and rising cost.

    Attributes:
        module: module of each mode, shape (modes,), like the next ones.
        latency: its worst-case latency in seconds.
        cost: its cost per hour; no plan that is slower than the module's next mode costs less.
        store: the plans of the modes, in rows of the same numbers.
        complete: whether no mode is missing.
    """

    module: Ints
    latency: Floats
    cost: Floats
    store: PlanStore
    complete: bool


@compiled
def frontiers(s: SessionArrays, least_slo: float, deadline: float) -> Frontiers:
    """The modes of all modules for every objective from `least_slo` to that of the session.

    Args:
        s: the session, with the largest objective; every module has a configuration, and finitely many plans of a cost.
        least_slo: the least objective in seconds.
        deadline: seconds on `clock` at which to stop; infinite means never.
    """
    modules = s.rate.size
    found = Frontiers(
        np.zeros(16, np.int64),
        np.zeros(16),
        np.zeros(16),
        new_store(s, 16),
        True,
    )
    fastest = np.full(modules, np.inf)
    for m in range(modules):
        for k in range(s.first[m], s.first[m + 1]):
            fastest[m] = min(fastest[m], s.duration[k])
    before, after, slowest = np.zeros(modules), np.zeros(modules), np.zeros(modules)
    path_times(s, fastest, before, after)
    for m in range(modules):
        room = s.slo - before[m] - after[m]
        size = found.store.size[0]
        found = _descended(s, found, m, room, room, 0.0, deadline)
        # If a module has no mode, there is no plan at all.
        if found.store.size[0] == size:
            return found
        slowest[m] = found.latency[size]
    path_times(s, slowest, before, after)
    # The first mode of each module stands in the row with the module's number.
    for m in range(modules):
        target = least_slo - before[m] - after[m]
        if found.complete and found.latency[m] > target:
            found = _descended(s, found, m, found.latency[m] * JUST_BELOW, target, found.cost[m], deadline)
    return found


@compiled
def _descended(
    s: SessionArrays, found: Frontiers, m: int, budget: float, target: float, least: float, deadline: float
) -> Frontiers:
    """Add modes of module m within a budget until one takes at most `target` seconds, or there are no more."""
    stock, counted = no_stock(s), np.zeros(s.batch.size, np.int64)
    for _ in range(MOST_MODES):
        if is_past(deadline):
            break
        p = module_problem(s, m, budget, stock)
        floor = max(least, fluid_bound(s, m, budget, stock))
        plan = search_module(p, no_types(), np.inf, floor, FRONTIER, MOST_NODES)
        if not plan.complete:
            break
        if not np.isfinite(plan.cost):
            return found
        row = found.store.size[0]
        wider = _with_room(found)
        store = with_rows(found.store, 1)
        store_plan(s, m, p, plan.machines, plan.partial_at, store, counted)
        found = Frontiers(wider.module, wider.latency, wider.cost, store, True)
        latency = min(budget, found.store.latency[row])
        found.module[row], found.latency[row], found.cost[row] = m, latency, plan.cost
        if latency <= target:
            return found
        budget, least = latency * JUST_BELOW, plan.cost
    return Frontiers(found.module, found.latency, found.cost, found.store, False)


@compiled
def _with_room(found: Frontiers) -> Frontiers:
    """The same modes in arrays that have room for one more."""
    if found.store.size[0] < found.module.size:
        return found
    return Frontiers(
        np.concatenate((found.module, np.zeros_like(found.module))),
        np.concatenate((found.latency, np.zeros_like(found.latency))),
        np.concatenate((found.cost, np.zeros_like(found.cost))),
        found.store,
        found.complete,
    )


# All choices of one mode per module that are cheaper than every faster one, merged bottom up over the DAG (ours).
#
# Two components in series take the sum of their latencies, two in parallel the longer one; both pay the sum of their
# costs. As long as two are in series or in parallel, their choices merge, and choices that are slower than a cheaper
# one are left out. If none are, the graph has a component without parents and with several children. With each of its
# choices in turn, it falls into a copy for each child, which shares nothing with the others any more.
#
# Latencies and costs are whole numbers, so that every sum and every comparison is exact.

MOST_PAIRS = 50_000_000
"""Pairs of choices after which a merge gives up: some seconds."""
PAIRS_AT_ONCE = 4_000_000
"""Pairs of choices that are sorted together, which takes 100 MB."""


class Choices(NamedTuple):
    """Choices of one mode for each module of a component, by rising latency and falling cost.

    Attributes:
        latency: length of the longest path through the component, shape (choices,).
        cost: cost of the component, shape (choices,).
        taken: number of the mode of each module of the session, shape (choices, modules); -1 means that the module is
            not in the component.
    """

    latency: Ints
    cost: Ints
    taken: Ints

    def at(self, kept: Ints) -> Choices:
        """Some of the choices, by their numbers."""
        return Choices(self.latency[kept], self.cost[kept], self.taken[kept])


@dataclass(slots=True)
class Components:
    """A DAG of components.

    Attributes:
        choices: choices of each component.
        parents: its parents.
        children: its children.
    """

    choices: dict[int, Choices]
    parents: dict[int, set[int]]
    children: dict[int, set[int]]

    def remove(self, node: int) -> None:
        """Remove a component with its edges."""
        for parent in self.parents.pop(node):
            self.children[parent].discard(node)
        for child in self.children.pop(node):
            self.parents[child].discard(node)
        del self.choices[node]

    def add(self, choices: Choices, parents: set[int], children: set[int]) -> None:
        """Add a component, with edges from its parents and to its children."""
        node = 1 + max(self.choices, default=-1)
        self.choices[node], self.parents[node], self.children[node] = choices, set(parents), set(children)
        for parent in parents:
            self.children[parent].add(node)
        for child in children:
            self.parents[child].add(node)

    def copy(self) -> Components:
        """A DAG of its own with the same components."""
        parents = {node: set(above) for node, above in self.parents.items()}
        return Components(dict(self.choices), parents, {node: set(below) for node, below in self.children.items()})


class Merge:
    """Merges choices within a longest latency, and gives up if they are too many.

    Attributes:
        longest: latency up to which choices are of interest.
        pairs: pairs of choices looked at so far.
    """

    def __init__(self, longest: int) -> None:
        self.longest, self.pairs = longest, 0

    def merged(self, dag: Components) -> Choices:
        """The choices of all components together; none if no choice is within the longest latency.

        Raises:
            UndecidedError: there are too many of them.
        """
        while (pair := _pair(dag)) is not None:
            kind, a, b = pair
            join = self._in_series if kind == "series" else self._in_parallel
            new, above, below = join(dag.choices[a], dag.choices[b]), dag.parents[a], dag.children[b]
            dag.remove(a)
            dag.remove(b)
            dag.add(new, above, below)
        if len(dag.choices) == 1:
            return next(iter(dag.choices.values()))
        return self._one_by_one(dag)

    def _one_by_one(self, dag: Components) -> Choices:
        """The choices of all components, from those with each choice of one component that has several children.

        One of these components has no parents. If each of those without parents had only one child, the parents of a
        component that only they precede would be in parallel, or in series with it.
        """
        sources = [node for node, above in dag.parents.items() if not above and len(dag.children[node]) > 1]
        source = min(sources, key=lambda node: (dag.choices[node].latency.size, node))
        fixed, below = dag.choices[source], sorted(dag.children[source])
        found = []
        for i in range(fixed.latency.size):
            rest = dag.copy()
            rest.remove(source)
            one = fixed.at(np.array([i]))
            for child in below:
                rest.add(one, set(), {child})
                # Its cost counts once, and the modes that were taken are recorded once.
                one = Choices(one.latency, np.zeros_like(one.cost), np.full_like(one.taken, -1))
            found.append(self.merged(rest))
            self._count(found[-1].latency.size)
        return undominated(_together(found))

    def _in_series(self, a: Choices, b: Choices) -> Choices:
        """Every pair within the longest latency, except those that are slower than a cheaper one."""
        self._count(a.latency.size * b.latency.size)
        rows = max(1, PAIRS_AT_ONCE // max(1, b.latency.size))
        best = a.at(np.zeros(0, np.int64))
        for start in range(0, a.latency.size, rows):
            part = a.at(np.arange(start, min(start + rows, a.latency.size)))
            latency = np.add.outer(part.latency, b.latency).ravel()
            cost = np.add.outer(part.cost, b.cost).ravel()
            kept = np.flatnonzero(latency <= self.longest)
            kept = kept[_cheaper_than_faster(latency[kept], cost[kept])]
            i, j = np.divmod(kept, max(1, b.latency.size))
            new = Choices(latency[kept], cost[kept], np.maximum(part.taken[i], b.taken[j]))
            best = undominated(_together([best, new])) if start else new
        return best

    def _in_parallel(self, a: Choices, b: Choices) -> Choices:
        """At each latency of either, the cheapest choice of both."""
        self._count(a.latency.size + b.latency.size)
        if not a.latency.size or not b.latency.size:
            return a.at(np.zeros(0, np.int64))
        latency = np.union1d(a.latency, b.latency)
        latency = latency[latency >= max(a.latency[0], b.latency[0])]
        i = np.searchsorted(a.latency, latency, "right") - 1
        j = np.searchsorted(b.latency, latency, "right") - 1
        return Choices(latency, a.cost[i] + b.cost[j], np.maximum(a.taken[i], b.taken[j]))

    def _count(self, pairs: int) -> None:
        self.pairs += pairs
        if self.pairs > MOST_PAIRS:
            raise UndecidedError


def components(edges: Sequence[tuple[int, int]], order: Sequence[int], rows: Sequence[Choices]) -> Components:
    """The DAG of single modules, without edges that longer paths imply.

    Args:
        edges: pairs of modules, parent first.
        order: modules, parents before children.
        rows: choices of each module.
    """
    children: dict[int, set[int]] = {m: {b for a, b in edges if a == m} for m in range(len(rows))}
    below: dict[int, set[int]] = {}
    for m in reversed(order):
        below[m] = set().union(children[m], *(below[child] for child in children[m]))
    for m in children:
        children[m] -= set().union(*(below[child] for child in children[m]))
    parents = {m: {a for a in children if m in children[a]} for m in children}
    return Components(dict(enumerate(rows)), parents, children)


def _pair(dag: Components) -> tuple[str, int, int] | None:
    """Two components in parallel, with the same parents and children, or in series; None means that there are none."""
    alike: dict[tuple[frozenset[int], frozenset[int]], int] = {}
    for node in sorted(dag.choices):
        key = frozenset(dag.parents[node]), frozenset(dag.children[node])
        if key in alike:
            return "parallel", alike[key], node
        alike[key] = node
    for node in sorted(dag.choices):
        if len(dag.children[node]) == 1:
            (child,) = dag.children[node]
            if len(dag.parents[child]) == 1:
                return "series", node, child
    return None


def _cheaper_than_faster(latency: Ints, cost: Ints) -> Ints:
    """Numbers of the choices that cost less than all others that are as fast, by rising latency."""
    order = np.lexsort((cost, latency))
    least = np.minimum.accumulate(cost[order])
    kept: Ints = order[np.flatnonzero(np.diff(least, prepend=np.iinfo(np.int64).max))]
    return kept


def undominated(choices: Choices) -> Choices:
    """The choices that cost less than all others that are as fast, by rising latency."""
    return choices.at(_cheaper_than_faster(choices.latency, choices.cost))


def _together(parts: Sequence[Choices]) -> Choices:
    return Choices(*(np.concatenate(rows) for rows in zip(*parts, strict=True)))


PARTS = 2**60
"""Whole parts of the largest objective, and of the largest sum of costs: two of these sums fit into 63 bits."""
WIDEST = 2.0**20
"""If a cheapest choice costs less than the largest sum over this, it has too few parts to prove anything."""
ROUNDED_UP = 1.0 + 2.0**-50
"""Factor that compensates the error of floating point in a latency in parts."""
BOUNDS = 1.0 - 4.0 * FRONTIER
"""Share of a sum of modes that is a lower bound: modes may be cheaper by `FRONTIER` than those found."""
BLURRED = Fraction(SLO_SLACK)
"""Share of a latency below a step within which a cheaper choice may be hidden."""


class _CurveStep(NamedTuple):
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
        Pieces by rising objective; None means that the method does not cover the session, or ran out of time or of
        room.
    """
    coupled = bool(session.resources or session.running or session.spare_machines or session.share_groups)
    # Modes are merged by the DAG alone, which knows neither delays nor modules that share machines.
    limited = session.stock or coupled or has_floors(session) or space.charging.packs
    if limited or not space.dummy.countable or not is_plain(session):
        return None
    deadline, longest = limits.deadline(), replace(session, slo_s=to_s)
    spaces = [space.on(h.name) for h in space.hardware_of(session)] if space.single_hardware else [space]
    steps: list[_CurveStep] = []
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


def _steps(session: Session, arrays: SessionArrays, found: Frontiers) -> Iterator[_CurveStep]:
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
    # Up to as far past the SLO as in the arrays, so that no tie with it is lost.
    merged = Merge(PARTS + modules).merged(components(edges, session.order, single))
    tick_s, plans = Fraction(arrays.slo) / PARTS, _plans(session, arrays, found, merged.taken)
    for latency, cost, taken in zip(merged.latency.tolist(), merged.cost.tolist(), merged.taken.tolist(), strict=True):
        yield _CurveStep(latency * tick_s, cost * part, cost * part * BOUNDS, tuple(map(plans.__getitem__, taken)))


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
    """The modes of module m: latencies rounded up, costs down, without those slower than a cheaper one."""
    latency = np.ceil(found.latency[row] / s.slo * ROUNDED_UP * PARTS).astype(np.int64)
    cost = np.floor(found.cost[row] / part).astype(np.int64)
    taken = np.full((row.size, s.rate.size), -1, np.int64)
    taken[:, m] = row
    return undominated(Choices(latency, cost, taken))


def _pieces(steps: Sequence[_CurveStep], from_s: Fraction, to_s: Fraction) -> Iterator[Piece[Plan]]:
    """The pieces of the function, from choices that contain all of its steps."""
    kept = _falling(steps, from_s * (1 - BLURRED))
    if not kept or kept[0].latency_s > from_s * (1 + BLURRED):
        yield Piece(kept[0].latency_s * (1 - BLURRED) if kept else to_s, None, 0.0)
    for i, step in enumerate(kept):
        until = kept[i + 1].latency_s * (1 - BLURRED) if i + 1 < len(kept) else to_s
        yield Piece(until, Plan(step.plan), step.bound)


def _falling(steps: Iterable[_CurveStep], from_s: Fraction) -> list[_CurveStep]:
    """Steps at which the cost falls by more than the tolerance of proofs; before an objective, only the last one."""
    kept: list[_CurveStep] = []
    for step in sorted(steps, key=lambda one: (one.latency_s, one.cost)):
        if kept and step.cost >= kept[-1].cost * float(1 - STEP):
            # The cost is equal within the tolerance, so one plan stands for both.
            kept[-1] = kept[-1]._replace(bound=min(kept[-1].bound, step.bound))
        elif kept and step.latency_s <= from_s:
            kept[-1] = step
        else:
            kept.append(step)
    return kept
