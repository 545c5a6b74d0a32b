"""Solver `pipeline-bruteforce`: the best plan of a small cluster, by enumeration (docs/model/pipelines.md).

For each model, sets of its pipelines are listed sequence by sequence (at most one pipeline of each, or any number where
the plan space allows it); of those that use the same GPUs at the same places, the one with the most throughput stays.
Then the sets of all models are put together in every way that the cluster has GPUs for. Arithmetic is exact.

`every_sequence` demands one pipeline of every model on every sequence of GPU types, as PPipe's MILP is printed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from bruteforce.pipeline.shapes import Units, Use, UsedPipeline, pipelines_by_sequence, shape_count, units_of
from bruteforce.session.combination import TimeUpError
from euclio.core.errors import InapplicableError
from euclio.core.families import find_family
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.pipeline import Cluster, Model, Objective, Pipeline, PipelinePlan, PipelineSpace

NAME = "pipeline-bruteforce"
EVERY_SEQUENCE = "pipeline-bruteforce:every-sequence"
MOST_PIPELINES = 2_000_000
"""Pipelines of all models beyond which the enumeration refuses to begin."""
MOST_SETS = 200_000
"""Sets of GPUs that a model may use beyond which the enumeration refuses to begin."""

Sets = dict[Use, tuple[Fraction, tuple[Pipeline, ...]]]
"""By the GPUs used, the most throughput of a model and its pipelines."""
Totals = dict[tuple[int, ...], tuple[Fraction, tuple[Pipeline, ...]]]
"""By GPUs of each type in units of 1/L, the smallest weighted throughput and the pipelines of all models."""


def solve_by_pipeline_enumeration(
    cluster: Cluster, space: PipelineSpace, limits: Limits[PipelinePlan], *, every_sequence: bool = False
) -> Answer[PipelinePlan]:
    """The best plan of a cluster, by enumeration.

    Args:
        cluster: the cluster.
        space: plan space.
        limits: time limit.
        every_sequence: demand a pipeline of each model on each sequence of GPU types; the answer then bounds no space,
            and where there is no such plan the space may have others.

    Raises:
        InapplicableError: there is too much to list.
        InputError: least cost is asked for and a price or a load is missing.
    """
    _require_small(cluster, space)
    find_family("pipeline").check_space(cluster, space)
    deadline = limits.deadline()
    enumeration = _Enumeration(cluster, space, deadline, every_sequence, units_of(cluster, space))
    try:
        totals = enumeration.totals()
    except TimeUpError:
        return Answer(None, "time limit", reason="the time limit was reached before every plan was seen")
    value, pipelines = enumeration.best(totals) if totals else (Fraction(0), ())
    if not pipelines:
        how = ", with a pipeline on every sequence of GPU types" if every_sequence else ""
        reason = f"no plan serves every model within its SLO on these GPUs{how}"
        return Answer(None, "exhausted", infeasible=not every_sequence, reason=reason)
    bound = None if every_sequence else float(value)
    return Answer(PipelinePlan(pipelines), "exhausted", float(value), bound, stats={"sets": float(enumeration.sets)})


@dataclass(slots=True)
class _Enumeration:
    """The enumeration of one cluster's plans.

    Attributes:
        cluster: the cluster.
        space: plan space.
        deadline: `time.perf_counter` value at which to give up.
        every_sequence: whether each sequence has to be used.
        units: what GPUs are counted in.
        sets: sets of pipelines looked at.
    """

    cluster: Cluster
    space: PipelineSpace
    deadline: float
    every_sequence: bool
    units: Units
    sets: int = 0

    def totals(self) -> Totals:
        """All models together: the best there is for each number of GPUs.

        Raises:
            TimeUpError: the deadline has passed.
        """
        most = self.units.most
        # Below 0 stands for no model yet: the first one's throughput then is the smallest.
        totals: Totals = {(0,) * len(most): (Fraction(-1), ())}
        for model in self.cluster.models:
            alone: Totals = {}
            for use, (rate, pipelines) in self.sets_of(model).items():
                needed = model.rate_rps if self.space.objective is Objective.COST else None
                # A plan serves every model, and under least cost its load.
                if rate >= (needed or 0) and rate > 0:
                    _keep(alone, self.units.by_type(use), rate / model.weight, pipelines)
            together: Totals = {}
            for a, (low, first) in totals.items():
                for b, (rate, second) in alone.items():
                    units = tuple(x + y for x, y in zip(a, b, strict=True))
                    # GPUs are only ever added, so what does not fit now never will.
                    if all(n <= limit for n, limit in zip(units, most, strict=True)):
                        _keep(together, units, rate if low < 0 else min(low, rate), first + second)
            totals = together
        return totals

    def sets_of(self, model: Model) -> Sets:
        """Sets of a model's pipelines that fit into the cluster."""
        nothing = (0,) * (len(self.cluster.gpus) * self.space.most_partitions(self.cluster))
        sets: Sets = {nothing: (Fraction(0), ())}
        for pipelines in pipelines_by_sequence(self.cluster, model, self.space).values():
            added = self._added(sets.items(), pipelines)
            # Every sequence is demanded, so sets without one of its pipelines go.
            if self.every_sequence:
                sets = added
                continue
            # Any number on one sequence: stop when one more improves no set, as the GPUs bound them.
            while added:
                better = {use: found for use, found in added.items() if use not in sets or found[0] > sets[use][0]}
                sets.update(better)
                added = {} if self.space.one_per_sequence else self._added(better.items(), pipelines)
        return sets

    def _added(
        self, sets: Iterable[tuple[Use, tuple[Fraction, tuple[Pipeline, ...]]]], pipelines: list[UsedPipeline]
    ) -> Sets:
        """The sets that adding one of the pipelines to one of the sets makes, the best for each use of GPUs."""
        found: Sets = {}
        for use, (rate, chosen) in sets:
            if time.perf_counter() > self.deadline:
                raise TimeUpError
            for one in pipelines:
                self.sets += 1
                total = tuple(a + b for a, b in zip(use, one.use, strict=True))
                if self.units.fits(total):
                    _keep(found, total, rate + one.rate_rps, (*chosen, one.pipeline))
        return found

    def best(self, totals: Totals) -> tuple[Fraction, tuple[Pipeline, ...]]:
        """Value and pipelines of the best plan: most throughput, or least cost per hour."""
        if self.space.objective is Objective.THROUGHPUT:
            return max(totals.values(), key=lambda found: found[0])
        prices = [(gpu.price_per_h or Fraction(0)) / self.units.per_gpu for gpu in self.cluster.gpus]
        costs = {units: sum((p * n for p, n in zip(prices, units, strict=True)), Fraction(0)) for units in totals}
        cheapest = min(costs, key=lambda units: costs[units])
        return costs[cheapest], totals[cheapest][1]


def _keep(
    found: dict[tuple[int, ...], tuple[Fraction, tuple[Pipeline, ...]]],
    key: tuple[int, ...],
    value: Fraction,
    pipelines: tuple[Pipeline, ...],
) -> None:
    # Strictly more: ties keep the plan that was found first.
    if key not in found or value > found[key][0]:
        found[key] = (value, pipelines)


def _require_small(cluster: Cluster, space: PipelineSpace) -> None:
    pipelines = sum(shape_count(cluster, model, space) for model in cluster.models)
    sets = math.prod(
        _use_count(gpu.count, units_of(cluster, space).per_gpu, space.most_partitions(cluster)) for gpu in cluster.gpus
    )
    if pipelines > MOST_PIPELINES or sets > MOST_SETS:
        raise InapplicableError(
            f"there are up to {pipelines} pipelines on {sets} sets of GPUs; {NAME} lists at most {MOST_PIPELINES} on "
            f"{MOST_SETS}; take fewer blocks, GPUs, shares or partitions"
        )


def _use_count(count: int, units: int, places: int) -> int:
    """Ways to use whole GPUs of one type at some places, each filled up to any unit."""
    ways = [1] + [0] * count
    for _ in range(places):
        ways = [ways[n] + units * sum(ways[:n]) for n in range(count + 1)]
    return sum(ways)
