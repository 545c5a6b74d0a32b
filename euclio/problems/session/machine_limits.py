"""Limits on the machines of a plan, as the checker applies them (ours; docs/model/whole-machines.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from euclio.core.words import full
from euclio.problems.session.gpu_slices import Content, Parts, layout, least_gpus
from euclio.problems.session.instance import Session
from euclio.problems.session.largest_shares import LargestShare
from euclio.problems.session.plan import ModulePlan, Plan
from euclio.problems.session.resources import machine_limits
from euclio.problems.session.running import SHARING, Running


def beyond_limits(session: Session, used: dict[str, Fraction]) -> list[str]:
    """One line per stock and resource of which the plan, with spare machines, takes more than there is.

    Args:
        session: the instance.
        used: machines by name of the hardware, as they are charged.
    """
    spare, problems = session.spare_machines, []
    by = f" and {spare} spare ones" if spare else ""
    for limit in machine_limits(session):
        taken = limit.taken(used, spare)
        if taken > limit.capacity:
            problems.append(
                f"the plan takes {full(used[limit.name])} machines of {limit.name}{by}, and {full(limit.capacity)} are "
                "in stock"
                if limit.is_stock
                else f"the plan takes {full(taken)} of {limit.name}, and there is {full(limit.capacity)}"
            )
    return problems or [
        f"the slices of {name} have no positions on {full(session.resources[name])} GPUs"
        for name, found in slice_layouts(session, used).items()
        if found is None
    ]


def slice_layouts(session: Session, used: Mapping[str, Fraction]) -> dict[str, list[Content] | None]:
    """Positions of a plan's slices on each resource of GPUs; None if none are found.

    A resource without a capacity has as many GPUs as the slices need. Shares of machines have no positions, so a
    resource of which a plan uses some is left out.

    Args:
        session: the instance.
        used: machines by name of the hardware, as they are charged, without spare ones.
    """
    found: dict[str, list[Content] | None] = {}
    for name in dict.fromkeys(name for h in session.hardware for name in h.slices):
        parts, apart = Parts(), False
        for h in session.hardware:
            n = used.get(h.name, Fraction(0))
            if name in h.slices and n:
                n += session.spare_machines
                apart = apart or n.denominator != 1
                parts[h.slices[name]] = parts.get(h.slices[name], 0) + int(n)
        if parts and not apart:
            found[name] = layout(parts, int(session.resources.get(name, least_gpus(parts))))
    return found


def needed_too_much(session: Session, plan: Plan, partial_rps: list[Fraction]) -> list[str]:
    """One line per module and group of types without which the other machines take too few of the module's requests."""
    problems = []
    for group, m, others in short_of_rate(session, plan, partial_rps):
        module = session.modules[m]
        problems.append(
            f"module {module.name}: without {group.named} its machines take {full(others)} of "
            f"{full(module.rate_rps)} req/s, less than {full(1 - group.share)} of them"
        )
    return problems


def short_of_rate(
    session: Session, plan: Plan, partial_rps: list[Fraction]
) -> Iterator[tuple[LargestShare, int, Fraction]]:
    """The groups without which the other machines of a module take too little: group, module, and the rate taken."""
    for group in session.share_groups:
        for m, (own, partial) in enumerate(zip(plan.modules, partial_rps, strict=True)):
            others = _taken_without(group.hardware, own, partial)
            if others < group.left(session.modules[m].rate_rps):
                yield group, m, others


def limited_apart(session: Session) -> list[str]:
    """The types with a largest share, if a module may need all of them for more requests than any group of them."""
    groups = session.share_groups
    types = list(dict.fromkeys(name for group in groups for name in group.hardware))
    return [] if any(len(group.hardware) == len(types) for group in groups) else types


def needed_together(session: Session, plan: Plan, partial_rps: list[Fraction]) -> dict[str, Fraction]:
    """The share of each module's requests that needs some of the types of `limited_apart`, at most 1.

    Each type, or group of types, is limited by itself, so two together may have all requests of a module. Modules that
    need none are left out.
    """
    found, types = {}, limited_apart(session)
    for module, own, partial in zip(session.modules, plan.modules, partial_rps, strict=True):
        share = 1 - _taken_without(types, own, partial) / module.rate_rps
        if share > 0:
            found[module.name] = share
    return found


def _taken_without(names: Container[str], own: ModulePlan, partial: Fraction) -> Fraction:
    """Requests per second that a module's machines of all other types take."""
    kept = [a for a in own.allocations if a.configuration.hardware not in names]
    rates = [a.machines * a.configuration.throughput_rps for a in kept]
    last = own.allocations[-1].configuration.hardware
    return sum(rates, Fraction(0) if last in names else partial)


def counts_of(session: Session, plan: Plan, partial_rps: list[Fraction]) -> Counter[tuple[str, str]]:
    """Machines of a plan by (module, hardware); partial rates as derived, one per module."""
    modules = []
    for own, partial in zip(plan.modules, partial_rps, strict=True):
        last = replace(own.allocations[-1], partial_rps=partial)
        modules.append(replace(own, allocations=(*own.allocations[:-1], last)))
    return machine_counts(named_plan(session, replace(plan, modules=tuple(modules))))


def changes_to(running: Running, session: Session, plan: Plan, partial_rps: list[Fraction]) -> Counter[str]:
    """Machines that a plan adds to and removes from the running ones, by module; partial rates derived, one each."""
    new, old = counts_of(session, plan, partial_rps), running.counts
    changes: Counter[str] = Counter()
    for (module, _), machines in ((new - old) + (old - new)).items():
        changes[module] += machines
    return changes


# Machines that are paid for and not used: idle ones of modules, unused ones of types (ours; docs/model/limits.md).

Idle = Counter[tuple[str, str]]
"""Idle machines by names of module and hardware."""


def least_machines(session: Session) -> dict[str, int]:
    """The least machines of modules for which it is more than the one that every module has."""
    return {name: least for name, least in session.least_machines.items() if least > 1}


def paid_for(session: Session) -> dict[str, int]:
    """Machines that are paid for, used or not, by hardware, if they cost anything."""
    return {name: least for name, least in session.at_least.items() if session.price[name]}


def has_floors(session: Session) -> bool:
    """Whether a plan may pay for machines that it does not use."""
    return bool(session.at_least or least_machines(session))


def idle_type(session: Session, used: Iterable[str]) -> str:
    """The hardware of a module's idle machines, given the types that it uses: the cheapest, of equal ones the first."""
    place = {h.name: (h.price_per_h, i) for i, h in enumerate(session.hardware)}
    return min(used, key=place.__getitem__)


def idle_machines(session: Session, plan: Plan, partial_rps: Sequence[Fraction]) -> Idle:
    """The machines that stand by because modules have fewer than their least number.

    Args:
        session: the instance.
        plan: the plan.
        partial_rps: derived rate of the partial machine of each module. A machine that modules share counts for each.
    """
    found, index = Idle(), session.index
    for name, least in least_machines(session).items():
        own = plan.modules[index[name]]
        lacking = least - machines_of(own, partial_rps[index[name]])
        if lacking > 0:
            found[name, idle_type(session, [a.configuration.hardware for a in own.allocations])] = lacking
    return found


def machines_of(plan: ModulePlan, partial_rps: Fraction) -> int:
    """Whole machines of a module, with the partial one counted as one."""
    return sum(a.machines for a in plan.allocations) + bool(partial_rps)


def unused_machines(session: Session, machines: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """The machines that are paid for and not used, by hardware, given all others as they are charged."""
    found = {}
    for name, least in session.at_least.items():
        bought = machines.get(name, Fraction(0))
        lacking = least - bought - (session.spare_machines if bought else 0)
        if lacking > 0:
            found[name] = lacking
    return found


@dataclass(frozen=True, slots=True)
class NamedPlan:
    """A plan whose modules are found by name, so that plans of sessions with other modules can be compared.

    Attributes:
        modules: plans of modules by name.
        shared: groups of modules whose partial machines are one machine.
    """

    modules: Mapping[str, ModulePlan]
    shared: tuple[tuple[str, ...], ...] = ()


def named_plan(session: Session, plan: Plan) -> NamedPlan:
    """A plan of a session with the names of its modules."""
    names = [module.name for module in session.modules]
    shared = tuple(tuple(names[m] for m in group) for group in plan.shared)
    return NamedPlan(dict(zip(names, plan.modules, strict=True)), shared)


@dataclass(frozen=True, slots=True)
class MachineChanges:
    """Machines that are added and removed, by the module that they serve and hardware type.

    A machine that moves to another module or hardware type is one of each. A machine that changes only its batch or
    concurrency is none.

    Attributes:
        added: number of machines added, by (module, hardware); without an entry if it is 0.
        removed: number of machines removed, in the same way.
    """

    added: dict[tuple[str, str], int]
    removed: dict[tuple[str, str], int]

    @property
    def total(self) -> int:
        """All machines added and removed."""
        return sum(self.added.values()) + sum(self.removed.values())


class Setting(NamedTuple):
    """The setting of a machine: the part of its configuration that can change without another machine.

    Attributes:
        batch: requests in a batch; None if several modules share the machine, each with its own batch.
        concurrency: batches at a time; None in the same case.
    """

    batch: int | None
    concurrency: int | None


SHARED = Setting(None, None)


def machine_changes(before: NamedPlan, after: NamedPlan) -> MachineChanges:
    """The machines that are added and removed between two plans; a module may be in one of them only."""
    old, new = machine_counts(before), machine_counts(after)
    return MachineChanges(dict(new - old), dict(old - new))


def machine_counts(plan: NamedPlan) -> Counter[tuple[str, str]]:
    """Machines by (module, hardware), those that are charged in part counted whole."""
    return Counter({place: settings.total() for place, settings in machines_by_setting(plan).items()})


def machines_by_setting(plan: NamedPlan) -> dict[tuple[str, str], Counter[Setting]]:
    """Machines by (module, hardware) and setting, those that are charged in part counted whole.

    A machine that modules share counts once for all of them: under their names, as in "a + b".
    """
    sharing = {name for group in plan.shared for name in group}
    found: dict[tuple[str, str], Counter[Setting]] = {}
    for name, own in plan.modules.items():
        for allocation in own.allocations:
            c = allocation.configuration
            started = allocation.machines + (allocation.partial_rps > 0 and name not in sharing)
            if started:
                settings = found.setdefault((name, c.hardware), Counter())
                settings[Setting(c.batch, c.concurrency)] += started
    for group in plan.shared:
        place = SHARING.join(group), plan.modules[group[0]].allocations[-1].configuration.hardware
        found.setdefault(place, Counter())[SHARED] += 1
    return found
