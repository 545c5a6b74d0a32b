"""Plans of a fleet: realigned sets of fragments, each with a shared stage and own stages before it (Graft §4.3)."""

from __future__ import annotations

from dataclasses import dataclass

from euclio.core.lazy import late_value
from euclio.core.showing import Framed


@dataclass(frozen=True, slots=True)
class Stage:
    """Instances that run a range of layers; the place of the stage determines the range.

    Attributes:
        batch: batch size.
        share_pct: GPU share of one instance, in percent of one GPU.
        instances: number of instances.
    """

    batch: int
    share_pct: int
    instances: int

    @property
    def total_pct(self) -> int:
        """GPU share of all instances."""
        return self.share_pct * self.instances


@dataclass(frozen=True, slots=True)
class Head:
    """Fragments of one partition point that reach the shared stage together.

    Attributes:
        fragments: their places in the fleet.
        stage: the stage of their layers up to the re-partition point; None if they begin at that point.
    """

    fragments: tuple[int, ...]
    stage: Stage | None = None


@dataclass(frozen=True, slots=True)
class RealignedSet:
    """Fragments that run on the same instances from the re-partition point on.

    Attributes:
        repartition_point: first layer of the shared stage, from 0.
        shared: the stage of the layers from there to the end, for all fragments of the set.
        heads: the ways of the fragments to that point; each fragment of the set is in one.
    """

    repartition_point: int
    shared: Stage
    heads: tuple[Head, ...]

    @property
    def fragments(self) -> tuple[int, ...]:
        """Places of all its fragments, in the order of its heads."""
        return tuple(i for head in self.heads for i in head.fragments)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The shared stage, then the own ones."""
        return (self.shared, *(head.stage for head in self.heads if head.stage is not None))


@dataclass(frozen=True, slots=True, repr=False)
class FragmentPlan(Framed):
    """The realigned sets of all fragments; a fragment alone is a set by itself."""

    _view = late_value("euclio.problems.fragments.views", "PLAN")

    sets: tuple[RealignedSet, ...]
