"""A load over time: a session whose rates move, and the machines that serve it from step to step (ours)."""

from euclio.day.evaluate import DayEvaluation, evaluate
from euclio.day.instance import Day, Step
from euclio.day.plan import DayPlan, Idle, Serving, Staffing, StepPlan

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
