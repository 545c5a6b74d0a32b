"""Modules that never catch up: what comes keeps a machine busy all the time, so that waits grow for ever (ours)."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from euclio.serving.session.clock import alike, offered
from euclio.serving.session.setup import Dropping, Setup
from euclio.serving.session.system import Machine, System
from euclio.serving.session.targets import Router
from euclio.serving.setup import Arrivals

FULL = Fraction(1)


def overloaded(system: System, setup: Setup) -> dict[str, Fraction]:
    """The modules with a machine that has no slack, and its load: what comes over the most that it can do.

    At a load of 1 and random arrivals a queue has no mean, and the share in time falls the longer requests come; evenly
    spaced ones at that load are served. Above 1 neither is. A trace ends, clients wait, and what is dropped waits for
    nobody: nothing is said of those.

    Args:
        system: the plan as machines.
        setup: arrivals, load, dummies, dropping.
    """
    if setup.clients or setup.arrivals is Arrivals.TRACE or setup.dropping is not Dropping.NEVER:
        return {}
    loads = _loads(system, setup)
    even = setup.arrivals is Arrivals.UNIFORM and not setup.noise
    return {name: load for name, load in loads.items() if load > FULL or (load == FULL and not even)}


def never_in_words(loads: dict[str, Fraction]) -> str:
    """What never catches up, in a few words; of several modules the busiest. Empty: nothing."""
    if not loads:
        return ""
    name = max(loads, key=lambda name: loads[name])
    return f"never catches up: load {float(loads[name]):.2f} at {name}"


def _loads(system: System, setup: Setup) -> dict[str, Fraction]:
    """The load of the busiest machines of each module that are given requests together."""
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
    """The most that a machine can do, at whatever size of batch; less where its starts are spaced."""
    own = system.plan.modules[machine.module].allocations[machine.allocation].configuration
    most = max(c.throughput_rps for c in alike(system.session.modules[machine.module], own))
    if machine.host is not None:
        return most / own.concurrency  # a shared machine executes one batch at a time
    return min(most, machine.rate_rps) if machine.spacing_ticks else most
