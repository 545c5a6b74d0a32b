"""The independent prover of clusters: is any plan of the plan space better than a cutoff? (ours)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from euclio.core.certificate import Search
from euclio.problems.pipeline.family import FAMILY
from euclio.problems.pipeline.instance import Cluster, Model
from euclio.problems.pipeline.plan import Partition, Pipeline, PipelinePlan
from euclio.problems.pipeline.space import FULL_PIPELINE_SPACE, Objective, PipelineSpace
from euclio.proving.effort import Effort, GivenUpError
from euclio.proving.pipeline.demand import Demand
from euclio.proving.pipeline.model_server import ModelServer, Serving
from euclio.proving.pipeline.packing import Needs, Stock, pack
from euclio.proving.pipeline.templates import Template, templates


def find_better(cluster: Cluster, space: PipelineSpace, cutoff: Fraction | None, deadline: float) -> Search:
    """Search for a plan whose value is strictly better than a cutoff.

    The cutoff fixes the demand of each model, or the cost of all; it remains to decide whether the GPUs suffice.

    Args:
        cluster: the instance.
        space: the plan space; its objective says whether more (throughput) or less (cost) is better.
        cutoff: weighted requests per second, or money per hour. None means that any plan is better.
        deadline: `time.perf_counter` value at which to stop; infinity disables it.
    """
    effort = Effort(deadline)
    try:
        found = _search(Question(cluster, space, cutoff), effort)
    except GivenUpError as error:
        return Search(None, False, effort.nodes, str(error))
    if found is None:
        return Search(None, True, effort.nodes)
    return Search(PipelinePlan(tuple(found)), False, effort.nodes)


@dataclass(frozen=True, slots=True)
class Question:
    """A cluster, a plan space and a cutoff."""

    cluster: Cluster
    space: PipelineSpace
    cutoff: Fraction | None

    def demand(self, model: Model, found: Sequence[Template]) -> Demand | None:
        """A model's demand in a plan that is better; None if no plan is, as its load is not given."""
        if self.space.objective is Objective.COST:
            return None if model.rate_rps is None else Demand(model.rate_rps, strict=False)
        if self.cutoff is not None and self.cutoff > 0:
            return Demand(self.cutoff * model.weight, strict=True)
        # Any plan that serves a model serves at least as much as its slowest virtual GPU.
        return Demand(min(template.slowest for template in found), strict=False)

    def needs(self, effort: Effort) -> list[Needs] | None:
        """The search of each model's GPUs; None if no plan is better, since one model cannot be served."""
        found = []
        for model in self.cluster.models:
            own = templates(self.cluster, model, self.space, effort)
            demand = self.demand(model, own) if own else None
            if demand is None:
                return None
            found.append(Needs(ModelServer(self.cluster, own, demand, self.space, effort), self.units()))
        return found

    def stock(self) -> Stock | None:
        """The stock that the models share; None if no plan is better, whatever they need."""
        units = self.units()
        counts = tuple(gpu.count * unit for gpu, unit in zip(self.cluster.gpus, units, strict=True))
        if self.space.objective is Objective.THROUGHPUT:
            return Stock(counts, (), 0)
        prices = []
        for gpu, unit in zip(self.cluster.gpus, units, strict=True):
            if gpu.price_per_h is None:
                return None
            prices.append(gpu.price_per_h / unit)
        if self.cutoff is None:
            return Stock(counts, (), 0)
        common = math.lcm(self.cutoff.denominator, *(price.denominator for price in prices))
        # Strictly less than the cutoff, in whole units of money, is one unit less.
        money = int(self.cutoff * common) - 1
        return Stock(counts, tuple(int(price * common) for price in prices), money) if money >= 0 else None

    def units(self) -> list[int]:
        """Per GPU type, the number of parts of a GPU in which its use is counted."""
        if self.space.whole_gpus:
            return [1] * len(self.cluster.gpus)
        shares = {gpu.name: {1} for gpu in self.cluster.gpus}
        for model in self.cluster.models:
            for profile in model.profiles:
                shares[profile.gpu].add(profile.share)
        return [math.lcm(*shares[gpu.name]) for gpu in self.cluster.gpus]


def _search(question: Question, effort: Effort) -> list[Pipeline] | None:
    """Pipelines of a plan that is better; None if there is none."""
    stock, cluster = question.stock(), question.cluster
    needs = None if stock is None else question.needs(effort)
    packed = None if stock is None or needs is None else pack(needs, stock, effort)
    if packed is None:
        return None
    return [
        p for model, serving in zip(cluster.models, packed, strict=True) for p in _pipelines(cluster, model, serving)
    ]


def _pipelines(cluster: Cluster, model: Model, serving: Serving) -> list[Pipeline]:
    return [
        Pipeline(
            model.name,
            tuple(
                Partition(cluster.gpus[s.gpu].name, s.share, gpus, s.first, s.last, s.batch)
                for s, gpus in zip(template.stages, virtual, strict=True)
            ),
        )
        for template, virtual in serving
    ]


def warm_up() -> None:
    """Load what the prover needs, on a tiny cluster."""
    find_better(*FAMILY.tiny(FULL_PIPELINE_SPACE), Fraction(1), math.inf)
