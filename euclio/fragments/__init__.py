"""Misaligned fragments of a DNN on shared GPUs: what a fleet is, what a plan is, what share it takes (Graft)."""

from euclio.fragments.evaluate import FleetEvaluation, SetEvaluation, StageEvaluation, evaluate
from euclio.fragments.instance import Fleet, Fragment, Network, Points
from euclio.fragments.memory import Server
from euclio.fragments.plan import FragmentPlan, Head, RealignedSet, Stage
from euclio.fragments.space import Budgets, FragmentSpace, Sharing

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
