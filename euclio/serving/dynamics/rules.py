"""How a coordinator reacts: who plans, when, with which workers (Scrooge §3.4 to §3.6, §4.1)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from euclio.core.numbers import short
from euclio.core.solving import solve
from euclio.problems.session import Configuration, Module, Session
from euclio.problems.session.evaluate import evaluate
from euclio.problems.session.running import Running, RunningMachines
from euclio.serving.session.system import System, build_system
from euclio.serving.session.targets import Dealing
from euclio.workloads.session.scrooge_sessions import CPU, ScroogeApplication, find_scrooge_application, inflated

# Allocations for what is observed, by any registered planner; equal questions are asked once (Scrooge §3.3, §3.5).

RAISED = (*(Fraction(21, 20) ** k for k in range(5)), *(Fraction(5, 4) ** k for k in range(1, 13)))
"""What all rates are multiplied with where a planner has no plan, one after the other: by little first, up to 14.6."""
DIGITS = 6
"""Significant digits of rates and factors that a planner is asked for."""


class Question(NamedTuple):
    """What a planner is asked."""

    rates: tuple[Fraction, ...]  # requests per second by module of the application
    balloons: tuple[Fraction, ...]  # execution time over the profiled one by module
    without: frozenset[str] = frozenset()  # worker types that are sold out
    # by module whose machines hold state, what each of them that is added or removed costs: money per hour that the
    # plan is to run.
    state: tuple[tuple[str, Fraction], ...] = ()
    running: tuple[RunningMachines, ...] = ()  # machines that serve these modules now


class Machine(NamedTuple):
    """A machine that an allocation asks for."""

    module: int  # number of its module among the application's
    configuration: Configuration  # how it is to be run; its duration is the one planned for
    rate_rps: Fraction  # the rate that it is given
    share: Fraction  # part of a worker's capacity that this takes
    timeout_ns: int  # how long its batches wait to be filled
    target: int  # machines of a module with the same number take turns (docs/model/serving.md, dispatch)


class Planned(NamedTuple):
    """A planner's answer."""

    machines: tuple[Machine, ...]  # the machines, module by module, in rank order
    dealing: Dealing  # how invocations are dealt out
    cost_per_h: Fraction  # cost of the plan, machines charged for the share that is used


@dataclass(frozen=True, slots=True)
class Planner:
    """Who plans, and what for."""

    solver: str = "scrooge-milp"  # name of a registered solver for sessions
    # whether it plans for modules on workers without a GPU; else they are left out, the modules after them follow those
    # before, and their time is not counted (Nexus; Scrooge §4.2).
    cpu_modules: bool = True
    # the worker type with a GPU that it plans for, as if there were no other (Nexus assumes that all are alike, Scrooge
    # §4.2); None: all.
    only: str | None = None
    slo_share: Fraction = Fraction(1)  # the part of the latency objective that plans may take
    # rates and ballooning factors are rounded up to powers of 1 + step before a planner is asked.
    step: Fraction = Fraction(1, 20)
    # execution times on GPUs over the profiled ones where a GPU waits while CPUs prepare its batches (no module
    # pipelining, Scrooge §3.6); 1: it does not.
    slower: Fraction = Fraction(1)

    def rounded(self, value: float) -> Fraction:
        """The least power of 1 + step that is at least a rate or a factor above 0."""
        base = float(1 + self.step)
        return short(base ** math.ceil(math.log(value) / math.log(base) - 1e-9), DIGITS)

    def planned_modules(self, application: ScroogeApplication) -> tuple[int, ...]:
        """Numbers of the modules that it plans for."""
        modules = application.application.modules
        return tuple(m for m, module in enumerate(modules) if self.cpu_modules or not on_cpu(module.profile))


def on_cpu(profile: Sequence[Configuration]) -> bool:
    """Whether a module runs on workers without a GPU."""
    return profile[0].hardware == CPU


@cache
def planned(application: str, planner: Planner, question: Question) -> Planned | None:
    """A plan for what is asked, or None where the planner finds none.

    Where it finds none, all rates are raised in steps: at few requests per second machines collect batches for longer
    than the objective allows, and capacity that is not used helps.
    """
    found = find_scrooge_application(application)
    modules = planner.planned_modules(found)
    hardware = {h.name for h in found.application.hardware if planner.only in (None, h.name) or h.name == CPU}
    hardware -= question.without
    for factor in RAISED:
        session = _session(found, planner, modules, question, factor)
        if any(all(c.hardware not in hardware for c in module.profile) for module in session.modules):
            return None
        used = tuple(h.name for h in session.hardware if h.name in hardware)
        changes: dict[str, Any] = {"hardware": used} if len(used) < len(session.hardware) else {}
        result = solve(session, planner.solver, **changes)
        if result.plan is not None and result.value is not None:
            # What moving state costs is paid once, and is no part of what the plan costs per hour.
            own = evaluate(replace(session, running=None), result.plan, result.space) if session.running else result
            assert own.value is not None
            return _planned(build_system(session, result.plan, result.space), modules, own.value)
    return None


def _planned(system: System, modules: tuple[int, ...], cost_per_h: Fraction) -> Planned:
    assert system.dealing is not None
    found = []
    for m, served, plan in zip(modules, system.modules, system.plan.modules, strict=True):
        for number, target in enumerate(served.targets):
            for machine in (system.machines[k] for k in target.machines):
                c = plan.allocations[machine.allocation].configuration
                found.append(Machine(m, c, machine.rate_rps, machine.busy, machine.timeout_ticks, number))
    return Planned(tuple(found), system.dealing, cost_per_h)


def asked_session(application: ScroogeApplication, planner: Planner, question: Question) -> Session:
    """The session that a planner is asked for a plan of, at the very rates of the question."""
    return _session(application, planner, planner.planned_modules(application), question, Fraction(1))


def _session(
    found: ScroogeApplication, planner: Planner, modules: tuple[int, ...], question: Question, factor: Fraction
) -> Session:
    """The modules planned for, at the rates times a factor."""
    own = [found.application.modules[m] for m in modules]
    made = []
    for m, module in zip(modules, own, strict=True):
        slower = question.balloons[m] * (1 if on_cpu(module.profile) else planner.slower)
        made.append(inflated(Module(module.name, factor * question.rates[m], module.profile), float(slower)))
    used = {c.hardware for module in made for c in module.profile}
    hardware = tuple(h for h in found.application.hardware if h.name in used)
    slo = planner.slo_share * found.objectives_s[0]
    names = {m.name for m in own}
    return Session(
        f"changing-{found.application.name}",
        slo,
        hardware,
        made,
        _edges(found, names),
        running=Running(question.running) if question.running else None,
        state={name: price for name, price in question.state if name in names},
    )


def _edges(found: ScroogeApplication, kept: set[str]) -> list[tuple[str, str]]:
    """The edges between the modules that are kept, those left out passed over."""
    parents = {module.name: module.parents for module in found.application.modules}

    def above(name: str) -> list[str]:
        return [p for parent in parents[name] for p in ([parent] if parent in kept else above(parent))]

    edges = [(parent, name) for name in parents if name in kept for parent in above(name)]
    return list(dict.fromkeys(edges))


S_PER_H = 3600
TESTBED = {"P100": 8, "V100": 8}
"""Workers with a GPU that there are (Scrooge §4.1); those without one have no limit."""


class Expecting(StrEnum):
    """What a worker expects a frame to take in the modules to come, when it decides whether to drop it."""

    EXECUTION = "execution"
    """The execution of a batch as it is planned: the "profiled (or recently observed) execution latency" (§3.6)."""
    LEAST = "least"
    """The execution of a batch of one, as it was profiled."""
    WORST_CASE = "worst case"
    """The execution of a batch as it is planned, and as long as it may be waited for."""
    NOTHING = "nothing"
    """No frame is dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """A coordinator's rules."""

    planner: Planner  # who plans
    # rates and execution times are looked at every so many seconds (Scrooge §3.5 footnote 6).
    window_s: Fraction = Fraction(1)
    # a change of a rate by more than this part is significant. Rates are planned for that much higher than they are
    # seen to be; all is allocated anew once more comes than is planned for, or if what would be planned for now is
    # lower by more than this part.
    change: Fraction = Fraction(1, 10)
    epoch_s: Fraction = Fraction(0)  # least time between two allocations that no client caused
    turn_off_s: Fraction = Fraction(30)  # how long a worker on which nothing is placed stays on (turn-off delay)
    warm_up_s: Fraction = Fraction(5)  # how long a worker with a GPU takes to load a module
    limits: Mapping[str, int] = field(default_factory=lambda: dict(TESTBED))  # most workers by type
    front_ends: int = 0  # workers without a GPU per module that needs them, where the planner does not plan for these
    # whether front-ends do the work of their modules when a frame comes, before all other modules.
    front_ends_first: bool = False
    # whether any type with a GPU is taken for one that is sold out, as if it were the same; else the planner is asked
    # again without that type first.
    alike: bool = False
    # what a worker expects of the modules to come when it drops frames that would be late (early dropping).
    expecting: Expecting = Expecting.EXECUTION
    # when workers fail: each time the one with a GPU that serves and was turned on first.
    failures_ns: tuple[int, ...] = ()
    # by name of a module whose machines hold state (Scrooge §3.1): money for each of them that is added or removed, as
    # state is migrated then (§3.4). What that costs is not printed.
    state: Mapping[str, Fraction] = field(default_factory=dict)
    # how long a plan is expected to be kept: the coordinator weighs what moving state costs against what a plan saves
    # in so many seconds (ours). None: it does not weigh it, as in the paper's equations.
    kept_s: Fraction | None = None

    @property
    def state_per_h(self) -> tuple[tuple[str, Fraction], ...]:
        """By module: money for each change of its machines per hour that a plan is kept; nothing is not weighed."""
        if self.kept_s is None:
            return ()
        return tuple((name, price * S_PER_H / self.kept_s) for name, price in self.state.items() if price)


SCROOGE = Rules(planner=Planner())
"""Scrooge with a turn-off delay of 30 s: the finish rate of traffic in §4.2, 97.7 %, is above what §4.4 prints for 0 s
and below what it prints for 120 s."""


def nexus(front_ends: int) -> Rules:
    """Nexus as Scrooge compares itself with it (§4.2).

    It plans for modules with a GPU only, with batching and no spatial multiplexing, as if all workers were P100. A
    turn-off delay, which it is not said to have, it has not. There are so many front-ends, workers without a GPU, for
    each module that needs them.
    """
    planner = Planner("nexus", cpu_modules=False, only="P100")
    return Rules(planner=planner, front_ends=front_ends, alike=True, turn_off_s=Fraction(0))
