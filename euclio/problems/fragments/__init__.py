"""Misaligned fragments of a DNN on shared GPUs: fleets, plans and their GPU shares (Graft)."""

from euclio.problems.fragments.evaluate import FleetEvaluation, SetEvaluation, StageEvaluation, evaluate
from euclio.problems.fragments.instance import Fleet, Fragment, Network, Points
from euclio.problems.fragments.memory import Server
from euclio.problems.fragments.plan import FragmentPlan, Head, RealignedSet, Stage
from euclio.problems.fragments.space import Budgets, FragmentSpace, Sharing

__all__ = [
    "Budgets",
    "Fleet",
    "FleetEvaluation",
    "Fragment",
    "FragmentPlan",
    "FragmentSpace",
    "Head",
    "Network",
    "Points",
    "RealignedSet",
    "Server",
    "SetEvaluation",
    "Sharing",
    "Stage",
    "StageEvaluation",
    "evaluate",
]
