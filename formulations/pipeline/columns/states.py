"""States of a model: ways to pack its patterns, the best of each kind, kept by a hash table (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, is_past
from formulations.pipeline.columns.enumeration import Floats, Ints
from formulations.pipeline.columns.reach import Reach
from formulations.pipeline.columns.task import ROUNDING

MOST_STATES = 400_000
MOST_PAIRS = 3 * 10**7
"""Pairs of state and pattern to look at altogether, about a second."""


class Kinds(NamedTuple):
    """How states are told apart: by the GPUs that they use and what they take of the pools.

    Attributes:
        unit: parts of a GPU by type.
        limit: parts that there are.
        pool: GPU type of every pool that is not always used by whole GPUs.
    """

    unit: Ints
    limit: Ints
    pool: Ints


class Patterned(NamedTuple):
    """What patterns take and serve.

    Attributes:
        amount: parts of each GPU type, shape (patterns, types).
        odd: parts taken of each pool, shape (patterns, pools).
        served: requests per second.
    """

    amount: Ints
    odd: Ints
    served: Floats


class States(NamedTuple):
    """Ways to pack, in the order found, with room for more.

    Attributes:
        amount: parts of each GPU type, shape (room, types).
        odd: parts taken of the last GPU of each pool, shape (room, pools).
        served: requests per second.
        parent: the state that a pattern was added to.
        pattern: that pattern.
        key: hash of what is used and taken.
        best: whether it is the best of its kind.
        place: hash table by open addressing: the best state of a kind, or -1.
    """

    amount: Ints
    odd: Ints
    served: Floats
    parent: Ints
    pattern: Ints
    key: Ints
    best: np.ndarray
    place: Ints

    @property
    def alive(self) -> Ints:
        """The best states of all kinds."""
        return np.flatnonzero(self.best)

    def patterns_of(self, state: int) -> list[int]:
        """The patterns packed."""
        found = []
        while state:
            found.append(int(self.pattern[state]))
            state = int(self.parent[state])
        return found


def nothing_packed(kinds: Kinds) -> States:
    """The one state of no patterns."""
    states = _room_for(64, kinds.unit.size, kinds.pool.size)
    for array in (states.amount, states.odd, states.served, states.parent, states.pattern):
        array[0] = 0
    kept(states, np.zeros(1, dtype=np.int64))
    return states


@compiled
def _room_for(size: int, types: int, pools: int) -> States:
    """Room for states; the size is a power of 2."""
    return States(
        np.empty((size, types), np.int64),
        np.empty((size, pools), np.int64),
        np.empty(size),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.zeros(size, np.bool_),
        np.full(2 * size, -1, np.int64),
    )


@compiled
def kept(states: States, rows: Ints) -> None:
    """Of these states keep the best of each kind, and no others."""
    states.place[:] = -1
    states.best[:] = False
    for row in rows:
        key = 0
        for amount in states.amount[row]:
            key = _hashed(key, amount)
        for odd in states.odd[row]:
            key = _hashed(key, odd)
        states.key[row] = key
        slot = _slot(states.place, states.key, states.amount, states.odd, key, states.amount[row], states.odd[row])
        other = states.place[slot]
        if other < 0 or states.served[row] > states.served[other]:
            states.place[slot], states.best[row] = row, True
            if other >= 0:
                states.best[other] = False


@compiled
def packed(
    states: States,
    size: int,
    new: Ints,
    again: bool,
    patterns: Patterned,
    group: Ints,
    lost: Floats,
    kinds: Kinds,
    reach: Reach,
    most: tuple[int, float],
) -> tuple[States, int, int]:
    """Add every pattern of a group to every new state, and keep the best of each kind.

    Args:
        states: all states.
        size: their number.
        new: those that patterns are added to.
        again: add them to the states found as well.
        patterns: all patterns.
        group: those that are added, by loss.
        lost: these losses.
        kinds: how states are told apart.
        reach: what a state has to hold.
        most: pairs to try, and the time on `clock` to stop at.

    Returns:
        The states, their number, and the pairs tried; more than asked for: it stopped.
    """
    # Arrays in tuples cost a count of references at every use.
    unit, limit, pool = kinds
    patterns_amount, patterns_odd, patterns_served = patterns
    amounts, odds, rates, parents, last, keys, best, place = states
    part, rest, more = reach.part, reach.rest.values, reach.more.values
    rest_strides, more_strides = reach.rest.strides, reach.more.strides
    rest_step, more_step = reach.rest.step, reach.more.step
    amount, filled, odd = np.zeros(unit.size, np.int64), np.zeros(unit.size, np.int64), np.zeros(pool.size, np.int64)
    first, turn, tried, checked = size, 0, 0, 0
    while turn < new.size or (again and first + turn - new.size < size):
        s = new[turn] if turn < new.size else first + turn - new.size
        turn += 1
        if again and not best[s]:
            continue
        if tried - checked > 100_000:
            checked = tried
            if is_past(most[1]):
                return States(amounts, odds, rates, parents, last, keys, best, place), size, most[0] + 1
        worth_before = 0.0
        for t in range(unit.size):
            worth_before += part[t] * amounts[s, t]
        room = reach.gap - worth_before + rates[s] * reach.request
        for j in range(group.size):
            if lost[j] > room:
                break
            tried += 1
            p = group[j]
            served, key, worth, cell, fits = rates[s] + patterns_served[p], 0, 0.0, 0, True
            for t in range(unit.size):
                amount[t] = filled[t] = amounts[s, t] + patterns_amount[p, t]
                key = _hashed(key, amount[t])
                worth += part[t] * amount[t]
                fits = fits and amount[t] <= limit[t]
                if more.size:
                    cell += more_strides[t] * (amount[t] // more_step[t])
            if not fits:
                continue
            missing = max(reach.need - served * reach.request, 0.0) / (1 - reach.wasted)
            loss = worth - served * reach.request + reach.wasted * missing
            if worth + missing > reach.most or loss > reach.gap:
                continue
            if more.size and (served + more[cell]) * reach.request < reach.need:
                continue
            for k in range(pool.size):
                parts = unit[pool[k]]
                odd[k] = odds[s, k] + patterns_odd[p, k]
                if odd[k] >= parts:
                    odd[k] %= parts
                key = _hashed(key, odd[k])
                if odd[k]:
                    filled[pool[k]] += parts - odd[k]
            cell = 0
            for t in range(unit.size):
                fits = fits and filled[t] <= limit[t]
                if rest.size:
                    cell += rest_strides[t] * (filled[t] // unit[t] // rest_step[t])
            if not fits or (rest.size and worth + missing > rest[cell] * (1 + ROUNDING)):
                continue
            slot = _slot(place, keys, amounts, odds, key, amount, odd)
            row = place[slot]
            if row >= 0 and served <= rates[row]:
                continue
            if row < first or (again and row <= s):
                # Others may have been made from the one that it replaces.
                if row >= 0:
                    best[row] = False
                row = place[slot] = size
                best[row] = True
                size += 1
            for t in range(unit.size):
                amounts[row, t] = amount[t]
            for k in range(pool.size):
                odds[row, k] = odd[k]
            rates[row], keys[row], parents[row], last[row] = served, key, s, p
            if size == rates.size:
                if size >= MOST_STATES:
                    return States(amounts, odds, rates, parents, last, keys, best, place), size, most[0] + 1
                larger = _doubled(States(amounts, odds, rates, parents, last, keys, best, place))
                amounts, odds, rates, parents, last, keys, best, place = larger
        if tried > most[0]:
            break
    return States(amounts, odds, rates, parents, last, keys, best, place), size, tried


@compiled
def _doubled(states: States) -> States:
    size = states.served.size
    larger = _room_for(2 * size, states.amount.shape[1], states.odd.shape[1])
    larger.amount[:size], larger.odd[:size], larger.served[:size] = states.amount, states.odd, states.served
    larger.parent[:size], larger.pattern[:size], larger.key[:size] = states.parent, states.pattern, states.key
    larger.best[:size] = states.best
    for row in states.place:
        if row >= 0:
            slot = states.key[row] & (larger.place.size - 1)
            while larger.place[slot] >= 0:
                slot = (slot + 1) & (larger.place.size - 1)
            larger.place[slot] = row
    return larger


@compiled
def _hashed(key: int, number: int) -> int:
    mixed = (key ^ number) * 0x9E3779B97F4A7C1
    return mixed ^ (mixed >> 29)


@compiled
def _slot(place: Ints, keys: Ints, amounts: Ints, odds: Ints, key: int, amount: Ints, odd: Ints) -> int:
    """Where the state of this kind stands, or the free place for it."""
    last = place.size - 1
    slot = key & last
    while place[slot] >= 0:
        row = place[slot]
        if keys[row] == key:
            same = True
            for t in range(amount.size):
                same = same and amounts[row, t] == amount[t]
            for k in range(odd.size):
                same = same and odds[row, k] == odd[k]
            if same:
                break
        slot = (slot + 1) & last
    return slot
