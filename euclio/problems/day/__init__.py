"""A load over time: a session whose rates move, and the machines that serve it from step to step (ours)."""

from euclio.problems.day.evaluate import DayEvaluation, evaluate
from euclio.problems.day.instance import Day, Step
from euclio.problems.day.plan import DayPlan, Idle, Serving, Staffing, StepPlan

__all__ = [
    "Day",
    "DayEvaluation",
    "DayPlan",
    "Idle",
    "Serving",
    "Staffing",
    "Step",
    "StepPlan",
    "evaluate",
]
