"""Simulations to be run with bounds checked: plans and setups drawn, and what must hold of every one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from random import Random

from euclio import solve
from euclio.core.errors import InputError
from euclio.problems.pipeline import Cluster, Partition, Pipeline, PipelinePlan
from euclio.serving.fragments import Setup as FleetSetup
from euclio.serving.fragments import simulate as simulate_fleet
from euclio.serving.fragments.setup import Dispatch as FleetDispatch
from euclio.serving.fragments.setup import Dropping as FleetDropping
from euclio.serving.fragments.setup import Phases
from euclio.serving.pipeline import Setup as ClusterSetup
from euclio.serving.pipeline import simulate as simulate_cluster
from euclio.serving.pipeline.setup import Scheduler
from euclio.serving.requests import PENDING
from euclio.serving.setup import Arrivals
from tests.drawn.clusters import cluster_case
from tests.drawn.fleets import fleet_case

from .search import Found
from .session_simulations import session_cases

ROUND_SECONDS = (1, 3, 10, 150, 700)
LONGEST_S = 9e8
"""About as long as can be simulated."""
Check = Callable[[], list[str]]
"""Runs a simulation and says what does not hold."""


def look(seed: int) -> Found:
    """Simulate a drawn plan under a few setups; what cannot be simulated is no case."""
    rng = Random(f"simulations/{seed}")
    kind = rng.choice(("session",) * 8 + ("cluster", "fleet"))
    checks = {"session": session_cases, "cluster": _clusters, "fleet": _fleets}[kind](rng)
    cases, faults = 0, []
    for name, check in checks:
        try:
            faults += [f"{name}: {line}" for line in check()]
        except InputError:
            continue
        except Exception as error:
            faults.append(f"{name}: {type(error).__name__}: {error}")
        cases += 1
    return Found(cases, tuple(faults))


def odd_seconds(rng: Random, seconds: float) -> float:
    """A length near this one: as it is, next to it, or whole, so that requests fall on its very end."""
    seconds = min(seconds, LONGEST_S)
    kind = rng.randrange(6)
    if kind <= 1:
        return seconds
    if kind == 2 and seconds > 1:
        seconds = float(round(seconds))
    return math.nextafter(seconds, rng.choice((0.0, math.inf)))


def arrivals(rng: Random, rate_rps: float, most: int) -> dict[str, object]:
    """Arrivals, load, length, seed and noise of about so many requests at most at a rate."""
    process = rng.choice((Arrivals.UNIFORM, Arrivals.UNIFORM, *Arrivals))
    seconds = rng.uniform(0.05, 1) * most / rate_rps
    given: dict[str, object] = {
        "arrivals": process,
        "load": rng.choice((1.0, 1.0, 0.9999999999999999, 0.3, 1.5)),
        "seed": rng.randrange(10**6),
        "noise": rng.choice((0.0, 0.0, 0.0, 0.3)),
    }
    if rng.randrange(3) == 0:
        # A whole number of requests in a round time, the last one at its end.
        seconds = float(rng.choice(ROUND_SECONDS))
        given["full_load_rps"] = rng.randint(1, most) / seconds
    if process is Arrivals.TRACE:
        given["trace_s"] = tuple(sorted({rng.uniform(0, 100) for _ in range(rng.randint(3, 50))}))
    if process is Arrivals.ON_OFF:
        given["on_s"] = given["off_s"] = min(max(seconds / 5, 0.01), 1e5)
    return {**given, "seconds": odd_seconds(rng, seconds)}


def _clusters(rng: Random) -> Iterator[tuple[str, Check]]:
    cluster, _ = cluster_case(rng)
    plan = _pipelines(rng, cluster)
    if plan is None:
        return
    weights = sum(float(model.weight) for model in cluster.models)
    seconds = max(float(own) for m in cluster.models for p in m.profiles for row in p.latency_s for own in row)
    for k in range(3):
        given = arrivals(rng, rng.choice((0.3, 1, 3)) / seconds, 300)
        # The rate of a model is its weight times this.
        given["full_load_rps"] = rng.randint(1, 300) / float(given["seconds"]) / weights  # type: ignore[arg-type]
        setup = ClusterSetup(**given, scheduler=rng.choice(tuple(Scheduler)))  # type: ignore[arg-type]
        yield f"cluster {k}", lambda setup=setup: _check_streams(simulate_cluster(cluster, plan, setup).requests)  # type: ignore[misc]


def _pipelines(rng: Random, cluster: Cluster) -> PipelinePlan | None:
    """A pipeline or two of each model, with whatever partitions, pools and batches."""
    found = []
    for model in cluster.models:
        for _ in range(rng.choice((1, 1, 2))):
            blocks = len(model.profiles[0].latency_s)
            cuts = sorted(rng.sample(range(1, blocks), rng.randint(0, min(blocks, cluster.max_partitions) - 1)))
            chosen = [rng.choice(model.profiles) for _ in range(len(cuts) + 1)]
            bounds = list(zip([0, *cuts], [*cuts, blocks], strict=True))
            batch = min(len(row) for p, (a, b) in zip(chosen, bounds, strict=True) for row in p.latency_s[a:b])
            batch = rng.randint(1, batch)
            parts = [
                Partition(p.gpu, p.share, rng.randint(1, 2), a, b - 1, batch)
                for p, (a, b) in zip(chosen, bounds, strict=True)
            ]
            found.append(Pipeline(model.name, tuple(parts)))
    return PipelinePlan(tuple(found))


def _fleets(rng: Random) -> Iterator[tuple[str, Check]]:
    fleet, space = fleet_case(rng)
    solver = rng.choice(("graft", "gslice", "static+", "graft:uniform"))
    plan = solve(fleet, solver, space=space if solver == "graft" else None).plan
    if plan is None:
        return
    rates = [float(fragment.rate_rps) for fragment in fleet.fragments]
    for k in range(3):
        given = arrivals(rng, max(rates), 300)
        if rng.randrange(2) or "full_load_rps" in given:
            given["full_load_rps"] = rng.randint(1, 100) / float(given["seconds"])  # type: ignore[arg-type]
        setup = FleetSetup(
            **given,  # type: ignore[arg-type]
            dispatch=rng.choice(tuple(FleetDispatch)),
            dropping=rng.choice(tuple(FleetDropping)),
            phases=rng.choice(tuple(Phases)),
        )
        yield f"fleet {k}", lambda setup=setup: _check_streams(simulate_fleet(fleet, plan, setup).requests)  # type: ignore[misc]


def _check_streams(streams: object) -> list[str]:
    """Every request of every stream has a fate, and none ends before it came."""
    faults = []
    for number, requests in enumerate(streams):  # type: ignore[arg-type]
        if (requests.outcome == PENDING).any():
            faults.append(f"stream {number}: {(requests.outcome == PENDING).sum()} requests have no fate")
        answered = requests.finish_ns >= 0
        if (requests.finish_ns[answered] <= requests.arrival_ns[answered]).any():
            faults.append(f"stream {number}: a request ends no later than it comes")
    return faults
