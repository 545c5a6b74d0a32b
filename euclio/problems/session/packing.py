"""Partial machines of several modules on one machine, as the checker requires (docs/model/whole-machines.md).

A shared machine executes one batch at a time, in the order in which batches become full. Module i sends it a batch
every b_i/f_i seconds, and each takes d_i. If Σ d_j·f_j/b_j <= 1, no batch waits longer than Σ_{j≠i} d_j for the others.
For look at a batch that comes x seconds after the machine was last idle. Before it have come at most ⌈x·f_j/b_j⌉
batches of each other module and ⌊x·f_i/b_i⌋ of its own. That is work of at most Σ_{j≠i} d_j + x·Σ d_j·f_j/b_j, and x of
it is done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from euclio.core.words import full
from euclio.problems.session.instance import Configuration, Session
from euclio.problems.session.plan import Plan
from euclio.problems.session.policies import Form, Policy

# Best fit: the machine that takes a share of one (Scrooge §3.4).


def by_fit(
    room: Mapping[int, Fraction], share: Fraction, tie: Callable[[int], Any] = lambda number: number
) -> list[int]:
    """Machines that have the room for a share, the least room first, which leaves large rooms for large shares.

    Args:
        room: share of each machine that is left, by its number.
        share: the share asked for.
        tie: key that decides between equal rooms; by default the lower number.
    """
    fitting = [number for number, left in room.items() if left >= share]
    return sorted(fitting, key=lambda number: (room[number], tie(number)))


@dataclass(frozen=True, slots=True)
class Resident:
    """A partial machine among those on a shared machine.

    Attributes:
        module: index of its module.
        rate_rps: its rate f.
    """

    module: int
    configuration: Configuration
    rate_rps: Fraction

    @property
    def busy(self) -> Fraction:
        """Share of the time that the machine works on its batches, one at a time: d·f/b, at concurrency 1 f/t."""
        return self.configuration.duration_s * self.rate_rps / self.configuration.batch


def packs(policy: Policy) -> bool:
    """Whether partial machines may share one: they have to collect evenly, every b/f seconds, from their own rate."""
    return policy.form in (Form.LEFT, Form.FIXED)


def waits(group: tuple[Resident, ...]) -> tuple[Fraction, ...]:
    """Seconds that a batch of each resident waits for the others at most."""
    total = sum((r.configuration.duration_s for r in group), Fraction(0))
    return tuple(total - r.configuration.duration_s for r in group)


def residents(plan: Plan, partial_rps: list[Fraction]) -> list[tuple[Resident, ...]]:
    """The groups of partial machines that share one; partial rates as derived, one per module."""
    return [
        tuple(Resident(m, plan.modules[m].allocations[-1].configuration, partial_rps[m]) for m in group)
        for group in plan.shared
    ]


def broken_groups(session: Session, plan: Plan, policy: Policy, partial_rps: list[Fraction]) -> list[str]:
    """The faults of a plan's shared machines, one line each; empty if there are none."""
    if not packs(policy):
        return [f"machines are shared, which policy {policy.name} has no latency for"]
    problems: list[str] = []
    listed = [m for group in plan.shared for m in group]
    if any(not 0 <= m < len(session.modules) for m in listed) or len(set(listed)) < len(listed):
        return ["a shared machine lists a module that there is not, or one that is on a shared machine already"]
    for group in residents(plan, partial_rps):
        names = ", ".join(session.modules[r.module].name for r in group)
        if len(group) < 2:
            problems.append(f"a machine is shared by {names or 'none'}; at least two modules share one")
        idle = [session.modules[r.module].name for r in group if not r.rate_rps]
        if idle:
            problems.append(f"module {idle[0]} is on a shared machine and has no partial machine")
        types = sorted({r.configuration.hardware for r in group})
        if len(types) > 1:
            problems.append(f"modules {names} share a machine and run on {', '.join(types)}")
        problems += _beyond_memory(session, group, names)
        busy = sum((r.busy for r in group), Fraction(0))
        if busy > 1:
            problems.append(f"modules {names} share a machine and need {full(busy, digits=6)} of its time")
    return problems


def _beyond_memory(session: Session, group: tuple[Resident, ...], names: str) -> list[str]:
    """The fault of a shared machine if its memory is known: all models of the group are loaded at the same time."""
    there = (
        next((h.memory_mb for h in session.hardware if h.name == group[0].configuration.hardware), None)
        if group
        else None
    )
    if there is None:
        return []
    needed = [memory_mb(session, r) for r in group]
    if None in needed:
        return [f"modules {names} share a machine of {full(there)} MB; give memory_mb of their configurations"]
    total = sum((own for own in needed if own is not None), Fraction(0))
    return [f"modules {names} share a machine and need {full(total)} of {full(there)} MB"] if total > there else []


def memory_mb(session: Session, resident: Resident) -> Fraction | None:
    """Memory of a configuration as the instance states it; plans do not repeat it."""
    profile = session.modules[resident.module].profile
    return next((c.memory_mb for c in profile if c == resident.configuration), None)
