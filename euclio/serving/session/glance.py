"""What a plan keeps under Poisson arrivals, where that is known so quickly that it stands under every plan (ours)."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from euclio.core.compiled import as_they_are
from euclio.core.errors import InputError
from euclio.core.lazy import late
from euclio.core.result import Result
from euclio.problems.session.instance import Session
from euclio.serving.session.clock import alike, offered
from euclio.serving.session.service import DEPLOYED
from euclio.serving.session.setup import Dropping, Setup
from euclio.serving.session.system import Machine, System, build_system
from euclio.serving.session.targets import Router
from euclio.serving.setup import Arrivals

# Modules that never catch up: what comes keeps a machine busy all the time, so that waits grow for ever (ours).

FULL = Fraction(1)


def overloaded(system: System, setup: Setup) -> dict[str, Fraction]:
    """The modules with a machine that has no slack, and its load: the rate of arrivals over its highest rate.

    At a load of 1 and random arrivals a queue has no mean, and the share in time falls the longer requests come; evenly
    spaced ones at that load are served. Above 1 neither is served. The function does not cover traces, which end,
    clients, which wait, and dropped requests, which need no machine.
    """
    if setup.clients or setup.arrivals is Arrivals.TRACE or setup.dropping is not Dropping.NEVER:
        return {}
    loads = _loads(system, setup)
    even = setup.arrivals is Arrivals.UNIFORM and not setup.noise
    return {name: load for name, load in loads.items() if load > FULL or (load == FULL and not even)}


def never_in_words(loads: dict[str, Fraction]) -> str:
    """The module that never catches up, in a few words; of several, the busiest. Empty if there is none."""
    if not loads:
        return ""
    name = max(loads, key=lambda name: loads[name])
    return f"never catches up: load {float(loads[name]):.2f} at {name}"


def _loads(system: System, setup: Setup) -> dict[str, Fraction]:
    """The load of each module's busiest machines that get requests together."""
    rates = [offered(setup, system.rate_rps) * share for share in system.shares]
    hosts: dict[int, Fraction] = defaultdict(Fraction)
    found: dict[str, Fraction] = {}
    for m, module in enumerate(system.modules):
        coming = module.per_request * rates[module.stream]
        coming += system.evaluation.modules[m].dummy_rps if setup.dummies else 0
        total = sum((system.machines[k].rate_rps for k in module.machines), Fraction(0))
        groups = [[system.machines[k] for k in target.machines] for target in module.targets]
        if system.dealing is None or system.dealing.router in (Router.LEAST, Router.TWO):
            groups = [[system.machines[k] for k in module.machines]]
        for group in groups:
            share = sum((machine.rate_rps for machine in group), Fraction(0)) / total
            load = coming * share / sum((_most_rps(system, machine) for machine in group), Fraction(0))
            if group[0].host is not None:
                hosts[group[0].host] += load
            found[module.name] = max(load, found.get(module.name, Fraction(0)))
    for machine in system.machines:
        if machine.host is not None:
            name = system.modules[machine.module].name
            found[name] = max(hosts[machine.host], found[name])
    return found


def _most_rps(system: System, machine: Machine) -> Fraction:
    """The highest rate of a machine over all sizes of batches; lower if its starts are spaced."""
    own = system.plan.modules[machine.module].allocations[machine.allocation].configuration
    most = max(c.throughput_rps for c in alike(system.session.modules[machine.module], own))
    if machine.host is not None:
        return most / own.concurrency  # a shared machine executes one batch at a time
    return min(most, machine.rate_rps) if machine.spacing_ticks else most


# Importing simulators takes as long as a short solve, and most plans serve too many requests for them.
share_in_time = late("euclio.serving.session.in_turn", "share_in_time")

BY_MODULE = 20_000
"""Invocations that take less than 0.3 s of one core without machine code, one module after the other. The limit counts
them and not the time, so that the same input shows the same."""


def never_catches_up(session: Session, result: Result) -> str:
    """The module without slack under Poisson arrivals, in a few words; empty if there is none, or no plan."""
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
        The share. None if there is no plan, it was asked for an attainment, or the simulation would take over 0.3 s.
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
