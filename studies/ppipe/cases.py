"""The clusters that PPipe's evaluation plans and serves, and the sizes of a run.

There are groups of models, single models under varied conditions, and clusters for planning times. Each is on blocks
that the authors measured, or on synthetic layers.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from euclio.problems.pipeline import Cluster, Gpu
from euclio.workloads.pipeline.assembly import BlockedModel, Terms, assembled
from euclio.workloads.pipeline.instances import ClusterRequest, PipelineOptions, generated_clusters, pipeline_cluster
from euclio.workloads.pipeline.layer_models import FIRST_GROUP, groups, layer_models, weights
from euclio.workloads.pipeline.setups import (
    PRICES_PER_H,
    Setup,
    effective_gbps,
    find_setup,
    published_groups,
    published_weights,
    with_counts,
)

LARGE = ("HC1-L", "HC2-L", "HC3-L", "HC4-L")
SMALLS = ("HC1-S", "HC2-S", "HC3-S", "HC4-S")
"""Clusters of Figure 9, which is measured on a testbed in the paper and simulated here."""
SMALL = SMALLS[0]
"""Cluster of Figure 13."""
GROUPS, SCALES, RATIOS, MARGINS, PLAN, TESTBED = "groups", "SLO scale", "GPU ratio", "margin", "plan", "testbed"
ABLATION = "ablation"
"""Studies: Figures 6 to 8; 13a; 13b; 13c; 11 and 12; 9; 10."""
REACTIVE_ON, ABLATION_MARGIN, ABLATION_PARTITIONS = "HC2-L", "0.1", 3
"""Cluster of Figure 10 (§7.4), and the settings of the authors' published plans for it: each model alone, with a margin
of 10 % instead of 40 and up to three partitions (`docs/papers.md`)."""
Measured = Mapping[str, BlockedModel]
"""The models of Table 2 by name, with blocks that the authors measured."""
SLO_SCALES = ("2", "3", "4", "5", "6", "8", "10")
GPU_RATIOS = ((2, 14), (4, 12), (6, 10), (8, 8), (10, 6), (12, 4))
SLO_MARGINS = ("0.2", "0.3", "0.4", "0.5", "0.6")
PARTITIONS = 2
"""Most partitions of a pipeline. With two, the optimum for FCN on HC3-S is the plan that §7.5 prints; with three it is
another one, which serves 0.5 % more."""
TIMELINE = ("HC3-S", "FCN")
"""Cluster and model of Figures 11 and 12."""
BY_COUNT, BY_TYPES, UNMERGED, MEAN = "GPUs", "GPU types", "unmerged layers", "large clusters"
"""Studies: Figure 14a, 14b, the planning times of §4 and §7.2."""
TYPE_COUNTS = ({"L4": 25, "P4": 75}, {"L4": 25, "T4": 38, "P4": 37}, {"L4": 13, "V100": 12, "T4": 38, "P4": 37})
"""100 GPUs of two to four types (ours; the paper does not say which)."""
LINK_GBPS = Fraction(10)
UNMERGED_MODELS = ("EfficientNet-B8", "FCN")


@dataclass(frozen=True, slots=True)
class ClusterSampling:
    """Sizes of a run of the evaluation.

    Attributes:
        groups: groups of three models per large cluster, of six.
        models: single models of Figures 9, 10 and 13, of 18.
        seconds: simulated seconds per load on synthetic layers.
        measured_seconds: simulated seconds per load on measured blocks, as long as in the paper (§7.1).
        gpu_counts: numbers of GPUs of Figure 14a.
        columns_limit_s: time limit of columns in Figure 14.
        printed_limit_s: time limit of the printed MILP in Figure 14.
        groups_limit_s: time limit of the printed MILP on groups of models, above the printed mean.
        blocks: blocks per model in Figure 14.
        measured_limit_s: time limit of the printed MILP on measured blocks, wherever it is timed.
        unmerged_layers: layers per model of the unmerged plan.
        arrival_seeds: seeds of arrivals for serving plans on measured blocks; synthetic layers have one.
    """

    groups: int = 6
    models: int = 18
    seconds: float = 10.0
    measured_seconds: float = 30.0
    gpu_counts: tuple[int, ...] = (100, 1_000, 10_000, 100_000)
    columns_limit_s: float = 20.0
    printed_limit_s: float = 2.0
    groups_limit_s: float = 5.0
    blocks: int = 10
    measured_limit_s: float = 120.0
    unmerged_layers: int = 80
    arrival_seeds: int = 5


SAMPLED = ClusterSampling()
FULL = ClusterSampling(seconds=30.0, columns_limit_s=120.0, printed_limit_s=120.0, groups_limit_s=120.0)


@dataclass(frozen=True, slots=True)
class ClusterCase:
    """A cluster with models and conditions.

    Attributes:
        setup: its name in Table 1.
        group: "G1" to "G6", or the name of a model that the cluster serves alone.
        models: models served together.
        studies: the studies that use it; the defaults belong to several.
        slo_scale: SLO over the latency on L4 at batch 1.
        margin: part of the SLO that plans leave free.
        high: high-class GPUs; None means the setup's.
        low: low-class GPUs; None means the setup's.
        seed: seed of layers and weights.
        measured: blocks that the authors measured; None means synthetic layers.
        partitions: most partitions of a pipeline.
    """

    setup: str
    group: str
    models: tuple[str, ...]
    studies: tuple[str, ...]
    slo_scale: str = "5"
    margin: str = "0.4"
    high: int | None = None
    low: int | None = None
    seed: int = 0
    measured: Measured | None = field(default=None, repr=False, compare=False)
    partitions: int = PARTITIONS

    @property
    def name(self) -> str:
        """Name in the results."""
        ratio = "" if self.high is None else f" {self.high}:{self.low}"
        return f"{self.setup}{ratio} {self.group} scale {self.slo_scale} margin {self.margin}"

    def cluster(self) -> Cluster:
        """The instance."""
        if self.measured is not None:
            setup = with_counts(find_setup(self.setup), self.high, self.low)
            terms = Terms(self.slo_scale, self.margin, self.partitions)
            return measured_cluster(setup, self.models, self.measured, terms)
        options = PipelineOptions(
            self.setup,
            self.high,
            self.low,
            models=self.models,
            slo_scale=float(self.slo_scale),
            margin=float(self.margin),
            max_partitions=self.partitions,
        )
        return next(generated_clusters(options, seed=self.seed))

    def describe(self, cluster: Cluster) -> dict[str, Any]:
        """Its columns in all results."""
        return {
            "case": self.name,
            "setup": self.setup,
            "group": self.group,
            "studies": ",".join(self.studies),
            "slo_scale": float(self.slo_scale),
            "margin": float(self.margin),
            "high": cluster.gpus[0].count,
            "low": cluster.gpus[1].count,
        }


def measured_cluster(setup: Setup, models: Sequence[str], measured: Measured, terms: Terms) -> Cluster:
    """A cluster whose models have the blocks, the parts of the load and the links of the authors' runs.

    Args:
        setup: GPUs; its links are those of the authors' runs with the same low class.
        models: names of the models.
        measured: their blocks.
        terms: SLO, margin and the like.
    """
    parts = published_weights() if len(models) > 1 else (Fraction(1),)
    # Each cluster of Table 1 has one of these low classes; a cluster of several types has the slowest link of them.
    gbps = min(effective_gbps()[gpu.name] for gpu in setup.gpus if gpu.name in effective_gbps())
    name = f"{setup.name}-{'+'.join(models)}-measured"
    return assembled(name, replace(setup, bandwidth_gbps=gbps), [measured[m] for m in models], parts, terms)


def group_cases(count: int, seed: int, measured: Measured | None = None) -> list[ClusterCase]:
    """The first groups of three models on the four large clusters (§7.2); with measured blocks the authors' groups."""
    chosen = (groups(seed) if measured is None else published_groups())[:count]
    return [
        ClusterCase(hc, f"G{k}", models, (GROUPS,), seed=seed, measured=measured)
        for hc in LARGE
        for k, models in enumerate(chosen, 1)
    ]


def group_clusters(count: int, seed: int, measured: Measured | None = None) -> Iterator[Cluster]:
    """The clusters of `group_cases` under the names of their cases, each made at its turn.

    Args:
        count: groups of models.
        seed: seed of layers and weights.
        measured: blocks that the authors measured; None means synthetic layers.
    """
    return (replace(case.cluster(), name=case.name) for case in group_cases(count, seed, measured))


def sampled_models(count: int, seed: int) -> list[str]:
    """A seeded sample of the 18 models, in the order of Table 2."""
    names = list(layer_models())
    chosen = set(random.Random(f"figure 13/{seed}").sample(names, min(count, len(names))))
    return [name for name in names if name in chosen]


def sensitivity_cases(models: Sequence[str], seed: int, measured: Measured | None = None) -> list[ClusterCase]:
    """Single models on HC1-S under SLO scales, GPU ratios and margins (§7.6, Figure 13)."""
    cases = []
    for model in models:
        alone = (model,)
        cases += [
            ClusterCase(
                SMALL,
                model,
                alone,
                (SCALES, RATIOS, MARGINS) if x == "5" else (SCALES,),
                slo_scale=x,
                seed=seed,
                measured=measured,
            )
            for x in SLO_SCALES
        ]
        cases += [
            ClusterCase(SMALL, model, alone, (RATIOS,), high=high, low=low, seed=seed, measured=measured)
            for high, low in GPU_RATIOS
            if (high, low) != (4, 12)
        ]
        cases += [
            ClusterCase(SMALL, model, alone, (MARGINS,), margin=x, seed=seed, measured=measured)
            for x in SLO_MARGINS
            if x != "0.4"
        ]
    return cases


def small_cases(models: Sequence[str], seed: int, measured: Measured | None = None) -> list[ClusterCase]:
    """Single models on the four clusters of 16 GPUs (§7.3, Figure 9)."""
    return [
        ClusterCase(setup, model, (model,), (TESTBED,), seed=seed, measured=measured)
        for setup in SMALLS
        for model in models
    ]


def ablation_cases(models: Sequence[str], seed: int, measured: Measured | None = None) -> list[ClusterCase]:
    """Single models on HC2-L, which two schedulers serve (§7.4, Figure 10)."""
    return [
        ClusterCase(
            REACTIVE_ON,
            model,
            (model,),
            (ABLATION,),
            margin=ABLATION_MARGIN,
            seed=seed,
            measured=measured,
            partitions=ABLATION_PARTITIONS,
        )
        for model in models
    ]


def joined_cases(cases: Iterable[ClusterCase]) -> list[ClusterCase]:
    """The cases; those under the same conditions become one that belongs to all their studies."""
    found: dict[str, ClusterCase] = {}
    for case in cases:
        known = found.get(case.name)
        found[case.name] = case if known is None else replace(known, studies=(*known.studies, *case.studies))
    return list(found.values())


def timeline_case(seed: int, measured: Measured | None = None) -> ClusterCase:
    """FCN on HC3-S (§7.5)."""
    setup, model = TIMELINE
    return ClusterCase(setup, model, (model,), (PLAN,), seed=seed, measured=measured)


def planning_clusters(
    sampling: ClusterSampling, seed: int, measured: Measured | None = None
) -> list[tuple[str, Cluster]]:
    """The clusters for planning times (§4, §7.6, Figure 14), with their studies.

    Measured models come merged into blocks, so only synthetic layers have an unmerged plan.
    """
    large, found = find_setup("HC1-L"), []
    for count in sampling.gpu_counts:
        setup = with_counts(large, count // 4, count - count // 4)
        found.append((BY_COUNT, _first_group(setup, sampling, seed, measured)))
    for counts in TYPE_COUNTS:
        setup = Setup(
            f"{len(counts)} types", tuple(Gpu(g, n, 1, PRICES_PER_H[g]) for g, n in counts.items()), LINK_GBPS
        )
        found.append((BY_TYPES, _first_group(setup, sampling, seed, measured)))
    return found if measured is not None else [*found, *_unmerged(sampling, seed)]


def _first_group(setup: Setup, sampling: ClusterSampling, seed: int, measured: Measured | None) -> Cluster:
    """The paper's first group of models on a setup."""
    if measured is not None:
        return measured_cluster(setup, FIRST_GROUP, measured, Terms())
    request = ClusterRequest(setup, FIRST_GROUP, weights(len(FIRST_GROUP), seed), seed, sampling.blocks)
    return pipeline_cluster(request)


def _unmerged(sampling: ClusterSampling, seed: int) -> list[tuple[str, Cluster]]:
    """Single models with layers that are not merged into blocks (§4)."""
    found = []
    for model in UNMERGED_MODELS:
        n = sampling.unmerged_layers
        options = PipelineOptions("HC1-L", models=(model,), blocks=n, layers=n, max_partitions=3)
        found.append((UNMERGED, next(generated_clusters(options, seed=seed))))
    return found
