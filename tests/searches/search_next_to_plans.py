"""What is said next to a plan and of points, which rests on other optima, against all plans of small sessions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from euclio import solve
from euclio.core.result import Result, Status
from euclio.problems.session import Charging, PlanSpace, Session
from euclio.problems.session.bought_whole import BEST, BOUND, PACKED_BOUND, with_whole_costs
from euclio.problems.session.changes import source_rate
from euclio.problems.session.policies import POLICIES
from euclio.questions.explain.explaining import explain
from euclio.questions.what_if import what_if
from tests.drawn.small_sessions import small_session

from .search import Found, Search

REFERENCE, LIMIT_S = "plan-bruteforce", 20.0
RELATIVE = Fraction(1, 10**9)
"""Bounds and optima may lie above the least cost by this part of it."""
DECIDED = (Status.OPTIMAL, Status.INFEASIBLE)
FACTORS = (Fraction(1, 2), Fraction(1), Fraction(3, 2))
"""SLOs and rates of points, in those of the session."""
JUST = 1 - Fraction(1, 10**6)


def look(seed: int) -> Found:
    """Bounds on whole and packed machines, points of a grid, the least SLO and the answer on a stock of one session."""
    session = small_session(seed)
    own = PlanSpace(tuple(POLICIES)[seed % len(POLICIES)])
    said = [*_bounds(session, own), *_points(session, own), *_least_slo(session, own)]
    said += _within_stock(session, replace(own, charging=Charging.WHOLE))
    faults = tuple(fault for fault in said if fault)
    return Found(sum(fault is not None for fault in said), faults, sum(fault is None for fault in said))


def _truth(session: Session, space: PlanSpace) -> Result | None:
    """The cheapest of all plans, or that there is none; None: there are too many to list."""
    found = solve(session, REFERENCE, space=space, time_limit_s=LIMIT_S)
    return found if found.status in DECIDED else None


def _above(what: str, bound: float | Fraction | None, truth: Result | None) -> str | None:
    """A fault if a bound lies above the least cost; empty: it does not; None: nobody knows."""
    if truth is None or truth.value is None or bound is None:
        return None
    above = Fraction(bound) > truth.value * (1 + RELATIVE)
    return f"{what}: at least {float(bound)!r}, and a plan costs {float(truth.value)!r}" if above else ""


def _bounds(session: Session, own: PlanSpace) -> Iterator[str | None]:
    for charging, other, solver in (
        (Charging.SHARE, Charging.WHOLE, "exact"),
        (Charging.PACKED, Charging.PACKED, "whole-greedy"),
    ):
        space = replace(own, charging=charging)
        stats = with_whole_costs(session, solve(session, solver, space=space, time_limit_s=LIMIT_S), LIMIT_S).stats
        truth = _truth(session, replace(space, charging=other))
        yield _above(f"{charging}: bound", stats.get(BOUND if charging is Charging.SHARE else PACKED_BOUND), truth)
        if BEST in stats and truth is not None and truth.value is not None:
            below = Fraction(stats[BEST]) < truth.value * (1 - RELATIVE)
            yield f"best whole plan {stats[BEST]!r} below all plans, {float(truth.value)!r}" if below else ""


def _points(session: Session, own: PlanSpace) -> Iterator[str | None]:
    """Each point of a grid, of which most follow from others."""
    rates, slos = ([own * factor for factor in FACTORS] for own in (source_rate(session), session.slo_s))
    for charging in (Charging.SHARE, Charging.WHOLE):
        for point in what_if(session, rates=rates, slos=slos, chargings=[charging], space=own).points.values():
            truth = _truth(point.session, replace(own, charging=charging))
            if truth is None or point.result.status not in DECIDED:
                yield None
            elif point.result.status is not truth.status:
                yield f"SLO {point.session.slo_s}: {point.result.status}, and {truth.status} of all plans"
            else:
                yield _above(f"SLO {point.session.slo_s}: optimum", point.result.value, truth) or ""


def _least_slo(session: Session, own: PlanSpace) -> Iterator[str | None]:
    found = explain(session, own)
    if found.least_slo_s is None or not found.least_proven:
        yield None
        return
    for part, wanted in ((Fraction(1), Status.OPTIMAL), (JUST, Status.INFEASIBLE)):
        truth = _truth(replace(session, slo_s=found.least_slo_s * part), own)
        wrong = truth is not None and truth.status is not wanted
        yield None if truth is None else f"least SLO {found.least_slo_s} x {part}: {truth.status}" if wrong else ""


def _within_stock(session: Session, own: PlanSpace) -> Iterator[str | None]:
    """Whether an explanation calls a session with so many machines of each type feasible exactly if it has a plan."""
    for count in (1, 2, 4):
        limited = replace(session, hardware=tuple(replace(h, count=count) for h in session.hardware))
        truth, found = _truth(limited, own), explain(limited, own, LIMIT_S).status
        if truth is None or found is Status.UNKNOWN:
            yield None
        else:
            wrong = (found is Status.INFEASIBLE) != (truth.status is Status.INFEASIBLE)
            yield (
                f"{count} machines of each type: explained as {found}, and {truth.status} of all plans" if wrong else ""
            )


SEARCH = Search(
    "next-to-plans",
    "bounds on whole and packed machines, points that follow from others, the least SLO and the answer on a stock are "
    "those of all plans",
    "claims",
    look,
    range(20),
    slow=True,
)
