"""What changes from one plan of sessions to another, counted in machines (ours; docs/howto/deployment.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from euclio.session.instance import Session
from euclio.session.plan import Allocation, ModulePlan, Plan


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

    A machine that moves to another module or hardware type is one of each; one that changes only its batch or
    concurrency is none.

    Attributes:
        added: how many are added, by (module, hardware); where there are none, there is no entry.
        removed: how many are removed, in the same way.
    """

    added: dict[tuple[str, str], int]
    removed: dict[tuple[str, str], int]

    @property
    def total(self) -> int:
        """All machines added and removed."""
        return sum(self.added.values()) + sum(self.removed.values())


def machine_changes(before: NamedPlan, after: NamedPlan) -> MachineChanges:
    """The machines that are added and removed between two plans; a module may be in one of them only."""
    old, new = machine_counts(before), machine_counts(after)
    return MachineChanges(dict(new - old), dict(old - new))


def machine_counts(plan: NamedPlan) -> Counter[tuple[str, str]]:
    """Machines by (module, hardware), those that are charged in part counted whole.

    A machine that modules share counts once, for all of them: under their names, as in "a + b".
    """
    found: Counter[tuple[str, str]] = Counter()
    for name, own in plan.modules.items():
        for allocation in own.allocations:
            found[name, allocation.configuration.hardware] += machines_started(allocation)
    for group in plan.shared:
        for name in group:
            hardware = plan.modules[name].allocations[-1].configuration.hardware
            found[name, hardware] -= 1
        found[" + ".join(group), hardware] += 1
    return +found


def machines_started(allocation: Allocation) -> int:
    """Machines that an allocation needs: the whole ones and, where it has one, the partial one."""
    return allocation.machines + (allocation.partial_rps > 0)
