"""Clusters of many GPUs: all plans of small loss, with most GPUs assigned before the search of the rest (ours).

The method is deepening, as for tables that are too large. It searches all plans that lose no more than a small gap,
then those that may lose more, until one is found and proven. Each time it first assigns the GPUs that all these plans
have in common (`assignment`), and searches the few others exactly. It leaves out GPU types with more than enough GPUs;
the plan shows whether they are enough. If a plan may have only one pipeline of a sequence, all this happens in the
nodes of a branch and bound.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from formulations.pipeline.columns.assignment import few_left, loosest, rests, rounded
from formulations.pipeline.columns.dominance import EQUAL, unmerged
from formulations.pipeline.columns.enumeration import Ints
from formulations.pipeline.columns.milp import plan_next_to_bulk
from formulations.pipeline.columns.node import Node
from formulations.pipeline.columns.plans import serving_columns, value_of
from formulations.pipeline.columns.problem import Counts, Progress, TooManyError
from formulations.pipeline.columns.relaxation import LEAST_WORTH, Relaxation, relax, usage
from formulations.pipeline.columns.search import search_within
from formulations.tolerances import SUMS

# Branch and bound over the columns of each sequence of GPU types, if it may have only one (ours).
#
# A node has some of the columns; the others have infinite reduced cost in its relaxation. The search takes nodes by
# falling bound, and branches for one of two reasons:
#
# 1. The relaxation mixes columns of a sequence, which a plan may not. The sequence's columns are divided in two by
#    their use of GPU types, which parts the mixed ones.
# 2. The node is not searched to the end, since several columns serve the same at the same loss. A branch has one of
#    them, or the others.

MOST_SEARCHED = 50
"""Most nodes of the search; after that open nodes stay open."""


def branch_and_bound(root: Node, search: Callable[[Node], None]) -> None:
    """Search nodes by falling bound until no other can have a better plan.

    Args:
        root: the node of all columns.
        search: finds the best plan of a node's allowed columns if it can, and lowers the bound of its progress.

    Raises:
        OutOfTimeError: the deadline has passed.
    """
    # `proven` is the greatest bound of the closed nodes. The root's plans are worth no more than that or the greatest
    # bound of an open node.
    progress, proven, exhausted, searched = root.progress, -math.inf, True, 0
    opened = [(-progress.bound, 0, root.relaxation)]
    number = 0
    while opened:
        root.deadline.check()
        bound, _, relaxation = heapq.heappop(opened)
        progress.lower(max(-bound, proven))
        if -bound <= progress.target:
            # No open node can have a better plan than the incumbent.
            exhausted = False
            break
        node = replace(root, relaxation=relaxation, progress=replace(progress, bound=-bound, trace=[]))
        halves = _parted(node)
        if not halves:
            searched += 1
            _branch_on_columns(node, search, progress)
            own = node.progress
            done = own.exhausted or own.bound <= own.target or own.closed
            # Plans on fractions of GPUs are never searched to the end.
            over = done or searched >= MOST_SEARCHED or not root.problem.whole
            halves = [] if over else _one_or_others(node)
            exhausted = exhausted and own.exhausted
            proven = proven if halves else max(proven, -math.inf if own.exhausted else own.bound)
        for half in halves:
            solved = _relaxed(root, half)
            if solved is not None:
                number += 1
                # A part is worth no more than the whole, even if its own relaxation is worth more.
                heapq.heappush(opened, (-min(solved.bound, node.progress.bound), number, solved))
    progress.exhausted = exhausted and progress.plan is None
    progress.lower(proven)


def _branch_on_columns(node: Node, search: Callable[[Node], None], progress: Progress) -> None:
    """Search a node; its plan becomes the incumbent of the whole search if it is better, also when time runs out."""
    try:
        search(node)
    finally:
        if node.progress.plan is not None:
            progress.improve(node.progress.value, node.progress.plan)


def _relaxed(root: Node, kept: Ints) -> Relaxation | None:
    """The relaxation over some columns; all other columns have infinite reduced cost in it.

    Args:
        root: the node of all columns.
        kept: indices of the columns that are allowed.

    Returns:
        The relaxation; None if the columns kept cannot serve the rates.
    """
    columns = root.columns
    kept = kept[unmerged(columns.take(kept), np.arange(len(kept)), alone=True)]
    models = np.unique(columns.model[kept])
    solved = relax(root.problem, columns.take(kept)) if len(models) == len(root.problem.weight) else None
    if solved is None:
        return None
    reduced_cost = np.full(len(columns), np.inf)
    reduced_cost[kept] = solved.reduced_cost
    basis = {int(kept[c]): served for c, served in solved.basis.items()}
    return replace(solved, reduced_cost=reduced_cost, basis=basis)


def _parted(node: Node) -> list[Ints]:
    """A division of the columns in two that parts a sequence's mixed columns; no parts if none are mixed."""
    columns, prices = node.columns, node.relaxation
    of_sequence: dict[int, list[int]] = defaultdict(list)
    for column in sorted(prices.basis, key=lambda c: (-prices.basis[c], c)):
        of_sequence[int(columns.sequence[column])].append(column)
    mixed = [own for own in of_sequence.values() if len(own) > 1]
    if not mixed:
        return []
    # Take the sequence with the second column of most worth, since rounding it away would lose most.
    first, second = max(mixed, key=lambda own: prices.basis[own[1]] * prices.model[columns.model[own[1]]])[:2]
    kept = np.flatnonzero(np.isfinite(prices.reduced_cost))
    # One part has the columns nearer to the first in their use of GPU types, the other those nearer to the second.
    used = usage(columns.take(np.array([first, second, *kept])), len(node.problem.count))
    along = used @ (used[0] - used[1])
    upper = along[2:] > (along[0] + along[1]) / 2
    # Both are on one side, so this would part nothing. The first one gets a part of its own.
    if upper[kept == first].all() == upper[kept == second].all():
        upper = kept == first
    own = columns.sequence[kept] == columns.sequence[first]
    return [kept[~own | upper], kept[~own | ~upper]]


def _one_or_others(node: Node) -> list[Ints]:
    """A division of the columns in two by a sequence with several candidates: only one of these, or only the rest.

    Returns:
        Indices of the columns of either part; no parts if no sequence has several columns that matter.
    """
    columns, prices = node.columns, node.relaxation
    kept = np.flatnonzero(np.isfinite(prices.reduced_cost))
    several = {s for s, number in Counter(columns.sequence[kept].tolist()).items() if number > 1}
    equal = kept[prices.reduced_cost[kept] <= EQUAL * prices.model[columns.model[kept]]]
    for column in [*loosest(node), *equal.tolist()]:
        if int(columns.sequence[column]) in several:
            others = columns.sequence[kept] != columns.sequence[column]
            return [kept[others | (kept == column)], kept[kept != column]]
    return []


FIRST_PART = 1e-6
"""Part of the bound that plans may lose in the first search."""
WIDER = 1.5, 4.0
"""Least and largest factor of the allowed loss after a search without a plan."""
MOST_LEFT = 5000
"""Most whole GPUs of a type in the rest for a search of all plans."""
MOST_PROVING = 20_000
"""Most whole GPUs of a type in the rest once a good plan is known and no other way can prove it."""
EASY = 10**5
"""Aim of pairs of label and pattern for the next search."""
POWER = 4
"""Assumed power of the allowed loss with which the pairs of label and pattern grow."""


class _TooFewError(Exception):
    """There are too few GPUs of a type that the search took for plentiful."""


def search_many_gpus(node: Node) -> None:
    """Widen the allowed loss until the best plan is proven, or the rest is too large to search.

    Raises:
        OutOfTimeError: the deadline has passed.
    """
    if node.problem.one_per_sequence:
        _take(node, node, rounded(node))
        branch_and_bound(node, _search)
    else:
        _search(node)
    if not (node.progress.closed or node.progress.exhausted):
        _improve(node, _without_plenty(node))


def _search(node: Node) -> None:
    """A plan by rounding, else by MILP; then all plans of small loss."""
    scarce = _without_plenty(node)
    _take(node, node, rounded(node))
    if node.progress.plan is None:
        _improve(node, scarce)
    _widen(node, scarce)


def _improve(node: Node, scarce: Node) -> None:
    """Search a better plan by MILP, among those that waste no more than a GPU of every pool."""
    for own in [node] if scarce is node else [scarce, node]:
        pools = own.columns.gpu.shape[1] * len(own.problem.weight)
        gap = min(node.what_may_be_lost, pools * float(own.relaxation.gpu.sum()))
        # GPUs without worth would hide the size of the rest.
        left = own if (_plenty(own) & (own.problem.count > 0)).any() else few_left(own, gap)
        plan = None if left is None else plan_next_to_bulk(left, own.problem.count)
        if plan is not None and _take(node, own, plan):
            return


def _widen(node: Node, scarce: Node) -> None:
    """Search all plans within a growing gap; `scarce` is the node without plentiful GPU types."""
    progress, complete = node.progress, True
    gap = FIRST_PART * abs(node.relaxation.bound)
    while not progress.closed:
        node.deadline.check()
        missing = node.what_may_be_lost
        gap, before = min(gap, missing), progress.stats.get("pairs", 0)
        try:
            found = _search_gap(node, scarce, gap, complete=complete)
        except _TooFewError:
            # Some type is not plentiful after all, so from here on the search has all of them.
            scarce = node
            continue
        except TooManyError:
            # A search of all plans is too large. A search of some may still find a better one, but gives no bound.
            if not complete:
                return
            complete = False
            continue
        if not found and gap >= missing:
            return
        complete = complete or found
        if not found:
            wider = _wider(progress.stats.get("pairs", 0) - before)
            # Close to the whole gap, search all of it at once instead of most of it twice.
            gap = wider * gap if wider * WIDER[0] * gap < missing else missing


def _wider(pairs: float) -> float:
    """Factor of the allowed loss in the next search.

    Args:
        pairs: pairs of label and pattern in the last search.
    """
    least, most = WIDER
    return min(most, max(least, float((EASY / max(pairs, 1)) ** (1 / POWER))))


def _search_gap(node: Node, scarce: Node, gap: float, *, complete: bool) -> bool:
    """Find a better plan within the gap, and lower the bound if the search had all of them.

    Args:
        node: the instance.
        scarce: the instance without plentiful GPU types.
        gap: worth that a plan may lose.
        complete: whether to search all such plans if possible, not only some.

    Returns:
        Whether a better plan was found.

    Raises:
        _TooFewError: a plan needs more GPUs of a type than there are.
        TooManyError: the rest next to the bulk is too large.
        OutOfTimeError: the deadline has passed.
    """
    progress = node.progress
    all_lost = gap >= node.what_may_be_lost
    left = rests(scarce, gap)
    proving = all_lost and progress.plan is not None and complete
    most = MOST_PROVING if proving and not node.problem.one_per_sequence else MOST_LEFT
    if complete and left and left[-1].node.problem.count.max() > most:
        raise TooManyError
    # If a plan as good as this is known, a search of some plans will hardly find a better one.
    searched = left[:1] if not complete else left[-1:] if proving else left
    for rest in searched:
        if search_within(rest.node, gap):
            if not _take(node, scarce, rest.plan):
                raise TooManyError if scarce is node else _TooFewError
            if rest.exact:
                progress.lower(progress.target)
            return True
    # No plan loses so little, since nothing is left, or the search covered the whole rest.
    if not searched or (complete and searched[-1].exact):
        progress.lower(progress.target if all_lost else node.relaxation.bound - gap)
        progress.exhausted = all_lost and progress.plan is None
    return False


def _plenty(node: Node) -> np.ndarray:
    """Types with more GPUs than plans need, so that these are worth nothing."""
    prices = node.relaxation
    return np.asarray(prices.gpu * node.problem.count <= 2 * LEAST_WORTH * abs(prices.bound))


def _without_plenty(node: Node) -> Node:
    """The node without GPU types that are worth nothing because there are more GPUs than plans need.

    If such GPUs alone can serve a model in full by one pipeline, the model keeps only that one.
    """
    problem, columns, plenty = node.problem, node.columns, _plenty(node)
    if problem.cost or not plenty.any():
        return node
    free = np.isin(columns.gpu, np.flatnonzero(plenty))
    alone = ~(columns.live & ~free).any(axis=1)
    served = np.unique(columns.model[alone])
    rows = [np.flatnonzero(alone & (columns.model == m)) for m in served]
    kept = np.array([own[np.argmin(node.relaxation.reduced_cost[own])] for own in rows], dtype=np.int64)
    free[kept] = False
    left = replace(
        columns,
        gpu=np.where(free, -1, columns.gpu),
        share=np.where(free, 1, columns.share),
        rate=np.where(free, np.inf, columns.rate),
    )
    others = np.setdiff1d(np.flatnonzero(np.isin(columns.model, served)), kept)
    needed = problem.weight[served] * abs(node.relaxation.bound) @ usage(columns.take(kept), len(plenty))
    # One GPU of each pool more than the need of a plan as good as the bound.
    enough = np.where(needed > 0, np.ceil(needed) + columns.gpu.shape[1] * len(kept), 0.0)
    if (plenty & (enough > problem.count)).any():
        return node
    count = np.where(plenty, enough, problem.count).astype(np.int64)
    prices = node.relaxation.without(others)
    return replace(node, problem=replace(problem, count=count), columns=left, relaxation=prices)


def _take(node: Node, scarce: Node, plan: Counts) -> bool:
    """Take a plan, with the GPUs that were left out, as the incumbent; whether it is better than the last one."""
    columns = node.columns
    whole: Counts = []
    # Rounding down leaves columns without a GPU at some position; the rest of such a column serves nothing.
    for column, count in serving_columns(scarce.columns, plan):
        live, rate = scarce.columns.live[column], columns.rate[column]
        # The searched types tell how much the plan serves; the types left out get the GPUs for it.
        served = float((count[live] * rate[live]).min())
        needed = np.where(columns.live[column], np.ceil(served / rate * (1 - SUMS)), 0).astype(np.int64)
        whole.append((column, np.where(live, count, needed)))
    value = value_of(node.problem, columns, whole)
    better = value > node.progress.value
    node.progress.improve(value, whole)
    return better
