"""Objectives of modules and delays of edges, added to drawn sessions."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

from euclio.problems.session import Session
from euclio.problems.session.objectives import Objective

from .small_sessions import small_session

SHARES = ("1", "1/2", "3/4", "9/10", "1/5")
"""Objectives as shares of the session's SLO; several are equal, and some are too short for any plan."""


def session_with_objectives(seed: int) -> Session:
    """The small session of a seed, with delays of edges, and objectives that name modules anywhere in the DAG."""
    session, rng = small_session(seed), random.Random(f"objectives/{seed}")
    names = [module.name for module in session.modules]
    delays = {edge: session.slo_s / rng.choice([10, 20, 3]) for edge in session.edges if rng.random() < 0.6}
    named = rng.choices(names, k=rng.randint(1, len(names) + 1))
    limits = [session.slo_s * Fraction(rng.choice(SHARES)) for _ in named]
    objectives = [Objective(f"o{k}", name, limit) for k, (name, limit) in enumerate(zip(named, limits, strict=True))]
    return replace(session, slo_s=None, objectives=tuple(objectives), delay_s=delays)
