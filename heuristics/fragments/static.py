"""Static and Static+: shares for the partition points that clients have at their mean bandwidth (Graft §5.1).

Static does as GSLICE and Static+ as GSLICE+, and clients keep to those partition points while the bandwidth changes. A
plan for other partition points is no plan for the fragments of a moment, and the checker refuses it. So both plan only
fleets whose partition points were taken from the mean bandwidth, which such a fleet says itself.
"""

from __future__ import annotations

from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.fragments import Fleet, FragmentPlan, FragmentSpace, Points
from heuristics.fragments.gslice import solve_gslice, solve_gslice_plus


def solve_static(
    fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan], *, together: bool
) -> Answer[FragmentPlan]:
    """The plan for the partition points of the mean bandwidth.

    Args:
        fleet: the clients' fragments at their mean bandwidth.
        space: plan space.
        limits: limits of the run.
        together: all uniform fragments share instances (Static+, Graft §5.3); False: each has its own (Static).

    Raises:
        InapplicableError: the fleet's partition points are others, or it does not say.
    """
    if fleet.points is not Points.MEAN:
        solver = "static+" if together else "static"
        found = "is not given" if fleet.points is None else f'is "{fleet.points}"'
        raise InapplicableError(
            f'{fleet.name}: points: {found}; {solver} plans partition points of the mean bandwidth only ("mean"): draw '
            "the fleet with `euclio generate fleets --bandwidth mean`"
        )
    return (solve_gslice_plus if together else solve_gslice)(fleet, space, limits)
