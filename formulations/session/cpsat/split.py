"""Solver `cpsat-split`: latency splitting over given module frontiers in CP-SAT (Harpagon §III-D, Scrooge (2a)-(2d)).

The model is that of `split_model.py`, in whole numbers that are rounded down, so that each split within the SLO is a
solution at no higher a cost. Every split that comes back is added up exactly and cut off, until nothing cheaper than
the incumbent is left (`formulations/session/split/proof.py`). Time is counted coarsely first; once a split is
refused, finely.
"""

from __future__ import annotations

import math
from fractions import Fraction

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.session import PlanSpace, Session
from formulations.engines.interface import engine_limits
from formulations.session.cpsat.split_model import CpSatSplitModel, split_model
from formulations.session.split.problem import SplitProblem
from formulations.session.split.proof import Build
from formulations.session.split.run import split_session

SCALES = (1 << 16, 1 << 26)
"""Units that the SLO comes to, coarse and fine."""


def run_cpsat_split(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Cheapest plan of a session: module frontiers, then the model above; with proof."""
    return split_session(session, space, limits, builder(limits))


def builder(limits: Limits) -> Build:
    """Makes models that run within some limits."""

    def build(problem: SplitProblem, unit: Fraction, coarse: int) -> CpSatSplitModel:
        scale = min(coarse, len(SCALES) - 1)
        given = engine_limits(limits, math.inf)
        return split_model(problem, unit, SCALES[scale], given, finest=scale == len(SCALES) - 1)

    return build
