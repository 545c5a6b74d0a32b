"""Clusters of the benchmark set: what each is to be like, and all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from euclio.core.numbers import short
from euclio.core.registry import find_solver
from euclio.core.solver import Limits
from euclio.problems.pipeline.evaluate import evaluate
from euclio.problems.pipeline.instance import BlockProfile, Cluster, Gpu
from euclio.problems.pipeline.space import Objective, PipelineSpace
from euclio.workloads.pipeline.assembly import BlockedModel, Terms, assembled
from euclio.workloads.pipeline.instances import blocked_model
from euclio.workloads.pipeline.layer_models import weights
from euclio.workloads.pipeline.setups import PRICES_PER_H, Setup

# Clusters of the benchmark set: PPipe's models with synthetic layers on two to four GPU types (ours).

LINK_GBPS = Fraction(32, 5)
PER_SERVER = {"L4": 1, "V100": 2, "T4": 2, "P4": 1}
"""Effective Gbit/s of a server's link, and GPUs per server, both as in PPipe's setups."""
MICROSECOND = Fraction(1, 10**6)


@dataclass(frozen=True, slots=True)
class ClusterDesign:
    """What a cluster of the set is to be like.

    Attributes:
        models: names of the models served together.
        gpus: GPUs of each type.
        blocks: blocks of each model.
        slo_scale: SLO over the latency on L4 at batch 1.
        objective: what to optimise.
        load: for least cost: load over what whole models on whole GPUs serve at most.
        max_partitions: most partitions of a pipeline.
        number: number among designs that are otherwise the same, from 1; part of the seed.
    """

    models: tuple[str, ...]
    gpus: tuple[tuple[str, int], ...]
    blocks: int
    slo_scale: float
    objective: Objective = Objective.THROUGHPUT
    load: float = 0.6
    max_partitions: int = 2
    number: int = 1

    @property
    def name(self) -> str:
        """Name of the instance: p, GPU types, models, blocks, GPUs, SLO scale in tenths, partitions, goal, number."""
        types = "".join(gpu.lower() for gpu, _ in self.gpus)
        count = sum(count for _, count in self.gpus)
        sizes = f"m{len(self.models)}-b{self.blocks}-g{count}-s{self.slo_scale * 10:g}-k{self.max_partitions}"
        return f"p-{types}-{sizes}-{self.objective.value}-{self.number:02d}"

    @property
    def space(self) -> PipelineSpace:
        """Plan space to solve it in."""
        return PipelineSpace(objective=self.objective)

    def make(self, seed: int) -> Cluster:
        """The cluster of the design; the same seed gives the same one."""
        own = seed * 100 + self.number
        gpus = tuple(Gpu(gpu, count, PER_SERVER[gpu], PRICES_PER_H[gpu]) for gpu, count in self.gpus)
        setup = Setup(self.name, gpus, LINK_GBPS)
        models = [_rounded(blocked_model(name, own, self.blocks)) for name in self.models]
        parts = weights(len(models), own)
        terms = Terms(self.slo_scale, max_partitions=self.max_partitions)
        cluster = assembled(self.name, setup, models, parts, terms)
        if self.objective is Objective.THROUGHPUT:
            return cluster
        return assembled(self.name, setup, models, parts, replace(terms, rate_rps=_rate(cluster, self.load)))


def _rate(cluster: Cluster, load: float) -> Fraction:
    """A part of the throughput of whole models on whole GPUs."""
    solver = find_solver("no-partitioning")
    space = solver.space_on(cluster)
    plan = solver.run(cluster, space, Limits()).plan
    if plan is None:
        raise RuntimeError(f"{cluster.name}: no model can be served whole, so there is no load to take a part of")
    served = evaluate(cluster, plan, space).value
    assert served is not None
    return short(load * float(served))


def _rounded(model: BlockedModel) -> BlockedModel:
    """The model with latencies in whole microseconds."""
    profiles = tuple(
        BlockProfile(p.gpu, p.share, [[_microseconds(x) for x in row] for row in p.latency_s]) for p in model.profiles
    )
    return replace(model, profiles=profiles)


def _microseconds(seconds: Fraction) -> Fraction:
    return max(1, round(seconds / MICROSECOND)) * MICROSECOND


ONE, TWO = ("FCN",), ("RTMDet", "EncNet")
THREE = ("EfficientNet-B8", "EncNet", "RTMDet")
FOUR = ("ConvNext", "FSAF", "GCNet", "GoogleNet")

SMALL, MEDIUM = (("L4", 2), ("P4", 6)), (("V100", 4), ("T4", 12))
LARGE, HUGE = (("L4", 25), ("P4", 75)), (("L4", 250), ("T4", 750))
THREE_TYPES = (("L4", 4), ("V100", 4), ("P4", 16))
THREE_TYPES_LARGE = (("V100", 20), ("L4", 30), ("T4", 50))
FOUR_TYPES = (("V100", 4), ("L4", 6), ("T4", 10), ("P4", 12))
FOUR_TYPES_LARGE = (("V100", 25), ("L4", 50), ("T4", 50), ("P4", 75))

TIGHT, USUAL, LOOSE = 2.5, 5, 10
COST = Objective.COST


def cluster_designs() -> list[ClusterDesign]:
    """All designs, in the order of the set."""
    return [*_throughput(), *_cost()]


def _throughput() -> list[ClusterDesign]:
    return [
        ClusterDesign(ONE, SMALL, 4, USUAL),
        ClusterDesign(ONE, SMALL, 10, TIGHT),
        ClusterDesign(ONE, SMALL, 10, LOOSE, max_partitions=3),
        ClusterDesign(ONE, MEDIUM, 20, USUAL, max_partitions=3),
        ClusterDesign(ONE, MEDIUM, 40, USUAL, max_partitions=3),
        ClusterDesign(ONE, LARGE, 80, USUAL, max_partitions=3),
        ClusterDesign(ONE, HUGE, 10, USUAL, max_partitions=3),
        ClusterDesign(TWO, SMALL, 6, USUAL),
        ClusterDesign(TWO, MEDIUM, 10, TIGHT),
        ClusterDesign(TWO, MEDIUM, 10, LOOSE),
        ClusterDesign(TWO, LARGE, 20, USUAL),
        ClusterDesign(TWO, LARGE, 40, LOOSE),
        ClusterDesign(TWO, HUGE, 10, TIGHT),
        ClusterDesign(THREE, MEDIUM, 10, USUAL),
        ClusterDesign(THREE, LARGE, 10, TIGHT),
        ClusterDesign(THREE, LARGE, 10, USUAL),
        ClusterDesign(THREE, LARGE, 20, LOOSE),
        ClusterDesign(THREE, HUGE, 10, USUAL),
        ClusterDesign(THREE, THREE_TYPES, 6, USUAL),
        ClusterDesign(THREE, THREE_TYPES, 10, TIGHT),
        ClusterDesign(THREE, THREE_TYPES, 10, USUAL, max_partitions=3),
        ClusterDesign(THREE, THREE_TYPES_LARGE, 10, USUAL),
        ClusterDesign(THREE, THREE_TYPES_LARGE, 20, LOOSE),
        ClusterDesign(TWO, FOUR_TYPES, 10, USUAL),
        ClusterDesign(TWO, FOUR_TYPES, 20, LOOSE),
        ClusterDesign(FOUR, FOUR_TYPES, 6, USUAL),
        ClusterDesign(FOUR, FOUR_TYPES, 10, TIGHT),
        ClusterDesign(FOUR, FOUR_TYPES_LARGE, 10, USUAL),
        ClusterDesign(FOUR, FOUR_TYPES_LARGE, 20, LOOSE),
        ClusterDesign(THREE, FOUR_TYPES, 10, USUAL, max_partitions=3),
        ClusterDesign(TWO, MEDIUM, 80, USUAL),
        ClusterDesign(ONE, THREE_TYPES, 80, LOOSE),
        ClusterDesign(FOUR, THREE_TYPES_LARGE, 10, LOOSE),
        ClusterDesign(ONE, FOUR_TYPES_LARGE, 40, USUAL),
    ]


def _cost() -> list[ClusterDesign]:
    return [
        ClusterDesign(ONE, SMALL, 6, USUAL, COST),
        ClusterDesign(ONE, MEDIUM, 20, LOOSE, COST, max_partitions=3),
        ClusterDesign(ONE, LARGE, 10, USUAL, COST),
        ClusterDesign(TWO, MEDIUM, 10, USUAL, COST),
        ClusterDesign(TWO, LARGE, 10, LOOSE, COST),
        ClusterDesign(THREE, MEDIUM, 10, USUAL, COST),
        ClusterDesign(THREE, LARGE, 10, USUAL, COST),
        ClusterDesign(THREE, THREE_TYPES, 10, USUAL, COST),
        ClusterDesign(THREE, THREE_TYPES_LARGE, 20, USUAL, COST),
        ClusterDesign(TWO, FOUR_TYPES, 10, LOOSE, COST),
        ClusterDesign(FOUR, FOUR_TYPES, 10, USUAL, COST),
        ClusterDesign(FOUR, FOUR_TYPES_LARGE, 10, LOOSE, COST, load=0.4),
        ClusterDesign(TWO, THREE_TYPES, 20, LOOSE, COST),
        ClusterDesign(THREE, FOUR_TYPES, 6, TIGHT, COST),
    ]
