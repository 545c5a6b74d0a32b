"""Plan spaces of the systems that PPipe compares with (PPipe §7.1)."""

from __future__ import annotations

from dataclasses import replace

from euclio.problems.pipeline import Cluster, PipelineSpace

NO_PARTITIONING_SPACE = PipelineSpace(max_partitions=1, virtual_gpus=False)
DART_SPACE = PipelineSpace(max_partitions=2, virtual_gpus=False)


def no_partitioning_space(cluster: Cluster, space: PipelineSpace) -> PipelineSpace:
    """What NP's design leaves of a plan space: one partition, whole GPUs."""
    return replace(space, max_partitions=1, virtual_gpus=False)


def dart_space(cluster: Cluster, space: PipelineSpace) -> PipelineSpace:
    """What DART-r's design leaves of a plan space: two partitions at most, whole GPUs."""
    return replace(space, max_partitions=min(2, space.most_partitions(cluster)), virtual_gpus=False)
