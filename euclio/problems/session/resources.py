"""Limits on the machines of a plan over all modules: resources that machines of each type use (ours).

A stock of a type is one of them: the resource "machines of that type", of which each machine of the type takes one.
GPUs that are cut into slices are several of them (`gpu_slices.py`).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from euclio.core.words import full, joined
from euclio.problems.session.gpu_slices import rows_of
from euclio.problems.session.instance import Session
from euclio.problems.session.space import PlanSpace


class MachineLimit(NamedTuple):
    """A resource with a capacity.

    Attributes:
        name: name of the resource; of a stock, that of the hardware.
        capacity: the most that all machines of a plan take together, the spare ones too.
        takes: amount of it that a machine takes, by name of the hardware, above 0.
        is_stock: whether it is a stock.
        gpus: the resource that counts GPUs, if this is one of the rows of their slices; otherwise None.
        per_gpu: the capacity of one of these GPUs.
    """

    name: str
    capacity: Fraction
    takes: dict[str, Fraction]
    is_stock: bool = False
    gpus: str | None = None
    per_gpu: int = 0

    def taken(self, machines: dict[str, Fraction], spare: int = 0) -> Fraction:
        """The amount that machines take, given their number by hardware, and spare ones of each type in use."""
        used = {name: n + spare for name, n in machines.items() if n}
        return sum((self.takes.get(name, 0) * n for name, n in used.items()), Fraction(0))

    def left(self, spare: int) -> Fraction:
        """The most that the machines of a plan take next to spare ones, of the type that takes least if of any."""
        return max(Fraction(0), self.capacity - spare * min(self.takes.values()))


def machine_limits(session: Session) -> list[MachineLimit]:
    """The limits on machines, stock first; resources that no machine takes any of limit nothing and are left out."""
    stock = [MachineLimit(name, Fraction(n), {name: Fraction(1)}, True) for name, n in session.stock.items()]
    rows = [
        MachineLimit(name, capacity, {h.name: h.takes[name] for h in session.hardware if h.takes.get(name)})
        for name, capacity in session.resources.items()
    ]
    for name, gpus in session.resources.items():
        profiles = {h.name: h.slices[name] for h in session.hardware if name in h.slices}
        for row, takes in rows_of(profiles):
            words = f"{row.words} of {name}"
            rows.append(MachineLimit(words, row.capacity * gpus, takes, gpus=name, per_gpu=row.capacity))
    return [*stock, *(row for row in rows if row.takes)]


def usable_stock(session: Session, *, whole: bool = True) -> dict[str, int]:
    """The most machines of each limited type that a plan may use next to the spare ones, were there no other type.

    Args:
        session: the session.
        whole: whether a part of a machine counts as one; otherwise the numbers are rounded up.
    """
    most: dict[str, int] = {}
    for limit in machine_limits(session):
        for name, each in limit.takes.items():
            left = (floor if whole else ceil)(limit.capacity / each) - session.spare_machines
            most[name] = max(0, min(left, most.get(name, left)))
    return most


def lacks_others(session: Session, space: PlanSpace) -> str:
    """The message that a module runs only on a group with a largest share below 1, so that there is no plan.

    It is empty if there is no such module.
    """
    for module in session.modules:
        types = {c.hardware for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)}
        for group in session.share_groups:
            if types and types <= set(group.hardware) and group.share < 1:
                most = f"at most {full(group.share)} of its requests may need {group.named}"
                remedy = "add other machines to its profile, or give a share of 1"
                return f"module {module.name} runs on {joined(sorted(types))} alone, and {most}; {remedy}"
    return ""


def without_stock(session: Session) -> Session:
    """The session without limits on its machines; itself if it has none."""
    if not session.stock and not session.resources:
        return session
    return replace(session, hardware=tuple(replace(h, count=None) for h in session.hardware), resources={})


def may_lack_machines(session: Session) -> bool:
    """Whether a session may have no plan for another reason than its latencies.

    Floors, spare machines and prices of changes alone exclude no plan: further machines meet them.
    """
    changes = session.running is not None and session.running.most_changes is not None
    return bool(session.stock or session.resources or session.share_groups or changes)


def without_limits(session: Session) -> Session:
    """The session without a stock, resources, shares of hardware, spare, least and running machines.

    It has a plan exactly if the session's latencies and rates allow a plan.
    """
    hardware = tuple(replace(h, count=None, largest_share=None, at_least=None) for h in session.hardware)
    without = replace(session, hardware=hardware, running=None, spare_machines=0, resources={}, largest_shares=())
    return replace(without, least_machines={})
