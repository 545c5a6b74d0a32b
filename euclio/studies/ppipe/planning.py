"""How long planning takes: by number of GPUs, by number of GPU types, without merging layers (§4, §7.6, Figure 14)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from euclio.pipeline import Cluster, Gpu
from euclio.pipeline.workloads.commands import PipelineOptions, generated_clusters
from euclio.pipeline.workloads.groups import FIRST_GROUP, weights
from euclio.pipeline.workloads.instances import ClusterRequest, pipeline_cluster
from euclio.pipeline.workloads.setups import PRICES_PER_H, Setup
from euclio.studies.ppipe.sampling import Sampling
from euclio.studies.ppipe.systems import PPIPE, PRINTED, SYSTEMS, plan_row
from euclio.studies.rows import Row

BY_COUNT, BY_TYPES, UNMERGED = "GPUs", "GPU types", "unmerged layers"
"""Studies: Figure 14a, 14b, and the planning time of §4."""
TYPE_COUNTS = ({"L4": 25, "P4": 75}, {"L4": 25, "T4": 38, "P4": 37}, {"L4": 13, "V100": 12, "T4": 38, "P4": 37})
"""100 GPUs of two to four types (ours; the paper does not say which)."""
LINK_GBPS = Fraction(10)
UNMERGED_MODELS = ("EfficientNet-B8", "FCN")

Planned = tuple[str, Cluster, tuple[str, ...]]
"""Study, cluster, and the systems that plan it."""


def planning_clusters(sampling: Sampling, seed: int) -> list[Planned]:
    """The clusters whose planning is timed."""
    both = (PPIPE, PRINTED)
    found: list[Planned] = []
    for count in sampling.gpu_counts:
        options = PipelineOptions("HC1-L", count // 4, count - count // 4, blocks=sampling.blocks)
        found.append((BY_COUNT, generated_clusters(options, seed=seed, models=list(FIRST_GROUP))[0], both))
    for counts in TYPE_COUNTS:
        setup = Setup(
            f"{len(counts)} types", tuple(Gpu(g, n, 1, PRICES_PER_H[g]) for g, n in counts.items()), LINK_GBPS
        )
        request = ClusterRequest(setup, FIRST_GROUP, weights(len(FIRST_GROUP), seed), seed, sampling.blocks)
        found.append((BY_TYPES, pipeline_cluster(request), both))
    for model in UNMERGED_MODELS:
        n = sampling.unmerged_layers
        options = PipelineOptions("HC1-L", blocks=n, layers=n, max_partitions=3)
        found.append((UNMERGED, generated_clusters(options, seed=seed, models=[model])[0], (PPIPE,)))
    return found


def planning_rows(clusters: Sequence[Planned], sampling: Sampling, advance: Callable[[int], None]) -> list[Row]:
    """Plan them one after the other, because times are measured."""
    limits = {PPIPE: sampling.columns_limit_s, PRINTED: sampling.printed_limit_s}
    rows = []
    for study, cluster, systems in clusters:
        for label in systems:
            result = SYSTEMS[label].plan(cluster, limits[label])
            blocks = max(model.blocks for model in cluster.models)
            rows.append({"study": study, "blocks": blocks, **plan_row(cluster, label, result)})
            advance(1)
    return rows
