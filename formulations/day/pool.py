"""Plans of all modules together that are good in some steps, and the cheapest way through them (ours).

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
        running: what the machines of a plan cost in its step.
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
                    # Changes only add to the cost, so what is no cheaper already will not be.
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
    """What machines cost.

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
        choices: what the modules choose from, for plans.
        money: what machines cost.
        listed: the plans that were added to each step, as bytes of (modules, types) in 32 bits, the last one last.
        known: plans that serve their steps, whatever choices know of them, shape (plans, modules, types).
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
            # Put at the end once more, as the plans added last are those that are looked at.
            self.listed[k].pop(own, None)
            self.listed[k][own] = None

    def cheapest(self, last: int, near: int, kept: Ints | None = None) -> tuple[float, Ints]:
        """The cheapest way through the plans that were added and those that are known.

        Args:
            last: plans of a step that are looked at, the last ones that were added.
            near: how many steps before and after lend their plans.
            kept: machines that serve anyway, shape (steps, modules, types); None means no more than the known ones.

        Returns:
            Its cost, and machines on, shape (steps, modules, types).
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
        """Which plans serve their step within the SLO and the stock."""
        enough = in_time(self.session, self.choices.latencies(plans, step).T)
        for h, hardware in enumerate(self.session.hardware):
            if hardware.count is not None:
                enough &= plans[:, :, h].sum(1) <= hardware.count
        return enough
