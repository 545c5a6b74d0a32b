"""What a plan keeps in a short simulation by whichever simulator is quick without machine code (ours)."""

from __future__ import annotations

import numpy as np

from euclio.problems.session.instance import Session
from euclio.problems.session.plan import Plan
from euclio.problems.session.space import PlanSpace
from euclio.serving.session.engine.loop import FOREVER
from euclio.serving.session.in_turn import InTurn, RequestStream, covers
from euclio.serving.session.setup import Setup
from euclio.serving.session.simulation import simulate
from euclio.serving.session.system import System, build_system

BY_ENGINE = 1_000
"""Invocations that the engine serves in less than 0.3 s of one core without machine code."""


def share_in_time(session: Session, plan: Plan, space: PlanSpace, setup: Setup, invocations: float) -> float | None:
    """The share of requests within the SLO.

    Args:
        session: the instance.
        plan: a plan of it.
        space: its plan space.
        setup: arrivals and seconds.
        invocations: how many there will be about.

    Returns:
        The share; None: only the engine can simulate that plan, and it would take too long.

    Raises:
        InputError: the plan has numbers that are too large to be simulated.
    """
    system = build_system(session, plan, space, setup, fine=True)
    if covers(system, setup.noise) and all(machine.timeout_ticks >= 0 for machine in system.machines):
        return _share_in_turn(system, setup)
    return simulate(session, plan, setup, space).attainment if invocations <= BY_ENGINE else None


def _share_in_turn(system: System, setup: Setup) -> float | None:
    """What `simulate` counts; batches that nothing fills any more are closed by their time-outs."""
    served = InTurn(system, RequestStream(system, setup), system.clock.up(setup.seconds))
    served.go_to(FOREVER)
    arrived = len(served.arrivals())
    took = served.latencies(0, arrived)
    return float(np.count_nonzero(took <= system.slo_ticks)) / arrived if arrived else None
