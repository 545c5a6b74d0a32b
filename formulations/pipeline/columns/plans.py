"""From patterns to plans."""

from __future__ import annotations

from euclio.pipeline import Cluster, Partition, Pipeline, PipelinePlan
from formulations.pipeline.columns.enumeration import Columns, Ints


def plan_of(cluster: Cluster, columns: Columns, patterns: list[tuple[int, Ints]]) -> PipelinePlan:
    """The plan of these columns and their numbers of virtual GPUs; those of one column are put together."""
    return PipelinePlan(tuple(_pipeline(cluster, columns, *pattern) for pattern in together(patterns)))


def together(patterns: list[tuple[int, Ints]]) -> list[tuple[int, Ints]]:
    """The same with every column once, in order of the columns."""
    counts: dict[int, Ints] = {}
    for column, count in patterns:
        counts[column] = counts[column] + count if column in counts else count
    return [(column, counts[column]) for column in sorted(counts)]


def _pipeline(cluster: Cluster, columns: Columns, column: int, count: Ints) -> Pipeline:
    parts, first = [], 0
    for k in range(columns.gpu.shape[1]):
        if columns.gpu[column, k] < 0:
            break
        end = int(columns.end[column, k])
        name = cluster.gpus[int(columns.gpu[column, k])].name
        share, batch = int(columns.share[column, k]), int(columns.batch[column, k])
        parts.append(Partition(name, share, int(count[k]), first, end - 1, batch))
        first = end
    return Pipeline(cluster.models[int(columns.model[column])].name, tuple(parts))
