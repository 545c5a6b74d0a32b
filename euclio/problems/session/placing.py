"""Put partial machines of a plan on shared machines: best fit with the slack of the paths (ours).

A module's machine that is not used in full goes to the machine of its hardware type that has the least time left for
it. All paths have to keep the SLO with the waits of all modules there (docs/model/whole-machines.md). If dummies fill
that machine at no cost, they are left out, so that the machine is partial. Several orders are tried, and the one that
saves most money is kept. The resulting plan is no more expensive, and the checker accepts it if it accepts the original
plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from euclio.problems.session.evaluate import evaluate, machine_latencies
from euclio.problems.session.instance import Session
from euclio.problems.session.latency.paths import longest_path
from euclio.problems.session.packing import Resident, by_fit, memory_mb, packs, waits
from euclio.problems.session.plan import ModulePlan, Plan
from euclio.problems.session.space import PlanSpace

MOST_TRIED = 16
"""The most machines that are tried for one guest, those with the least time left first."""


@dataclass(frozen=True, slots=True)
class Guest:
    """A module's machine that is not used in full, and may share a machine with others.

    Attributes:
        resident: its use of the machine.
        plan: the module's plan with this machine partial, without dummies.
        whole_s: largest latency of the module's other machines in seconds; 0 if there are none.
        own_s: latency of this machine in seconds if it had the machine to itself.
    """

    resident: Resident
    plan: ModulePlan
    whole_s: Fraction
    own_s: Fraction

    def latency_s(self, wait_s: Fraction) -> Fraction:
        """Worst-case latency of the module in seconds if its batches wait this long for those of others."""
        return max(self.whole_s, self.own_s + wait_s)


Group = tuple[Guest, ...]
ORDERS: tuple[Callable[[Guest], Fraction], ...] = (
    lambda guest: -guest.resident.busy,
    lambda guest: guest.resident.busy,
    lambda guest: guest.resident.configuration.duration_s,
    lambda guest: -guest.resident.configuration.duration_s,
)
"""Keys of the orders in which guests are placed; ties go to the first module."""


def share_machines(session: Session, plan: Plan, space: PlanSpace) -> Plan:
    """The plan with partial machines on shared ones, as far as this heuristic finds room for them.

    Args:
        session: the instance.
        plan: a plan of it, none of whose machines is shared.
        space: plan space in which machines are packed; under a policy without a latency for shared machines, the plan
            stays as it is.

    Returns:
        The plan, no more expensive than before; unchanged if the checker does not accept it.
    """
    found = evaluate(session, plan, space)
    if not space.charging.packs or not packs(space.policy) or not found.feasible:
        return plan
    guests = [
        guest
        for m in range(len(session.modules))
        if (guest := _guest(session, plan, space, m, found.modules[m].partial_rps, found.modules[m].dummy_rps))
    ]
    latencies = [module.worst_case_latency_s for module in found.modules]
    best: list[Group] = []
    for order in ORDERS:
        groups = [group for group in _placed(session, sorted(guests, key=order), latencies) if len(group) > 1]
        # Strictly cheaper: ties go to the first order.
        if _saved(session, groups) > _saved(session, best):
            best = groups
    modules = list(plan.modules)
    for group in best:
        for guest in group:
            modules[guest.resident.module] = guest.plan
    return Plan(tuple(modules), tuple(tuple(sorted(g.resident.module for g in group)) for group in best))


def _guest(session: Session, plan: Plan, space: PlanSpace, m: int, partial: Fraction, dummy: Fraction) -> Guest | None:
    """A module's machine that is not used in full; None if there is none."""
    module, own = session.modules[m], plan.modules[m]
    last = own.allocations[-1]
    c = last.configuration
    if partial:
        rate, loose = partial, own
    elif 0 < dummy < c.throughput_rps and last.machines:
        rate = c.throughput_rps - dummy
        allocation = replace(last, machines=last.machines - 1, partial_rps=rate)
        loose, dummy = ModulePlan((*own.allocations[:-1], allocation)), Fraction(0)
    else:
        return None
    machines = machine_latencies(loose.allocations, rate, module.rate_rps + dummy, session.price, space.policy)
    latency = {False: Fraction(0), True: Fraction(0)}
    for machine in machines:
        latency[machine.partial] = max(latency[machine.partial], machine.latency_s)
    return Guest(Resident(m, c, rate), loose, latency[False], latency[True])


def _placed(session: Session, guests: Sequence[Guest], latencies: Sequence[Fraction]) -> list[Group]:
    """Machines with the guests on them, each of which went where it fits best; some are alone."""
    groups: list[Group] = []
    current = list(latencies)
    for guest in guests:
        for place in _fitting(session, groups, guest)[:MOST_TRIED]:
            joined = (*groups[place], guest)
            trial = list(current)
            for one, wait in zip(joined, waits(tuple(g.resident for g in joined)), strict=True):
                trial[one.resident.module] = one.latency_s(wait)
            if longest_path(session, trial)[0] <= session.slo_s:
                groups[place], current = joined, trial
                break
        else:
            groups.append((guest,))
    return groups


def _fitting(session: Session, groups: Sequence[Group], guest: Guest) -> list[int]:
    """Machines of the guest's type that have the time and the memory for it, those with the least time left first."""
    hardware = guest.resident.configuration.hardware
    memory = next(h.memory_mb for h in session.hardware if h.name == hardware)
    room = {
        place: 1 - sum((one.resident.busy for one in group), Fraction(0))
        for place, group in enumerate(groups)
        if group[0].resident.configuration.hardware == hardware and _loads(session, (*group, guest), memory)
    }
    return by_fit(room, guest.resident.busy)


def _loads(session: Session, group: Group, memory: Fraction | None) -> bool:
    """Whether a machine of this memory holds all models of a group; None means that its memory is unknown."""
    if memory is None:
        return True
    needed = [memory_mb(session, guest.resident) for guest in group]
    return None not in needed and sum(own for own in needed if own is not None) <= memory


def _saved(session: Session, groups: Sequence[Group]) -> Fraction:
    """Money per hour that shared machines save."""
    price = session.price
    return sum(((len(g) - 1) * price[g[0].resident.configuration.hardware] for g in groups), Fraction(0))
