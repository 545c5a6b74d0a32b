"""A search in exact arithmetic that closes the last small gap between incumbent and bound (ours).

Floating point leaves two questions open. Does a plan serve a load exactly, if several plans serve it to the last digit
or just miss it? Which of two values is greater, if they differ by less than rounding? So all plans that may be better
than the best one known are packed once more, in whole numbers.
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
from formulations.pipeline.columns.problem import Counts, TooManyError

# Patterns and labels of one model in exact arithmetic: the plain twin of `patterns` and `pools` (ours).
#
# Requests per second are whole multiples of one common unit, in Python's integers of any size. The losses of plans are
# floats, with a slack in favour of plans, and only decide what the search may leave out.


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
    """A packing of a model's patterns: its requests per second in units, and the patterns."""

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
    """Patterns of some columns that may be part of a plan within the gap, each once.

    A pattern serves as much as one of its partitions on a whole number of virtual GPUs, and has no more virtual GPUs
    for its other partitions than that needs. A column loses its reduced cost on each request.
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
                # More virtual GPUs serve more, so they lose more, and need more at the other positions as well.
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
    """The use of GPUs and the requests of a pattern.

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
    """The units for counting a model's GPUs.

    Attributes:
        unit: parts of a GPU by type.
        pools: position and type of the pools; none if fractions of GPUs add up.
        most: number of parts by type.
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
    """Parts of GPUs and pools that make all given patterns of a model whole numbers."""
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
    """The most requests of a model with each amount of GPUs that it may have in a plan within the gap.

    Args:
        node: the instance.
        model: index of the model.
        patterns: its patterns.
        target: value that a plan has to exceed.
        gap: worth that a plan may lose.
        effort: the work so far.

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
        # Floats with a slack in favour of plans, which only decide what the search may leave out.
        if any(own > most for own, most in zip(counting.filled(amount, odd), counting.most, strict=True)):
            return False
        worth = sum(own * each for own, each in zip(amount, part, strict=True))
        value = served / units * request
        enough = worth + max(need - value, 0.0) <= need + gap + 2 * prices.slack
        return enough and worth - value <= gap + prices.slack

    labels: dict[tuple[tuple[int, ...], tuple[int, ...]], ExactLabel] = {nothing: ExactLabel(0, None)}
    for group in _groups(node, counting, patterns, units):
        # A label has only one pattern of a group, so this round does not extend its own labels.
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
    """Groups of patterns with only one in a plan: those of a column, which merge into one, or of a sequence."""
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
    """The GPUs of a pattern in the counting's parts, and its requests in `units` per request per second."""
    columns, amount, odd = node.columns, [0] * len(counting.unit), [0] * len(counting.pools)
    for k, n in enumerate(pattern.count):
        t = int(columns.gpu[pattern.column, k])
        parts = n * counting.unit[t] // int(columns.share[pattern.column, k])
        amount[t] += parts
        if (k, t) in counting.pools:
            odd[counting.pools.index((k, t))] += parts % counting.unit[t]
    return Part(tuple(amount), tuple(odd), int(pattern.served * units), pattern)


MOST_PATTERNS = 20_000
"""Most patterns of all models; about a second."""
PATTERNS_BETWEEN_CHECKS = 1024
"""Patterns after which the time is checked."""
MOST_PAIRS = 10**6
"""Most pairs of label and pattern in total, some seconds."""
PAIRS_BETWEEN_CHECKS = 1024
"""Pairs after which the time is checked."""


Gpus = tuple[Fraction, ...]
"""GPUs by type."""


@dataclass(frozen=True, slots=True)
class Together:
    """The best of some models together on an amount of GPUs.

    Attributes:
        value: least requests per second per weight of the models; None if there are no models.
        chosen: patterns of each model.
    """

    value: Fraction | None
    chosen: tuple[Chosen, ...]


def search_exactly(node: Node, cluster: Cluster, value: Fraction | None) -> tuple[Fraction, Counts] | None:
    """The best plan of all, if it is better than the best one known.

    Args:
        node: the root of the search.
        cluster: the instance with exact numbers.
        value: value of the best plan known, costs with their sign changed; None if none is known.

    Returns:
        Value and plan; None if no plan is better.

    Raises:
        UndecidedError: the gap holds too many plans, or the deadline has passed.
    """
    node.deadline.check()
    problem, prices = node.problem, node.relaxation
    target = problem.worst - prices.slack if value is None else float(value) - prices.slack
    gap = prices.bound - target
    by_model = _patterns(node, cluster, gap)
    search = _ExactSearch(
        node, cluster, value, Effort(MOST_PAIRS, node.deadline.at, between_clocks=PAIRS_BETWEEN_CHECKS)
    )
    joint = {(Fraction(0),) * len(cluster.gpus): Together(None, ())}
    for m, patterns in enumerate(by_model):
        labels, units = pack_exactly(node, m, patterns, target, gap, search.effort)
        joint = search.with_model(joint, m, labels, units)
    return search.best(joint)


def _patterns(node: Node, cluster: Cluster, gap: float) -> list[list[ExactPattern]]:
    """Patterns by model that may be part of a plan within the gap."""
    by_model: list[list[ExactPattern]] = [[] for _ in cluster.models]
    near = node.scope(gap).find_columns()
    for number, pattern in enumerate(exact_patterns(node, cluster, near, gap)):
        if number >= MOST_PATTERNS:
            raise TooManyError
        if number % PATTERNS_BETWEEN_CHECKS == 0:
            node.deadline.check()
        by_model[node.columns.model[pattern.column]].append(pattern)
    return by_model


@dataclass(frozen=True, slots=True)
class _ExactSearch:
    """The combination of all models' labels.

    Attributes:
        node: the root of the search.
        cluster: the instance with exact numbers.
        known: value of the best plan known; None if none is known.
        effort: the work so far.
    """

    node: Node
    cluster: Cluster
    known: Fraction | None
    effort: Effort

    def with_model(
        self, joint: dict[Gpus, Together], model: int, labels: dict[Gpus, ExactLabel], units: int
    ) -> dict[Gpus, Together]:
        """Add a model: the best of all models so far by amount of GPUs, if it may beat the best plan known.

        Args:
            joint: the models before, by amount of GPUs.
            model: index of the model.
            labels: its labels by amount of GPUs.
            units: units of its labels per request per second.
        """
        found: dict[Gpus, Together] = {}
        counts = [gpu.count for gpu in self.cluster.gpus]
        values = {gpus: self._value(model, label, units) for gpus, label in labels.items()}
        useful = self._undominated({gpus: value for gpus, value in values.items() if value is not None})
        for used, before in joint.items():
            for gpus, value in useful:
                self.effort.count()
                total = tuple(a + b for a, b in zip(used, gpus, strict=True))
                if any(a > n for a, n in zip(total, counts, strict=True)):
                    continue
                both = value if before.value is None else min(before.value, value)
                # With more models the value only falls, and the cost only rises.
                if self.known is not None and self._worth(total, both) <= self.known:
                    continue
                if total not in found or (found[total].value or Fraction(0)) < both:
                    found[total] = Together(both, (*before.chosen, labels[gpus].chosen))
        return found

    def best(self, joint: dict[Gpus, Together]) -> tuple[Fraction, Counts] | None:
        """The best plan of all models, if it beats the best plan known."""
        best: tuple[Fraction, Together] | None = None
        for gpus, together in joint.items():
            assert together.value is not None
            worth = self._worth(gpus, together.value)
            if best is None or worth > best[0]:
                best = worth, together
        if best is None or (self.known is not None and best[0] <= self.known):
            return None
        return best[0], [entry for chosen in best[1].chosen for entry in self._counts(chosen)]

    def _value(self, model: int, label: ExactLabel, units: int) -> Fraction | None:
        """Requests per second per weight; for least cost 0 if the load is served. None means too few."""
        served, own = Fraction(label.served, units), self.cluster.models[model]
        if self.node.problem.cost:
            assert own.rate_rps is not None
            return Fraction(0) if served >= own.rate_rps else None
        return served / own.weight if served else None

    def _undominated(self, values: dict[Gpus, Fraction]) -> list[tuple[Gpus, Fraction]]:
        """Amounts of GPUs and their values, without amounts that have an equally good part."""
        kept: list[tuple[Gpus, Fraction]] = []
        # A part of another amount has the smaller sum, so it comes first.
        for gpus, value in sorted(values.items(), key=lambda entry: (sum(entry[0]), -entry[1])):
            for other, as_much in kept:
                self.effort.count()
                if as_much >= value and all(a <= b for a, b in zip(other, gpus, strict=True)):
                    break
            else:
                kept.append((gpus, value))
        return kept

    def _worth(self, gpus: Gpus, value: Fraction) -> Fraction:
        """Value of models on an amount of GPUs: their throughput or, for least cost, minus the price of the GPUs."""
        if not self.node.problem.cost:
            return value
        prices = [gpu.price_per_h or 0 for gpu in self.cluster.gpus]
        return -sum((n * price for n, price in zip(gpus, prices, strict=True)), Fraction(0))

    def _counts(self, chosen: Chosen) -> Counts:
        """The patterns of a label as a plan."""
        found: Counts = []
        while chosen is not None:
            pattern, chosen = chosen
            count: Ints = np.zeros(self.node.columns.gpu.shape[1], dtype=np.int64)
            count[: len(pattern.count)] = pattern.count
            found.append((pattern.column, count))
        return found
