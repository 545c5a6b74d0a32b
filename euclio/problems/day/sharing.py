"""Machines that modules share from step to step: their rules and the price of their changes (ours).

A shared machine is the same in two steps where it has the same number and type. Each model that it loads pays its own
warm-up, whether the machine is started for it or runs already; each start and stop of a machine is paid for once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from euclio.core.errors import InputError
from euclio.core.space_fields import SpaceField
from euclio.core.words import full
from euclio.files.plain_family import PlainSpace
from euclio.problems.day.instance import HOUR_S, Day
from euclio.problems.day.plan import DayPlan, SharedMachine, StepPlan
from euclio.problems.session import Charging, DummyRule, PlanSpace, Session
from euclio.problems.session.packing import Resident, memory_mb

SHARED = PlanSpace(charging=Charging.PACKED, dummy=DummyRule.CONTINUOUS)
"""The plan space of a step with shared machines. They may keep capacity free, so a plan serves every smaller load."""
CHARGING = SpaceField(
    kind=str,
    words=lambda charging: "" if charging is Charging.WHOLE else charging.words,
    variants=lambda day, space: iter(()),
)


@dataclass(frozen=True, slots=True)
class DaySpace(PlainSpace):
    """The plans of a load over time.

    Attributes:
        charging: whether modules may share machines (`packed`); all are charged whole.
    """

    charging: Charging = field(default=Charging.WHOLE, metadata=CHARGING.metadata)

    def __post_init__(self) -> None:
        """Let it be given by name."""
        object.__setattr__(self, "charging", Charging(self.charging))
        if not self.charging.whole:
            raise InputError("is by share, and the machines of a day are whole; give whole or packed", field="charging")

    def describe(self) -> dict[str, object]:
        """The plan space as plain data; what goes without saying is left out."""
        return {} if self.charging is Charging.WHOLE else {"charging": self.charging.value}


WHOLE_DAY, PACKED_DAY = DaySpace(), DaySpace(Charging.PACKED)


def unknown_shared(session: Session, plan: StepPlan) -> list[str]:
    """Shared machines that the session does not have, and numbers that stand for two of them."""
    found: list[str] = []
    numbers = [machine.number for machine in plan.shared]
    if len(set(numbers)) < len(numbers):
        found.append("two shared machines have one number")
    listed = [one.module for machine in plan.shared for one in machine.residents]
    if len(set(listed)) < len(listed):
        found.append("a module is on two shared machines")
    for machine in plan.shared:
        if machine.hardware not in session.price:
            found.append(f"shared machine {machine.number}: no hardware {machine.hardware}")
        if not machine.residents:
            found.append(f"shared machine {machine.number} serves no module")
        for one in machine.residents:
            label = f"{machine.hardware} batch {one.batch} concurrency {one.concurrency}"
            if one.module not in session.index:
                found.append(f"shared machine {machine.number}: no module {one.module}")
            elif _resident(session, machine, one.module) is None:
                found.append(f"shared machine {machine.number}, module {one.module}: {label} is not in the profile")
            elif one.rate_rps <= 0:
                found.append(f"shared machine {machine.number}, module {one.module}: its rate is not above 0")
    return found


def _resident(session: Session, machine: SharedMachine, module: str) -> Resident | None:
    """A module on a shared machine, as the rules of sessions know it; None if its profile has no such configuration."""
    m = session.index[module]
    own = next(one for one in machine.residents if one.module == module)
    key = machine.hardware, own.batch, own.concurrency
    known = (c for c in session.modules[m].profile if (c.hardware, c.batch, c.concurrency) == key)
    c = next(known, None)
    return None if c is None else Resident(m, c, own.rate_rps)


def broken_machines(session: Session, plan: StepPlan) -> Iterator[str]:
    """Shared machines without enough time or memory for all of their models, requests or not."""
    for machine in plan.shared:
        found = [_resident(session, machine, one.module) for one in machine.residents]
        own = [one for one in found if one is not None]
        busy = sum((one.busy for one in own), Fraction(0))
        if busy > 1:
            yield f"shared machine {machine.number} would be busy {full(100 * busy)} % of the time"
        there = next(h.memory_mb for h in session.hardware if h.name == machine.hardware)
        needed = [memory_mb(session, one) for one in own]
        if there is not None and len(own) > 1:
            total = sum((one for one in needed if one is not None), Fraction(0))
            if None in needed or total > there:
                yield f"the models of shared machine {machine.number} need {full(total)} of {full(there)} MB or more"


Held = dict[tuple[int, int], frozenset[int]]
"""The shared machines of a step by number and type, with the modules whose models they hold, by number."""


def held(session: Session, plan: StepPlan) -> Held:
    """The shared machines of a step."""
    place = {hardware.name: h for h, hardware in enumerate(session.hardware)}
    return {
        (machine.number, place[machine.hardware]): frozenset(session.index[one.module] for one in machine.residents)
        for machine in plan.shared
    }


def price_of_changes(day: Day, hardware: int, before: frozenset[int], after: frozenset[int]) -> Fraction:
    """Money for turning a shared machine into one with other models; no models: it is off then.

    Args:
        day: the instance.
        hardware: number of the machine's type.
        before: numbers of the modules whose models it held.
        after: numbers of those whose models it holds from now on.
    """
    loaded = sum((day.price_of_start(m, hardware) - day.price_per_change for m in after - before), Fraction(0))
    moved = sum((day.state.get(day.session.modules[m].name, Fraction(0)) for m in before - after), Fraction(0))
    machines = day.price_per_change if bool(before) != bool(after) else Fraction(0)
    kept_on = day.session.hardware[hardware].price_per_h * day.keep_alive_s / HOUR_S
    return loaded + moved + machines + (kept_on if before and not after else 0)


def shared_changes(day: Day, plan: DayPlan) -> tuple[Fraction, int, int]:
    """Money for all changes of shared machines, and how many models are loaded and unloaded."""
    none: frozenset[int] = frozenset()
    cost, loaded, unloaded = Fraction(0), 0, 0
    for before, after in pairwise(held(day.session, step) for step in plan.steps):
        for key in before.keys() | after.keys():
            old, new = before.get(key, none), after.get(key, none)
            cost += price_of_changes(day, key[1], old, new)
            loaded, unloaded = loaded + len(new - old), unloaded + len(old - new)
    return cost, loaded, unloaded
