"""The study of re-planning: policies for clients whose bandwidth changes, and their costs (ours).

A timeline of more than `LONGEST` steps is not followed as a whole, since an optimal plan takes up to a second: policies
follow stretches of it, each from a new plan on, and rows are means over these.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, pairwise
from pathlib import Path

from euclio.problems.fragments.deployment import deployed, moves, share_of
from euclio.problems.fragments.evaluate import QUEUEING, evaluate
from euclio.problems.fragments.instance import Fleet, Fragment
from euclio.problems.fragments.least_budget import quickest_budget_s
from euclio.problems.fragments.plan import FragmentPlan
from euclio.problems.fragments.space import FULL_FRAGMENT_SPACE
from euclio.serving.replanning.policies import (
    Followed,
    Hindsight,
    Planner,
    Sequel,
    Timeline,
    budget_at,
    from_scratch,
    kept,
    steps_of,
)
from euclio.workloads.fragments.clients import Client, fleet_at_mean
from euclio.workloads.fragments.uplink import Trace, read_traces

# Policies without changes: each client always cuts at the same layer, so that one plan serves every second (ours).  Two
# figures show their cost: their share, and how often a client has less time left than the plan takes.


@dataclass(frozen=True, slots=True)
class StayingService:
    """One plan for all seconds."""

    fleet: Fleet  # the fleet that it is made for
    plan: FragmentPlan  # the plan
    missed: float  # part of the clients' steps in which the plan takes more time than is left, or nothing can be sent


def at_mean(line: Timeline, plan: Planner) -> StayingService:
    """The plan with each client's cut at its mean bandwidth: Static (Graft §5.1)."""
    return _staying_plan(line, fleet_at_mean(f"{line.name}-mean", line.clients), plan)


def in_hindsight(line: Timeline, plan: Planner) -> StayingService:
    """The plan with each client's cut as of `_best_cut`, known all seconds."""
    fragments = [_best_cut(client, len(line.fleets)) for client in line.clients]
    return _staying_plan(line, Fleet(f"{line.name}-hindsight", line.clients[0].model.network, fragments), plan)


def _best_cut(client: Client, seconds: int) -> Fragment:
    """The cut that can be served in most seconds; of several, the one with most time in the worst second.

    Time counts as a multiple of the least budget with which the layers that are left can be served.
    """
    best: tuple[int, Fraction] | None = None
    chosen: tuple[int, Fraction] | None = None
    for point in range(client.model.layers):
        quickest = quickest_budget_s(client.model.network, point)
        if quickest is None:
            continue
        found = [budget_at(client, point, t) for t in range(seconds)]
        kept = [budget for budget in found if budget is not None and budget >= quickest]
        if not kept:
            continue
        rank = len(kept), min(kept) / quickest
        if best is None or rank > best:
            least = math.floor(min(kept) / client.step_s) * client.step_s
            best, chosen = rank, (point, max(least, quickest))
    # A client is drawn with a second that can be served.
    assert chosen is not None
    return Fragment(client.name, *chosen, client.rate_rps)


def needed_s(fleet: Fleet, plan: FragmentPlan) -> dict[str, Fraction]:
    """Seconds that a plan takes for each client's requests, by name, queueing included.

    Raises:
        RuntimeError: the checker does not accept the plan.
    """
    checked = evaluate(fleet, plan, FULL_FRAGMENT_SPACE)
    if not checked.feasible:
        raise RuntimeError(f"{fleet.name}: {'; '.join(checked.violations)}")
    needed: dict[str, Fraction] = {}
    for own, priced in zip(plan.sets, checked.sets, strict=True):
        for head, stage in zip(own.heads, priced.heads, strict=True):
            taken = QUEUEING * (priced.shared.latency_s + (stage.latency_s if stage is not None else 0))
            needed |= {fleet.fragments[k].name: taken for k in head.fragments}
    return needed


def _staying_plan(line: Timeline, fleet: Fleet, plan: Planner) -> StayingService:
    """The plan of a fleet, and how often clients have less time than it takes."""
    found = plan(fleet)
    needed = needed_s(fleet, found)
    points = {fragment.name: fragment.partition_point for fragment in fleet.fragments}
    missed = 0
    for client in line.clients:
        for t in range(len(line.fleets)):
            budget = budget_at(client, points[client.name], t)
            missed += budget is None or budget < needed[client.name]
    return StayingService(fleet, found, missed / (len(line.clients) * len(line.fleets)))


def late(line: Timeline, sequel: Sequel) -> float:
    """Part of the clients' steps in which a plan that was made for an earlier step takes more time than is left.

    Clients cut where Neurosurgeon has it; those that leave nothing to the server are in time.
    """
    missed = 0
    planned: tuple[Fleet, FragmentPlan] | None = None
    needed: dict[str, Fraction] = {}
    for now, fleet, plan in zip(line.fleets, sequel.fleets, sequel.plans, strict=True):
        if planned is None or planned[0] is not fleet or planned[1] is not plan:
            planned, needed = (fleet, plan), needed_s(fleet, plan)
        missed += sum(fragment.budget_s < needed[fragment.name] for fragment in now.fragments)
    return missed / (len(line.clients) * len(line.fleets))


CLIENTS, TX2 = 12, 3
SECONDS = 60
SEED = 1
MODELS = ("mob", "inc", "vgg")
"""Networks whose partition point moves with the bandwidth; those of the other two hardly do."""
WORSE = (0.0, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Limits on the excess share of the last plan over a new one."""
EVERY = (5, 10)
SHADOWS = (0.0, 0.25, 1.0, 5.0)
"""Start-up time of an instance, for which it takes its share, in steps of the timeline."""
STEP = 2
"""Hindsight chooses among the plans of every second step."""
LONGEST = 120
"""Steps of the longest timeline that is followed as a whole."""
STRETCHES, STRETCH = 3, 20
"""How many stretches of a longer one are followed, and the steps of each."""
TRIGGER_WORSE = 0.2
"""How much worse a plan may be that is kept on a trigger, too."""
SCRATCH, KEPT, PERIODIC = "new every second", "kept", "kept, new every so many seconds:"
TRIGGERED = "new when a cut changes"
TRIGGERED_WITHIN = "when a cut changes, kept unless worse by more than"
WITHIN, HINDSIGHT = "kept unless worse by more than", "hindsight, shadow seconds"
MEAN, FIXED = "one plan, cuts at the mean", "one plan, roomiest cuts in hindsight"
SOLVERS = {"graft": "Graft", "fragment-columns": "optimum"}
"""The planners: names of solvers, and their names here."""


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """A policy on a timeline.

    Where the bandwidth holds for more than a second, a step takes the place of a second in the names of policies.
    """

    line: str  # name of the timeline
    planner: str  # the planner
    policy: str  # the treatment of the last plan
    setting: float  # the policy's parameter: steps, seconds or part; 0 for none
    share_pct: float  # mean GPU share of the instances, in percent of one GPU
    above: float  # how much that is above new optimal plans every step, as a share of it
    started: float  # instances started per step
    shadow_pct: float  # mean GPU share of the instances that are started in a step
    missed: float  # part of the clients' steps that are not served in time
    step_s: int  # seconds of a step
    planned: float  # part of the steps at which a trigger has a plan made; 1 without a trigger
    shares_pct: tuple[int, ...]  # GPU share by step


@dataclass(frozen=True, slots=True)
class _SequelCost:
    """A policy on a part of a timeline."""

    sequel: Sequel  # its plans
    missed: float = 0.0  # part of the clients' steps that are not served in time
    planned: float = 1.0  # part of the steps at which a trigger has a plan made


def lines(
    models: Sequence[str] = MODELS,
    seconds: int = SECONDS,
    clients: int = CLIENTS,
    traces: Path | None = None,
    steps_s: Sequence[int] = (1,),
) -> Iterator[list[Timeline]]:
    """The timelines, whole or in stretches: each network on seeded uplinks, then on measured ones where there are any.

    Args:
        models: short names of the networks.
        seconds: seconds of each timeline.
        clients: clients of each; a quarter are Jetson TX2.
        traces: file or folder of measured traces; None means none.
        steps_s: seconds that a bandwidth holds for; timelines for each.
    """
    sources: list[tuple[str, list[Trace] | None]] = [("seeded", None)]
    if traces is not None:
        sources.append(("measured", read_traces(traces)))
    for step_s in steps_s:
        for source, given in sources:
            for model in models:
                name = f"{model}, {source}" + (f", every {step_s} s" if len(steps_s) > 1 or step_s > 1 else "")
                what = model, clients, clients // 4, seconds, SEED, given, name
                asked = Followed(*what, step_s=step_s)
                whole = steps_of(seconds, step_s) <= LONGEST
                yield [asked.timeline()] if whole else asked.stretches(number=STRETCHES, length=STRETCH)


def rows_of(parts: Sequence[Timeline], *, trigger: bool = False) -> list[PolicyRow]:
    """All policies on a timeline, those that start from optimal plans last.

    `parts` are the timeline as a whole, or stretches of it; `trigger` adds policies that plan only where a cut changes.
    """
    optimal = Planner("fragment-columns")
    best = list(chain.from_iterable(from_scratch(part, optimal).deployments for part in parts))
    least = sum(share_of(d) for d in best) / len(best)
    found = []
    for solver, called in SOLVERS.items():
        planner = optimal if solver == "fragment-columns" else Planner(solver)
        kinds = zip(*(_sequels(part, planner, len(parts) == 1, trigger) for part in parts), strict=True)
        for same in kinds:
            policy, setting, _ = same[0]
            found.append(_row(parts[0], called, policy, setting, [part for _, _, part in same], least))
        standing = [(MEAN, [at_mean(part, planner) for part in parts])]
        if len(parts) == 1:
            standing.append((FIXED, [in_hindsight(parts[0], planner)]))
        found += [_staying_row(parts[0], called, policy, own, least) for policy, own in standing]
    return found


def _sequels(line: Timeline, planner: Planner, whole: bool, trigger: bool) -> Iterator[tuple[str, float, _SequelCost]]:
    """The policies on a timeline, or on a stretch of one, without those that need a longer time."""
    yield SCRATCH, 0.0, _SequelCost(from_scratch(line, planner))
    if trigger:
        held, planned = line.held(), len(line.triggers) / len(line.fleets)
        new, near = from_scratch(held, planner), kept(held, planner, worse=TRIGGER_WORSE)
        yield TRIGGERED, 0.0, _SequelCost(new, late(line, new), planned)
        yield TRIGGERED_WITHIN, TRIGGER_WORSE, _SequelCost(near, late(line, near), planned)
    if whole:
        yield KEPT, 0.0, _SequelCost(kept(line, planner))
        for steps in EVERY:
            yield PERIODIC, float(steps), _SequelCost(kept(line, planner, every=steps))
    for worse in WORSE:
        yield WITHIN, worse, _SequelCost(kept(line, planner, worse=worse))
    if whole:
        hindsight = Hindsight(line, planner, STEP)
        for shadow in SHADOWS:
            yield HINDSIGHT, shadow * line.step_s, _SequelCost(hindsight.best(shadow))


def _row(
    line: Timeline, planner: str, policy: str, setting: float, parts: Sequence[_SequelCost], least: float
) -> PolicyRow:
    by_part = [part.sequel.deployments for part in parts]
    shares = tuple(share_of(deployment) for deployments in by_part for deployment in deployments)
    changes = [moves(a, b) for deployments in by_part for a, b in pairwise(deployments)]
    per = max(1, len(changes))
    mean = sum(shares) / len(shares)
    return PolicyRow(
        line=line.name,
        planner=planner,
        policy=policy,
        setting=setting,
        share_pct=mean,
        above=mean / least - 1,
        started=sum(c.started for c in changes) / per,
        shadow_pct=sum(c.shadow_pct for c in changes) / per,
        missed=sum(part.missed for part in parts) / len(parts),
        step_s=line.step_s,
        planned=sum(part.planned for part in parts) / len(parts),
        shares_pct=shares,
    )


def _staying_row(
    line: Timeline, planner: str, policy: str, standing: Sequence[StayingService], least: float
) -> PolicyRow:
    """One plan that stays, which is the same on all stretches."""
    share = share_of(deployed(standing[0].fleet, standing[0].plan))
    shares = (share,) * len(line.fleets)
    missed = sum(own.missed for own in standing) / len(standing)
    above = share / least - 1
    return PolicyRow(line.name, planner, policy, 0.0, float(share), above, 0.0, 0.0, missed, line.step_s, 0.0, shares)


def break_even_s(moving: PolicyRow, staying: PolicyRow) -> float | None:
    """Start-up seconds of an instance at which two policies cost the same.

    With s such seconds a policy takes, on average, its share and s times the share that it starts in a second (ours).

    Args:
        moving: the policy that takes less share and starts more.
        staying: the other one.

    Returns:
        The seconds; None if the first policy does not start more.
    """
    saved = moving.shadow_pct - staying.shadow_pct
    return moving.step_s * (staying.share_pct - moving.share_pct) / saved if saved > 0 else None
