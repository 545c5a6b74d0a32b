"""The attainment of a plan under Poisson arrivals and the approximate cost of 99 %: a line under every plan (ours)."""

from __future__ import annotations

from dataclasses import replace

from euclio.core.lazy import late
from euclio.core.numbers import exact
from euclio.core.parts import Glance
from euclio.core.registry import offered
from euclio.core.result import Result
from euclio.core.solving import asked
from euclio.core.words import full
from euclio.problems.session.costs import money
from euclio.problems.session.instance import Session

# A caller that only prints the entries of `stats` needs neither.
poisson_attainment = late("euclio.serving.session.glance", "poisson_attainment")
never_catches_up = late("euclio.serving.session.glance", "never_catches_up")
rough_cost = late("euclio.serving.attainment.rough_cost", "rough_cost")

SHARE, COST = "poisson_attainment", "poisson_99_about_per_h"
"""Entries of a result's `stats`: share of Poisson requests in time, and the approximate cost per hour of keeping 99
%."""
LIMIT_S = 0.3
"""Seconds that both take together, approximately."""
MOST_NODES = 2_000
"""Nodes and modules' searches of a solve that takes milliseconds; the cost takes up to nine more such solves."""
DIGITS = 3
"""Of that cost."""
QUICK = "exact"
"""The solver that makes plans often enough in that time."""


def with_random_arrivals(session: Session, result: Result, limit_s: float | None) -> Result:
    """The result with its plan's attainment under Poisson arrivals and the approximate cost of 99 % in `stats`.

    Args:
        session: the session, with its changes.
        result: its result.
        limit_s: seconds that both may take; None means no limit.

    Returns:
        The result. A figure is left out if it would take longer than `LIMIT_S`, as counted in requests and nodes, so
        that the same input gives the same result on any machine.
    """
    if limit_s is not None and limit_s <= 0:
        return result
    share = poisson_attainment(session, result)
    if share is None:
        return result
    stats = {**result.stats, SHARE: share}
    if _is_quick(result) and (limit_s is None or limit_s >= LIMIT_S):
        cost = rough_cost(asked(session, QUICK, space=result.space))
        stats |= {} if cost is None else {COST: cost}
    return replace(result, stats=stats)


def _is_quick(result: Result) -> bool:
    """Whether the plan is of a solver that makes such plans often enough in the time, by its own counters."""
    effort = result.stats.get("solves", 0.0) + result.stats.get("nodes", 0.0)
    return result.solver == QUICK and offered(QUICK, "session") is not None and effort <= MOST_NODES


def glance(session: Session, result: Result) -> Glance:
    """The same of any result, in words; a figure missing in its `stats` is simulated if that takes less than 0.3 s."""
    share = result.stats.get(SHARE)
    cost = result.stats.get(COST)
    return Glance(
        poisson_attainment(session, result) if share is None else share,
        "" if cost is None else f"at most about {money(session, exact(full(cost, digits=DIGITS)))} per hour",
        never_catches_up(session, result),
    )
