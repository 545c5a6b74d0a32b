"""Figures of a simulation: requests within their time budgets, latencies, waiting, utilisation (Graft §5)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from euclio.problems.fragments.evaluate import QUEUEING
from euclio.serving.fragments.record import Passages, Simulation
from euclio.serving.fragments.system import ServedStage
from euclio.serving.requests import SERVED, Requests, stream_figures
from euclio.serving.units import NS_PER_S, Floats, Ints

# Most requests at once, if no request waits longer than an execution, and in general (ours).


def most_in_an_execution(simulation: Simulation, stage: ServedStage) -> int:
    """The most requests that can reach a stage within its longest execution, if clients send evenly in any phases.

    With own stages before it, this holds if no request waits there longer than an execution.
    """
    before = {k: own for own in simulation.stages if own.place == stage.place and not own.shared for k in own.fragments}
    window_ns = int(stage.latency_ns[1:].max())
    total = 0
    for k in stage.fragments:
        own = before.get(k) if stage.shared else None
        moved_ns = 0 if own is None else QUEUEING * int(own.latency_ns[1:].max()) - int(own.latency_ns[1:].min())
        total += math.ceil(simulation.offered_rps[k] * (window_ns + moved_ns) / NS_PER_S)
    return total


def total_attainment(simulation: Simulation) -> float | None:
    """Share of all requests that were served within their time budget; None if there were none."""
    arrived = sum(requests.outcome.size for requests in simulation.requests)
    served = sum(int((requests.outcome == SERVED).sum()) for requests in simulation.requests)
    return served / arrived if arrived else None


def busy_by_instance(simulation: Simulation) -> Floats:
    """Share of the time while requests come that each instance executes, shape (instances,)."""
    until = simulation.setup.seconds * NS_PER_S
    done = simulation.executions
    busy = np.minimum(done.end_ns, until) - np.minimum(done.start_ns, until)
    instances = sum(stage.stage.instances for stage in simulation.stages)
    return np.bincount(done.instance, busy, minlength=instances) / until


def utilization(simulation: Simulation) -> float:
    """Mean share of the time that instances execute, each weighted by its share of a GPU."""
    shares = np.concatenate([np.full(s.stage.instances, s.stage.share_pct) for s in simulation.stages])
    return float(np.average(busy_by_instance(simulation), weights=shares))


def waits_ns(simulation: Simulation, stage: ServedStage) -> Ints:
    """How long each request waited at a stage that executed it, fragment by fragment, in nanoseconds."""
    found = [_waits(simulation.requests[k], simulation.passages[k], stage.shared) for k in stage.fragments]
    return np.concatenate(found)


def longest_wait(simulation: Simulation, stage: ServedStage) -> float | None:
    """The longest wait at a stage over its execution time at the planned batch size; None without an execution.

    The plan counts on 1 (Graft §4.3).
    """
    waits = waits_ns(simulation, stage)
    return float(waits.max() / stage.latency_ns[-1]) if waits.size else None


def _waits(requests: Requests, passages: Passages, shared: bool) -> Ints:
    start = passages.shared_start_ns if shared else passages.own_start_ns
    ready = np.where(passages.own_end_ns >= 0, passages.own_end_ns, requests.arrival_ns) if shared else None
    executed = start >= 0
    return (start - (requests.arrival_ns if ready is None else ready))[executed]


def describe(simulation: Simulation) -> dict[str, Any]:
    """All figures as plain data; the same input gives the same, so that run times are not among them."""
    sizes = simulation.executions.requests
    return {
        "instance": simulation.fleet.name,
        **simulation.setup.describe(),
        "attainment": total_attainment(simulation),
        "fragments": _fragments(simulation),
        "utilization": utilization(simulation),
        "batches": int(sizes.size),
        "mean_batch": float(sizes.mean()) if sizes.size else None,
        "stages": _stages(simulation),
    }


def _fragments(simulation: Simulation) -> list[dict[str, Any]]:
    found = []
    rows = zip(simulation.fleet.fragments, simulation.offered_rps, simulation.requests, strict=True)
    for fragment, rate, requests in rows:
        answered = requests.finish_ns >= 0
        latency = (requests.finish_ns[answered] - requests.arrival_ns[answered]) / NS_PER_S
        found.append(
            {
                **stream_figures(fragment.name, rate, requests),
                "latency_p50_s": float(np.quantile(latency, 0.5)) if latency.size else None,
                "latency_max_s": float(latency.max()) if latency.size else None,
                "budget_s": float(fragment.budget_s),
            }
        )
    return found


def _stages(simulation: Simulation) -> list[dict[str, Any]]:
    busy = busy_by_instance(simulation)
    done = simulation.executions
    batches = np.bincount(done.stage, minlength=len(simulation.stages))
    requests = np.bincount(done.stage, done.requests, minlength=len(simulation.stages))
    found = []
    for k, stage in enumerate(simulation.stages):
        own = busy[stage.first_instance : stage.first_instance + stage.stage.instances]
        found.append(
            {
                "set": stage.place,
                "first_layer": stage.first,
                "last_layer": stage.end - 1,
                "fragments": [simulation.fleet.fragments[i].name for i in stage.fragments],
                "batch": stage.stage.batch,
                "share_pct": stage.stage.share_pct,
                "instances": stage.stage.instances,
                "mean_batch": float(requests[k] / batches[k]) if batches[k] else None,
                "utilization": [float(share) for share in own],
                "longest_wait_executions": longest_wait(simulation, stage),
                "most_in_an_execution": most_in_an_execution(simulation, stage),
            }
        )
    return found
