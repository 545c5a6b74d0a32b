"""A world served by a coordinator's rules from begin to end (docs/model/changing-workloads.md)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from euclio.core.coverage import ranked
from euclio.core.errors import InputError
from euclio.core.progress import told
from euclio.core.registry import find_solver, solvers_of
from euclio.serving.dynamics.coordinator import Coordinator
from euclio.serving.dynamics.rules import S_PER_H, Question, Rules
from euclio.serving.dynamics.simulator import ChangingSimulator
from euclio.serving.dynamics.workers import Rental
from euclio.serving.dynamics.world import World
from euclio.serving.session.targets import DEALINGS, own_dispatch
from euclio.serving.units import NS_PER_S, Floats, Ints

DIGITS = 4
"""Decimals of costs per hour in files."""


@dataclass(frozen=True, slots=True)
class Record:
    """A run."""

    modules: tuple[str, ...]  # names of the modules
    prices_per_h: dict[str, float]  # price by worker type
    invocations: Ints  # invocations that come with the frames of each second, shape (seconds, modules)
    frames: Ints  # frames that came, and those that were answered in time, by second of arrival, shape (seconds, 2)
    rentals: tuple[Rental, ...]  # the time for which each worker was paid
    planned_per_h: Floats  # mean cost of the plans by second, machines charged for the share that is used
    used_per_h: Floats  # mean price of the workers with a machine on them, by second
    allocations: int  # allocations made
    sold_out: int  # how often a type was sold out
    unplanned: int  # how often there was no plan
    questions: tuple[Question, ...] = ()  # questions to the planner, in order, equal ones included
    state_moves: int = 0  # machines that hold state and were added or removed
    state_cost: Fraction = Fraction(0)  # its cost, in money

    @property
    def seconds(self) -> int:
        """Length in seconds."""
        return len(self.frames)

    @property
    def cost_per_h(self) -> Floats:
        """The cloud's charge per hour by second: whole workers that are on, also while they load or are idle."""
        cost = np.zeros(self.seconds)
        starts = np.arange(self.seconds, dtype=np.int64) * NS_PER_S
        for rental in self.rentals:
            on = np.minimum(rental.off_ns, starts + NS_PER_S) - np.maximum(rental.on_ns, starts)
            cost += self.prices_per_h[rental.hardware] * np.clip(on, 0, None) / NS_PER_S
        return cost

    @property
    def cost(self) -> float:
        """Cost of the run."""
        return float(self.cost_per_h.sum()) / S_PER_H

    @property
    def planned_cost(self) -> float:
        """Cost of its plans, machines charged for the share that is used."""
        return float(self.planned_per_h.sum()) / S_PER_H

    @property
    def used_cost(self) -> float:
        """Cost of the workers in use: whole workers, without idle ones."""
        return float(self.used_per_h.sum()) / S_PER_H

    @property
    def finish_rates(self) -> Floats:
        """Part of the frames of each second that were answered in time; not a number where none came."""
        came = self.frames[:, 0]
        return np.where(came > 0, self.frames[:, 1] / np.maximum(came, 1), np.nan)

    @property
    def finish_rate(self) -> float:
        """Mean over the seconds in which frames came (Scrooge §4.1)."""
        return float(np.nanmean(self.finish_rates))

    @property
    def attainment(self) -> float:
        """Part of all frames that were answered in time."""
        return float(self.frames[:, 1].sum() / max(1, self.frames[:, 0].sum()))

    def describe(self) -> dict[str, Any]:
        """Totals as plain data."""
        return {
            "came": int(self.frames[:, 0].sum()),
            "finish_rate": self.finish_rate,
            "attainment": self.attainment,
            "cost": self.cost,
            "used_cost": self.used_cost,
            "planned_cost": self.planned_cost,
            "workers_started": len(self.rentals),
            "allocations": self.allocations,
            "sold_out": self.sold_out,
            "unplanned": self.unplanned,
            "state_moves": self.state_moves,
            "state_cost": float(self.state_cost),
        }

    def by_second(self) -> dict[str, list[float]]:
        """The curves over time as plain data, one entry per second."""
        return {
            "frames_by_s": [int(n) for n in self.frames[:, 0]],
            "in_time_by_s": [int(n) for n in self.frames[:, 1]],
            "used_per_h_by_s": [round(float(cost), DIGITS) for cost in self.used_per_h],
            "cost_per_h_by_s": [round(float(cost), DIGITS) for cost in self.cost_per_h],
            "planned_per_h_by_s": [round(float(cost), DIGITS) for cost in self.planned_per_h],
        }


CHANGES = "changes"
"""The demand of sessions with a cost of moving machines (`euclio.problems.session.demands`)."""


@told("serving changing workloads")
def run(world: World, rules: Rules) -> Record:
    """Serve a world; the same arguments give the same record.

    Args:
        world: the workload.
        rules: the coordinator's rules.

    Raises:
        InputError: there is no such solver, it does not weigh state, or a module with state is not in the application.
    """
    _refuse_state(world, rules)
    return _Course(world, rules).made()


def _refuse_state(world: World, rules: Rules) -> None:
    """Refuse state of unknown modules, and a planner that does not weigh it."""
    known = [module.name for module in world.application.application.modules]
    for name in rules.state:
        if name not in known:
            raise InputError(f"unknown module {name!r}; known: {', '.join(known)}", field=f"state.{name}")
    if rules.kept_s is not None and not rules.kept_s:
        raise InputError("is 0; give the seconds for which a plan is expected to be kept", field="kept_s")
    solver = find_solver(rules.planner.solver)
    if rules.state_per_h and CHANGES not in solver.covers:
        able = ", ".join(own.name for own in ranked(solvers_of(solver.family)) if CHANGES in own.covers)
        raise InputError(f"is {solver.name}, which weighs no state; give one of {able}", field="planner.solver")


class _Course:
    """The course of a run over time."""

    def __init__(self, world: World, rules: Rules) -> None:
        if rules.front_ends_first:
            on_front_ends = set(range(world.counts.shape[1])) - {*rules.planner.planned_modules(world.application)}
            world = world.with_first(sorted(on_front_ends))
        self.world, self.rules = world, rules
        policy = find_solver(rules.planner.solver).space.policy
        dealing = DEALINGS[own_dispatch(policy)]
        self.serving = ChangingSimulator(world, dealing, rules.expecting, rules.planner.slower, NS_PER_S)
        self.coordinator = Coordinator(world, rules)
        self.now_ns = 0
        self.per_h: Floats = np.zeros((world.seconds, 2))
        """Cost per hour by second: of the plans, and of the workers in use."""

    def made(self) -> Record:
        """Go through all moments of decisions and changes."""
        clients, looks, failures, seconds = (set(times) for times in self._times())
        due = sorted(clients | looks | failures | seconds, reverse=True)
        end = self.world.seconds * NS_PER_S
        now = 0
        while due:
            ready = self.coordinator.next_ready_ns(now)
            now = due.pop() if ready is None or due[-1] <= ready else ready
            if now >= end:
                break
            # Counters are read before the events of this moment.
            self._advance(now)
            if now in failures and (worker := self.coordinator.fail(now)) is not None:
                self.serving.fail(worker, now)
            if now in clients:
                self.coordinator.clients(self.world.ingress_rps(now), now)
            if now in looks:
                self.coordinator.monitor.look(self.serving.counted())
                self.coordinator.look(now)
            self.serving.use(self.coordinator.serving(now), now)
        self._advance(end)
        return self._record(self.serving.finish(), end)

    def _times(self) -> tuple[list[int], ...]:
        """When clients come or go, when the coordinator looks, when workers fail, when seconds begin."""
        end = self.world.seconds * NS_PER_S
        window = int(self.rules.window_s * NS_PER_S)
        return (
            [0, *self.world.changes_ns],
            list(range(window, end, window)),
            list(self.rules.failures_ns),
            list(range(0, end, NS_PER_S)),
        )

    def _advance(self, until_ns: int) -> None:
        # Time stops at every whole second, so that each advance lies within one second.
        second = max(0, until_ns - 1) // NS_PER_S
        self.serving.advance(until_ns, self.world.balloons[second])
        coordinator, passed_s = self.coordinator, (until_ns - self.now_ns) / NS_PER_S
        self.per_h[second] += passed_s * np.array([coordinator.cost_per_h, coordinator.used_per_h], np.float64)
        self.now_ns = until_ns

    def _record(self, frames: Ints, end_ns: int) -> Record:
        coordinator, application = self.coordinator, self.world.application.application
        coordinator.cloud.turn_off(end_ns)
        seconds = self.world.arrival_ns // NS_PER_S
        invocations = np.stack(
            [np.bincount(seconds, counts, self.world.seconds) for counts in self.world.counts.T], axis=1
        )
        return Record(
            tuple(module.name for module in application.modules),
            {h.name: float(h.price_per_h) for h in application.hardware},
            invocations.astype(np.int64),
            frames,
            tuple(coordinator.cloud.close(end_ns)),
            self.per_h[:, 0],
            self.per_h[:, 1],
            coordinator.allocations,
            coordinator.sold_out,
            coordinator.unplanned,
            tuple(coordinator.questions),
            coordinator.moved.total(),
            sum((self.rules.state[application.modules[m].name] * n for m, n in coordinator.moved.items()), Fraction(0)),
        )
