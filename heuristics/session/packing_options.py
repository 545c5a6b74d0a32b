"""What each module may have where partial machines are shared: whole machines, and a partial one for others to join.

An option of a module is its whole machines and perhaps a partial machine, which may go to a machine that others are on
too. The heuristic for whole machines gives some, at ever smaller budgets; to these come all that have whole machines of
at most two configurations, the second of which ends in a partial machine. An option is left out if another one is no
more expensive, takes no more of a shared machine and is no slower (ours).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, total_of
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import partial_latency, path_times, whole_and_rest, whole_latency
from heuristics.session.whole_splitting import cover_module, whole_options

SHARED_COST, COST, WHOLE, OWN, DURATION, BUSY, MEMORY = range(7)
"""Columns of a table of options, see `PackingOptions`."""
MOST_KEPT = 400
"""Options of one module at most."""
FEWER = 3
"""Numbers of machines that are tried of the first of two configurations: the most, and fewer."""


class Models(NamedTuple):
    """Which machines hold which models.

    Attributes:
        hardware: index of the hardware type of each configuration, shape (configurations,), like the next one.
        memory: memory of its model in MB; 0 where that of its machines is not known.
        room: memory of a machine of each type in MB, infinite where it is not known; shape (hardware types,).
    """

    hardware: Ints
    memory: Floats
    room: Floats


class PackingOptions(NamedTuple):
    """The options of all modules, those of each by rising SHARED_COST.

    Attributes:
        first: start of each module's options, shape (modules + 1,).
        table: numbers by option, shape (options, 7): SHARED_COST, money per hour with the partial machine charged by
            the time that it is busy; COST, that of the whole machines alone; WHOLE, their largest latency in seconds;
            OWN, that of the partial machine if it has its machine to itself; DURATION of its batches in seconds; BUSY,
            the share of the time that it works; MEMORY of its model in MB.
        partial_at: configuration of the partial machine, -1 if there is none; shape (options,).
        machines: whole machines by configuration of the module, shape (options, most configurations of a module).
    """

    first: Ints
    table: Floats
    partial_at: Ints
    machines: Ints


class _Growing(NamedTuple):
    """The options that are kept so far, and what an option may take.

    Attributes:
        options: those of module m from `options.first[m]` on, in no order.
        size: how many there are of each module, shape (modules,).
        longest: the most seconds that the others leave each module, shape (modules,).
        most: the money per hour that it has to stay below, shape (modules,).
    """

    options: PackingOptions
    size: Ints
    longest: Floats
    most: Floats


@compiled
def packing_options(s: SessionArrays, models: Models, fills: bool, below: float) -> PackingOptions:
    """The options of every module that a plan for less than `below` may have.

    Args:
        s: the session, each module with a configuration.
        models: what the models of its configurations take.
        fills: whether dummies fill machines for nothing.
        below: cost per hour that plans have to stay below.
    """
    modules = s.rate.size
    widest = (s.first[1:] - s.first[:-1]).max()
    table = np.zeros((modules * MOST_KEPT, MEMORY + 1))
    partial_at, machines = np.full(table.shape[0], -1, np.int64), np.zeros((table.shape[0], widest), np.int64)
    options = PackingOptions(np.arange(modules + 1) * MOST_KEPT, table, partial_at, machines)
    longest, most = _limits(s, below)
    kept = _Growing(options, np.zeros(modules, np.int64), longest, most)
    for weight in (1.0, 0.5, 0.0):
        units, budgets = whole_options(s, fills, weight)
        for m in range(modules):
            own = np.zeros(s.first[m + 1] - s.first[m], np.int64)
            for option in range(units.first[m], units.first[m + 1]):
                _, at, rate = cover_module(s, m, budgets[option], fills, weight, own)
                _add(s, m, own, at, rate, models, kept)
    for m in range(modules):
        _add_pairs(s, m, models, kept)
    return _in_order(options, kept.size)


@compiled
def options_of(
    s: SessionArrays, models: Models, o: PackingOptions, machines: Ints, partial_at: Ints, partial: Floats
) -> Ints:
    """The option of each module that does as well as the machines that a plan has for it, -1 if none does.

    Args:
        s: the session.
        models: what the models of its configurations take.
        o: the options.
        machines: whole machines of the plan by configuration, shape (configurations,).
        partial_at: configuration of each module's partial machine, -1 if there is none; shape (modules,).
        partial: its rate, shape (modules,).
    """
    chosen = np.full(s.rate.size, -1, np.int64)
    for m in range(s.rate.size):
        own = machines[s.first[m] : s.first[m + 1]]
        row = _row(s, m, own, partial_at[m], partial[m], models)
        for k in range(o.first[m], o.first[m + 1]):
            same = o.partial_at[k] == partial_at[m] and (o.machines[k, : own.size] == own).all()
            if same or _replaces(s, models, o.table[k], o.partial_at[k], row, partial_at[m]):
                chosen[m] = k
                break
    return chosen


@compiled
def _limits(s: SessionArrays, below: float) -> tuple[Floats, Floats]:
    """By module, the most seconds that the others leave it, and the most money per hour; shape (modules,)."""
    modules = s.rate.size
    fastest, least = np.empty(modules), np.empty(modules)
    for m in range(modules):
        fastest[m] = s.duration[s.first[m] : s.first[m + 1]].min()
        least[m] = s.rate[m] * s.unit_cost[s.first[m] : s.first[m + 1]].min()
    before, after = np.zeros(modules), np.zeros(modules)
    path_times(s, fastest, before, after)
    return s.slo - before - after, below - (total_of(least) - least)


@compiled
def _add_pairs(s: SessionArrays, m: int, models: Models, kept: _Growing) -> None:
    """Add the options with a partial machine and whole machines of its configuration and of at most one before it."""
    lo, hi = s.first[m], s.first[m + 1]
    own = np.zeros(hi - lo, np.int64)
    for last in range(lo, hi):
        whole, rest = whole_and_rest(s.rate[m], s.throughput[last], s.rate[m])
        own[last - lo] = whole
        if rest > 0.0:
            _add(s, m, own, last, rest, models, kept)
        own[last - lo] = 0
        for before in range(lo, last if s.max_allocations > 1 else lo):
            filled, _ = whole_and_rest(s.rate[m], s.throughput[before], s.rate[m])
            for count in range(filled, max(0, filled - FEWER), -1):
                whole, rest = whole_and_rest(s.rate[m] - count * s.throughput[before], s.throughput[last], s.rate[m])
                own[before - lo], own[last - lo] = count, whole
                if rest > 0.0:
                    _add(s, m, own, last, rest, models, kept)
            own[before - lo] = own[last - lo] = 0


@compiled
def _add(s: SessionArrays, m: int, own: Ints, at: int, rate: float, models: Models, kept: _Growing) -> None:
    """Keep an option, and drop those that it makes needless, unless it is needless itself, too slow or too expensive.

    Args:
        s: the session.
        m: its module.
        own: whole machines by configuration of the module.
        at: configuration of the partial machine; -1 means none.
        rate: rate of the partial machine.
        models: what the models of its configurations take.
        kept: all options.
    """
    o, size = kept.options, kept.size[m]
    if size == MOST_KEPT:
        return
    row = _row(s, m, own, at, rate, models)
    # Too slow for any budget, or too expensive even if its partial machine were shared without loss.
    if max(row[WHOLE], row[OWN]) > kept.longest[m] * (1.0 + TIE) or row[SHARED_COST] >= kept.most[m]:
        return
    start = o.first[m]
    # An option that is no worse in anything makes this one needless: it may be put in its place in every packing.
    for option in range(start, start + size):
        if _replaces(s, models, o.table[option], o.partial_at[option], row, at):
            return
    # And the other way round: those that are kept close up, in their order.
    end = start
    for option in range(start, start + size):
        if _replaces(s, models, row, at, o.table[option], o.partial_at[option]):
            continue
        if end < option:
            o.table[end], o.partial_at[end] = o.table[option], o.partial_at[option]
            o.machines[end] = o.machines[option]
        end += 1
    o.table[end], o.partial_at[end] = row, at
    o.machines[end, : own.size] = own
    kept.size[m] = end + 1 - start


@compiled
def _row(s: SessionArrays, m: int, own: Ints, at: int, rate: float, models: Models) -> Floats:
    """The numbers of an option; arguments as of `_add`."""
    row = np.zeros(MEMORY + 1)
    lo, left = s.first[m], s.rate[m]
    if at < 0:
        left = max(left, total_of(own * s.throughput[lo : s.first[m + 1]]))
    for k in range(lo, s.first[m + 1]):
        count, here = own[k - lo], rate if k == at else 0.0
        if count > 0:
            row[WHOLE] = max(row[WHOLE], whole_latency(s, k, count, here, left, left))
            row[COST] += count * s.price[k]
        if k == at:
            row[OWN] = partial_latency(s, k, count, rate, left, left)
            row[DURATION], row[MEMORY] = s.duration[k], models.memory[k]
            row[BUSY] = rate * s.duration[k] / s.batch[k]
        left -= count * s.throughput[k]
    row[SHARED_COST] = row[COST] + (row[BUSY] * s.price[at] if at >= 0 else 0.0)
    return row


@compiled
def _replaces(s: SessionArrays, models: Models, one: Floats, at: int, other: Floats, other_at: int) -> bool:
    """Whether the one option, with its partial machine of configuration `at`, makes the other needless."""
    if at < 0:
        # Without a partial machine it waits for nobody.
        return bool(one[COST] <= other[COST] and one[WHOLE] <= max(other[WHOLE], other[OWN]))
    if other_at < 0:
        # Its partial machine may be one of its own.
        return bool(one[COST] + s.price[at] <= other[COST] and max(one[WHOLE], one[OWN]) <= other[WHOLE])
    return bool(
        models.hardware[at] == models.hardware[other_at] and (one[COST : MEMORY + 1] <= other[COST : MEMORY + 1]).all()
    )


@compiled
def _in_order(kept: PackingOptions, size: Ints) -> PackingOptions:
    """The options one module after the other, those of each by rising SHARED_COST."""
    first = np.zeros(size.size + 1, np.int64)
    first[1:] = np.cumsum(size)
    place = np.zeros(first[-1], np.int64)
    for m in range(size.size):
        start = kept.first[m]
        order = np.argsort(kept.table[start : start + size[m], SHARED_COST], kind="mergesort")
        place[first[m] : first[m + 1]] = start + order
    return PackingOptions(first, kept.table[place], kept.partial_at[place], kept.machines[place])
