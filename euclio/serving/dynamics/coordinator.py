"""The coordinator: allocates and places machines again when clients or input complexity change (Scrooge §3.4, §3.5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from euclio.problems.session import Session
from euclio.problems.session.running import RunningMachines
from euclio.serving.dynamics.rules import Machine, Planned, Question, Rules, on_cpu, planned
from euclio.serving.dynamics.simulator import Counted, Placed
from euclio.serving.dynamics.workers import Cloud, Need, SoldOutError
from euclio.serving.dynamics.world import World
from euclio.serving.units import NS_PER_S, Floats
from euclio.workloads.session.scrooge_sessions import CPU

# Workers' view of the load: input rates and execution times of their modules (Scrooge §3.5).


class Monitor:
    """The last observed factors of a session's modules.

    Attributes:
        factors: invocations that become ready per arriving frame, by module.
        balloons: execution time over the profiled one, by module.
    """

    def __init__(self, session: Session, planned: Sequence[int]) -> None:
        """Begin without observations.

        Args:
            session: the modules, at the rates that are expected at first for one frame per second.
            planned: numbers of the modules that are planned for. Invocations that they drop would arrive if there were
                enough machines, so that the modules after them are planned for these too. Invocations that other
                modules lose never reach the modules after them.
        """
        modules = len(session.modules)
        self.factors: Floats = np.array([float(module.rate_rps) for module in session.modules])
        self.balloons: Floats = np.ones(modules)
        self._order = session.order
        self._parent = [next(iter(parents), -1) for parents in session.parents()]
        self._lossy = np.array([m not in planned for m in range(modules)])
        nothing = np.zeros(modules, np.int64)
        self._before = Counted(nothing, nothing, nothing, nothing, nothing)

    def look(self, counted: Counted) -> None:
        """Take note of the counts since the last look.

        The factor of a module counts its ready invocations per ended invocation of its first parent. A module that no
        invocation has reached keeps its factors.
        """
        ready, ended, dropped, worked, expected = (
            now - before for now, before in zip(counted, self._before, strict=True)
        )
        self._before = counted
        self.balloons = np.where(expected > 0, worked / np.maximum(expected, 1), self.balloons)
        passed = np.where(self._lossy & (ended > 0), ended / np.maximum(ended + dropped, 1), 1.0)
        factors = self.factors.copy()
        for m in self._order:
            parent = self._parent[m]
            if parent >= 0 and ended[parent] > 0:
                factors[m] = factors[parent] * passed[parent] * ready[m] / ended[parent]
        self.factors = factors


LEAST_FACTOR = 0.02
"""Least planned invocations per frame."""


class Wanted(NamedTuple):
    """A machine that has been given a worker."""

    worker: int  # number of the worker
    hardware: str  # its type
    machine: Machine  # the machine that is to run there
    ready_ns: int  # time from which it can run


class Coordinator:
    """The part that decides, from the known clients and the workers' observations.

    Attributes:
        monitor: the workers' observations.
        cloud: the workers.
        cost_per_h: cost of the current plan, machines charged for the share that is used.
        allocations: allocations made so far.
        sold_out: how often a type was sold out.
        unplanned: how often the planner had no plan.
        questions: questions to the planner, in order, equal ones included.
        moved: machines that hold state and were added or removed so far, by number of the module.
    """

    def __init__(self, world: World, rules: Rules) -> None:
        """Begin with no client and no worker; of the world, only the application is known."""
        application = world.application
        self.monitor = Monitor(world.session, rules.planner.planned_modules(application))
        warm_up = {h.name: int(rules.warm_up_s * NS_PER_S) for h in application.application.hardware if h.name != CPU}
        self.cloud = Cloud(rules.limits, warm_up, int(rules.turn_off_s * NS_PER_S))
        self.cost_per_h, self.allocations, self.sold_out, self.unplanned = Fraction(0), 0, 0, 0
        self.questions: list[Question] = []
        self.moved: Counter[int] = Counter()
        self._application, self._rules = application, rules
        self._price = {h.name: h.price_per_h for h in application.application.hardware}
        numbers = {module.name: m for m, module in enumerate(application.application.modules)}
        self._state = {numbers[name]: name for name in rules.state}
        self._weighed = dict(rules.state_per_h)
        self._holding: dict[int, Counter[int]] = {}
        self._fps = 0
        self._asked: Question | None = None
        self._allocated_ns = 0
        self._wanted: list[Wanted] = []
        self._serving: list[Wanted] = []

    def clients(self, fps: int, now_ns: int) -> None:
        """Allocate again, since a client has joined or left: frames per second are known."""
        self._fps = fps
        self._allocate(now_ns)

    def look(self, now_ns: int) -> None:
        """Allocate again if rates or execution times have changed significantly, or a worker has failed."""
        waited = now_ns - self._allocated_ns >= self._rules.epoch_s * NS_PER_S
        if self._fps and (self._asked is None or (waited and self._changed(self._asked))):
            self._allocate(now_ns)

    def fail(self, now_ns: int) -> int | None:
        """Fail the first serving GPU worker by time of its start; the coordinator notices at the next look.

        Returns:
            Its number; None if there is none.
        """
        found = [w for w in sorted({w.worker for w in self._serving}) if self.cloud.workers[w].hardware != CPU]
        if not found:
            return None
        self.cloud.fail(found[0], now_ns)
        self._serving = [w for w in self._serving if w.worker != found[0]]
        self._wanted = [w for w in self._wanted if w.worker != found[0]]
        self._asked = None
        return found[0]

    @property
    def used_per_h(self) -> Fraction:
        """Price of the workers with a machine on them."""
        workers = self.cloud.workers.values()
        return sum((self._price[w.hardware] for w in workers if w.serving), Fraction(0))

    def next_ready_ns(self, now_ns: int) -> int | None:
        """Time when the next worker has loaded its module; None if all have."""
        return min((w.ready_ns for w in self._wanted if w.ready_ns > now_ns), default=None)

    def serving(self, now_ns: int) -> list[Placed]:
        """The machines that serve from now on.

        A machine whose worker still loads its module does not serve. Until all machines of a module serve, the former
        ones go on, and share their workers with the machines placed there now.
        """
        ready = [w for w in self._wanted if w.ready_ns <= now_ns]
        lacking = {w.machine.module for w in self._wanted if w.ready_ns > now_ns}
        taken = {(w.worker, w.machine.module) for w in self._wanted}
        kept = [w for w in self._serving if w.machine.module in lacking and (w.worker, w.machine.module) not in taken]
        # Former machines that go on are targets of their own, ranked after the others.
        last = 1 + max((w.machine.target for w in self._wanted), default=0)
        kept = [w._replace(machine=w.machine._replace(target=last + k)) for k, w in enumerate(kept)]
        self._serving = sorted([*ready, *kept], key=lambda w: (w.machine.module, w.machine.target, w.worker))
        self.cloud.use([(w.worker, w.machine.module) for w in [*self._wanted, *kept]], now_ns)
        shares: dict[int, Fraction] = {}
        for w in self._serving:
            shares[w.worker] = shares.get(w.worker, Fraction(0)) + w.machine.share
        return [Placed(w.worker, w.hardware, w.machine, w.machine.share / shares[w.worker]) for w in self._serving]

    def _question(self, margin: Fraction) -> Question:
        """The present question to the planner, with a margin on the rates."""
        planner = self._rules.planner
        factors = np.maximum(self.monitor.factors, LEAST_FACTOR)
        rates = tuple(planner.rounded(float((1 + margin) * self._fps) * factor) for factor in factors)
        balloons = tuple(planner.rounded(balloon) for balloon in self.monitor.balloons)
        return Question(rates, balloons, state=tuple(self._weighed.items()), running=self._running())

    def _running(self) -> tuple[RunningMachines, ...]:
        """The machines that hold state now, as far as the coordinator weighs it."""
        now = Counter((self._state.get(w.machine.module, ""), w.hardware) for w in self._wanted)
        return tuple(RunningMachines(name, kind, n) for (name, kind), n in sorted(now.items()) if name in self._weighed)

    def _changed(self, planned_for: Question) -> bool:
        """Whether one of the planned modules needs more than planned, or much less."""
        needed, wanted = self._question(Fraction(0)), self._question(self._rules.change)
        own = self._rules.planner.planned_modules(self._application)
        low = 1 - self._rules.change
        return any(
            now[m] > asked[m] or later[m] < low * asked[m]
            for now, later, asked in zip(needed[:2], wanted[:2], planned_for[:2], strict=True)
            for m in own
        )

    def _allocate(self, now_ns: int) -> None:
        """Ask the planner, and place its machines."""
        self.cloud.turn_off(now_ns)
        self._allocated_ns = now_ns
        self.allocations += 1
        if not self._fps:
            self._place(self._front_ends(), now_ns)
            self._asked, self.cost_per_h = None, Fraction(0)
            return
        self._asked = self._question(self._rules.change)
        found = self._answer(self._asked)
        if found is None:
            self.unplanned += 1
            return
        self.cost_per_h = found.cost_per_h
        self._place_somehow(found, now_ns)

    def _answer(self, question: Question) -> Planned | None:
        self.questions.append(question)
        return planned(self._application.application.name, self._rules.planner, question)

    def _place_somehow(self, found: Planned, now_ns: int) -> None:
        """Place a plan's machines, if necessary without a sold-out type or on another one."""
        asked: Question | None = self._asked
        answer: Planned | None = found
        while asked is not None and answer is not None:
            try:
                self._place([*self._front_ends(), *answer.machines], now_ns)
            except SoldOutError as error:
                self.sold_out += 1
                asked = None if self._rules.alike else asked._replace(without=asked.without | {error.hardware})
                answer = None if asked is None else self._answer(asked)
            else:
                self.cost_per_h = answer.cost_per_h
                return
        self._place(self._on_any([*self._front_ends(), *found.machines]), now_ns)

    def _place(self, machines: Sequence[Machine], now_ns: int) -> None:
        needs = [
            Need(m.module, m.configuration.hardware, m.share, self._state.get(m.module) in self._weighed)
            for m in machines
        ]
        workers = self.cloud.place(needs, now_ns)
        self._wanted = [
            Wanted(w.number, w.hardware, machine, w.loaded_ns[machine.module])
            for machine, w in zip(machines, workers, strict=True)
        ]
        self._move_state()

    def _move_state(self) -> None:
        """Count the machines with state that other workers have now, failed ones included.

        A module without machines before has no state yet, and one without machines now has none any more.
        """
        for module in self._state:
            now = Counter(w.worker for w in self._wanted if w.machine.module == module)
            before = self._holding.get(module, Counter())
            if now and before:
                self.moved[module] += ((now - before) + (before - now)).total()
            self._holding[module] = now

    def _on_any(self, machines: Sequence[Machine]) -> list[Machine]:
        """The machines with types exchanged so that there are enough workers, without those that no type is left for.

        Every machine counts as a whole worker, so that they can certainly be placed.
        """
        left = Counter(dict(self._rules.limits))
        found = []
        for machine in machines:
            c = machine.configuration
            profile = self._application.application.modules[machine.module].profile
            others = [o for o in profile if (o.batch, o.concurrency) == (c.batch, c.concurrency)]
            # Its own type first, then the others in the order of the profile.
            for o in sorted(others, key=lambda o: o.hardware != c.hardware):
                if o.hardware not in self._rules.limits or left[o.hardware] > 0:
                    left[o.hardware] -= 1
                    # Dispatch still uses its planned duration.
                    found.append(machine._replace(configuration=o))
                    break
        return found

    def _front_ends(self) -> list[Machine]:
        """The fixed workers without a GPU, if the planner does not plan for them."""
        found = []
        for m, module in enumerate(self._application.application.modules):
            if on_cpu(module.profile) and not self._rules.planner.cpu_modules:
                (c, *_) = module.profile
                found += [Machine(m, c, c.throughput_rps, Fraction(1), 0, 0)] * self._rules.front_ends
        return found
