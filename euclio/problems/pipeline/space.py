"""Plan spaces of pooled pipelines: the plans that a system may make, and its objective (PPipe §3, §5.3, §7.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Self

from euclio.core.parameters import Parameter
from euclio.core.space_fields import SpaceField, at_most, described, most_of, one_of
from euclio.core.values import count

if TYPE_CHECKING:
    from euclio.problems.pipeline.instance import Cluster


class Objective(StrEnum):
    """The objective of a plan."""

    words: str

    THROUGHPUT = ("throughput", "most throughput")
    """Largest smallest throughput per weight over the models, in requests per second."""
    COST = ("cost", "least cost")
    """Least money per hour for the physical GPUs used, at each model's `rate_rps`."""

    def __new__(cls, value: str, words: str = "") -> Self:
        """The member of this name, and its text for people."""
        member = str.__new__(cls, value)
        member._value_, member.words = value, words
        return member


OBJECTIVE = one_of(
    Objective,
    "objective",
    Parameter("--objective", "objective", "most throughput, or least cost for each model's rate_rps"),
)
MAX_PARTITIONS = most_of(
    "partitions",
    (1, 2),
    Parameter(
        "--max-partitions", "max_partitions", "most partitions of a pipeline; default: the file's", count, metavar="N"
    ),
    words=lambda most: at_most(most, "partition"),
)


def _other_unification(cluster: Cluster, space: PipelineSpace) -> Iterator[tuple[str, bool]]:
    unify = not space.unifies_batch(cluster)
    yield "one batch size" if unify else "batch sizes of their own", unify


UNIFY_BATCH = SpaceField(
    kind=bool,
    words=lambda unify: "" if unify is None else "one batch size per pipeline" if unify else "batch sizes of their own",
    option=Parameter(
        "--no-batch-unification", "unify_batch", "a batch size of its own for each partition", value=False
    ),
    variants=_other_unification,
)
VIRTUAL_GPUS = SpaceField(
    kind=bool,
    words=lambda virtual: "" if virtual else "whole GPUs only",
    option=Parameter("--no-virtual-gpus", "virtual_gpus", "whole GPUs only", value=False),
    variants=lambda cluster, space: iter(
        [("whole GPUs" if space.virtual_gpus else "GPUs shared", not space.virtual_gpus)]
    ),
    contains=lambda wide, narrow: wide or not narrow,
)
BATCH_BUILD = SpaceField(
    kind=bool,
    words=lambda counts: "" if counts else "no batch-build delay",
    option=Parameter("--no-batch-build", "batch_build", "leave out the delay until a batch has gathered", value=False),
    variants=lambda cluster, space: iter([("batch-build delay changed", not space.batch_build)]),
    contains=lambda wide, narrow: narrow or not wide,
)
ONE_PER_SEQUENCE = SpaceField(
    kind=bool,
    words=lambda one: "one pipeline per sequence" if one else "",
    option=Parameter("--one-per-sequence", "one_per_sequence", "one pipeline per sequence of GPU types", value=True),
    variants=lambda cluster, space: iter([("pipelines per sequence changed", not space.one_per_sequence)]),
    contains=lambda wide, narrow: narrow or not wide,
)
WHOLE_GPUS = SpaceField(
    kind=bool,
    words=lambda whole: "" if whole else "fractions of GPUs added up",
    variants=lambda cluster, space: iter([("counting of GPUs changed", not space.whole_gpus)]),
    contains=lambda wide, narrow: narrow or not wide,
)


@dataclass(frozen=True, slots=True)
class PipelineSpace:
    """The set of plans that a system may choose from; the default is all that the cluster allows.

    Attributes:
        max_partitions: most partitions of a pipeline; None means the cluster's.
        unify_batch: whether pipelines have one batch size; None means the cluster's value.
        virtual_gpus: whether GPUs may be divided; False allows share 1 only.
        batch_build: whether the delay until a batch has gathered counts.
        one_per_sequence: whether a model has at most one pipeline per sequence of GPU types, as in the paper's MILP.
        whole_gpus: whether virtual GPUs are counted up to whole GPUs per model, position and GPU type; False adds up
            fractions of GPUs, as equation (23) in print.
    """

    objective: Objective = field(default=Objective.THROUGHPUT, metadata=OBJECTIVE.metadata)
    max_partitions: int | None = field(default=None, metadata=MAX_PARTITIONS.metadata)
    unify_batch: bool | None = field(default=None, metadata=UNIFY_BATCH.metadata)
    virtual_gpus: bool = field(default=True, metadata=VIRTUAL_GPUS.metadata)
    batch_build: bool = field(default=True, metadata=BATCH_BUILD.metadata)
    one_per_sequence: bool = field(default=False, metadata=ONE_PER_SEQUENCE.metadata)
    whole_gpus: bool = field(default=True, metadata=WHOLE_GPUS.metadata)

    def __post_init__(self) -> None:
        """Accept the objective by name."""
        object.__setattr__(self, "objective", Objective(self.objective))

    def most_partitions(self, cluster: Cluster) -> int:
        """Most partitions of a pipeline on a cluster; never more than a model has blocks."""
        wanted = cluster.max_partitions if self.max_partitions is None else self.max_partitions
        return min(wanted, max(model.blocks for model in cluster.models))

    def unifies_batch(self, cluster: Cluster) -> bool:
        """Whether all partitions of a pipeline have one batch size on a cluster."""
        return cluster.unify_batch if self.unify_batch is None else self.unify_batch

    def describe(self) -> dict[str, object]:
        """The plan space as plain data, as in results and on the command line."""
        return described(self)


FULL_PIPELINE_SPACE = PipelineSpace()
