"""Patterns and labels of one model in exact arithmetic: the plain twin of `patterns` and `pools` (ours).

Requests per second are whole multiples of one common unit, which Python's integers hold however large they are. What
plans lose is measured in floating point, with a slack in their favour: it only says what need not be looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

import numpy as np

from euclio.problems.pipeline import Cluster
from formulations.effort import Effort
from formulations.pipeline.columns.enumeration import Columns, Ints
from formulations.pipeline.columns.node import Node


@dataclass(frozen=True, slots=True)
class ExactPattern:
    """A column with its numbers of virtual GPUs.

    Attributes:
        column: index of the column.
        count: virtual GPUs by position.
        served: requests per second.
    """

    column: int
    count: tuple[int, ...]
    served: Fraction


Chosen = tuple[ExactPattern, "Chosen"] | None
"""Patterns of a label, the last one first."""


class ExactLabel(NamedTuple):
    """A way to pack patterns of a model: requests per second that it serves, in units, and the patterns."""

    served: int
    chosen: Chosen


def exact_rates(cluster: Cluster, columns: Columns, column: int) -> list[Fraction]:
    """Requests per second of one virtual GPU by position, link limits included, of a column's partitions."""
    model, rates, first = cluster.models[int(columns.model[column])], [], 0
    for k in np.flatnonzero(columns.live[column]):
        gpu = cluster.gpus[int(columns.gpu[column, k])]
        share, batch, end = (int(entry[column, k]) for entry in (columns.share, columns.batch, columns.end))
        own = model.latency_s(gpu.name, share, first, end - 1, batch)
        assert own is not None
        ends = [model.transfer_s_per_request[cut - 1] for cut in (first, end) if 0 < cut < model.blocks]
        rates.append(min([batch / own, *(1 / (x * share * gpu.gpus_per_server) for x in ends if x)]))
        first = end
    return rates


def exact_patterns(node: Node, cluster: Cluster, near: Ints, gap: float) -> Iterator[ExactPattern]:
    """Patterns of some columns that may be part of a plan that loses no more than the gap, each once.

    A pattern serves what one of its partitions serves on a whole number of virtual GPUs, and has no more virtual GPUs
    for its other partitions than that takes. A column loses its reduced cost on all that it serves.
    """
    columns, reduced_cost, slack = node.columns, node.relaxation.reduced_cost, node.relaxation.slack
    for column in near.tolist():
        rates = exact_rates(cluster, columns, column)
        live = np.flatnonzero(columns.live[column])
        room = [int(node.problem.count[columns.gpu[column, k]] * columns.share[column, k]) for k in live]
        found = set()
        for rate, most in zip(rates, room, strict=True):
            for n in range(1, most + 1):
                served = n * rate
                # More virtual GPUs serve more, and so lose more; they need more at the other positions as well.
                if reduced_cost[column] * float(served) > gap + slack:
                    break
                count = tuple(math.ceil(served / own) for own in rates)
                if any(own > limit for own, limit in zip(count, room, strict=True)):
                    break
                if count not in found:
                    found.add(count)
                    yield ExactPattern(column, count, served)


@dataclass(frozen=True, slots=True)
class Part:
    """What a pattern takes and serves.

    Attributes:
        amount: parts of GPUs by type.
        odd: parts of each pool's last GPU.
        served: requests per second in units.
        pattern: the pattern.
    """

    amount: tuple[int, ...]
    odd: tuple[int, ...]
    served: int
    pattern: ExactPattern


@dataclass(frozen=True, slots=True)
class Counting:
    """How GPUs of a model are counted.

    Attributes:
        unit: parts of a GPU by type.
        pools: position and type of the pools; none where fractions of GPUs are added up.
        most: parts that there are, by type.
    """

    unit: tuple[int, ...]
    pools: tuple[tuple[int, int], ...]
    most: tuple[int, ...]

    def filled(self, amount: Sequence[int], odd: Sequence[int]) -> tuple[int, ...]:
        """Parts of GPUs by type, every pool counted up to whole GPUs."""
        parts = list(amount)
        for (_, t), own in zip(self.pools, odd, strict=True):
            parts[t] += -own % self.unit[t]
        return tuple(parts)


def counting_of(node: Node, patterns: Iterable[ExactPattern]) -> Counting:
    """Parts of GPUs and pools in which all given patterns of a model can be counted in whole numbers."""
    columns, problem = node.columns, node.problem
    used = {
        (k, int(columns.gpu[p.column, k]), int(columns.share[p.column, k]))
        for p in patterns
        for k in range(len(p.count))
    }
    unit = tuple(math.lcm(1, *(share for _, t, share in used if t == own)) for own in range(len(problem.count)))
    pools = sorted({(k, t) for k, t, share in used if share > 1}) if problem.whole else []
    return Counting(unit, tuple(pools), tuple(int(n) * u for n, u in zip(problem.count, unit, strict=True)))


def pack_exactly(
    node: Node, model: int, patterns: Sequence[ExactPattern], target: float, gap: float, effort: Effort
) -> tuple[dict[tuple[Fraction, ...], ExactLabel], int]:
    """The most that a model is served with each amount of GPUs that it may have in a plan that loses at most the gap.

    Args:
        node: the instance.
        model: index of the model.
        patterns: its patterns.
        target: value that a plan has to exceed.
        gap: worth that a plan may lose.
        effort: what has been tried.

    Returns:
        Labels by GPUs of each type, and units per request per second.

    Raises:
        UndecidedError: there are too many pairs of label and pattern, or the deadline has passed.
    """
    counting = counting_of(node, patterns)
    units = math.lcm(1, *(p.served.denominator for p in patterns))
    prices, nothing = node.relaxation, ((0,) * len(counting.unit), (0,) * len(counting.pools))
    request = float(prices.model[model])
    need = node.problem.least_served(model, target) * request
    part = [float(worth) / u for worth, u in zip(prices.gpu, counting.unit, strict=True)]

    def may_complete(amount: tuple[int, ...], odd: tuple[int, ...], served: int) -> bool:
        # In floats, with a slack in favour of plans: it only says what need not be looked at.
        if any(own > most for own, most in zip(counting.filled(amount, odd), counting.most, strict=True)):
            return False
        worth = sum(own * each for own, each in zip(amount, part, strict=True))
        value = served / units * request
        enough = worth + max(need - value, 0.0) <= need + gap + 2 * prices.slack
        return enough and worth - value <= gap + prices.slack

    labels: dict[tuple[tuple[int, ...], tuple[int, ...]], ExactLabel] = {nothing: ExactLabel(0, None)}
    for group in _groups(node, counting, patterns, units):
        # Only one pattern of a group is packed, so labels of this round are not extended in it.
        before = list(labels.items())
        for (amount, odd), label in before:
            for own in group:
                effort.count()
                total = tuple(map(sum, zip(amount, own.amount, strict=True)))
                left = tuple(
                    (a + b) % counting.unit[t] for a, b, (_, t) in zip(odd, own.odd, counting.pools, strict=True)
                )
                served = label.served + own.served
                known = labels.get((total, left))
                if (known is None or known.served < served) and may_complete(total, left, served):
                    labels[total, left] = ExactLabel(served, (own.pattern, label.chosen))
    found: dict[tuple[Fraction, ...], ExactLabel] = {}
    for (amount, odd), label in labels.items():
        gpus = tuple(Fraction(n, u) for n, u in zip(counting.filled(amount, odd), counting.unit, strict=True))
        if gpus not in found or found[gpus].served < label.served:
            found[gpus] = label
    return found, units


def _groups(node: Node, counting: Counting, patterns: Sequence[ExactPattern], units: int) -> list[list[Part]]:
    """Patterns of which a plan has only one: of a column, whose patterns make one together, or of a sequence."""
    columns = node.columns
    key = columns.sequence if node.problem.one_per_sequence else range(len(columns))
    ordered = sorted(patterns, key=lambda p: int(key[p.column]))
    groups = []
    for _, members in groupby(ordered, key=lambda p: int(key[p.column])):
        best: dict[tuple[tuple[int, ...], tuple[int, ...]], Part] = {}
        for p in members:
            own = _part(node, counting, p, units)
            if (own.amount, own.odd) not in best or best[own.amount, own.odd].served < own.served:
                best[own.amount, own.odd] = own
        groups.append(list(best.values()))
    return groups


def _part(node: Node, counting: Counting, pattern: ExactPattern, units: int) -> Part:
    """What a pattern takes, in the counting's parts of GPUs, and serves, in `units` per request per second."""
    columns, amount, odd = node.columns, [0] * len(counting.unit), [0] * len(counting.pools)
    for k, n in enumerate(pattern.count):
        t = int(columns.gpu[pattern.column, k])
        parts = n * counting.unit[t] // int(columns.share[pattern.column, k])
        amount[t] += parts
        if (k, t) in counting.pools:
            odd[counting.pools.index((k, t))] += parts % counting.unit[t]
    return Part(tuple(amount), tuple(odd), int(pattern.served * units), pattern)
