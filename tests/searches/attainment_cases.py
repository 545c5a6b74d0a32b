"""Drawn sessions that are asked for an attainment, and what their plans keep in simulations of ten times the length."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from random import Random
from typing import Any

from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.serving.attainment import setup_of, solve_attaining
from euclio.serving.session import Setup, simulate
from euclio.workloads.session.protocol import latency_range, round_up

LONGER = 10
"""How many times as long as the simulation that the statement was made from the plan is served."""
SHAPES = ((1, ()), (1, ()), (1, ()), (2, ((0, 1),)), (3, ((0, 1), (1, 2))), (3, ((0, 1), (0, 2))))
TARGETS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.99, 0.99, 0.995)
SOLVERS = ("harpagon", "harpagon", "exact", "nexus", "scrooge", "piccolo")
ARRIVALS = ("poisson",) * 6 + ("gamma", "bursty", "on-off", "trace", "uniform")
DISPATCH = (None, None, None, "pull", "split", "requests")
MOST_REQUESTS = 80_000_000
"""More are not simulated; a longer statement is held against so many."""


@dataclass(frozen=True, slots=True)
class Case:
    """A session, who plans it, and what is asked."""

    session: Session
    solver: str
    target: float
    setup: Setup
    seed: int


@dataclass(frozen=True, slots=True)
class Held:
    """What was stated, and what a longer simulation with another seed found."""

    case: Case
    stated: float
    measured: float
    kept: float
    requests: int

    @property
    def holds(self) -> bool:
        """Whether the bound was true."""
        return self.kept >= self.stated

    @property
    def looseness(self) -> float:
        """How many times the misses that there are the bound allows."""
        return (1 - self.stated) / (1 - self.kept) if self.kept < 1 else math.inf


def draw(seed: int) -> Case:
    """A session of 1 to 3 modules on 1 to about 40 machines, under any kind of arrivals."""
    rng = Random(seed)
    count, edges = rng.choice(SHAPES)
    rate = 10 ** rng.uniform(0.7, 3.2)
    hardware = [Hardware(name, round(rng.uniform(0.4, 4), 2)) for name in "gh"[: rng.randint(1, 2)]]
    modules = [_module(rng, f"m{i}", rate, hardware) for i in range(count)]
    loose = Session("drawn", Fraction(10**6), hardware, modules, [(f"m{a}", f"m{b}") for a, b in edges])
    slo = round_up(rng.choice((1.3, 1.6, 2, 2.5, 3, 4)) * latency_range(loose)[0])
    target, setup = rng.choice(TARGETS), _setup(rng, float(slo))
    return Case(replace(loose, slo_s=slo), rng.choice(SOLVERS), target, setup, rng.randrange(1000))


def judge(case: Case) -> Held | None:
    """The plan's bound, held against a simulation of ten times the length; None: no plan was found."""
    result = solve_attaining(case.session, case.solver, case.target, case.setup, seed=case.seed)
    if result.plan is None:
        return None
    stats = result.stats
    longer = min(LONGER, MOST_REQUESTS / stats["validated_requests"])
    shown = setup_of(result, case.setup.trace_s)
    again = replace(shown, seconds=shown.seconds * longer, seed=shown.seed + 1)
    found = simulate(case.session, result.plan, again, result.space)
    assert found.attainment is not None
    return Held(case, stats["attainment_at_least"], stats["attainment"], found.attainment, found.arrived)


def _module(rng: Random, name: str, rate: float, hardware: list[Hardware]) -> Module:
    """A module that needs 0.3 to 12 machines: batches take a + b·size, a share of which is the same for all sizes."""
    machines, most = 10 ** rng.uniform(-0.5, 1.1), rng.choice((1, 4, 8, 16, 32))
    profile = []
    for one in hardware:
        per_request, fixed = machines / rate * rng.uniform(0.6, 1.6), rng.uniform(0.1, 3)
        size = 1
        while size <= most:
            profile.append(Configuration(one.name, size, 1, f"{per_request * (fixed + size):.6g}"))
            size *= 2
    return Module(name, f"{rate:.4g}", profile)


def _setup(rng: Random, slo_s: float) -> Setup:
    """Arrivals, dispatcher, time-outs, noise, holding and dropping."""
    kind = rng.choice(ARRIVALS)
    options: dict[str, Any] = {"dispatch": rng.choice(DISPATCH)}
    if kind == "gamma":
        options["cv"] = rng.choice((0.3, 1.5, 2.0))
    if kind == "on-off":
        options |= {"on_s": slo_s * rng.choice((2, 10)), "off_s": slo_s * rng.choice((0.2, 1))}
    if kind == "trace":
        gaps = [rng.expovariate(1 + (k // 500) % 2) for k in range(rng.choice((3000, 20_000)))]
        options["trace_s"] = tuple(accumulate(gaps))
    options["timeout_s"] = rng.choice((None, None, None, math.inf))
    options["noise"] = rng.choice((0.0, 0.0, 0.0, 0.1))
    options["hold"] = rng.randrange(8) == 0
    options["dropping"] = rng.choice(("never", "never", "never", "hopeless"))
    return Setup(kind, **options)
