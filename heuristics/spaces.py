"""Plan spaces of the systems, which the list of solvers reads: without methods, so that start-up stays fast."""

from __future__ import annotations

from dataclasses import replace

from euclio.problems.fragments import Fleet, FragmentSpace, Sharing
from euclio.problems.pipeline import Cluster, PipelineSpace
from euclio.problems.session import Charging, DummyRule, PlanSpace, Policy

# The plan space of Scrooge's own algorithms (§3.3): dispatch at machine rate, no dummies, partial machines.

SCROOGE_SPACE = PlanSpace(Policy.MACHINE_RATE, DummyRule.NONE)
"""Any number of allocations per module; Table III's row `scrooge` of Harpagon is another space (two at most)."""
SCROOGE_LACKS = frozenset({"one_hardware", "other_policies", "own_policies", "dummies", "continuous"})
"""What none of them covers (`euclio.problems.session.demands`)."""


# Plan spaces of the systems that Graft compares with (Graft §5.1, §5.3).

GSLICE_SPACE = FragmentSpace(sharing=Sharing.ALONE)
GSLICE_PLUS_SPACE = FragmentSpace(sharing=Sharing.UNIFORM)


def gslice_space(fleet: Fleet, space: FragmentSpace) -> FragmentSpace:
    """What GSLICE's design leaves of a plan space: each fragment alone."""
    return replace(space, sharing=Sharing.ALONE)


def gslice_plus_space(fleet: Fleet, space: FragmentSpace) -> FragmentSpace:
    """What the design of GSLICE+ leaves of a plan space: uniform fragments together, nothing realigned."""
    return replace(space, sharing=min(space.sharing, Sharing.UNIFORM, key=lambda sharing: sharing.rank))


# Plan spaces of the systems that PPipe compares with (PPipe §7.1).

NO_PARTITIONING_SPACE = PipelineSpace(max_partitions=1, virtual_gpus=False)
DART_SPACE = PipelineSpace(max_partitions=2, virtual_gpus=False)


def no_partitioning_space(cluster: Cluster, space: PipelineSpace) -> PipelineSpace:
    """What NP's design leaves of a plan space: one partition, whole GPUs."""
    return replace(space, max_partitions=1, virtual_gpus=False)


def dart_space(cluster: Cluster, space: PipelineSpace) -> PipelineSpace:
    """What DART-r's design leaves of a plan space: two partitions at most, whole GPUs."""
    return replace(space, max_partitions=min(2, space.most_partitions(cluster)), virtual_gpus=False)


# The plan space of rules by which people size a service: whole machines of one kind behind a load balancer, spare.

STAFFING_SPACE = PlanSpace(Policy.LOAD_BALANCER, DummyRule.CONTINUOUS, charging=Charging.WHOLE)
STAFFING_COVERS, STAFFING_LACKS = frozenset({"whole"}), frozenset({"share", "countable"})
"""What all of them cover, and what none does (`euclio.problems.session.demands`)."""
