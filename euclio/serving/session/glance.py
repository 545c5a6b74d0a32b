"""What a plan keeps under Poisson arrivals, where that is known so quickly that it stands under every plan (ours)."""

from __future__ import annotations

from euclio.core.compiled import as_they_are
from euclio.core.errors import InputError
from euclio.core.lazy import late
from euclio.core.result import Result
from euclio.problems.session.instance import Session
from euclio.serving.session.service import DEPLOYED
from euclio.serving.session.setup import Setup
from euclio.serving.session.slack import never_in_words, overloaded
from euclio.serving.session.system import build_system

# Simulators take as long to be imported as all else of a short solve, and most plans serve too many requests for them.
share_in_time = late("euclio.serving.session.short_simulation", "share_in_time")

BY_MODULE = 20_000
"""Invocations that take less than 0.3 s of one core without machine code, one module after the other. It is they that
are counted and not the time, so that the same input shows the same."""


def never_catches_up(session: Session, result: Result) -> str:
    """What has no slack under Poisson arrivals, in a few words; empty: nothing, or there is no plan."""
    if result.plan is None or result.value is None or "attainment" in result.options:
        return ""
    setup = Setup(**DEPLOYED)
    try:
        return never_in_words(overloaded(build_system(session, result.plan, result.space, setup), setup))
    except InputError:
        return ""  # the plan has numbers that are too large to be simulated


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
    setup = Setup(**DEPLOYED)
    invocations = float(sum(module.rate_rps for module in session.modules)) * setup.seconds
    if invocations > BY_MODULE:
        return None
    try:
        with as_they_are():
            share: float | None = share_in_time(session, result.plan, result.space, setup, invocations)
            return share
    except InputError:
        return None  # the plan has numbers that are too large to be simulated
