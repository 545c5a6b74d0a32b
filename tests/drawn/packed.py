"""Seeded sessions whose modules may share machines, made so that ties with time, memory and the SLO are common."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

from euclio import solve
from euclio.core.numbers import has_text
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Policy, Session, evaluate

from .sessions import COUNTABLE, SHAPES, session_case
from .small_sessions import small_session

POLICIES = (Policy.TC, Policy.TC, Policy.RR, Policy.MACHINE_RATE, Policy.TC_SHARED)
FEWER = (1, 1, Fraction(1, 2), Fraction(1, 4), Fraction(1, 10), Fraction(1, 20))
"""Rates are multiplied by one of these, so that partial machines are common."""
MEMORY = (10, 12, 16)
MODELS = (None, 4, 5, 5, 6, 8)
STOCK = (0, 1, 2, 2, 3, 4, 6, 9, None)
TAKEN = (0, 1, 1, 2, Fraction(1, 2), Fraction(3, 10))
POWER = (1, 2, 3, 4, 6, 9, Fraction(5, 2))
HAIR = Fraction(1, 10**20)
"""Share of the SLO by which it is just missed."""


def packed_case(seed: int) -> tuple[Session, PlanSpace]:
    """The session and the plan space of a seed: a third nasty, a third small, a third in tenths of a machine."""
    rng = Random(f"packed/{seed}")
    space = PlanSpace(rng.choice(POLICIES), rng.choice(COUNTABLE), charging="packed")
    if seed % 3 == 0:
        session, drawn = session_case(rng, POLICIES, COUNTABLE)
        space = replace(drawn, charging="packed")
    elif seed % 3 == 1:
        session = _fewer(rng, small_session(rng.randrange(10**6)))
    else:
        session = _in_tenths(rng)
    if rng.randrange(3) == 0:
        session = _with_memory(rng, session)
    return _at_a_tie(rng, session, space), space


def limited_case(seed: int) -> tuple[Session, PlanSpace]:
    """A case of `packed_case` with a stock, a resource or both, none of them or all of a type among the numbers."""
    rng = Random(f"packed within limits/{seed}")
    session, space = packed_case(seed)
    kind, hardware = rng.randrange(3), session.hardware
    if kind != 1:
        hardware = tuple(replace(h, count=rng.choice(STOCK)) for h in hardware)
    if kind == 0:
        return replace(session, hardware=hardware), space
    hardware = tuple(replace(h, takes={"power": rng.choice(TAKEN)}) for h in hardware)
    return replace(session, hardware=hardware, resources={"power": rng.choice(POWER)}), space


def _fewer(rng: Random, session: Session) -> Session:
    share = rng.choice(FEWER)
    rates = [module.rate_rps * share for module in session.modules]
    if not all(map(has_text, rates)):
        return session
    modules = [replace(module, rate_rps=rate) for module, rate in zip(session.modules, rates, strict=True)]
    return replace(session, modules=modules, slo_s=session.slo_s * rng.choice((1, 2, 3)))


def _in_tenths(rng: Random) -> Session:
    """Modules that take whole tenths of a machine's time, so that sharing fills machines to the last one."""
    count, edges = SHAPES[rng.choice([name for name, (n, _) in SHAPES.items() if n > 1])]
    hardware = [Hardware(name, rng.choice(("1", "1", "1.5", "0.7"))) for name in ("X", "Y")[: rng.choice((1, 1, 2))]]
    modules = []
    for i in range(count):
        batches = rng.sample((1, 2, 4), rng.randint(1, 2))
        profile = [Configuration(h.name, b, 1, Fraction(b, 10)) for h in hardware for b in batches]
        modules.append(Module(f"m{i}", rng.choice((1, 2, 3, 3, 4, 5, 5, 6, 7, 12, 13)), profile))
    slo = Fraction(rng.choice((8, 12, 15, 20, 40, 90)), 10)
    return Session("tenths", slo, hardware, modules, [(f"m{a}", f"m{b}") for a, b in edges])


def _with_memory(rng: Random, session: Session) -> Session:
    hardware = [replace(h, memory_mb=rng.choice(MEMORY)) for h in session.hardware]
    modules = [
        replace(module, profile=[replace(c, memory_mb=rng.choice(MODELS)) for c in module.profile])
        for module in session.modules
    ]
    return replace(session, hardware=tuple(hardware), modules=tuple(modules))


def _at_a_tie(rng: Random, session: Session, space: PlanSpace) -> Session:
    """Half of the time the session whose SLO is the latency of a packed plan, or a hair less; else the session."""
    kind = rng.randrange(4)
    plan = solve(session, "whole-greedy", space=space).plan if kind < 2 else None
    latency = None if plan is None else evaluate(session, plan, space).latency_s
    if latency is None:
        return session
    slo = latency if kind == 0 else latency * (1 - HAIR)
    return replace(session, slo_s=slo) if has_text(slo) else session
