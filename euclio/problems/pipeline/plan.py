"""Plans of a cluster: pooled pipelines, each a chain of partitions on pools of virtual GPUs (PPipe §3)."""

from __future__ import annotations

from dataclasses import dataclass

from euclio.core.lazy import late_value
from euclio.core.showing import Framed


@dataclass(frozen=True, slots=True)
class Partition:
    """Consecutive blocks of a model on a pool of virtual GPUs.

    Attributes:
        gpu: GPU type of the pool.
        share: v, each virtual GPU being the v-th part of a GPU.
        gpus: number of virtual GPUs in the pool.
        first_block: first block, from 0.
        last_block: last block, inclusive.
        batch: batch size.
    """

    gpu: str
    share: int
    gpus: int
    first_block: int
    last_block: int
    batch: int


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A pooled pipeline: partitions that cover a model's blocks in order."""

    model: str
    partitions: tuple[Partition, ...]

    @property
    def sequence(self) -> tuple[str, ...]:
        """GPU types of the partitions in order."""
        return tuple(partition.gpu for partition in self.partitions)


@dataclass(frozen=True, slots=True, repr=False)
class PipelinePlan(Framed):
    """The pooled pipelines of all models."""

    _view = late_value("euclio.problems.pipeline.views", "PLAN")

    pipelines: tuple[Pipeline, ...]
