"""Joint plans of all modules that are good in some steps, and the cheapest way through them (ours).

A plan that is good in one step often serves its neighbours too. So each step has a list of plans: its own, and those of
the steps near it that serve it. The cheapest choice of one per step is a dynamic program over the lists.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from euclio.core.compiled import compiled
from euclio.problems.session import Session
from formulations.day.choices import Choices, Floats, Ints, in_time
from formulations.day.step_kernel import Flags

# The cheapest way from step to step through lists of plans (compiled, ours).


@compiled
def cheapest_way(plans: Ints, running: Floats, ends: Ints, start: Floats, stop: Floats) -> tuple[float, Ints]:
    """The cheapest choice of one plan per step.

    Args:
        plans: machines on by module and type, shape (plans, numbers); those of a step stand next to each other.
        running: cost of a plan's machines in its step.
        ends: end of the plans of each step.
        start: money per machine that is started, shape (numbers,).
        stop: money per machine that is stopped.

    Returns:
        The cost, and the place of the plan of each step.
    """
    steps = ends.size
    cost, before = running.copy(), np.zeros(running.size, np.int64)
    for k in range(1, steps):
        early = ends[k - 2] if k > 1 else 0
        for j in range(ends[k - 1], ends[k]):
            best = np.inf
            for i in range(early, ends[k - 1]):
                own = cost[i]
                for d in range(start.size):
                    # Changes only add to the cost, so a plan that is no cheaper before them is no cheaper after them.
                    if own >= best:
                        break
                    more = plans[j, d] - plans[i, d]
                    own += start[d] * more if more > 0 else -stop[d] * more
                if own < best:
                    best, before[j] = own, i
            cost[j] += best
    at = ends[steps - 2] if steps > 1 else 0
    for j in range(at, ends[steps - 1]):
        if cost[j] < cost[at]:
            at = j
    least = cost[at]
    way = np.empty(steps, np.int64)
    for k in range(steps - 1, -1, -1):
        way[k] = at
        at = before[at]
    return least, way


@dataclass(frozen=True, slots=True)
class Money:
    """Costs of machines.

    Attributes:
        running: price of a machine for each step, shape (steps, types).
        start: money per machine that is started, shape (modules, types).
        stop: money per machine that is stopped.
    """

    running: Floats
    start: Floats
    stop: Floats


@dataclass(frozen=True, slots=True)
class Pool:
    """Lists of plans by step.

    Attributes:
        session: the application.
        choices: the modules' choices for plans.
        money: costs of machines.
        listed: the added plans of each step, as bytes of (modules, types) in 32 bits, the last one last.
        known: plans that serve their steps, in the choices or not, shape (plans, modules, types).
        known_step: their steps; each has one.
    """

    session: Session
    choices: Choices
    money: Money
    listed: list[dict[bytes, None]]
    known: Ints
    known_step: Ints

    def add(self, plans: Ints, steps: Iterable[int]) -> None:
        """Add plans, shape (plans, modules, types), each to one step."""
        for plan, k in zip(plans.astype(np.int32), steps, strict=True):
            own = plan.tobytes()
            # Put it at the end again, since the search uses the plans added last.
            self.listed[k].pop(own, None)
            self.listed[k][own] = None

    def cheapest(self, last: int, near: int, kept: Ints | None = None) -> tuple[float, Ints]:
        """The cheapest way through the added and the known plans.

        Args:
            last: number of a step's plans in the search, the last added ones.
            near: number of steps before and after with usable plans.
            kept: machines that serve in any case, shape (steps, modules, types); None means only the known ones.

        Returns:
            Its cost, and the running machines, shape (steps, modules, types).
        """
        steps, modules, types = len(self.listed), *self.known.shape[1:]
        recent = [list(own)[-last:] for own in self.listed]
        lists: list[bytes] = []
        step: list[int] = []
        for k in range(steps):
            own: dict[bytes, None] = {}
            for j in range(max(0, k - near), min(steps, k + near + 1)):
                own.update(dict.fromkeys(recent[j]))
            lists += own
            step += [k] * len(own)
        plans = np.frombuffer(b"".join(lists), np.int32).reshape(-1, modules, types).astype(np.int64)
        places = np.array(step, np.int64)
        serves = self.serves(plans, places)
        more = [] if kept is None else [kept]
        plans = np.concatenate([plans[serves], self.known, *more])
        places = np.concatenate([places[serves], self.known_step, *(np.arange(steps) for _ in more)])
        order = np.argsort(places, kind="stable")
        plans, places = plans[order], places[order]
        running = (plans.sum(1) * self.money.running[places]).sum(1)
        flat = plans.reshape(len(plans), -1)
        ends = np.searchsorted(places, np.arange(steps), side="right")
        cost, way = cheapest_way(flat, running, ends, self.money.start.ravel(), self.money.stop.ravel())
        return cost, plans[way]

    def serves(self, plans: Ints, step: Ints) -> Flags:
        """Whether plans serve their step within the SLO and the stock."""
        enough = in_time(self.session, self.choices.latencies(plans, step).T)
        for h, hardware in enumerate(self.session.hardware):
            if hardware.count is not None:
                enough &= plans[:, :, h].sum(1) <= hardware.count
        return enough
