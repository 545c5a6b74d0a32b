"""The plan of running machines, as a user states them: three L4 with batch 8 (ours; docs/howto/now.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from euclio.core.errors import InputError
from euclio.core.parameters import option_text
from euclio.core.words import full, joined, listed, nearest
from euclio.problems.session.evaluate import rank_key
from euclio.problems.session.instance import Configuration, Module, Session
from euclio.problems.session.plan import Allocation, ModulePlan, Plan, whole_rps
from euclio.problems.session.rules import Charging, DummyRule
from euclio.problems.session.space import PlanSpace

BatchSize = tuple[int, int | None]
"""Requests of a batch, and batches at a time; None means the only number of them in the profile."""
Batches = BatchSize | Mapping[str, BatchSize] | None
"""The batch of all machines, or by MODULE or MODULE:TYPE; None means the only one in the profile."""


def deployed(
    session: Session, machines: Mapping[str, int], batches: Batches = None, option: str = "--machines"
) -> tuple[Plan, PlanSpace]:
    """The plan of given machines, each charged whole, and its plan space.

    Dummies stand for free capacity. If that is a machine or more, their rule is `continuous`.

    Args:
        session: the instance.
        machines: number of machines by MODULE:TYPE, or by TYPE in a session of one module.
        batches: their batch.
        option: the option that gives the machines, for errors.

    Raises:
        InputError: an unknown name, a module without machines, a batch that is unknown or missing, or machines that
            take less than their module's rate.
    """
    alone = f"{session.modules[0].name}:" if len(session.modules) == 1 else ""
    known = {f"{module.name}:{h.name}": (module, h.name) for module in session.modules for h in session.hardware}
    counts = {name if name in known else alone + name: count for name, count in machines.items()}
    for name in counts:
        if name not in known:
            raise InputError(f"names {name!r}; give MODULE:TYPE=N: {nearest(name, known)}", field=option)
    for name in batches if isinstance(batches, Mapping) else ():
        if name not in counts and name not in session.index:
            raise InputError(f"names {name!r}; {nearest(name, [*session.index, *counts])}", field="--batch")
    plans, rule = [], DummyRule.MACHINE
    for module in session.modules:
        own = []
        for name, (of, hardware) in known.items():
            if of is module and name in counts:
                size = batches.get(name, batches.get(module.name)) if isinstance(batches, Mapping) else batches
                own.append(Allocation(_configuration(module, hardware, size, option), counts[name]))
        if not own:
            raise InputError(f"names no machine of module {module.name}; add {module.name}:TYPE=N", field=option)
        own.sort(key=lambda one: rank_key(one.configuration, session.price))
        spare = whole_rps(tuple(own)) - module.rate_rps
        if spare < 0:
            raise InputError(_too_few(module, own), field=option)
        if spare >= own[-1].configuration.throughput_rps:
            rule = DummyRule.CONTINUOUS
        plans.append(ModulePlan(tuple(own), spare))
    return Plan(tuple(plans)), PlanSpace(dummy=rule, charging=Charging.WHOLE)


def _configuration(module: Module, hardware: str, size: BatchSize | None, option: str) -> Configuration:
    """The only configuration of a module that has a hardware and a batch."""
    there = [c for c in module.profile if c.hardware == hardware]
    batch, concurrency = size or (None, None)
    found = [c for c in there if batch in (None, c.batch) and concurrency in (None, c.concurrency)]
    if len(found) == 1:
        return found[0]
    if not there:
        types = joined(dict.fromkeys(c.hardware for c in module.profile))
        raise InputError(f"module {module.name} has no profile on {hardware}; it has one on {types}", field=option)
    several = len({c.concurrency for c in there}) > 1
    sizes = listed(f"{c.batch}x{c.concurrency}" if several else str(c.batch) for c in found or there)
    lacks = "is missing" if size is None else "is not in the profile" if not found else "is not clear"
    example = option_text("--batch", placeholder=f"{module.name}={sizes.partition(',')[0]}")
    raise InputError(
        f"{lacks} for {module.name} on {hardware}, which has {sizes}; give one of them, such as {example}",
        field="--batch",
    )


def _too_few(module: Module, own: Sequence[Allocation]) -> str:
    """The message that machines take less than their module's rate."""
    machines = joined(f"{one.machines} {one.configuration.hardware}, batch {one.configuration.batch}," for one in own)
    return (
        f"module {module.name}: {machines} take {full(whole_rps(tuple(own)))} of {full(module.rate_rps)} requests per "
        "second, so that requests wait ever longer; state more machines, or a lower rate"
    )
