"""Figures of a simulation of a session: attainment, latencies against the checked ones, utilisation, queues."""

from __future__ import annotations

from typing import Any

import numpy as np

from euclio.core.words import counted, duration
from euclio.problems.session.latency.paths import times_until
from euclio.serving.session.glance import overloaded
from euclio.serving.session.record import Latencies, Simulation
from euclio.serving.session.system import Machine
from euclio.serving.units import NS_PER_S, Ints

QUANTILES = {"latency_p50_s": 0.5, "latency_p90_s": 0.9, "latency_p99_s": 0.99, "latency_p99_9_s": 0.999}


def describe(simulation: Simulation) -> dict[str, Any]:
    """All figures as plain data; the same input gives the same, so that run times are not among them."""
    system, found = simulation.system, simulation
    loads = overloaded(system, found.setup)
    return {
        "instance": found.session.name,
        **found.setup.describe(),
        "dispatch": found.dispatch.value,
        "offered_rps": found.offered_rps,
        "arrived": found.arrived,
        "served": found.attained,
        "late": found.late,
        "dropped": found.dropped,
        "attainment": found.attainment,
        **({"never_catch_up": {name: float(load) for name, load in loads.items()}} if loads else {}),
        "slo_s": float(found.session.slo_s),
        "worst_case_s": _worst_case_s(found),
        **_latencies(found.latencies),
        **({"objectives": _objectives(found)} if found.objectives else {}),
        "utilization": utilization(found),
        "modules": [_module(found, m) for m in range(len(system.modules))],
        "machines": _machines(found),
    }


def _worst_case_s(found: Simulation) -> float | None:
    """The latency of the plan as checked, in seconds; with objectives of modules, until all modules have ended."""
    checked = found.system.evaluation
    if not found.objectives:
        return None if checked.latency_s is None else float(checked.latency_s)
    return float(max(times_until(found.session, [module.worst_case_latency_s for module in checked.modules])))


def _objectives(found: Simulation) -> list[dict[str, Any]]:
    """The attainment and latencies of each objective of a module."""
    worst_case_s = found.system.evaluation.objectives
    return [
        {
            "name": one.name,
            "to": one.to,
            "slo_s": float(one.slo_s),
            "arrived": tally.arrived,
            "kept": tally.kept,
            "attainment": tally.attainment,
            "worst_case_s": float(worst_case_s[one.name]),
            **_latencies(tally.latencies),
        }
        for one, tally in zip(found.session.objectives, found.objectives, strict=True)
    ]


def speed(simulation: Simulation) -> str:
    """The time that a simulation took, in words; empty if no request came."""
    if not simulation.arrived:
        return ""
    return f"{counted(simulation.arrived, 'request')} simulated in {duration(simulation.wall_s)}"


def utilization(simulation: Simulation) -> float | None:
    """Share of the time that machines execute, each weighted by its price; None if none has a price.

    A machine that modules share executes for all of them, and its price counts once.
    """
    price, machines = simulation.session.price, simulation.system.machines
    weights = np.array([float(price[_hardware(simulation, k)]) for k in range(len(machines))])
    once = np.array([machine.host in (None, k) for k, machine in enumerate(machines)])
    total = float(weights[once].sum())
    return float((simulation.machines.busy * weights).sum()) / total if total else None


def mean_batch(simulation: Simulation, machines: Ints) -> float | None:
    """Invocations per batch of some machines, dummies included; None if they executed nothing."""
    batches = int(simulation.machines.batches[machines].sum())
    return float(simulation.machines.served[machines].sum() / batches) if batches else None


def _module(simulation: Simulation, m: int) -> dict[str, Any]:
    module, tally = simulation.system.modules[m], simulation.modules[m]
    machines = np.arange(module.machines.start, module.machines.stop)
    latency_ns = -(-module.latency_ticks // simulation.system.clock.ticks_per_ns)
    checked = float(simulation.system.evaluation.modules[m].worst_case_latency_s)
    return {
        "name": module.name,
        "invocations": tally.ready,
        "dropped": tally.dropped,
        "worst_case_s": checked,
        "within_worst_case": tally.latencies.share_within(latency_ns),
        **_latencies(tally.latencies),
        "mean_present": tally.latencies.total_ns / NS_PER_S / simulation.setup.seconds,
        "mean_batch": mean_batch(simulation, machines),
        "utilization": float(simulation.machines.busy[machines].mean()),
    }


def _latencies(found: Latencies) -> dict[str, float | None]:
    return {
        "latency_mean_s": found.mean_s,
        **{name: found.quantile_s(share) for name, share in QUANTILES.items()},
        "latency_max_s": found.max_s,
    }


def _machines(simulation: Simulation) -> list[dict[str, Any]]:
    tallies = simulation.machines
    found = []
    for k, machine in enumerate(simulation.system.machines):
        found.append(
            {
                "module": simulation.system.modules[machine.module].name,
                "allocation": machine.allocation,
                "hardware": _hardware(simulation, k),
                "batch": machine.batch,
                "concurrency": machine.slots,
                "partial": machine.partial,
                "planned_rps": float(machine.rate_rps),
                "planned_utilization": float(machine.busy),
                "utilization": float(tallies.busy[k]),
                "batches": int(tallies.batches[k]),
                "mean_batch": mean_batch(simulation, np.array([k])),
                "most_waiting": int(tallies.most_waiting[k]),
                **_sharing(simulation, machine),
            }
        )
    return found


def _sharing(simulation: Simulation, machine: Machine) -> dict[str, Any]:
    """The modules that share a machine, if any; its queue holds the batches of all of them."""
    if machine.host is None:
        return {}
    alike = [other for other in simulation.system.machines if other.host == machine.host]
    return {"shared_by": [simulation.system.modules[other.module].name for other in alike]}


def _hardware(simulation: Simulation, machine: int) -> str:
    served = simulation.system.machines[machine]
    return simulation.plan.modules[served.module].allocations[served.allocation].configuration.hardware
