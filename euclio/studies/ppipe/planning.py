"""The clusters whose planning is timed: by number of GPUs, by GPU types, unmerged layers (§4, §7.6, Figure 14)."""

from __future__ import annotations

from fractions import Fraction

from euclio.pipeline import Cluster, Gpu
from euclio.pipeline.workloads.commands import PipelineOptions, generated_clusters
from euclio.pipeline.workloads.groups import FIRST_GROUP, weights
from euclio.pipeline.workloads.instances import ClusterRequest, pipeline_cluster
from euclio.pipeline.workloads.setups import PRICES_PER_H, Setup
from euclio.studies.ppipe.sampling import Sampling

BY_COUNT, BY_TYPES, UNMERGED = "GPUs", "GPU types", "unmerged layers"
"""Studies: Figure 14a, 14b, and the planning time of §4."""
TYPE_COUNTS = ({"L4": 25, "P4": 75}, {"L4": 25, "T4": 38, "P4": 37}, {"L4": 13, "V100": 12, "T4": 38, "P4": 37})
"""100 GPUs of two to four types (ours; the paper does not say which)."""
LINK_GBPS = Fraction(10)
UNMERGED_MODELS = ("EfficientNet-B8", "FCN")


def planning_clusters(sampling: Sampling, seed: int) -> list[tuple[str, Cluster]]:
    """The clusters whose planning is timed, with what is studied on them."""
    found: list[tuple[str, Cluster]] = []
    for count in sampling.gpu_counts:
        options = PipelineOptions("HC1-L", count // 4, count - count // 4, blocks=sampling.blocks)
        found.append((BY_COUNT, generated_clusters(options, seed=seed, models=list(FIRST_GROUP))[0]))
    for counts in TYPE_COUNTS:
        setup = Setup(
            f"{len(counts)} types", tuple(Gpu(g, n, 1, PRICES_PER_H[g]) for g, n in counts.items()), LINK_GBPS
        )
        request = ClusterRequest(setup, FIRST_GROUP, weights(len(FIRST_GROUP), seed), seed, sampling.blocks)
        found.append((BY_TYPES, pipeline_cluster(request)))
    for model in UNMERGED_MODELS:
        n = sampling.unmerged_layers
        options = PipelineOptions("HC1-L", blocks=n, layers=n, max_partitions=3)
        found.append((UNMERGED, generated_clusters(options, seed=seed, models=[model])[0]))
    return found
