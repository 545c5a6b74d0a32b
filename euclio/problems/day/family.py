"""A load over time as a problem family."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from euclio.core.demand import Demand
from euclio.core.lazy import late
from euclio.core.objective import Goal
from euclio.core.words import amount
from euclio.files.plain_family import plain_family
from euclio.problems.day.evaluate import WHOLE, DayEvaluation, evaluate
from euclio.problems.day.files import DAYS
from euclio.problems.day.instance import Day, Step
from euclio.problems.day.plan import DayPlan
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.demands import is_limited_by_changes
from euclio.problems.session.latency.of_requests import caveat

LEAST_COST_IN_ALL = Goal("cost", "in_all", "in all", maximised=False, column="cost")
"""Money for all steps and changes."""


def small(seed: int) -> Day:
    """One module on two machine types, six steps; whether it pays to change machines depends on the seed."""
    profile = (
        Configuration("large", 4, 1, "0.12"),
        Configuration("large", 2, 1, "0.08"),
        Configuration("small", 2, 1, "0.2"),
        Configuration("small", 1, 1, "0.13"),
    )
    hardware = (Hardware("large", "2.5"), Hardware("small", 1))
    session = Session(f"day-{seed}", "0.5", hardware, [Module("m", 20, profile)])
    rates = [Fraction(5 + (7 * k * (seed + 3) + k * k) % 60) for k in range(6)]
    return Day(
        f"day-{seed}", session, [Step(300, [rate]) for rate in rates], 60 * (seed % 4), 120, Fraction(seed % 3, 50)
    )


def _summary(day: Day, space: Any, evaluation: DayEvaluation) -> str:
    changes = f"{evaluation.starts} starts and {evaluation.stops} stops"
    goal = LEAST_COST_IN_ALL.priced_in(day.session.currency)
    return f"{goal.name} {amount(evaluation.value)} {goal.unit}, with {changes}"


def _features(day: Day) -> dict[str, float]:
    return {
        "modules": len(day.session.modules),
        "hardware": len(day.session.hardware),
        "configurations": sum(len(module.profile) for module in day.session.modules),
        "steps": len(day.steps),
        "hours": float(day.hours),
    }


DAY_DEMANDS = (
    Demand("changes", "machines that run before it begins", lambda day, space: is_limited_by_changes(day.session)),
    Demand("resources", "a capacity of a resource", lambda day, space: bool(day.session.resources)),
    Demand("spare", "spare machines", lambda day, space: bool(day.session.spare_machines)),
    Demand("largest_share", "a largest share of some hardware", lambda day, space: bool(day.session.largest_share)),
)
"""What a step of its own may ask for, and a load over time does not know."""


def _doubts(day: Day) -> list[str]:
    """Those of the session."""
    from euclio.problems.session.doubts import session_doubts

    return session_doubts(day.session, "session.")


FAMILY = replace(
    plain_family("day", Day, DayPlan, LEAST_COST_IN_ALL, evaluate, small, "day-exact", instance_files=DAYS),
    table=late("euclio.problems.day.table", "day_table"),
    rows=late("euclio.questions.day_views", "plan_rows"),
    summary=_summary,
    caveat=lambda day, space, plan, evaluation: caveat(day.session, WHOLE),
    demands=DAY_DEMANDS,
    features=_features,
    find_better=late("euclio.proving.day.certifying", "find_better"),
    prove=late("euclio.proving.day.proof", "day_proof"),
    doubts=_doubts,
    currency=lambda day: day.session.currency,
)
