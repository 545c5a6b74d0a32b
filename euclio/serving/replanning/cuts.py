"""Policies that do not move: each client cuts at one layer for good, so that one plan serves every second (ours).

What they cost is seen in two figures: their share, and how often a client has less time left than the plan takes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from euclio.problems.fragments.evaluate import QUEUEING, evaluate
from euclio.problems.fragments.instance import Fleet, Fragment
from euclio.problems.fragments.least_budget import quickest_budget_s
from euclio.problems.fragments.plan import FragmentPlan
from euclio.problems.fragments.space import FULL_FRAGMENT_SPACE
from euclio.serving.replanning.policies import Planner, Sequel
from euclio.serving.replanning.timeline import Timeline, budget_at
from euclio.workloads.fragments.clients import Client, fleet_at_mean


@dataclass(frozen=True, slots=True)
class Standing:
    """One plan for all seconds.

    Attributes:
        fleet: the fleet that it is made for.
        plan: the plan.
        missed: part of the clients' steps in which the plan takes more time than is left, or nothing can be sent.
    """

    fleet: Fleet
    plan: FragmentPlan
    missed: float


def at_mean(line: Timeline, plan: Planner) -> Standing:
    """Each client cuts where its mean bandwidth has it: Static (Graft §5.1)."""
    return _standing(line, fleet_at_mean(f"{line.name}-mean", line.clients), plan)


def in_hindsight(line: Timeline, plan: Planner) -> Standing:
    """Each client cuts where the server has most time in its worst second; if none will do, in most seconds."""
    fragments = [_best_cut(client, len(line.fleets)) for client in line.clients]
    return _standing(line, Fleet(f"{line.name}-hindsight", line.clients[0].model.network, fragments), plan)


def _best_cut(client: Client, seconds: int) -> Fragment:
    """The cut that can be served in most seconds, and of such the one with most time in the worst of them.

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


def _standing(line: Timeline, fleet: Fleet, plan: Planner) -> Standing:
    """The plan of a fleet, and how often clients have less time than it takes."""
    found = plan(fleet)
    needed = needed_s(fleet, found)
    points = {fragment.name: fragment.partition_point for fragment in fleet.fragments}
    missed = 0
    for client in line.clients:
        for t in range(len(line.fleets)):
            budget = budget_at(client, points[client.name], t)
            missed += budget is None or budget < needed[client.name]
    return Standing(fleet, found, missed / (len(line.clients) * len(line.fleets)))


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
