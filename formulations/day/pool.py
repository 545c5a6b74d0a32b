"""Plans of all modules together that are good in some steps, and the cheapest way through them (ours).

A plan that is good in one step often serves its neighbours too. So each step has a list of plans: its own, and those of
the steps near it that serve it. The cheapest choice of one per step is a dynamic program over the lists.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from euclio.session import Session
from formulations.day.choices import MARGIN, Choices, Floats, Ints
from formulations.day.pool_kernel import cheapest_way, latencies
from formulations.day.step_kernel import Flags


@dataclass(frozen=True, slots=True)
class Money:
    """What machines cost.

    Attributes:
        running: price of a machine for each step, shape (steps, types).
        start: money per machine that is started, by type.
        stop: money per machine that is stopped, by type.
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
        listed: the plans that were added to each step, as bytes of (modules, types) in 16 bits, the last one last.
    """

    session: Session
    choices: Choices
    money: Money
    listed: list[dict[bytes, None]] = field(default_factory=list)

    def add(self, plans: Ints, steps: Iterable[int]) -> None:
        """Add plans, shape (plans, modules, types), each to one step."""
        for plan, k in zip(plans.astype(np.int16), steps, strict=True):
            own = plan.tobytes()
            self.listed[k].pop(own, None)
            self.listed[k][own] = None

    def cheapest(self, last: int, near: int, kept: Ints) -> tuple[float, Ints]:
        """The cheapest way.

        Args:
            last: plans of a step that are looked at, the last ones that were added.
            near: how many steps before and after lend their plans.
            kept: a plan that is known to serve, shape (steps, modules, types).

        Returns:
            Its cost, and machines on, shape (steps, modules, types).
        """
        steps, modules, types = kept.shape
        recent = [list(own)[-last:] for own in self.listed]
        lists: list[bytes] = []
        step: list[int] = []
        for k in range(steps):
            own: dict[bytes, None] = {}
            for j in range(max(0, k - near), min(steps, k + near + 1)):
                own.update(dict.fromkeys(recent[j]))
            lists += own
            step += [k] * len(own)
        plans = np.frombuffer(b"".join(lists), np.int16).reshape(-1, modules, types).astype(np.int64)
        places = np.array(step, np.int64)
        serves = self.serves(plans, places)
        plans = np.concatenate([plans[serves], kept])
        places = np.concatenate([places[serves], np.arange(steps)])
        order = np.argsort(places, kind="stable")
        plans, places = plans[order], places[order]
        running = (plans.sum(1) * self.money.running[places]).sum(1)
        flat = plans.reshape(len(plans), -1)
        ends = np.searchsorted(places, np.arange(steps), side="right")
        start, stop = np.tile(self.money.start, modules), np.tile(self.money.stop, modules)
        cost, way = cheapest_way(flat, running, ends, start, stop)
        return cost, plans[way]

    def serves(self, plans: Ints, step: Ints) -> Flags:
        """Which plans serve their step within the SLO and the stock."""
        own = latencies(self.choices.vectors, self.choices.latency_s, self.choices.first, plans, step)
        enough = longest_path(self.session, own.T) <= float(self.session.slo_s) * (1 - MARGIN)
        for h, hardware in enumerate(self.session.hardware):
            if hardware.count is not None:
                enough &= plans[:, :, h].sum(1) <= hardware.count
        return enough


def longest_path(session: Session, latency_s: Floats) -> Floats:
    """The longest path of each plan, given latencies of shape (modules, plans)."""
    until = np.zeros_like(latency_s)
    for m in session.order:
        for parent in session.parents()[m]:
            until[m] = np.maximum(until[m], until[parent])
        until[m] += latency_s[m]
    longest: Floats = until.max(axis=0)
    return longest
