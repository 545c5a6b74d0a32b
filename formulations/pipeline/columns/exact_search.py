"""The last gap between incumbent and bound closed in exact arithmetic, where little is left in it (ours).

Floating point leaves two things open: whether a load is served exactly, where several plans serve it to the last digit
or just not, and which of two values is greater that differ by less than rounding. So all plans that may be better than
the best one known are packed once more, in whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from euclio.pipeline import Cluster
from formulations.pipeline.columns.enumeration import Ints
from formulations.pipeline.columns.exact_packing import (
    Chosen,
    Effort,
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


@dataclass(frozen=True, slots=True)
class Together:
    """Some models' best value with an amount of GPUs, None: of no models, and their patterns."""

    value: Fraction | None
    chosen: tuple[Chosen, ...]


def search_exactly(node: Node, cluster: Cluster, value: Fraction | None) -> tuple[Fraction, Counts] | None:
    """The best plan of all, if it is better than the best one known.

    Args:
        node: the instance.
        cluster: the same with exact numbers.
        value: value of the best plan known, costs with their sign changed; None: none is known.

    Returns:
        Value and plan; None: no plan is better.

    Raises:
        TooManyError: too much is left.
        OutOfTimeError: the deadline has passed.
    """
    node.deadline.check()
    problem, prices = node.problem, node.relaxation
    target = problem.worst - prices.slack if value is None else float(value) - prices.slack
    gap = prices.bound - target
    near = node.scope(gap).find_columns()
    by_model: list[list[ExactPattern]] = [[] for _ in cluster.models]
    for number, pattern in enumerate(exact_patterns(node, cluster, near, gap)):
        if number >= MOST_PATTERNS:
            raise TooManyError
        if number % PATTERNS_BETWEEN_CHECKS == 0:
            node.deadline.check()
        by_model[node.columns.model[pattern.column]].append(pattern)
    effort = Effort(node)
    joint = {(Fraction(0),) * len(cluster.gpus): Together(None, ())}
    for m, patterns in enumerate(by_model):
        labels, units = pack_exactly(node, m, patterns, target, gap, effort)
        values = {gpus: _value(node, cluster, m, label, units) for gpus, label in labels.items()}
        joint = _joined(node, cluster, joint, labels, values, value, effort)
    return _best(node, cluster, joint, value)


def _value(node: Node, cluster: Cluster, model: int, label: ExactLabel, units: int) -> Fraction | None:
    """Requests per second per weight; at least cost 0 where the load is served. None: too little."""
    served, own = Fraction(label.served, units), cluster.models[model]
    if node.problem.cost:
        assert own.rate_rps is not None
        return Fraction(0) if served >= own.rate_rps else None
    return served / own.weight if served else None


def _joined(
    node: Node,
    cluster: Cluster,
    joint: dict[tuple[Fraction, ...], Together],
    labels: dict[tuple[Fraction, ...], ExactLabel],
    values: dict[tuple[Fraction, ...], Fraction | None],
    known: Fraction | None,
    effort: Effort,
) -> dict[tuple[Fraction, ...], Together]:
    """One model more: the best by amount of GPUs of all models so far."""
    found: dict[tuple[Fraction, ...], Together] = {}
    counts = [gpu.count for gpu in cluster.gpus]
    useful = _mattering({gpus: value for gpus, value in values.items() if value is not None}, effort)
    for used, before in joint.items():
        for gpus, value in useful:
            effort.spend()
            total = tuple(a + b for a, b in zip(used, gpus, strict=True))
            if any(a > n for a, n in zip(total, counts, strict=True)):
                continue
            both = value if before.value is None else min(before.value, value)
            worth = -_cost(cluster, total) if node.problem.cost else both
            if known is not None and worth <= known:
                continue
            if total not in found or (found[total].value or Fraction(0)) < both:
                found[total] = Together(both, (*before.chosen, labels[gpus].chosen))
    return found


def _mattering(
    values: dict[tuple[Fraction, ...], Fraction], effort: Effort
) -> list[tuple[tuple[Fraction, ...], Fraction]]:
    """Amounts of GPUs with which no smaller one is worth as much."""
    kept: list[tuple[tuple[Fraction, ...], Fraction]] = []
    for gpus, value in sorted(values.items(), key=lambda entry: (sum(entry[0]), -entry[1])):
        for other, as_much in kept:
            effort.spend()
            if as_much >= value and all(a <= b for a, b in zip(other, gpus, strict=True)):
                break
        else:
            kept.append((gpus, value))
    return kept


def _best(
    node: Node, cluster: Cluster, joint: dict[tuple[Fraction, ...], Together], known: Fraction | None
) -> tuple[Fraction, Counts] | None:
    best: tuple[Fraction, Together] | None = None
    for gpus, together in joint.items():
        assert together.value is not None
        worth = -_cost(cluster, gpus) if node.problem.cost else together.value
        if best is None or worth > best[0]:
            best = worth, together
    if best is None or (known is not None and best[0] <= known):
        return None
    return best[0], [entry for chosen in best[1].chosen for entry in _counts(node, chosen)]


def _cost(cluster: Cluster, gpus: Sequence[Fraction]) -> Fraction:
    return sum((n * (gpu.price_per_h or 0) for n, gpu in zip(gpus, cluster.gpus, strict=True)), Fraction(0))


def _counts(node: Node, chosen: Chosen) -> Counts:
    """The patterns of a label as a plan."""
    found: Counts = []
    while chosen is not None:
        pattern, chosen = chosen
        count: Ints = np.zeros(node.columns.gpu.shape[1], dtype=np.int64)
        count[: len(pattern.count)] = pattern.count
        found.append((pattern.column, count))
    return found
