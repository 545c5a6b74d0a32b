"""Rules by which people size a service: machines by the load of each module, configurations by hand (ours).

The SLO is split over the modules in proportion to their least durations (each of several objectives over the modules
that lead to it, of which a module takes the least part); of the configurations whose 2d fits into a
module's part, the cheapest per request is taken. A module then gets machines for its load in machines (rate over
throughput): as many, rounded up; so many that none is busy for more than 70 % of the time; or square-root staffing,
load + β·√load with β the normal quantile of the attainment. What is more than the load is
capacity that is kept free. None of them looks at how requests come.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.session import (
    FULL_SPACE,
    Allocation,
    Configuration,
    ModulePlan,
    Plan,
    PlanSpace,
    Session,
    evaluate,
)
from euclio.problems.session.arrays import session_arrays
from euclio.problems.session.latency.paths import longest_path
from euclio.problems.session.least_latency import why_no_plan
from euclio.problems.session.services import is_plain
from heuristics.session.objective_shares import stretch_factors
from heuristics.session.solver import hardware_choices

MOST_UTILISATION = Fraction(7, 10)
ATTAINMENT = 0.99
"""That square-root staffing counts on."""

Machines = Callable[[float], int]
"""How many machines a load in machines is given."""


def for_utilisation(load: float) -> int:
    """Machines that are busy for `MOST_UTILISATION` of the time at most."""
    return math.ceil(load / float(MOST_UTILISATION))


def by_square_root(load: float, attainment: float = ATTAINMENT) -> int:
    """Machines that leave a buffer of β standard deviations of a Poisson load."""
    return math.ceil(load + NormalDist().inv_cdf(attainment) * math.sqrt(load))


def solve_rate_over_throughput(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """As many machines as the load, rounded up."""
    return _solved("rate-over-throughput", math.ceil, session, space)


def solve_utilisation(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """So many machines that none is busy for more than `MOST_UTILISATION` of the time."""
    return _solved("utilisation-70", for_utilisation, session, space)


def solve_square_root(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Square-root staffing for `ATTAINMENT`."""
    return _solved("square-root-staffing", by_square_root, session, space)


def _solved(name: str, machines: Machines, session: Session, space: PlanSpace) -> Answer:
    """The plan of a rule, the cheapest over the hardware where only one type is allowed."""
    best = Answer(None, "no plan")
    for one in hardware_choices(session, space):
        chosen = configurations_by_hand(session, one)
        if chosen is None:
            continue
        plan = staffed(session, chosen, machines)
        found = evaluate(session, plan, one)
        if not found.feasible or found.cost_per_h is None:
            continue
        if best.claimed is None or float(found.cost_per_h) < best.claimed:
            best = Answer(plan, "feasible", claimed=float(found.cost_per_h))
    if best.plan is not None:
        return best
    why = why_no_plan(session, space)
    if why:
        return Answer(None, "infeasible", infeasible=True, reason=why)
    return Answer(None, "no plan", reason=f"{name} found no plan that meets the SLO")


def configurations_by_hand(session: Session, space: PlanSpace | None = None) -> list[Configuration] | None:
    """One configuration per module, as people choose it; None if a module has none in the plan space.

    Args:
        session: the session.
        space: a plan space that leaves out configurations; None if all are allowed.
    """
    profiles = [
        [c for c in module.profile if space is None or space.allows(c.hardware, c.batch, c.concurrency)]
        for module in session.modules
    ]
    if not all(profiles):
        return None
    least = [min(c.duration_s for c in profile) for profile in profiles]
    price, chosen = session.price, []
    for profile, own, share in zip(profiles, least, _shares(session, least), strict=True):
        fitting = [c for c in profile if 2 * c.duration_s <= own * share]
        # Where none leaves that much time, the fastest has to do.
        fitting = fitting or [c for c in profile if c.duration_s == own]
        chosen.append(min(fitting, key=lambda c: (price[c.hardware] / c.throughput_rps, c.duration_s)))
    return chosen


def _shares(session: Session, least_s: Sequence[Fraction]) -> list[Fraction]:
    """By what the least duration of each module is multiplied for its part of the SLO, or of its objectives."""
    if is_plain(session):
        return [session.slo_s / longest_path(session, least_s)[0]] * len(least_s)
    factors = stretch_factors(session_arrays(session, FULL_SPACE), np.array([float(own) for own in least_s]))
    return [Fraction(factor) for factor in factors.tolist()]


def staffed(session: Session, chosen: Sequence[Configuration], machines: Machines) -> Plan:
    """The plan of one configuration per module with so many machines for its load, and no fewer than the load."""
    loads = [float(m.rate_rps / c.throughput_rps) for m, c in zip(session.modules, chosen, strict=True)]
    return counted(session, [(c, machines(load)) for c, load in zip(chosen, loads, strict=True)])


def counted(session: Session, chosen: Sequence[tuple[Configuration, int]]) -> Plan:
    """The plan of so many machines of one configuration per module, and no fewer than its rate needs."""
    modules = []
    for module, (c, count) in zip(session.modules, chosen, strict=True):
        machines = max(count, math.ceil(module.rate_rps / c.throughput_rps))
        modules.append(ModulePlan((Allocation(c, machines),), machines * c.throughput_rps - module.rate_rps))
    return Plan(tuple(modules))
