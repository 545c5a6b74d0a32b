"""What a plan keeps under Poisson arrivals, where that is known so quickly that it stands under every plan (ours)."""

from __future__ import annotations

from euclio.core.compiled import Kernel
from euclio.core.errors import InputError
from euclio.core.result import Result
from euclio.session.instance import Session
from euclio.session.simulation.setup import Setup

INTERPRETED = 1_000
COMPILED = 300_000
"""Invocations that take less than 0.3 s of one core, dummies among them. It is they that are counted and not the time,
so that the same input shows the same."""


def poisson_attainment(session: Session, result: Result) -> float | None:
    """The share of requests within the SLO in the plain simulation of a result: Poisson arrivals, 30 s, seed 0.

    `euclio simulate session.json result.json --arrivals poisson --seconds 30` shows the same number.

    Args:
        session: the instance of the result, with the changes that it states.
        result: a checked result.

    Returns:
        The share; None: there is no plan, it was asked for an attainment, or the simulation is not done within 0.3 s.
    """
    if result.plan is None or result.evaluation is None or result.value is None or "attainment" in result.options:
        return None
    setup = Setup()
    rates = zip(session.modules, result.evaluation.modules, strict=True)
    invocations = float(sum(module.rate_rps + found.dummy_rps for module, found in rates)) * setup.seconds
    if invocations > COMPILED:
        return None
    from euclio.session.simulation.engine.loop import advance
    from euclio.session.simulation.simulation import simulate

    assert isinstance(advance, Kernel)
    if invocations > INTERPRETED and not advance.is_compiled:
        return None

    try:
        return simulate(session, result.plan, setup, result.space).attainment
    except InputError:
        return None  # the plan has numbers that are too large to be simulated
