"""Policies of re-planning: which plan serves each step (ours).

A policy is given a timeline and answers with one plan per step, each checked. Those that plan anew do so by a solver
that is named; those that keep a plan repair it (`repair`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from euclio.core.solving import solve
from euclio.problems.fragments.deployment import Deployment, deployed, share_of
from euclio.problems.fragments.evaluate import evaluate
from euclio.problems.fragments.instance import Fleet
from euclio.problems.fragments.plan import FragmentPlan
from euclio.problems.fragments.space import FULL_FRAGMENT_SPACE
from euclio.problems.fragments.stages import Stages
from euclio.serving.replanning.repair import Repairer
from euclio.serving.replanning.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Sequel:
    """The plans of a policy.

    Attributes:
        fleets: the fleet that each plan serves.
        plans: a plan per step.
    """

    fleets: tuple[Fleet, ...]
    plans: tuple[FragmentPlan, ...]

    @property
    def deployments(self) -> list[Deployment]:
        """What runs in each step."""
        return [deployed(fleet, plan) for fleet, plan in zip(self.fleets, self.plans, strict=True)]


class Planner:
    """Plans fleets anew by a solver, each once.

    Args:
        solver: name of a solver of fleets.
        time_limit_s: its limit in seconds; None: none.
    """

    def __init__(self, solver: str, time_limit_s: float | None = None) -> None:
        self._solver, self._time_limit_s = solver, time_limit_s
        # By identity: to hash a fleet takes longer than to repair its plan.
        self._known: dict[int, tuple[Fleet, FragmentPlan]] = {}

    def __call__(self, fleet: Fleet) -> FragmentPlan:
        """The plan of a fleet."""
        if id(fleet) not in self._known:
            found: FragmentPlan | None = solve(fleet, self._solver, time_limit_s=self._time_limit_s).plan
            if found is None:
                raise RuntimeError(f"{self._solver} has no plan of {fleet.name}")
            self._known[id(fleet)] = fleet, found
        return self._known[id(fleet)][1]


def from_scratch(line: Timeline, plan: Planner) -> Sequel:
    """A new plan every step, whatever the last one was."""
    return _checked(line, [plan(fleet) for fleet in line.fleets])


def kept(line: Timeline, plan: Planner, every: int | None = None, worse: float = math.inf) -> Sequel:
    """The last plan, repaired; a new one every so many steps, or where the last one is too much worse than a new one.

    Args:
        line: the fleets.
        plan: what plans anew.
        every: steps after which a new plan is taken; None: never.
        worse: how much more share than a new plan the repaired one may take, as a share of that.
    """
    repairer = Repairer(Stages(line.fleets[0].network))
    plans, last = [plan(line.fleets[0])], 0
    for t in range(1, len(line.fleets)):
        now = line.fleets[t]
        same = now is line.fleets[t - 1]
        found = plans[-1] if same else repairer.repaired(line.fleets[t - 1], plans[-1], now)
        due = every is not None and t - last >= every
        if due or (worse < math.inf and _share(now, found) > (1 + worse) * _share(now, plan(now))):
            found, last = plan(now), t
        plans.append(found)
    return _checked(line, plans)


class Hindsight:
    """The best sequences of repaired plans, known all fleets: exact among those that one repair leads to.

    Each step is served by the plan of some step, before or after, repaired for it.

    Args:
        line: the fleets.
        plan: what plans the steps.
        step: plans of every so many steps are candidates, and that of the step itself.
    """

    def __init__(self, line: Timeline, plan: Planner, step: int = 1) -> None:
        self._line = line
        repairer = Repairer(Stages(line.fleets[0].network))
        origins = line.fleets[::step]
        self._choices = [
            [plan(now), *(repairer.repaired(old, plan(old), now) for old in origins)] for now in line.fleets
        ]
        running = [[deployed(now, own) for own in plans] for now, plans in zip(line.fleets, self._choices, strict=True)]
        kinds = sorted({instance for own in running for deployment in own for instance in deployment})
        self._share = np.array([instance.share_pct for instance in kinds], dtype=np.int64)
        self._counts = [np.array([[d[kind] for kind in kinds] for d in own], dtype=np.int64) for own in running]
        self._started = [
            np.stack([np.maximum(own - before, 0) @ self._share for own in after])
            for before, after in pairwise(self._counts)
        ]

    def best(self, shadow_s: float) -> Sequel:
        """The sequence of least GPU time: a shortest path over the steps.

        Args:
            shadow_s: steps that a started instance takes its share before it replaces another one; seconds where a
                step is one.
        """
        least, came = (self._counts[0] @ self._share).astype(float), []
        for counts, started in zip(self._counts[1:], self._started, strict=True):
            total = least + shadow_s * started
            came.append(total.argmin(axis=1))
            least = total.min(axis=1) + counts @ self._share
        place = int(least.argmin())
        chosen = [self._choices[-1][place]]
        for t in range(len(came) - 1, -1, -1):
            place = int(came[t][place])
            chosen.append(self._choices[t][place])
        return _checked(self._line, chosen[::-1])


def _checked(line: Timeline, plans: Sequence[FragmentPlan]) -> Sequel:
    """The plans, each of which the checker accepts."""
    for fleet, plan in zip(line.fleets, plans, strict=True):
        found = evaluate(fleet, plan, FULL_FRAGMENT_SPACE)
        if not found.feasible:
            raise RuntimeError(f"{fleet.name}: {'; '.join(found.violations)}")
    return Sequel(line.fleets, tuple(plans))


def _share(fleet: Fleet, plan: FragmentPlan) -> int:
    return share_of(deployed(fleet, plan))
