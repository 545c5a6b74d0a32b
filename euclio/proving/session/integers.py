"""A module's numbers as 64-bit integers, every rounding on the optimistic side.

Rates are in units of 1/S requests per second: throughputs are rounded up and the module's rate down, so that a plan has
to buy less than in truth. `unit` and `slack` bound the rounding the other way, for the rates that machines collect
from. Costs are in units of 1/C: prices are rounded down. So the search works on a relaxation: it holds every plan of
the module, and a few that exact arithmetic refuses.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.problems.session.policies import Form
from euclio.problems.session.rules import DummyRule
from euclio.proving.session.modules import Ranked, fixed_latency, share_need

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

RULE = {DummyRule.NONE: 0, DummyRule.MACHINE: 1, DummyRule.CONTINUOUS: 2}
NONE, MACHINE, CONTINUOUS, FULL = 0, 1, 2, 3
"""How machines may be filled. Under `FULL`, machines are charged whole, and dummies fill all of them."""

UNREACHABLE = 1 << 62
"""The need of a machine that no rate brings within the budget."""

RATE_BITS = 60
COST_BITS = 58
WIDEST = 1 << 20
"""Throughputs and needs above this many times the module's rate are cut there, without loss."""

MOST_REACHABLE = 1 << 21


class ScaledModule(NamedTuple):
    """The input of the compiled search of one module under one budget; arrays have one entry per configuration.

    Attributes:
        throughput: S·t rounded up.
        price: C·p rounded down.
        unit_cost: C·p / (S·t), rounded down.
        whole_need: rate that a whole machine has to collect from; `UNREACHABLE` if none will do.
        part_need: rate that a partial machine has to collect from; in form `EVEN` the rate that each machine of its
            allocation has to take; `UNREACHABLE` if none will do.
        group: equal for equal ratios.
        full: whether the configuration may be in a plan of whole machines that take exactly the rate.
        most_from: largest throughput of a usable whole machine from here on, shape (configurations + 1,).
        reachable: least sum of prices at or above k·grid, in units of grid; empty if unknown.
        grid: common divisor of all prices; 0 means none.
        rate: S·T rounded down.
        unit: how much a throughput may be too high: 0 or 1.
        slack: how much the rate may be too low: 0 or 1.
        rule: dummy rule, or `FULL`.
        whole: whether the partial machine is charged whole.
        fixed: whether a whole machine's latency does not depend on what it collects from.
        shared: whether machines of one throughput-cost ratio collect together.
        even: whether the machines of the last allocation share its rate.
        most: most allocations.
    """

    throughput: Ints
    price: Ints
    unit_cost: Floats
    whole_need: Ints
    part_need: Ints
    group: Ints
    full: NDArray[np.bool_]
    most_from: Ints
    reachable: Ints
    grid: int
    rate: int
    unit: int
    slack: int
    rule: int
    whole: bool
    fixed: bool
    shared: bool
    even: bool
    most: int


class Prices(NamedTuple):
    """Prices as integers.

    Attributes:
        scale: units per money per hour.
        price: price of each configuration in units, rounded down.
        grid: common divisor of all prices; 0 if unknown.
        reachable: least sum of prices at or above k·grid, in units of grid; empty if unknown.
    """

    scale: Fraction
    price: list[int]
    grid: int
    reachable: Ints


def prices_on_grid(m: Ranked, cap: Fraction | None) -> Prices:
    """Scale prices so that `cap` has about 58 bits; without a cap costs do not count."""
    nothing = np.zeros(0, dtype=np.int64)
    if cap is None:
        return Prices(Fraction(0), [0] * len(m.price), 0, nothing)
    common = math.lcm(*(p.denominator for p in m.price)) if m.price else 1
    times = math.floor((1 << COST_BITS) / (cap * common))
    # A common denominator beyond 64 bits, so prices are rounded down instead.
    if times == 0:
        scale = (1 << COST_BITS) / cap
        return Prices(scale, [min(math.floor(p * scale), UNREACHABLE) for p in m.price], 0, nothing)
    scale = Fraction(times * common)
    scaled = [int(p * scale) for p in m.price]
    grid = math.gcd(*scaled)
    reachable = nothing
    # A table of all sums pays where they are few; without it sums are multiples of the grid.
    if grid and cap * scale / grid < MOST_REACHABLE:
        reachable = _reachable({p // grid for p in scaled}, math.ceil(cap * scale / grid) + 2)
    return Prices(scale, [min(p, UNREACHABLE) for p in scaled], grid if grid < UNREACHABLE else 0, reachable)


def _reachable(steps: set[int], size: int) -> Ints:
    """For every sum below `size` the least sum of steps at or above it; `size` if there is none."""
    can = np.zeros(size + 1, dtype=bool)
    can[0] = can[size] = True
    if 0 in steps:
        steps = steps - {0}
    for step in steps:
        # Sums with any number of this step: along each residue a sum stays reachable from the first one on.
        if step < size:
            rows = -(-(size + 1) // step)
            padded = np.zeros(rows * step, dtype=bool)
            padded[: size + 1] = can
            can = np.logical_or.accumulate(padded.reshape(rows, step), axis=0).reshape(-1)[: size + 1]
    positions = np.where(can, np.arange(size + 1), size)
    return np.minimum.accumulate(positions[::-1])[::-1].astype(np.int64)


def can_fill_exactly(m: Ranked) -> list[bool]:
    """Which configurations can be in a plan of whole machines that take exactly the rate.

    If T = Σ n·t, then n_k·t_k is a fraction over the common denominator of all the others and T. So n_k is a multiple
    of the part of t_k's denominator beyond that one. Where that many machines exceed the rate, no plan uses any.
    """
    left = set(range(len(m.throughput)))
    changed = True
    while changed:
        changed = False
        for k in sorted(left):
            t = m.throughput[k]
            others = math.lcm(m.rate.denominator, *(m.throughput[i].denominator for i in left if i != k))
            times = t.denominator // math.gcd(t.denominator, others)
            # Not even the least number that an exact sum can hold fits into the rate.
            if times * t > m.rate:
                left.discard(k)
                changed = True
    return [k in left for k in range(len(m.throughput))]


def scaled(
    m: Ranked, prices: Prices, full: list[bool], budget: Fraction, strict: bool, affordable: Fraction | None
) -> ScaledModule:
    """The module under a latency budget.

    Args:
        m: the module.
        prices: its prices.
        full: per configuration whether whole machines of it can be part of a plan that takes exactly the rate.
        budget: latency budget in seconds.
        strict: whether latencies have to stay below the budget, not only within.
        affordable: cost at and beyond which plans do not matter; it limits how much dummies may fill up.
    """
    largest = _largest(m, budget, affordable)
    wide = [min(t, largest) for t in m.throughput]
    scale = _rate_scale(m.rate, wide, largest)
    throughput = [math.ceil(t * scale) for t in wide]
    exact = all(t * scale == n for t, n in zip(wide, throughput, strict=True))
    rate = math.floor(m.rate * scale)
    ceiling = math.ceil(largest * scale)
    whole, part = _needs(m, budget, strict, scale, ceiling)
    most_from = [-1] * (len(throughput) + 1)
    for k in range(len(throughput) - 1, -1, -1):
        most_from[k] = max(most_from[k + 1], throughput[k] if whole[k] < UNREACHABLE else -1)
    # A quotient of two floats is off by less than 1e-15 of its size; the search allows for more in each product.
    ratio = prices.scale / scale
    return ScaledModule(
        throughput=np.array(throughput, dtype=np.int64),
        price=np.array(prices.price, dtype=np.int64),
        unit_cost=np.array([float(u * ratio) for u in m.unit_cost], dtype=np.float64),
        whole_need=np.array(whole, dtype=np.int64),
        part_need=np.array(part, dtype=np.int64),
        group=np.array(m.group, dtype=np.int64),
        full=np.array(full, dtype=np.bool_),
        most_from=np.array(most_from, dtype=np.int64),
        reachable=prices.reachable,
        grid=prices.grid,
        rate=rate,
        unit=0 if exact else 1,
        slack=0 if m.rate * scale == rate else 1,
        rule=FULL if m.filled else RULE[m.dummy],
        whole=m.whole,
        fixed=m.policy.form.by_configuration,
        shared=m.policy.form is Form.TIED,
        even=m.policy.form is Form.EVEN,
        most=m.most,
    )


def _largest(m: Ranked, budget: Fraction, affordable: Fraction | None) -> Fraction:
    """A rate in requests per second beyond which rates make no difference to the search."""
    largest = max(m.rate, min(max(m.throughput), WIDEST * m.rate))
    if m.policy.form.in_sequence if m.filled else not m.dummy.countable:
        # A machine's need is bought in full, by machines that are no cheaper than the best ratio.
        needs = (_own_need(m, k, budget) for k, c in enumerate(m.configurations) if c.duration_s < budget)
        best = m.unit_cost[0]
        largest = max(largest, *(n for n in needs if affordable is None or n * best < affordable), largest)
    return 2 * largest


def _rate_scale(rate: Fraction, throughput: list[Fraction], largest: Fraction) -> Fraction:
    """A scale with about 60 bits for the largest rate, on which as many numbers as possible are whole."""
    room = (1 << RATE_BITS) / largest
    # All rates are whole if they fit, else the module's alone, else everything is rounded.
    for common in (math.lcm(rate.denominator, *(t.denominator for t in throughput)), rate.denominator):
        times = math.floor(room / common)
        if times:
            return Fraction(times * common)
    return room


def _own_need(m: Ranked, k: int, budget: Fraction) -> Fraction:
    """Rate that a machine of configuration k needs to itself within a budget that is longer than its duration."""
    c = m.configurations[k]
    return share_need(m, k, budget) if m.policy.form is Form.EVEN else c.batch / (budget - c.duration_s)


def _needs(m: Ranked, budget: Fraction, strict: bool, scale: Fraction, ceiling: int) -> tuple[list[int], list[int]]:
    whole: list[int] = []
    part: list[int] = []
    cut = max(m.throughput) > WIDEST * m.rate
    for k, c in enumerate(m.configurations):
        room = budget - c.duration_s
        # No rate brings a machine below its own duration.
        if room <= 0:
            whole.append(UNREACHABLE)
            part.append(UNREACHABLE)
            continue
        exact = _own_need(m, k, budget) * scale
        # Rates are whole numbers here, so the next whole number is the least that exceeds a need. Rule `continuous`
        # has no such steps: it may fill up to any rate.
        stepped = math.floor(exact) + 1 if strict else math.ceil(exact)
        need = stepped if m.stepped else math.floor(exact)
        # No machine meets a need beyond every rate, unless throughputs were cut too; the exact check decides.
        part.append(need if need <= ceiling else ceiling if cut else UNREACHABLE)
        if m.policy.form.in_sequence:
            whole.append(part[-1])
        else:
            latency = fixed_latency(m, k)
            whole.append(0 if latency < budget or (latency == budget and not strict) else UNREACHABLE)
    return whole, part
