"""What a plan keeps under Poisson arrivals, where that is known so quickly that it stands under every plan (ours)."""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import as_they_are
from euclio.core.errors import InputError
from euclio.core.result import Result
from euclio.session.instance import Session
from euclio.session.plan import Plan
from euclio.session.simulation.engine.loop import FOREVER
from euclio.session.simulation.in_turn import Coming, InTurn, covers
from euclio.session.simulation.setup import Setup
from euclio.session.simulation.simulation import simulate
from euclio.session.simulation.system import System, build_system
from euclio.session.space import PlanSpace

BY_ENGINE = 1_000
BY_MODULE = 20_000
"""Invocations that take less than 0.3 s of one core without machine code, dummies among them: by the engine, and one
module after the other. It is they that are counted and not the time, so that the same input shows the same."""


def poisson_attainment(session: Session, result: Result) -> float | None:
    """The share of requests within the SLO in the plain simulation of a result: Poisson arrivals, 30 s, seed 0.

    `euclio simulate session.json result.json --arrivals poisson --seconds 30` shows the same number. No machine code is
    loaded or made for it.

    Args:
        session: the instance of the result, with the changes that it states.
        result: a checked result.

    Returns:
        The share; None: there is no plan, it was asked for an attainment, or the simulation is not done within 0.3 s.
    """
    if result.plan is None or result.evaluation is None or result.value is None or "attainment" in result.options:
        return None
    setup = Setup(dummies=not result.space.policy.pulls)
    rates = zip(session.modules, result.evaluation.modules, strict=True)
    invocations = float(sum(module.rate_rps + found.dummy_rps for module, found in rates)) * setup.seconds
    if invocations > BY_MODULE:
        return None
    try:
        with as_they_are():
            return _share(session, result.plan, result.space, setup, invocations)
    except InputError:
        return None  # the plan has numbers that are too large to be simulated


def _share(session: Session, plan: Plan, space: PlanSpace, setup: Setup, invocations: float) -> float | None:
    """The same for a plan, as quickly as its modules allow."""
    system = build_system(session, plan, space, setup, fine=True)
    if covers(system, setup.noise) and all(machine.timeout_ticks >= 0 for machine in system.machines):
        return _share_in_turn(system, setup)
    return simulate(session, plan, setup, space).attainment if invocations <= BY_ENGINE else None


def _share_in_turn(system: System, setup: Setup) -> float | None:
    """What `simulate` counts; batches that nothing fills any more are closed by their time-outs."""
    served = InTurn(system, Coming(system, setup), system.clock.up(setup.seconds))
    served.go_to(FOREVER)
    arrived = len(served.arrivals())
    took = served.latencies(0, arrived)
    return float(np.count_nonzero(took <= system.slo_ticks)) / arrived if arrived else None
