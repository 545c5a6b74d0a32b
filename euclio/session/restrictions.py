"""What a user restricted: how a plan space differs from the full one, option by option."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from euclio.session import FULL_SPACE, PlanSpace


@dataclass(frozen=True, slots=True)
class Restriction:
    """One restriction of a plan space.

    Attributes:
        option: the option of the command that sets it.
        words: what it says, for a sentence.
        field: field of `PlanSpace`.
        lifted: value of the field without it.
    """

    option: str
    words: str
    field: str
    lifted: Any


def restrictions(space: PlanSpace) -> tuple[Restriction, ...]:
    """The restrictions of a plan space.

    Lifting any of them only adds plans or makes them faster: throughput-cost dispatch is never slower than round robin
    or dispatch at machine rate (a whole machine has w >= t there), and rule `none` is part of rule `machine`.
    """
    found = []
    if space.hardware is not None:
        names = ",".join(space.hardware)
        found.append(Restriction(f"--hardware {names}", f"only hardware {names}", "hardware", FULL_SPACE.hardware))
    if space.single_hardware:
        found.append(
            Restriction("one hardware type per session", "the same type for all modules", "single_hardware", False)
        )
    if not space.batching:
        found.append(Restriction("--no-batching", "no batching", "batching", True))
    if not space.concurrency:
        found.append(Restriction("--no-concurrency", "no concurrency", "concurrency", True))
    if space.max_allocations is not None:
        most = space.max_allocations
        words = f"at most {most} allocation{'s' if most > 1 else ''} per module"
        found.append(Restriction(f"--max-allocations {most}", words, "max_allocations", None))
    if space.dummy.restriction:
        found.append(Restriction(f"--dummy {space.dummy}", space.dummy.restriction, "dummy", FULL_SPACE.dummy))
    if space.policy.bounded_by == FULL_SPACE.policy.name:
        name = space.policy.name
        found.append(Restriction(f"--policy {name}", f"dispatch policy {name}", "policy", FULL_SPACE.policy))
    return tuple(found)


def without(space: PlanSpace, lifted: Iterable[Restriction]) -> PlanSpace:
    """The plan space without some of its restrictions."""
    changes: dict[str, Any] = {restriction.field: restriction.lifted for restriction in lifted}
    return replace(space, **changes)
