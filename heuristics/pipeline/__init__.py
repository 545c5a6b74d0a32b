"""The systems that PPipe compares with: whole models on whole GPUs (NP), and replicated pairs of GPUs (DART-r)."""

from __future__ import annotations

from dataclasses import replace

from euclio.core import literature
from euclio.core.lazy import late
from euclio.core.registry import AnySolver, Solver
from euclio.problems.pipeline import Cluster, PipelineSpace

NO_PARTITIONING_SPACE = PipelineSpace(max_partitions=1, virtual_gpus=False)

DART_SPACE = PipelineSpace(max_partitions=2, virtual_gpus=False)


def no_partitioning_space(cluster: Cluster, space: PipelineSpace) -> PipelineSpace:
    """The part of a plan space within NP's design: one partition, whole GPUs."""
    return replace(space, max_partitions=1, virtual_gpus=False)


def dart_space(cluster: Cluster, space: PipelineSpace) -> PipelineSpace:
    """The part of a plan space within DART-r's design: at most two partitions, whole GPUs."""
    return replace(space, max_partitions=min(2, space.most_partitions(cluster)), virtual_gpus=False)


SOLVERS: tuple[AnySolver, ...] = (
    Solver(
        "no-partitioning",
        "heuristic",
        "No-Partitioning (PPipe §7.1): whole models on whole GPUs, the best allocation of them",
        late("heuristics.pipeline.gpu_counts", "solve_no_partitioning"),
        NO_PARTITIONING_SPACE,
        narrow=no_partitioning_space,
        family="pipeline",
        rests_on=(literature.PPIPE,),
    ),
    Solver(
        "dart-r",
        "heuristic",
        "DART-r (PPipe §7.1): chains of one low- and one high-class GPU, replicated; whole models on the rest",
        late("heuristics.pipeline.dart_r", "solve_dart_r"),
        DART_SPACE,
        narrow=dart_space,
        family="pipeline",
        lacks=frozenset({"least_cost"}),
        rests_on=(literature.PPIPE, literature.DART),
    ),
)
