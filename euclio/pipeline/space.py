"""Plan spaces of pooled pipelines: which plans a system may make, and what it wants (PPipe §3, §5.3, §7.1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from euclio.pipeline.instance import Cluster


class Objective(StrEnum):
    """What a plan is to be best at."""

    THROUGHPUT = "throughput"
    """Most of the smallest throughput per weight over the models, in requests per second."""
    COST = "cost"
    """Least money per hour for the physical GPUs used, at each model's `rate_rps`."""


@dataclass(frozen=True, slots=True)
class PipelineSpace:
    """The set of plans that a system may choose from; the default is all that the cluster allows.

    Attributes:
        objective: what a plan is to be best at.
        max_partitions: most partitions of a pipeline; None: the cluster's.
        unify_batch: one batch size per pipeline; None: as the cluster says.
        virtual_gpus: GPUs may be divided; False: share 1 only.
        batch_build: the delay until a batch has gathered counts.
        one_per_sequence: at most one pipeline per model and sequence of GPU types, as the paper's MILP has it.
        whole_gpus: virtual GPUs are counted up to whole GPUs per model, position and GPU type; False: fractions of
            GPUs are added up, as equation (23) is printed.
    """

    objective: Objective = Objective.THROUGHPUT
    max_partitions: int | None = None
    unify_batch: bool | None = None
    virtual_gpus: bool = True
    batch_build: bool = True
    one_per_sequence: bool = False
    whole_gpus: bool = True

    def __post_init__(self) -> None:
        """Let the objective be given by name."""
        object.__setattr__(self, "objective", Objective(self.objective))

    def most_partitions(self, cluster: Cluster) -> int:
        """Most partitions of a pipeline on a cluster; never more than a model has blocks."""
        wanted = cluster.max_partitions if self.max_partitions is None else self.max_partitions
        return min(wanted, max(model.blocks for model in cluster.models))

    def unifies_batch(self, cluster: Cluster) -> bool:
        """Whether all partitions of a pipeline have one batch size on a cluster."""
        return cluster.unify_batch if self.unify_batch is None else self.unify_batch

    def describe(self) -> dict[str, object]:
        """The plan space as plain data, as it stands in results and on the command line."""
        return {
            "objective": self.objective.value,
            "max_partitions": self.max_partitions,
            "unify_batch": self.unify_batch,
            "virtual_gpus": self.virtual_gpus,
            "batch_build": self.batch_build,
            "one_per_sequence": self.one_per_sequence,
            "whole_gpus": self.whole_gpus,
        }


FULL_PIPELINE_SPACE = PipelineSpace()
