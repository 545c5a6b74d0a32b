"""Why a session has no plan: modules and paths whose least latency is above the SLO on any hardware.

The bounds are ours. Each holds for every plan of the plan space; `_least_latency` says why.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from euclio.session.evaluate import longest_path
from euclio.session.instance import Configuration, Module, Session
from euclio.session.space import DummyRule, PlanSpace, Policy


@dataclass(frozen=True, slots=True)
class LeastLatency:
    """A lower bound on a module's worst-case latency in seconds, and the configuration that comes down to it."""

    latency_s: Fraction
    configuration: Configuration


def least_latency(module: Module, space: PlanSpace) -> LeastLatency | None:
    """A proven lower bound on the worst-case latency of a module in any plan of the space.

    Args:
        module: the module, with its rate.
        space: the plan space.

    Returns:
        The bound, or None if the space allows none of the module's configurations.
    """
    allowed = [c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)]
    bounds = [LeastLatency(_least_latency(c, module.rate_rps, space), c) for c in allowed]
    return min(bounds, key=lambda bound: bound.latency_s, default=None)


def explain_infeasible(session: Session, space: PlanSpace, *, searched: bool = True) -> str:
    """Which module or path cannot meet which latency on any hardware, in one line.

    Args:
        session: a session for which a solver found no plan.
        space: the plan space that it searched.
        searched: the solver's search covers the whole plan space, so that finding nothing is a proof.
    """
    found = _conflict(session, space)
    if found is None and space.single_hardware:
        types = [h.name for h in session.hardware if space.hardware is None or h.name in space.hardware]
        each = [(name, _conflict(session, space.on(name))) for name in types]
        if all(conflict is not None for _, conflict in each):
            found = "; ".join(f"on {name}: {conflict}" for name, conflict in each)
    if found is not None:
        return found
    slo = _seconds(session.slo_s)
    if searched:
        return f"no module or path alone exceeds the SLO of {slo}, but the search proved that no plan meets it"
    return f"the heuristic found no plan within the SLO of {slo}, which proves nothing; --solver exact decides"


def _least_latency(c: Configuration, rate: Fraction, space: PlanSpace) -> Fraction:
    """What some machine of every plan takes at least, if the plan's decisive machine runs c.

    Decisive is, without dummies, a machine of the first allocation: it collects at w <= T. With rule `machine` it is
    one of the last allocation: of its n machines n - 1 and everything before stay below T, so that
    w <= n·t <= ceil(T/t)·t; under `tc-shared` w counts equal ratios too and is only known to be below T + t.
    Under `rr` and `machine-rate` a whole machine takes the same wherever it stands; without dummies it needs t <= T,
    and a plan with no whole machine is one partial machine at f = T < t. Rule `continuous` leaves w unbounded.
    """
    d, b, t = c.duration_s, c.batch, c.throughput_rps
    if space.policy in (Policy.TC, Policy.TC_SHARED):
        if space.dummy is DummyRule.CONTINUOUS:
            return d
        if space.dummy is DummyRule.NONE:
            return d + b / rate
        return d + b / (math.ceil(rate / t) * t if space.policy is Policy.TC else rate + t)
    whole = 2 * d if space.policy is Policy.RR else d + b / t
    if space.dummy is DummyRule.CONTINUOUS:
        return min(whole, d + b / t)
    alone = d + b / rate
    if space.dummy is DummyRule.MACHINE:
        return min(whole, alone) if rate < t else whole
    return alone if rate < t else whole


def _conflict(session: Session, space: PlanSpace) -> str | None:
    """The module, or else the path, that cannot meet the SLO; None: the bounds prove nothing."""
    bounds: list[LeastLatency] = []
    for module in session.modules:
        bound = least_latency(module, space)
        if bound is None:
            return f"module {module.name} has no configuration {_scope(space)}; allow more or extend its profile"
        bounds.append(bound)
    slo = session.slo_s
    limit = f"more than the SLO of {_seconds(slo)}"
    where = "on any hardware" if space.hardware is None else f"on {' or '.join(space.hardware)}"
    worst = max(range(len(bounds)), key=lambda i: bounds[i].latency_s)
    if bounds[worst].latency_s > slo:
        c = bounds[worst].configuration
        least = _seconds(bounds[worst].latency_s)
        return (
            f"module {session.modules[worst].name} needs at least {least} {where} "
            f"({c.hardware}, batch {c.batch}, concurrency {c.concurrency}), {limit}"
        )
    length, names = longest_path(session, [bound.latency_s for bound in bounds])
    if length > slo:
        index = session.index
        parts = ", ".join(f"{name} {_seconds(bounds[index[name]].latency_s)}" for name in names)
        return f"path {' -> '.join(names)} needs at least {_seconds(length)} {where} ({parts}), {limit}"
    return None


def _scope(space: PlanSpace) -> str:
    limits = []
    if space.hardware is not None:
        limits.append(f"on {' or '.join(space.hardware)}")
    if not space.batching:
        limits.append("at batch 1")
    if not space.concurrency:
        limits.append("at concurrency 1")
    return " ".join(limits)


def _seconds(value: Fraction) -> str:
    return f"{float(value):.9g} s"
