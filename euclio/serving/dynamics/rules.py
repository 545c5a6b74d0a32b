"""Rules of a coordinator: planner, times, workers (Scrooge §3.4 to §3.6, §4.1)."""

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

# Allocations for the observed load, by any registered planner; equal questions are asked once (Scrooge §3.3, §3.5).

RAISED = (*(Fraction(21, 20) ** k for k in range(5)), *(Fraction(5, 4) ** k for k in range(1, 13)))
"""Factors on all rates that are tried in this order if a planner has no plan: small ones first, up to 14.6."""
DIGITS = 6
"""Significant digits of rates and factors in questions to a planner."""


class Question(NamedTuple):
    """A question to a planner."""

    rates: tuple[Fraction, ...]  # requests per second by module of the application
    balloons: tuple[Fraction, ...]  # execution time over the profiled one by module
    without: frozenset[str] = frozenset()  # worker types that are sold out
    # by module whose machines hold state, the cost of each that is added or removed: money per hour that the plan runs.
    state: tuple[tuple[str, Fraction], ...] = ()
    running: tuple[RunningMachines, ...] = ()  # machines that serve these modules now


class Machine(NamedTuple):
    """A machine that an allocation asks for."""

    module: int  # number of its module among the application's
    configuration: Configuration  # its configuration, with the planned duration
    rate_rps: Fraction  # the rate that it is given
    share: Fraction  # part of a worker's capacity that it takes
    timeout_ns: int  # timeout of its batches
    target: int  # machines of a module with the same number take turns (docs/model/serving.md, dispatch)


class Planned(NamedTuple):
    """A planner's answer."""

    machines: tuple[Machine, ...]  # the machines, module by module, in rank order
    dealing: Dealing  # how invocations are dealt out
    cost_per_h: Fraction  # cost of the plan, machines charged for the share that is used


@dataclass(frozen=True, slots=True)
class Planner:
    """A solver, with the modules and workers that it plans for."""

    solver: str = "scrooge-milp"  # name of a registered solver for sessions
    # whether it plans for modules on workers without a GPU. Otherwise they are left out: the modules after them follow
    # those before, and their time does not count (Nexus; Scrooge §4.2).
    cpu_modules: bool = True
    # the worker type with a GPU that it plans for, as if there were no other (Nexus assumes that all are alike, Scrooge
    # §4.2); None means all.
    only: str | None = None
    slo_share: Fraction = Fraction(1)  # the part of the latency objective that plans may take
    # rates and ballooning factors are rounded up to powers of 1 + step before a planner is asked.
    step: Fraction = Fraction(1, 20)
    # execution times on GPUs over the profiled ones if a GPU waits while CPUs prepare its batches (no module
    # pipelining, Scrooge §3.6); 1 if it does not wait.
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
    """A plan for a question; None if the planner finds none.

    If it finds none at first, all rates are raised in steps: at few requests per second machines collect batches for
    longer than the objective allows, and spare capacity helps.
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
            # The cost of moving state is paid once, and is no part of the plan's cost per hour.
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
    """The session that a planner must plan, at the exact rates of the question."""
    return _session(application, planner, planner.planned_modules(application), question, Fraction(1))


def _session(
    found: ScroogeApplication, planner: Planner, modules: tuple[int, ...], question: Question, factor: Fraction
) -> Session:
    """The planned modules, at the rates times a factor."""
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
"""Number of workers with a GPU, by type (Scrooge §4.1); those without one have no limit."""


class Expecting(StrEnum):
    """Time that a worker expects a frame to take in the modules to come, when it decides whether to drop it."""

    EXECUTION = "execution"
    """The execution of a batch as it is planned: the "profiled (or recently observed) execution latency" (§3.6)."""
    LEAST = "least"
    """The execution of a batch of one, as it was profiled."""
    WORST_CASE = "worst case"
    """The execution of a batch as planned, and its longest wait."""
    NOTHING = "nothing"
    """No frame is dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """A coordinator's rules."""

    planner: Planner  # who plans
    # seconds between two looks at rates and execution times (Scrooge §3.5 footnote 6).
    window_s: Fraction = Fraction(1)
    # a change of a rate by more than this part is significant. Planned rates are higher than observed ones by this
    # part. The coordinator allocates again once more comes than planned, or if the rates to plan for now are lower by
    # more than this part.
    change: Fraction = Fraction(1, 10)
    epoch_s: Fraction = Fraction(0)  # least time between two allocations that no client caused
    turn_off_s: Fraction = Fraction(30)  # time that a worker without machines stays on (turn-off delay)
    warm_up_s: Fraction = Fraction(5)  # time in which a worker with a GPU loads a module
    limits: Mapping[str, int] = field(default_factory=lambda: dict(TESTBED))  # most workers by type
    front_ends: int = 0  # workers without a GPU per module that needs them, where the planner does not plan for these
    # whether front-ends do the work of their modules when a frame comes, before all other modules.
    front_ends_first: bool = False
    # whether any type with a GPU replaces one that is sold out, as if it were the same; otherwise the planner first
    # plans again without that type.
    alike: bool = False
    # the worker's expectation of the modules to come when it drops frames that would be late (early dropping).
    expecting: Expecting = Expecting.EXECUTION
    # times of failures: each time the first serving GPU worker by time of its start fails.
    failures_ns: tuple[int, ...] = ()
    # by name of a module whose machines hold state (Scrooge §3.1): money for each of them that is added or removed, as
    # state is migrated then (§3.4). The paper does not print this cost.
    state: Mapping[str, Fraction] = field(default_factory=dict)
    # seconds for which a plan is expected to be kept: the coordinator weighs the cost of moving state against a plan's
    # saving in this time (ours). None disables it, as in the paper's equations.
    kept_s: Fraction | None = None

    @property
    def state_per_h(self) -> tuple[tuple[str, Fraction], ...]:
        """Money for each change of a module's machines per hour that a plan is kept; empty if state is not weighed."""
        if self.kept_s is None:
            return ()
        return tuple((name, price * S_PER_H / self.kept_s) for name, price in self.state.items() if price)


SCROOGE = Rules(planner=Planner())
"""Scrooge with a turn-off delay of 30 s: the finish rate of traffic in §4.2, 97.7 %, is above what §4.4 prints for 0 s
and below what it prints for 120 s."""


def nexus(front_ends: int) -> Rules:
    """Nexus as Scrooge compares itself with it (§4.2).

    It plans for modules with a GPU only, with batching and no spatial multiplexing, as if all workers were P100. The
    paper mentions no turn-off delay for Nexus, so it has none here. Each module that needs workers without a GPU has
    `front_ends` of them.
    """
    planner = Planner("nexus", cpu_modules=False, only="P100")
    return Rules(planner=planner, front_ends=front_ends, alike=True, turn_off_s=Fraction(0))
