"""Session family: cheapest machines for a DAG of DNN modules under a latency objective."""

from euclio.problems.session.evaluate import Evaluation, ModuleEvaluation, evaluate
from euclio.problems.session.instance import Configuration, Hardware, Module, Session
from euclio.problems.session.latency.paths import longest_path
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.problems.session.policies import Policy
from euclio.problems.session.rules import Charging, DummyRule
from euclio.problems.session.space import FULL_SPACE, PlanSpace

__all__ = [
    "FULL_SPACE",
    "Allocation",
    "Charging",
    "Configuration",
    "DummyRule",
    "Evaluation",
    "Hardware",
    "Module",
    "ModuleEvaluation",
    "ModulePlan",
    "Plan",
    "PlanSpace",
    "Policy",
    "Session",
    "evaluate",
    "longest_path",
]
