"""Static and Static+: shares for the partition points that clients have at their mean bandwidth (Graft §5.1).

They are no solvers of a fleet as it is now: a plan for other partition points is no plan for its fragments, and the
checker refuses it. So what they plan is the fleet of the same clients at their mean bandwidth (`fleet_at_mean`, or
`euclio generate fleets --bandwidth mean`), on which Static does as GSLICE and Static+ as GSLICE+, and clients keep to
those partition points while the bandwidth changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.fragments import Fleet, FragmentPlan, FragmentSpace
from euclio.fragments.workloads.clients import Client, fleet_at_mean
from heuristics.fragments.gslice import solve_gslice, solve_gslice_plus

STATIC_SYSTEMS = {"static": solve_gslice, "static+": solve_gslice_plus}
"""Static and Static+ by name: how each plans the fleet at the mean bandwidth."""


@dataclass(frozen=True, slots=True)
class StaticPlan:
    """What Static or Static+ plans.

    Attributes:
        fleet: the clients' fragments at their mean bandwidth; the plan is one of these.
        answer: the plan.
    """

    fleet: Fleet
    answer: Answer[FragmentPlan]


def plan_static(
    system: str, name: str, clients: Sequence[Client], space: FragmentSpace, limits: Limits[FragmentPlan]
) -> StaticPlan:
    """Plan the fleet that clients are at their mean bandwidth.

    Args:
        system: "static" (each fragment alone) or "static+" (uniform ones together, Graft §5.3).
        name: name of the fleet.
        clients: the clients.
        space: plan space.
        limits: limits of the run.

    Raises:
        KeyError: no such system.
        InputError: no client leaves a fragment.
    """
    fleet = fleet_at_mean(name, clients)
    return StaticPlan(fleet, STATIC_SYSTEMS[system](fleet, space, limits))
