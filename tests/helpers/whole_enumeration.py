"""Every plan of a tiny session that may be the cheapest, by plain enumeration in fractions.

Nothing of it is taken from a solver: numbers of machines up to a limit, priced by the checker one module at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import ceil

from euclio.problems.session import Allocation, Configuration, Module, ModulePlan, Plan, PlanSpace, Session, evaluate
from euclio.problems.session.evaluate import rank_key

Mode = tuple[Fraction, Fraction, ModulePlan]
"""Worst-case latency in seconds, cost per hour, plan."""
Counts = Callable[[Module, Sequence[Configuration]], Iterable[tuple[int, ...]]]
"""Numbers of whole machines that are tried, for a module's configurations in rank order."""
MOST, BOX = 6, 5
"""Machines of a module, and of a configuration, at most; sessions have to be so small that no more are of use."""


def cheapest(session: Session, space: PlanSpace, most: int = MOST) -> Fraction | None:
    """The least cost of the plans with at most `most` machines in each module; None: none of them is feasible."""
    parts = [space.on(h.name) for h in space.hardware_of(session)] if space.single_hardware else [space]
    found = [cost for part in parts if (cost := _cheapest(session, part, most)) is not None]
    return min(found, default=None)


def _cheapest(session: Session, space: PlanSpace, most: int) -> Fraction | None:
    rows = [modes(session, module, space, few(most)) for module in session.modules]
    best: Fraction | None = None
    for chosen in product(*rows):
        cost = sum((c for _, c, _ in chosen), Fraction(0))
        if (best is None or cost < best) and evaluate(session, Plan(tuple(p for *_, p in chosen)), space).feasible:
            best = cost
    return best


def modes(session: Session, module: Module, space: PlanSpace, counts: Counts) -> list[Mode]:
    """Latency, cost and plan of those that are faster or cheaper than all others."""
    alone = Session(module.name, session.slo_s, session.hardware, [module])
    found = []
    for plan in plans(session, module, space, counts):
        checked = evaluate(alone, Plan((plan,)), space)
        if checked.latency_s is not None and checked.latency_s <= session.slo_s:
            found.append((checked.latency_s, checked.modules[0].cost_per_h, plan))
    found.sort(key=lambda row: row[:2])
    kept: list[Mode] = []
    for row in found:
        if not kept or row[1] < kept[-1][1]:
            kept.append(row)
    return kept


def plans(session: Session, module: Module, space: PlanSpace, counts: Counts) -> Iterator[ModulePlan]:
    """The plans of a module with so many whole machines, and a partial one behind them."""
    price = session.price
    allowed = [c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)]
    ranked = sorted(allowed, key=lambda c: rank_key(c, price))
    for chosen in counts(module, ranked):
        yield from _written(module, space, [(c, n) for c, n in zip(ranked, chosen, strict=True) if n], ranked)


def few(most: int) -> Counts:
    """So many machines in all at most."""

    def within(left: int, size: int) -> Iterator[tuple[int, ...]]:
        if size == 0:
            yield ()
            return
        for n in range(left + 1):
            for rest in within(left - n, size - 1):
                yield (n, *rest)

    return lambda module, ranked: within(most, len(ranked))


def few_of_each(module: Module, ranked: Sequence[Configuration]) -> Iterable[tuple[int, ...]]:
    """At most `BOX` machines of each configuration."""
    return product(range(BOX + 1), repeat=len(ranked))


def enough_of_each(module: Module, ranked: Sequence[Configuration]) -> Iterable[tuple[int, ...]]:
    """Of each configuration at most as many as serve the rate alone: rules `none` and `machine` have no more."""
    return product(*(range(ceil(module.rate_rps / c.throughput_rps) + 1) for c in ranked))


def _written(
    module: Module, space: PlanSpace, used: list[tuple[Configuration, int]], ranked: list[Configuration]
) -> Iterator[ModulePlan]:
    """The plans with these whole machines: full ones, and those with a partial machine of any configuration behind."""
    rate = module.rate_rps
    whole = sum((n * c.throughput_rps for c, n in used), Fraction(0))
    rows = [Allocation(c, n) for c, n in used]
    if whole >= rate and used:
        yield ModulePlan(tuple(rows), whole - rate)
    last = ranked.index(used[-1][0]) if used else 0
    for c in ranked[last:]:
        before = [row for row in rows if row.configuration is not c]
        machines = next((row.machines for row in rows if row.configuration is c), 0)
        for partial in _partials(c, rate - whole, space):
            dummy = whole + partial - rate
            yield ModulePlan((*before, Allocation(c, machines, partial)), dummy)


def _partials(c: Configuration, left: Fraction, space: PlanSpace) -> Iterator[Fraction]:
    """Rates of a partial machine: what is left, and under rule `continuous` nearly all that it can take."""
    if 0 < left < c.throughput_rps:
        yield left
    if not space.dummy.countable:
        nearly = c.throughput_rps * (1 - Fraction(1, 10**12))
        if left < nearly:
            yield nearly
