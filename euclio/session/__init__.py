"""Session family: cheapest machines for a DAG of DNN modules under a latency objective."""

from euclio.session.charging import Charging
from euclio.session.evaluate import Evaluation, ModuleEvaluation, evaluate
from euclio.session.instance import Configuration, Hardware, Module, Session
from euclio.session.latency.paths import longest_path
from euclio.session.plan import Allocation, ModulePlan, Plan
from euclio.session.policies import Policy
from euclio.session.rules import DummyRule
from euclio.session.space import FULL_SPACE, PlanSpace

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
