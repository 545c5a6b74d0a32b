"""A plain exact reference for small loads over time: all uses of machines, all joint vectors, in integers.

Written from docs/model/load-over-time.md alone: it shares no code with a solver or with the checker. It lists every use
of at most so many machines per module and hardware type. Its value is the cost of a plan, and the least of all plans
within these numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import ceil, lcm, prod
from typing import NamedTuple

from euclio.problems.day import Day
from euclio.problems.session import Configuration, Module, Session

from .truth import TooLargeError, Truth

MOST_CELLS = 20_000
"""Joint vectors of machines beyond which the reference gives up."""

Vector = tuple[int, ...]


class Use(NamedTuple):
    """Machines by hardware type that serve in a module, all full: the rate that they take, and how long requests do."""

    machines: Vector
    rate: Fraction
    latency: Fraction


def day_truth(day: Day, space: object) -> Truth:
    """The optimum of a day with one module: no plan of it needs more machines of a type than serve it alone.

    Raises:
        TooLargeError: there are too many vectors, or several modules, of which the least of some plans is known alone.
    """
    most = ends(day, MOST_CELLS)
    if most is None or len(most) > 1:
        raise TooLargeError
    least = least_cost(day, most)
    return Truth(least, least)


def ends(day: Day, cells: int) -> list[Vector] | None:
    """Machines by module and type that are tried at most: what serves alone, and one more where there is room.

    Returns:
        None if there are more than so many joint vectors.
    """
    found = [_alone(day, m) for m in range(len(day.session.modules))]
    if prod(n + 1 for own in found for n in own) > cells:
        return None
    stock = [hardware.count for hardware in day.session.hardware]
    for m, h in product(range(len(found)), range(len(stock))):
        more = [list(own) for own in found]
        more[m][h] += 1
        count = stock[h]
        runs = any(c.hardware == day.session.hardware[h].name for c in day.session.modules[m].profile)
        if runs and (count is None or more[m][h] <= count) and prod(n + 1 for own in more for n in own) <= cells:
            found = [tuple(own) for own in more]
    return found


def _alone(day: Day, m: int) -> Vector:
    slo, rate = day.session.slo_s, max(step.rates_rps[m] for step in day.steps)
    found = []
    for hardware in day.session.hardware:
        fast = [c for c in day.session.modules[m].profile if c.hardware == hardware.name and c.duration_s < slo]
        count = min((ceil(max(rate, c.batch / (slo - c.duration_s)) / _rate(c)) for c in fast), default=0)
        found.append(count if hardware.count is None else min(count, hardware.count))
    return tuple(found)


def least_cost(day: Day, most: Sequence[Vector]) -> Fraction | None:
    """The least cost of all plans with at most so many machines by module and type; None if there is none."""
    session = day.session
    uses = [list(_uses(session, module, own)) for module, own in zip(session.modules, most, strict=True)]
    shape = [n + 1 for own in most for n in own]
    types = len(session.hardware)
    prices = [hardware.price_per_h for hardware in session.hardware] * len(most)
    running = [[p * step.length_s / 3600 for p in prices] for step in day.steps]
    state = [day.state.get(module.name, 0) for module in session.modules for _ in session.hardware]
    start = [day.price_per_change + own + p * day.warm_up_s / 3600 for p, own in zip(prices, state, strict=True)]
    stop = [day.price_per_change + own + p * day.keep_alive_s / 3600 for p, own in zip(prices, state, strict=True)]
    unit = lcm(*(value.denominator for row in (*running, start, stop) for value in row))
    up, down = [int(v * unit) for v in start], [int(v * unit) for v in stop]
    vectors = list(product(*map(range, shape)))
    allowed = [
        all(
            hardware.count is None or sum(on[h::types]) <= hardware.count for h, hardware in enumerate(session.hardware)
        )
        for on in vectors
    ]
    cost: list[int | None] | None = None
    for k, step in enumerate(day.steps):
        serves = _upward(_least_vectors(session, uses, step.rates_rps), shape)
        before = [0] * len(vectors) if cost is None else _after_changes(cost, shape, up, down)
        each = [int(v * unit) for v in running[k]]
        cost = [
            own + sum(p * n for p, n in zip(each, on, strict=True)) if fits and some and own is not None else None
            for own, on, fits, some in zip(before, vectors, serves, allowed, strict=True)
        ]
    assert cost is not None
    found = min((own for own in cost if own is not None), default=None)
    return None if found is None else Fraction(found, unit)


def _rate(c: Configuration) -> Fraction:
    return Fraction(c.batch * c.concurrency) / c.duration_s


def _uses(session: Session, module: Module, most: Vector) -> Iterator[Use]:
    """All uses of at most so many machines by type."""
    names = [hardware.name for hardware in session.hardware]
    price = {hardware.name: hardware.price_per_h for hardware in session.hardware}

    def rank(c: Configuration) -> tuple[bool, Fraction, Fraction, int, str, int]:
        paid = price[c.hardware]
        return bool(paid), -_rate(c) / paid if paid else Fraction(0), c.duration_s, c.batch, c.hardware, c.concurrency

    last_first = sorted(module.profile, key=rank, reverse=True)
    for counts in product(*(range(most[names.index(c.hardware)] + 1) for c in last_first)):
        machines = [0] * len(names)
        rate = latency = Fraction(0)
        for c, n in zip(last_first, counts, strict=True):
            if n:
                machines[names.index(c.hardware)] += n
                rate += n * _rate(c)
                latency = max(latency, c.duration_s + c.batch / rate)
        if any(counts) and all(own <= end for own, end in zip(machines, most, strict=True)):
            yield Use(tuple(machines), rate, latency)


def _least_vectors(
    session: Session, uses: Sequence[Sequence[Use]], rates_rps: Sequence[Fraction]
) -> set[tuple[int, ...]]:
    """Joint vectors that serve a step; every one that does has one of them below it."""
    unused = Use((0,) * len(session.hardware), Fraction(0), Fraction(0))
    fronts = [
        _front([use for use in own if use.rate >= rate]) if rate else [unused]
        for own, rate in zip(uses, rates_rps, strict=True)
    ]
    found: set[tuple[int, ...]] = set()
    for chosen in product(*fronts):
        if _longest(session, [use.latency for use in chosen]) <= session.slo_s:
            found.add(tuple(n for use in chosen for n in use.machines))
    return found


def _front(uses: Sequence[Use]) -> list[Use]:
    """Uses with fewer machines of some type than all that are as fast."""
    kept: list[Use] = []
    for use in sorted(uses, key=lambda own: (own.latency, sum(own.machines))):
        if not any(all(a <= b for a, b in zip(own.machines, use.machines, strict=True)) for own in kept):
            kept.append(use)
    return kept


def _longest(session: Session, latency: Sequence[Fraction]) -> Fraction:
    """The longest path through the DAG, module by module from the ends back."""
    children: dict[str, list[str]] = {module.name: [] for module in session.modules}
    for parent, child in session.edges:
        children[parent].append(child)
    own = {module.name: latency[m] for m, module in enumerate(session.modules)}

    def from_here(name: str) -> Fraction:
        return own[name] + max((from_here(child) for child in children[name]), default=Fraction(0))

    return max(from_here(name) for name in own)


def _upward(least: set[tuple[int, ...]], shape: Sequence[int]) -> list[bool]:
    """Whether a joint vector has one of these below it."""
    found = [on in least for on in product(*map(range, shape))]
    stride = 1
    for length in reversed(shape):
        for place in range(len(found)):
            if place // stride % length and found[place - stride]:
                found[place] = True
        stride *= length
    return found


def _after_changes(
    cost: Sequence[int | None], shape: Sequence[int], up: Sequence[int], down: Sequence[int]
) -> list[int | None]:
    """The least cost of each vector after machines were started and stopped, one type after the other."""
    found = list(cost)
    stride = 1
    for axis in reversed(range(len(shape))):
        length = shape[axis]
        for first in (place for place in range(len(found)) if not place // stride % length):
            line = found[first : first + stride * length : stride]
            for n in range(1, length):
                line[n] = _less(line[n], line[n - 1], up[axis])
            for n in reversed(range(length - 1)):
                line[n] = _less(line[n], line[n + 1], down[axis])
            found[first : first + stride * length : stride] = line
        stride *= length
    return found


def _less(own: int | None, other: int | None, change: int) -> int | None:
    if other is None or (own is not None and own <= other + change):
        return own
    return other + change
