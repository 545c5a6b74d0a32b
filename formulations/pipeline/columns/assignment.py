"""The common part of all plans of small loss: GPUs to assign before the search of the rest, for many GPUs.

A plan that loses little serves almost as much as the linear program's solution, with almost the same pipelines. The
least requests per second of a pipeline in such plans are a linear program too. It has fractions of GPUs, so its answer
holds for every plan. The virtual GPUs that even this answer needs are assigned: they are the *bulk*. The rest is a node
of few GPUs with the same prices, and patterns of the bulk's columns there start at the bulk.

HiGHS's floats prove nothing here. Its duals give a lower bound as a sum, with a slack for rounding (weak duality).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from formulations.engines.highs_arrays import Linear
from formulations.pipeline.columns.dominance import EQUAL, undominated, unmerged
from formulations.pipeline.columns.enumeration import Floats, Ints
from formulations.pipeline.columns.node import Node
from formulations.pipeline.columns.problem import Counts
from formulations.pipeline.columns.relaxation import usage
from formulations.tolerances import SUMS

MOST_TRIED = 100
"""Whole GPUs to leave if plans may differ by more, as a mean over types."""
MOST_TRIED_OF_TYPE = 1000
"""Most whole GPUs of one type to leave if plans may differ by more."""
LOOSE = 0.5
"""Part of its requests per second in the linear program down to which we take a column as needed."""
HALVINGS = 40
"""Number of times that the allowed difference of plans is halved; after that only rounding is left."""
SPARE = 1e-6
"""Part of the linear program's requests per second that the solver's rounding may lose."""

Bulk = tuple[tuple[int, Ints], ...]
"""Assigned virtual GPUs of some columns by position."""


@dataclass(frozen=True, slots=True)
class Rest:
    """The rest of an instance after GPUs are assigned.

    Attributes:
        node: the node with the bulk and the rest, with its own progress apart from that of the whole.
        exact: whether every plan that loses no more than the gap has this bulk.
    """

    node: Node
    exact: bool

    @property
    def plan(self) -> Counts:
        """The plan found, the bulk included."""
        return [*self.node.bulk, *(self.node.progress.plan or [])]


@dataclass(frozen=True, slots=True)
class Common:
    """The common part of plans that lose no more than a gap.

    Attributes:
        node: the node with the columns that matter for such plans.
        gap: worth that such a plan may lose.
        least: by column, its least requests per second in any such plan.
        basis: by column, requests per second that it serves in one such plan on fractions of GPUs.
    """

    node: Node
    gap: float
    least: Mapping[int, float]
    basis: Mapping[int, float]


def rests(node: Node, gap: float) -> list[Rest]:
    """The rest after assigning the GPUs that every plan within the gap needs; nothing if there is no such plan.

    If much is left then, the first of two rests is smaller, since more than the common part is assigned there.
    """
    parts = _parts(node, gap)
    if parts is None:
        return []
    less, left = parts
    found = [] if less is left else [Rest(less, False)]
    return [*found, Rest(left, node.problem.whole)]


def few_left(node: Node, gap: float) -> Node | None:
    """About as few GPUs as hold the whole numbers of the linear program's pipelines; None if no plan loses so little.

    This assigns more than the common part of plans within the gap.
    """
    parts = _parts(node, gap)
    return None if parts is None else parts[0]


def loosest(node: Node) -> list[int]:
    """Columns of the linear program that some plan better than the incumbent does not need, by falling worth."""
    common = _common(node, node.what_may_be_lost)
    if common is None:
        return []
    prices, least, basis = node.relaxation, common.least, common.basis
    worth = {c: served * float(prices.model[node.columns.model[c]]) for c, served in basis.items()}
    return sorted((c for c in least if least[c] < LOOSE * basis[c]), key=lambda c: (-worth[c], c))


def rounded(node: Node) -> Counts:
    """The linear program's pipelines, rounded down so that they fit, or up to serve the rates for least cost."""
    columns, basis = node.columns, node.relaxation.basis
    if not node.problem.cost:
        return list(_allowed(node, _bulk(node, basis)))
    # The linear solver's rounding may miss a rate by a little, so this serves a little more.
    up = [(c, np.ceil(served / columns.rate[c] * (1 + SPARE)).astype(np.int64)) for c, served in basis.items()]
    return list(_allowed(node, tuple(up)))


def _parts(node: Node, gap: float) -> tuple[Node, Node] | None:
    """A small rest after assigning more, and the whole rest; None if no plan loses so little."""
    common = _common(node, gap)
    if common is None:
        return None
    bulk = _bulk(common.node, common.least)
    allowed = _allowed(common.node, bulk)
    # Every plan would need two pipelines of a sequence that may have only one.
    if len(allowed) < len(bulk):
        return None
    left = _next_to(common.node, gap, allowed)
    return _less(common, left), left


def _common(node: Node, gap: float) -> Common | None:
    """The common part of plans that lose no more than the gap; None if there is no such plan."""
    near = _near(node, gap)
    served = _served(node, near, gap)
    if served is None:
        return None
    others = np.setdiff1d(np.arange(len(node.columns)), near)
    return Common(replace(node, relaxation=node.relaxation.without(others)), gap, *served)


def _near(node: Node, gap: float) -> Ints:
    """Columns that may be part of plans within the gap, without those that others replace."""
    problem, columns, prices = node.problem, node.columns, node.relaxation
    near = node.scope(gap).find_columns()
    # A plan may use one more column if its sequence has no other, or may have any number of them.
    alone = np.bincount(columns.sequence[near])[columns.sequence[near]] == 1
    across = alone if problem.one_per_sequence else np.ones(len(near), dtype=bool)
    # Only columns without a loss leave open how much each of them serves.
    best = prices.reduced_cost[near] <= EQUAL * prices.model[columns.model[near]]
    kept = near[best][undominated(columns.take(near[best]), across[best])]
    near = np.sort(np.concatenate([near[~best], kept]))
    candidates = np.flatnonzero(np.isin(near, kept))
    return near[unmerged(columns.take(near), candidates, alone=problem.one_per_sequence)]


def _served(node: Node, near: Ints, gap: float) -> tuple[dict[int, float], dict[int, float]] | None:
    """Requests per second of some columns in plans within the gap: the least, and those in one plan.

    GPUs may be fractions there. None means that there is no such plan, no columns that HiGHS failed.
    """
    matrix, upper, objective = _linear_program(node, near, gap)
    used = matrix[: len(node.problem.count)].T
    # A column serves no more than all GPUs of any one of its types.
    most = (node.problem.count / np.maximum(used, 1e-300)).min(axis=1)
    linear = Linear(matrix, upper)
    best = linear.solve(objective)
    if best is None:
        return None if not len(near) or linear.has_none(matrix, upper, most) else ({}, {})
    least = {}
    for c in np.flatnonzero(best.values > 0):
        cost = (np.arange(len(near)) == c).astype(float)
        optimum = linear.solve(cost)
        # Any duals prove a bound; the linear solver's tolerances do not matter.
        duals = np.zeros(len(upper)) if optimum is None else optimum.duals
        terms = np.concatenate([np.minimum(cost + duals @ matrix, 0.0) * most, -duals * upper])
        least[int(near[c])] = max(0.0, float(terms.sum() - SUMS * np.abs(terms).sum()))
    return least, {column: float(best.values[near == column][0]) for column in least}


def _linear_program(node: Node, near: Ints, gap: float) -> tuple[Floats, Floats, Floats]:
    """Plans on fractions of GPUs that lose no more than the gap, as matrix · x ≤ upper; and an objective to begin with.

    Rows: the GPUs of each type, the requests per second of each model, and the worth of the used GPUs.
    """
    problem, prices = node.problem, node.relaxation
    chosen = node.columns.take(near)
    used = usage(chosen, len(problem.count))
    need = np.array([problem.least_served(m, prices.bound - gap) for m in problem.models])
    serves = (chosen.model[None, :] == np.arange(len(need))[:, None]).astype(float)
    # For least cost, idle scarce GPUs lose as well, so the row limits the cost itself.
    spent, most_spent = (problem.price, -prices.bound) if problem.cost else (prices.gpu, float(prices.model @ need))
    matrix = np.vstack([used.T, -serves, used @ spent])
    upper = np.concatenate([problem.count, -need, [most_spent + gap]])
    upper += SUMS * np.abs(upper)
    return matrix, upper, used @ spent if problem.cost else prices.reduced_cost[near]


def _less(common: Common, left: Node) -> Node:
    """The rest after assigning more until it is small."""
    node = common.node
    worth = node.relaxation.model[node.columns.model]
    apart = abs(node.relaxation.bound)
    for _ in range(HALVINGS):
        count = left.problem.count
        if np.log1p(count).mean() <= math.log1p(MOST_TRIED) and count.max() <= MOST_TRIED_OF_TYPE:
            break
        # Assume that plans differ from the linear program's by half as much worth as before.
        apart /= 2
        more = {c: max(served, common.basis[c] - apart / float(worth[c])) for c, served in common.least.items()}
        left = _next_to(node, common.gap, _allowed(node, _bulk(node, more)))
    return left


def _bulk(node: Node, least: Mapping[int, float]) -> Bulk:
    """Virtual GPUs of columns for at most the given rates, as far as they fill whole GPUs of every position.

    Args:
        node: the instance.
        least: requests per second by column.
    """
    columns, found = node.columns, []
    for column, served in least.items():
        share, rate = columns.share[column], columns.rate[column]
        # Only whole GPUs of a position are assigned, since a part of one may be filled otherwise in other plans.
        count = np.floor(served * (1 - SUMS) / rate / share).astype(np.int64) * share
        if count.any():
            found.append((column, count))
    return tuple(found)


def _allowed(node: Node, bulk: Bulk) -> Bulk:
    """The bulk; the largest entry of each sequence of GPU types if a plan may have only one pipeline per sequence."""
    if not node.problem.one_per_sequence:
        return bulk
    first: dict[int, tuple[int, Ints]] = {}
    for column, count in sorted(bulk, key=lambda entry: -int(entry[1].sum())):
        first.setdefault(int(node.columns.sequence[column]), (column, count))
    return tuple(first.values())


def _next_to(node: Node, gap: float, bulk: Bulk) -> Node:
    """The node with an assigned bulk, with no more GPUs than plans within the gap can use next to it."""
    problem, columns, prices = node.problem, node.columns, node.relaxation
    gpus = np.zeros((len(problem.weight), len(problem.count)))
    for column, count in bulk:
        for k in np.flatnonzero(columns.live[column]):
            gpus[columns.model[column], columns.gpu[column, k]] += count[k] // columns.share[column, k]
    # The bulk counts as serving the worth of its GPUs, so losses of patterns on top of it are their own.
    left = replace(problem, served=gpus @ prices.gpu / prices.model, spent=gpus @ problem.price)
    need = sum(left.least_served(m, prices.bound - gap) * prices.model[m] for m in problem.models)
    # Rounded up in favour of plans; a count that is whole except for rounding stays that count.
    most = np.floor((need + gap) * (1 + SUMS) / prices.gpu + 1e-6)
    count = np.maximum(np.minimum(problem.count - gpus.sum(axis=0), most), 0).astype(np.int64)
    return replace(node, problem=replace(left, count=count), bulk=bulk, progress=replace(node.progress, trace=[]))
