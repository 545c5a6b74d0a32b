"""The clusters that PPipe's evaluation plans and serves, and how many of them a run covers.

Groups of models, single models under varied conditions, measured instances, and clusters whose planning is timed.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from euclio.pipeline import Cluster, Gpu
from euclio.pipeline.files import load_cluster
from euclio.pipeline.workloads.groups import FIRST_GROUP, groups, weights
from euclio.pipeline.workloads.instances import ClusterRequest, PipelineOptions, generated_clusters, pipeline_cluster
from euclio.pipeline.workloads.layer_models import layer_models
from euclio.pipeline.workloads.setups import PRICES_PER_H, SETUPS, Setup

LARGE = ("HC1-L", "HC2-L", "HC3-L", "HC4-L")
SMALLS = ("HC1-S", "HC2-S", "HC3-S", "HC4-S")
"""Clusters of Figure 9, which is measured on a testbed in the paper and simulated here."""
SMALL = SMALLS[0]
"""Cluster of Figure 13."""
GROUPS, SCALES, RATIOS, MARGINS, PLAN, TESTBED = "groups", "SLO scale", "GPU ratio", "margin", "plan", "testbed"
"""Studies: Figures 6 to 8 and 10; 13a; 13b; 13c; 11 and 12; 9."""
MEASURED = "measured"
"""Study: Figure 6 again, with blocks that the authors measured."""
SLO_SCALES = ("2", "3", "4", "5", "6", "8", "10")
GPU_RATIOS = ((2, 14), (4, 12), (6, 10), (8, 8), (10, 6), (12, 4))
SLO_MARGINS = ("0.2", "0.3", "0.4", "0.5", "0.6")
TIMELINE = ("HC3-S", "FCN")
"""Cluster and model of Figures 11 and 12."""
BY_COUNT, BY_TYPES, UNMERGED, MEAN = "GPUs", "GPU types", "unmerged layers", "large clusters"
"""Studies: Figure 14a, 14b, the planning times of §4 and §7.2."""
TYPE_COUNTS = ({"L4": 25, "P4": 75}, {"L4": 25, "T4": 38, "P4": 37}, {"L4": 13, "V100": 12, "T4": 38, "P4": 37})
"""100 GPUs of two to four types (ours; the paper does not say which)."""
LINK_GBPS = Fraction(10)
UNMERGED_MODELS = ("EfficientNet-B8", "FCN")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How much of the evaluation is run.

    Attributes:
        groups: groups of three models per large cluster, of six.
        models: single models of Figures 9 and 13, of 18.
        seconds: simulated seconds per load (30 in the paper).
        gpu_counts: numbers of GPUs of Figure 14a.
        columns_limit_s: time limit of columns in Figure 14.
        printed_limit_s: time limit of the printed MILP in Figure 14.
        groups_limit_s: time limit of the printed MILP on groups of models, over the mean that is printed.
        blocks: blocks per model in Figure 14.
        unmerged_layers: layers per model of the unmerged plan.
    """

    groups: int = 6
    models: int = 18
    seconds: float = 10.0
    gpu_counts: tuple[int, ...] = (100, 1_000, 10_000, 100_000)
    columns_limit_s: float = 20.0
    printed_limit_s: float = 2.0
    groups_limit_s: float = 5.0
    blocks: int = 10
    unmerged_layers: int = 80


SAMPLED = Sampling()
FULL = Sampling(seconds=30.0, columns_limit_s=120.0, printed_limit_s=120.0, groups_limit_s=120.0)


@dataclass(frozen=True, slots=True)
class Case:
    """A cluster with models and conditions.

    Attributes:
        setup: name in Table 1.
        group: "G1" to "G6", or the name of a model that is served alone.
        models: models served together.
        studies: what it is for; the defaults belong to several.
        slo_scale: SLO over the latency on L4 at batch 1.
        margin: part of the SLO that plans leave free.
        high: high-class GPUs; None: the setup's.
        low: low-class GPUs; None: the setup's.
        seed: seed of layers and weights.
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

    @property
    def name(self) -> str:
        """Name in the results."""
        ratio = "" if self.high is None else f" {self.high}:{self.low}"
        return f"{self.setup}{ratio} {self.group} scale {self.slo_scale} margin {self.margin}"

    def cluster(self) -> Cluster:
        """The instance."""
        scale, margin = float(self.slo_scale), float(self.margin)
        options = PipelineOptions(self.setup, self.high, self.low, models=self.models, slo_scale=scale, margin=margin)
        return next(generated_clusters(options, seed=self.seed))

    def describe(self, cluster: Cluster) -> dict[str, Any]:
        """The columns that it has in all results."""
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


@dataclass(frozen=True, slots=True)
class MeasuredCase:
    """A measured instance.

    Attributes:
        file: where it is.
        seed: seed of the arrivals.
    """

    file: Path
    seed: int = 0

    @property
    def name(self) -> str:
        """Name in the results."""
        return self.file.stem

    def cluster(self) -> Cluster:
        """The instance; the high class is its first GPU type."""
        return load_cluster(self.file)

    def describe(self, cluster: Cluster) -> dict[str, Any]:
        """The columns that it has in all results; the setup is the one of Table 1 with the same GPUs."""
        counts = [(gpu.name, gpu.count) for gpu in cluster.gpus]
        alike = [name for name, setup in SETUPS.items() if [(gpu.name, gpu.count) for gpu in setup.gpus] == counts]
        return {
            "case": self.name,
            "setup": alike[0] if alike else "other",
            "group": "+".join(model.name for model in cluster.models),
            "studies": MEASURED,
            "high": cluster.gpus[0].count,
            "low": cluster.gpus[-1].count,
        }


def group_cases(count: int, seed: int) -> list[Case]:
    """The first groups of three models on the four large clusters (§7.2)."""
    chosen = groups(seed)[:count]
    return [Case(hc, f"G{k}", models, (GROUPS,), seed=seed) for hc in LARGE for k, models in enumerate(chosen, 1)]


def group_clusters(count: int, seed: int) -> Iterator[Cluster]:
    """The clusters of `group_cases` under the names of their cases, each made when it is asked for.

    Args:
        count: groups of models.
        seed: seed of layers and weights.
    """
    return (replace(case.cluster(), name=case.name) for case in group_cases(count, seed))


def sampled_models(count: int, seed: int) -> list[str]:
    """A seeded sample of the 18 models, in the order of Table 2."""
    names = list(layer_models())
    chosen = set(random.Random(f"figure 13/{seed}").sample(names, min(count, len(names))))
    return [name for name in names if name in chosen]


def sensitivity_cases(models: Sequence[str], seed: int) -> list[Case]:
    """Single models on HC1-S under SLO scales, GPU ratios and margins (§7.6, Figure 13)."""
    cases = []
    for model in models:
        alone = (model,)
        cases += [
            Case(SMALL, model, alone, (SCALES, RATIOS, MARGINS) if x == "5" else (SCALES,), slo_scale=x, seed=seed)
            for x in SLO_SCALES
        ]
        cases += [
            Case(SMALL, model, alone, (RATIOS,), high=high, low=low, seed=seed)
            for high, low in GPU_RATIOS
            if (high, low) != (4, 12)
        ]
        cases += [Case(SMALL, model, alone, (MARGINS,), margin=x, seed=seed) for x in SLO_MARGINS if x != "0.4"]
    return cases


def small_cases(models: Sequence[str], seed: int) -> list[Case]:
    """Single models on the four clusters of 16 GPUs (§7.3, Figure 9)."""
    return [Case(setup, model, (model,), (TESTBED,), seed=seed) for setup in SMALLS for model in models]


def joined_cases(cases: Iterable[Case]) -> list[Case]:
    """The cases, those under the same conditions as one that belongs to all their studies."""
    found: dict[str, Case] = {}
    for case in cases:
        known = found.get(case.name)
        found[case.name] = case if known is None else replace(known, studies=(*known.studies, *case.studies))
    return list(found.values())


def timeline_case(seed: int) -> Case:
    """FCN on HC3-S (§7.5)."""
    setup, model = TIMELINE
    return Case(setup, model, (model,), (PLAN,), seed=seed)


def planning_clusters(sampling: Sampling, seed: int) -> list[tuple[str, Cluster]]:
    """The clusters whose planning is timed (§4, §7.6, Figure 14), with what is studied on them."""
    found: list[tuple[str, Cluster]] = []
    for count in sampling.gpu_counts:
        high = count // 4
        options = PipelineOptions("HC1-L", high, count - high, models=FIRST_GROUP, blocks=sampling.blocks)
        found.append((BY_COUNT, next(generated_clusters(options, seed=seed))))
    for counts in TYPE_COUNTS:
        setup = Setup(
            f"{len(counts)} types", tuple(Gpu(g, n, 1, PRICES_PER_H[g]) for g, n in counts.items()), LINK_GBPS
        )
        request = ClusterRequest(setup, FIRST_GROUP, weights(len(FIRST_GROUP), seed), seed, sampling.blocks)
        found.append((BY_TYPES, pipeline_cluster(request)))
    for model in UNMERGED_MODELS:
        n = sampling.unmerged_layers
        options = PipelineOptions("HC1-L", models=(model,), blocks=n, layers=n, max_partitions=3)
        found.append((UNMERGED, next(generated_clusters(options, seed=seed))))
    return found
