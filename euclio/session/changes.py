"""What changes from one plan of sessions to another, counted in machines (ours; docs/howto/deployment.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from euclio.session.plan import Allocation, ModulePlan


@dataclass(frozen=True, slots=True)
class MachineChanges:
    """Machines that are added and removed, by module and hardware type.

    A machine that moves to another module or hardware type is one of each; one that changes only its batch or
    concurrency is none.

    Attributes:
        added: how many are added, by (module, hardware); types without any are left out.
        removed: how many are removed, in the same way.
    """

    added: dict[tuple[str, str], int]
    removed: dict[tuple[str, str], int]

    @property
    def total(self) -> int:
        """All machines added and removed."""
        return sum(self.added.values()) + sum(self.removed.values())


def machine_changes(before: Mapping[str, ModulePlan], after: Mapping[str, ModulePlan]) -> MachineChanges:
    """The machines that are added and removed between two plans.

    Args:
        before: plans of modules by name.
        after: the same of the other plan; a module that only one of them has is without machines in the other.
    """
    old, new = machine_counts(before), machine_counts(after)
    return MachineChanges(dict(new - old), dict(old - new))


def machine_counts(plans: Mapping[str, ModulePlan]) -> Counter[tuple[str, str]]:
    """Machines by (module, hardware), those that are charged in part counted whole."""
    found: Counter[tuple[str, str]] = Counter()
    for name, plan in plans.items():
        for allocation in plan.allocations:
            found[name, allocation.configuration.hardware] += machines_started(allocation)
    return found


def machines_started(allocation: Allocation) -> int:
    """Machines that an allocation needs: the whole ones and, where it has one, the partial one."""
    return allocation.machines + (allocation.partial_rps > 0)
