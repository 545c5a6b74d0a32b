"""The study of re-planning: policies on clients whose bandwidth moves, and what they cost (ours)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from euclio.fragments.deployment import deployed, moves, share_of
from euclio.fragments.replanning.cuts import Standing, at_mean, in_hindsight
from euclio.fragments.replanning.policies import Hindsight, Planner, Sequel, from_scratch, kept
from euclio.fragments.replanning.timeline import Timeline, timeline
from euclio.fragments.workloads.uplink import Trace, read_traces

CLIENTS, TX2 = 12, 3
SECONDS = 60
SEED = 1
MODELS = ("mob", "inc", "vgg")
"""Networks whose partition point moves with the bandwidth; those of the other two hardly do."""
WORSE = (0.0, 0.02, 0.05, 0.1, 0.2, 0.5)
"""How much more share than a new plan the last one may take."""
EVERY = (5, 10)
SHADOWS_S = (0.0, 0.25, 1.0, 5.0)
"""Seconds that a started instance takes its share before it is of use."""
STEP = 2
"""Hindsight chooses among the plans of every second second."""
SCRATCH, KEPT, PERIODIC = "new every second", "kept", "kept, new every so many seconds:"
WITHIN, HINDSIGHT = "kept unless worse by more than", "hindsight, shadow seconds"
MEAN, FIXED = "one plan, cuts at the mean", "one plan, roomiest cuts in hindsight"
SOLVERS = {"graft": "Graft", "fragment-columns": "optimum"}
"""What plans anew: names of solvers, and what they are called here."""


@dataclass(frozen=True, slots=True)
class Row:
    """A policy on a timeline.

    Attributes:
        line: name of the timeline.
        planner: what plans anew.
        policy: what is done with the last plan.
        setting: seconds or part that the policy is given; 0: none.
        share_pct: mean GPU share of the instances, in percent of one GPU.
        above: how much that is above new optimal plans every second, as a share of it.
        started: instances started per second.
        shadow_pct: mean GPU share of the instances that are started in a second.
        missed: part of the clients' seconds that are not served in time.
        shares_pct: GPU share by second.
    """

    line: str
    planner: str
    policy: str
    setting: float
    share_pct: float
    above: float
    started: float
    shadow_pct: float
    missed: float
    shares_pct: tuple[int, ...]


def lines(
    models: Sequence[str] = MODELS, seconds: int = SECONDS, clients: int = CLIENTS, traces: Path | None = None
) -> Iterator[Timeline]:
    """The timelines: each network on seeded uplinks, then on measured ones where there are any.

    Args:
        models: short names of the networks.
        seconds: seconds of each timeline.
        clients: clients of each; a quarter are Jetson TX2.
        traces: file or folder of measured traces; None: none.
    """
    sources: list[tuple[str, list[Trace] | None]] = [("seeded", None)]
    if traces is not None:
        sources.append(("measured", read_traces(traces)))
    for source, given in sources:
        for model in models:
            yield timeline(model, clients, clients // 4, seconds, SEED, given, f"{model}, {source}")


def rows_of(line: Timeline) -> list[Row]:
    """All policies on a timeline, those that start from optimal plans last."""
    best = from_scratch(line, Planner("fragment-columns"))
    least = sum(share_of(d) for d in best.deployments) / len(best.plans)
    found = []
    for solver, called in SOLVERS.items():
        planner = Planner(solver)
        for policy, setting, sequel in _sequels(line, planner):
            found.append(_row(line, called, policy, setting, sequel, least))
        for policy, standing in ((MEAN, at_mean(line, planner)), (FIXED, in_hindsight(line, planner))):
            found.append(_standing(line, called, policy, standing, least))
    return found


def _sequels(line: Timeline, planner: Planner) -> Iterator[tuple[str, float, Sequel]]:
    yield SCRATCH, 0.0, from_scratch(line, planner)
    yield KEPT, 0.0, kept(line, planner)
    for seconds in EVERY:
        yield PERIODIC, float(seconds), kept(line, planner, every=seconds)
    for worse in WORSE:
        yield WITHIN, worse, kept(line, planner, worse=worse)
    hindsight = Hindsight(line, planner, STEP)
    for shadow_s in SHADOWS_S:
        yield HINDSIGHT, shadow_s, hindsight.best(shadow_s)


def _row(line: Timeline, planner: str, policy: str, setting: float, sequel: Sequel, least: float) -> Row:
    deployments = sequel.deployments
    shares = tuple(share_of(deployment) for deployment in deployments)
    changes = [moves(before, after) for before, after in pairwise(deployments)]
    per_s = max(1, len(changes))
    mean = sum(shares) / len(shares)
    started, shadow = sum(c.started for c in changes) / per_s, sum(c.shadow_pct for c in changes) / per_s
    return Row(line.name, planner, policy, setting, mean, mean / least - 1, started, shadow, 0.0, shares)


def _standing(line: Timeline, planner: str, policy: str, standing: Standing, least: float) -> Row:
    share = share_of(deployed(standing.fleet, standing.plan))
    shares = (share,) * len(line.fleets)
    return Row(line.name, planner, policy, 0.0, float(share), share / least - 1, 0.0, 0.0, standing.missed, shares)
