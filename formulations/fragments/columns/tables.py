"""The least GPU share of stages as tables for compiled pricing, in whole numbers (ours)."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from euclio.core.compiled import compiled
from euclio.core.errors import InapplicableError
from euclio.problems.fragments import FragmentSpace
from euclio.problems.fragments.stages import Frontier, Stages
from formulations.fragments.candidates import TimeUpError
from formulations.fragments.columns.types import MOST_TICKS, Ints, Types

# Mixes: a set's numbers of fragments of each class of a begin, and the loads as their sums (ours).

MOST_MIXES = 2**12
"""Most mixes of a begin, because of the size of tables."""


@dataclass(frozen=True, slots=True)
class Mixes:
    """The mixes of a begin.

    Attributes:
        number: fragments of each class, shape (mixes, classes); the first class varies fastest.
        rate: rates in units, shape (mixes,).
        members: numbers of fragments, shape (mixes,).
    """

    number: Ints
    rate: Ints
    members: Ints


def mixes_of(types: Types, begin: int, most: int) -> Mixes:
    """The mixes of the fragments that begin at a layer, up to a number of each class.

    Raises:
        InapplicableError: there are too many.
    """
    own = types.begin == begin
    weights = np.unique(types.weights[own])
    sizes = [min(most, int(types.counts[own & (types.weights == weight)].sum())) for weight in weights]
    mixes = math.prod(size + 1 for size in sizes)
    if mixes > MOST_MIXES:
        raise InapplicableError(f"fragments that begin at layer {begin} have too many different rates")
    radix = np.cumprod([1, *(size + 1 for size in sizes[:-1])]).astype(np.int64)
    number = np.arange(mixes)[:, None] // radix % (np.array(sizes) + 1)
    return Mixes(number, number @ weights, number.sum(axis=1))


def rates_of_loads(mixes: Sequence[Mixes], most: int, *, alike: bool, counted: bool) -> Ints:
    """The rate of each possible load of sets, in units; 0 if no set has it.

    Args:
        mixes: mixes of each begin.
        most: most fragments of a set.
        alike: whether all fragments have the rate 1.
        counted: whether loads tell the number of members.
    """
    # With one rate a load is the number of fragments.
    if alike:
        return np.arange(most + 1)
    reached = {(0, 0)}
    for own in mixes:
        parts = set(zip(own.rate.tolist(), own.members.tolist(), strict=True))
        reached = {
            (rate + more, members + others if counted else 0)
            for rate, members in reached
            for more, others in parts
            if not counted or members + others <= most
        }
    loads = {rate * (most + 1) + members if counted else rate: rate for rate, members in reached}
    rates = np.zeros(max(loads) + 1, dtype=np.int64)
    rates[list(loads)] = list(loads.values())
    return rates


@compiled
def divide_mixes(least: Ints, number: Ints) -> None:
    """Lower the share of each mix in one head to its share in one head or several.

    Args:
        least: share by time and mix, shape (rows, mixes); changed.
        number: see `Mixes`.
    """
    for mix in range(1, len(number)):
        # Divide into a part of no more than half, and the rest.
        for part in range(1, mix // 2 + 1):
            fits = True
            for c in range(number.shape[1]):
                fits = fits and number[part, c] <= number[mix, c]
            if fits:
                for row in range(len(least)):
                    least[row, mix] = min(least[row, mix], least[row, part] + least[row, mix - part])


UNIT = 2**20
"""Prices and GPU shares are whole numbers of this part of a percent, so that reduced costs are exact."""
NEVER = 2**50
"""The GPU share of a stage that is too slow, in units. It exceeds that of any plan, and its sums fit into 64 bits."""
MOST_PCT = 2**28
"""Least refused GPU share of a stage; it is lower if the stages of a set could add up to `NEVER`."""
MOST_FRAGMENTS = 2000
"""Most fragments of a set, because of the size of tables."""
MOST_ENTRIES = 2**25
"""Most entries of a table."""


class Tables(NamedTuple):
    """Least GPU shares, in units, of shared stages and of heads by time and load.

    A *class* is a begin and a rate. A *mix* gives the number of fragments of each class of a begin; with one rate, mix
    k has k. The *load* of a set is a sum over its mixes of the rate in units of the types' common one, times
    `load_base`, plus the members if that is above 1.

    Shared stages of re-partition point p take the rows `shared_start[p]` to `shared_start[p + 1]`, heads that begin at
    the layer `begins[b]` and end at p the rows `own_start[b, p]` to `own_end[b, p]`; rows by ascending time.

    Attributes:
        begins: layers at which fragments begin, ascending, shape (begins,).
        most: most fragments of a set.
        class_begin: classes of begin b are those from `class_begin[b]` to `class_begin[b + 1]`.
        mix_begin: mixes of begin b are those from `mix_begin[b]` to `mix_begin[b + 1]`, the first of them empty.
        mix_number: fragments of each class, of the begin's classes in order, shape (mixes, most classes of a begin).
        mix_load: loads of the mixes, shape (mixes,).
        load_base: one more than `most` if rates differ and a set may not have all fragments, so that a load tells its
            members; else 1.
        shared_start: shape (layers + 1,).
        shared_ticks: times, shape (rows,).
        shared_cost: share by load, shape (rows, loads).
        shared_least: least share per load over all loads, rounded down, shape (rows,).
        own_start: shape (begins, layers).
        own_end: shape (begins, layers).
        own_ticks: times, shape (rows,).
        own_cost: share of the cheapest heads by mix of their begin, shape (rows, most mixes of a begin).
    """

    begins: Ints
    most: int
    class_begin: Ints
    mix_begin: Ints
    mix_number: Ints
    mix_load: Ints
    load_base: int
    shared_start: Ints
    shared_ticks: Ints
    shared_cost: Ints
    shared_least: Ints
    own_start: Ints
    own_end: Ints
    own_ticks: Ints
    own_cost: Ints

    def numbers(self, mixes: Ints) -> Ints:
        """Fragments of each class of sets with these mixes of each begin.

        Args:
            mixes: shape (sets, begins).

        Returns:
            Numbers, shape (sets, classes).
        """
        parts = []
        for b in range(len(self.begins)):
            classes = int(self.class_begin[b + 1] - self.class_begin[b])
            parts.append(self.mix_number[self.mix_begin[b] + mixes[:, b], :classes])
        return np.concatenate(parts, axis=1)


def tables_of(types: Types, stages: Stages, space: FragmentSpace, deadline: float = math.inf) -> Tables:
    """The tables of a plan space.

    Args:
        types: types of fragments.
        stages: stages of their network.
        space: plan space; the caller handles its sharing and budgets.
        deadline: `time.perf_counter` value.

    Raises:
        InapplicableError: times or shares do not fit into 64 bits, or there are too many mixes or loads.
        TimeUpError: the deadline has passed.
    """
    layers = stages.network.layers
    begins = np.unique(types.begin)
    total = int(types.counts.sum())
    most = total if space.max_members is None else min(total, space.max_members)
    if most > MOST_FRAGMENTS:
        raise InapplicableError(f"a set may have {most:,} fragments; this takes {MOST_FRAGMENTS:,}; allow fewer")
    mixes = [mixes_of(types, begin, most) for begin in begins.tolist()]
    # If weights differ and a set may not have all fragments, the rate does not tell the number of fragments. So the
    # number is the load's last digit, to a base beyond the largest number.
    alike = bool((types.weights == 1).all())
    counted = not alike and most < total
    base = most + 1 if counted else 1
    loads = [own.rate * base + own.members if counted else own.rate for own in mixes]
    rate = rates_of_loads(mixes, most, alike=alike, counted=counted)
    widest = max(len(own.rate) for own in mixes)

    # A set has a shared stage and at most as many own ones as fragments.
    most_pct = min(MOST_PCT, NEVER // UNIT // (most + 1))

    def table(first: int, end: int, rates: Ints, width: int) -> tuple[Ints, Ints]:
        if time.perf_counter() >= deadline:
            raise TimeUpError
        return _table(stages, (first, end), types.rate_rps, rates, width, space, most_pct)

    # No set shares a stage before the begin of its first fragment.
    empty = np.zeros(0, dtype=np.int64), np.zeros((0, len(rate)), dtype=np.int64)
    shared = [table(point, layers, rate, len(rate)) if point >= begins[0] else empty for point in range(layers)]
    own_rows = np.zeros((2, len(begins), layers), dtype=np.int64)
    # Own stages from a begin to the start of the shared one, with a table for each such pair.
    own: list[tuple[Ints, Ints]] = []
    rows = 0
    for b, begin in enumerate(begins.tolist()):
        for point in range(begin + 1, layers):
            ticks, heads = table(begin, point, mixes[b].rate, widest)
            divide_mixes(heads, mixes[b].number)
            own.append((ticks, heads))
            own_rows[:, b, point] = rows, rows + len(ticks)
            rows += len(ticks)
    shared_cost = np.concatenate([cost for _, cost in shared])
    mix_begin, number = _all_mixes(mixes)
    return Tables(
        begins,
        most,
        np.cumsum([0, *(m.number.shape[1] for m in mixes)]).astype(np.int64),
        mix_begin,
        number,
        np.concatenate(loads),
        base,
        np.cumsum([0, *(len(ticks) for ticks, _ in shared)]).astype(np.int64),
        np.concatenate([ticks for ticks, _ in shared]),
        shared_cost,
        (shared_cost[:, 1:] // np.arange(1, len(rate))).min(axis=1),
        own_rows[0],
        own_rows[1],
        np.concatenate([np.zeros(0, dtype=np.int64), *(ticks for ticks, _ in own)]),
        np.concatenate([np.zeros((0, widest), dtype=np.int64), *(cost for _, cost in own)]),
    )


def _all_mixes(mixes: list[Mixes]) -> tuple[Ints, Ints]:
    """The places of each begin's mixes among all of them, and their numbers of fragments by class."""
    number = np.zeros((sum(len(m.rate) for m in mixes), max(m.number.shape[1] for m in mixes)), dtype=np.int64)
    mix_begin = np.cumsum([0, *(len(m.rate) for m in mixes)]).astype(np.int64)
    for first, mix in zip(mix_begin.tolist(), mixes, strict=False):
        number[first : first + len(mix.rate), : mix.number.shape[1]] = mix.number
    return mix_begin, number


def _table(
    stages: Stages,
    layers: tuple[int, int],
    rate_rps: Fraction,
    rates: Ints,
    width: int,
    space: FragmentSpace,
    most_pct: int,
) -> tuple[Ints, Ints]:
    """Times at which some stage gets cheaper, and the least share within each by rate; a rate of 0 costs nothing."""
    different = np.unique(rates[rates > 0]).tolist()
    found = {rate: stages.frontier(*layers, rate * rate_rps, space.max_instances) for rate in different}
    ticks = np.unique(np.concatenate([_fitting(frontier, most_pct) for frontier in found.values()]))
    if len(ticks) * width > MOST_ENTRIES:
        raise InapplicableError("the rates of the fragments have too small a common divisor")
    cost = np.full((len(ticks), width), NEVER, dtype=np.int64)
    cost[:, 0] = 0
    for rate, frontier in found.items():
        share = frontier.within(ticks)
        fast = share < math.inf
        cost[np.ix_(fast, np.flatnonzero(rates == rate))] = (share[fast].astype(np.int64) * UNIT)[:, None]
    return ticks, cost


def _fitting(frontier: Frontier, most_pct: int) -> npt.NDArray[Any]:
    if len(frontier.ticks) and (int(frontier.ticks[-1]) >= MOST_TICKS or int(frontier.total_pct[0]) >= most_pct):
        raise InapplicableError("latencies or GPU shares have too many digits for 64 bits")
    return frontier.ticks.astype(np.int64)
