"""What changes from one plan of sessions to another, counted in machines (ours; docs/howto/deployment.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from euclio.problems.session.instance import Session
from euclio.problems.session.plan import ModulePlan, Plan
from euclio.problems.session.running import SHARING


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


class Setting(NamedTuple):
    """How a machine runs: what can change without another machine.

    Attributes:
        batch: requests in a batch; None: several modules share the machine, each with its own.
        concurrency: batches at a time, in the same way.
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

    A machine that modules share counts once, for all of them: under their names, as in "a + b".
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
