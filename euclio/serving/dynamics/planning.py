"""Allocations for what is observed, by any registered planner; equal questions are asked once (Scrooge §3.3, §3.5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
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

RAISED = (*(Fraction(21, 20) ** k for k in range(5)), *(Fraction(5, 4) ** k for k in range(1, 13)))
"""What all rates are multiplied with where a planner has no plan, one after the other: by little first, up to 14.6."""
DIGITS = 6
"""Significant digits of rates and factors that a planner is asked for."""


class Question(NamedTuple):
    """What a planner is asked.

    Attributes:
        rates: requests per second by module of the application.
        balloons: execution time over the profiled one by module.
        without: worker types that are sold out.
        state: by module whose machines hold state, what each of them that is added or removed costs: money per hour
            that the plan is to run.
        running: machines that serve these modules now.
    """

    rates: tuple[Fraction, ...]
    balloons: tuple[Fraction, ...]
    without: frozenset[str] = frozenset()
    state: tuple[tuple[str, Fraction], ...] = ()
    running: tuple[RunningMachines, ...] = ()


class Machine(NamedTuple):
    """A machine that an allocation asks for.

    Attributes:
        module: number of its module among the application's.
        configuration: how it is to be run; its duration is the one planned for.
        rate_rps: the rate that it is given.
        share: part of a worker's capacity that this takes.
        timeout_ns: how long its batches wait to be filled.
        target: machines of a module with the same number take turns (docs/model/serving.md, dispatch).
    """

    module: int
    configuration: Configuration
    rate_rps: Fraction
    share: Fraction
    timeout_ns: int
    target: int


class Planned(NamedTuple):
    """A planner's answer.

    Attributes:
        machines: the machines, module by module, in rank order.
        dealing: how invocations are dealt out.
        cost_per_h: cost of the plan, machines charged for the share that is used.
    """

    machines: tuple[Machine, ...]
    dealing: Dealing
    cost_per_h: Fraction


@dataclass(frozen=True, slots=True)
class Planner:
    """Who plans, and what for.

    Attributes:
        solver: name of a registered solver for sessions.
        cpu_modules: whether it plans for modules on workers without a GPU; else they are left out, the modules after
            them follow those before, and their time is not counted (Nexus; Scrooge §4.2).
        only: the worker type with a GPU that it plans for, as if there were no other (Nexus assumes that all are alike,
            Scrooge §4.2); None: all.
        slo_share: the part of the latency objective that plans may take.
        step: rates and ballooning factors are rounded up to powers of 1 + step before a planner is asked.
        slower: execution times on GPUs over the profiled ones where a GPU waits while CPUs prepare its batches (no
            module pipelining, Scrooge §3.6); 1: it does not.
    """

    solver: str = "scrooge-milp"
    cpu_modules: bool = True
    only: str | None = None
    slo_share: Fraction = Fraction(1)
    step: Fraction = Fraction(1, 20)
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

    Args:
        application: name of one of Scrooge's seven.
        planner: who plans.
        question: what it is asked.
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
