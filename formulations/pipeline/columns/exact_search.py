"""The last gap between incumbent and bound closed in exact arithmetic, where little is left in it (ours).

Floating point leaves two things open: whether a load is served exactly, where several plans serve it to the last digit
or just not, and which of two values is greater that differ by less than rounding. So all plans that may be better than
the best one known are packed once more, in whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from euclio.problems.pipeline import Cluster
from formulations.effort import Effort
from formulations.pipeline.columns.enumeration import Ints
from formulations.pipeline.columns.exact_packing import (
    Chosen,
    ExactLabel,
    ExactPattern,
    exact_patterns,
    pack_exactly,
)
from formulations.pipeline.columns.node import Node
from formulations.pipeline.columns.problem import Counts, TooManyError

MOST_PATTERNS = 20_000
"""Patterns of all models; about a second."""
PATTERNS_BETWEEN_CHECKS = 1024
"""Patterns after which the time is checked."""
MOST_PAIRS = 10**6
"""Pairs of label and pattern to look at altogether, some seconds."""
PAIRS_BETWEEN_CHECKS = 1024
"""Pairs after which the time is checked."""


Gpus = tuple[Fraction, ...]
"""GPUs by type."""


@dataclass(frozen=True, slots=True)
class Together:
    """The best of some models together on an amount of GPUs.

    Attributes:
        value: least requests per second per weight of the models; None: there are no models.
        chosen: patterns of each model.
    """

    value: Fraction | None
    chosen: tuple[Chosen, ...]


def search_exactly(node: Node, cluster: Cluster, value: Fraction | None) -> tuple[Fraction, Counts] | None:
    """The best plan of all, if it is better than the best one known.

    Args:
        node: the root of the search.
        cluster: the instance with exact numbers.
        value: value of the best plan known, costs with their sign changed; None: none is known.

    Returns:
        Value and plan; None: no plan is better.

    Raises:
        UndecidedError: too much is left, or the deadline has passed.
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
    """Patterns by model that may be part of a plan that loses no more than the gap."""
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
        known: value of the best plan known; None: none is known.
        effort: what has been tried.
    """

    node: Node
    cluster: Cluster
    known: Fraction | None
    effort: Effort

    def with_model(
        self, joint: dict[Gpus, Together], model: int, labels: dict[Gpus, ExactLabel], units: int
    ) -> dict[Gpus, Together]:
        """One model more: the best of all models so far by amount of GPUs, where it may be better than what is known.

        Args:
            joint: the models before, by amount of GPUs.
            model: index of the model.
            labels: its labels by amount of GPUs.
            units: units per request per second that its labels count in.
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
        """The best plan of all models, if it is better than what is known."""
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
        """Requests per second per weight; at least cost 0 where the load is served. None: too little."""
        served, own = Fraction(label.served, units), self.cluster.models[model]
        if self.node.problem.cost:
            assert own.rate_rps is not None
            return Fraction(0) if served >= own.rate_rps else None
        return served / own.weight if served else None

    def _undominated(self, values: dict[Gpus, Fraction]) -> list[tuple[Gpus, Fraction]]:
        """Amounts of GPUs and their values, without those amounts of which a part is worth as much."""
        kept: list[tuple[Gpus, Fraction]] = []
        # An amount that is a part of another one has the smaller sum, and comes before it.
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
