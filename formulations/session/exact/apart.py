"""Weakly connected parts of a session searched apart, and their proofs put together (ours; docs/model/services.md).

If only prices tie parts together, the cheapest plans of the parts are the cheapest plan of all. A search over all of
them together takes as long as the product of its parts' searches, because a choice in one does not restrict the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.objectives import parts
from formulations.effort import INFEASIBLE, LIMIT, OPTIMAL
from formulations.session.exact.frontier_search import Proof


class Part(NamedTuple):
    """A weakly connected part of a session.

    Attributes:
        modules: places of its modules, ascending.
        configurations: places of their configurations, one module's after the other's.
        arrays: the part as a session.
    """

    modules: Ints
    configurations: Ints
    arrays: SessionArrays


def parts_of(s: SessionArrays) -> list[Part]:
    """The weakly connected parts of a session; a connected one is its only part."""
    parents = [s.parent[s.parent_first[m] : s.parent_first[m + 1]].tolist() for m in range(s.rate.size)]
    found = parts(parents)
    if len(found) == 1:
        return [Part(np.arange(s.rate.size), np.arange(s.batch.size), s)]
    return [_part(s, np.array(modules, np.int64)) for modules in found]


def charged(part: Part, price: Floats) -> SessionArrays:
    """The part at other prices of the session's configurations, per hour."""
    own = price[part.configurations]
    return part.arrays._replace(price=own, unit_cost=own / part.arrays.throughput)


def joined(s: SessionArrays, found: Iterable[tuple[Part, Proof]]) -> Proof:
    """The proof of a session from those of its parts, which are requested until one has no plan.

    Costs and bounds add up, and so do the gaps that a tolerance leaves between them.
    """
    machines, partial_at = np.zeros(s.batch.size, np.int64), np.full(s.rate.size, -1, np.int64)
    status, cost, bound, clear, path_s, counts = OPTIMAL, 0.0, 0.0, True, -np.inf, np.zeros(3, np.int64)
    for part, proof in found:
        counts += proof.solves, proof.nodes, proof.rounds
        if proof.status == INFEASIBLE:
            return proof._replace(
                machines=machines, partial_at=partial_at, solves=counts[0], nodes=counts[1], rounds=counts[2]
            )
        status = status if proof.status == OPTIMAL else LIMIT
        cost, bound = cost + proof.cost, bound + proof.bound
        clear, path_s = clear and proof.clear, max(path_s, proof.path_s)
        machines[part.configurations] = proof.machines
        own = proof.partial_at
        partial_at[part.modules] = np.where(own < 0, -1, part.configurations[own])
    return Proof(status, cost, bound, machines, partial_at, clear, path_s, *counts.tolist())


def proven_apart(s: SessionArrays, known: float, prove: Callable[[SessionArrays, float], Proof]) -> Proof:
    """The proof of a session, each part of which is proven by itself.

    Args:
        s: the session.
        known: cost per hour of the caller's plan; infinite means that it has none.
        prove: proves a session, given the cost of a known plan; there is none for a part.
    """
    own = parts_of(s)
    if len(own) == 1:
        return prove(s, known)
    proof = joined(s, ((part, prove(part.arrays, np.inf)) for part in own))
    # As in a search of all parts together, a plan that is not cheaper than the caller's is not returned.
    return proof if proof.cost < known else proof._replace(cost=np.inf, bound=min(proof.bound, known))


def _part(s: SessionArrays, modules: Ints) -> Part:
    """The part with these modules, none of which has a parent or child outside it."""
    own = [np.arange(s.first[m], s.first[m + 1]) for m in modules]
    places = np.concatenate(own)
    new = np.full(s.rate.size, -1, np.int64)
    new[modules] = np.arange(modules.size)
    parent_first, parent, edges = _rows(s.parent_first, s.parent, modules, new)
    child_first, child, _ = _rows(s.child_first, s.child, modules, new)
    arrays = s._replace(
        first=np.cumsum([0, *(len(one) for one in own)]),
        batch=s.batch[places],
        duration=s.duration[places],
        throughput=s.throughput[places],
        price=s.price[places],
        unit_cost=s.unit_cost[places],
        same_ratio=s.same_ratio[places],
        profile_index=s.profile_index[places],
        rate=s.rate[modules],
        low=np.concatenate((s.low[places], s.low[s.batch.size + modules])),
        order=np.array([new[m] for m in s.order if new[m] >= 0], np.int64),
        parent_first=parent_first,
        parent=parent,
        delay=s.delay[edges],
        child_first=child_first,
        child=child,
        end=s.end[modules],
    )
    return Part(modules, places, arrays)


def _rows(first: Ints, of: Ints, modules: Ints, new: Ints) -> tuple[Ints, Ints, Ints]:
    """Starts and numbers of some modules' rows, with their new numbers, and their old positions."""
    places = [np.arange(first[m], first[m + 1]) for m in modules]
    every = np.concatenate(places)
    return np.cumsum([0, *(len(own) for own in places)]), new[of[every]], every
