"""What a user restricted: how a plan space differs from the full one, option by option."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from euclio.core.space_fields import space_fields
from euclio.problems.session import FULL_SPACE, PlanSpace


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
    or dispatch at machine rate (a whole machine has w >= t there), and rule `none` is part of rule `machine`. A field
    that the full space does not widen, such as rule `continuous`, restricts nothing.
    """
    given: list[tuple[int, Restriction]] = []
    for name, field in space_fields(PlanSpace).items():
        value, full = getattr(space, name), getattr(FULL_SPACE, name)
        if value != full and field.contains(full, value):
            given.append((field.lifted, Restriction(*field.restriction(value), name, full)))
    return tuple(restriction for _, restriction in sorted(given, key=lambda pair: pair[0]))


def without(space: PlanSpace, lifted: Iterable[Restriction]) -> PlanSpace:
    """The plan space without some of its restrictions."""
    changes: dict[str, Any] = {restriction.field: restriction.lifted for restriction in lifted}
    return replace(space, **changes)
