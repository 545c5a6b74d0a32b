"""Largest shares of a module's requests that may need some machine types (ours; docs/model/limits.md).

Machines of a group of types may be taken away together, such as all spot machines of a region. The other machines of
each module then have to take the rest of its requests. Groups may overlap; each is a limit of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.core.numbers import Number, exact_number
from euclio.core.words import full, joined

AND = "+"
"""The text between the types in the name of a group."""


@dataclass(frozen=True, slots=True)
class LargestShare:
    """The largest share of a module's requests that may need machines of a group of types.

    Attributes:
        hardware: names of the types, each once.
        share: the share, above 0 and at most 1.
    """

    hardware: tuple[str, ...]
    share: Fraction

    def __init__(self, hardware: Sequence[str], share: Number) -> None:
        object.__setattr__(self, "hardware", tuple(hardware))
        object.__setattr__(self, "share", exact_share(share, "share"))
        if not self.hardware:
            raise InputError("is empty; name the hardware of the group", field="hardware")
        twice = next((name for k, name in enumerate(self.hardware) if name in self.hardware[:k]), None)
        if twice is not None:
            raise InputError(f"names {twice!r} twice; keep one of them", field="hardware")

    @property
    def named(self) -> str:
        """The types for people, as in "A and B"."""
        return joined(self.hardware)

    def left(self, rate: Fraction) -> Fraction:
        """The part of a module's rate that the machines of all other types have to take."""
        return (1 - self.share) * rate


def exact_share(value: Number, field: str) -> Fraction:
    """A share of a module's requests.

    Args:
        value: the number.
        field: name of its field, for the error.

    Raises:
        InputError: it is not above 0 and at most 1.
    """
    number = exact_number(value, field)
    if number > 1:
        raise InputError(f"is {full(number)}; give a share above 0 and at most 1", field=field)
    return number


def check_groups(groups: Sequence[LargestShare], own: Mapping[str, Fraction | None]) -> None:
    """Refuse groups of unknown types, and those that limit the same types twice.

    Args:
        groups: the groups of a session.
        own: the largest share of each type alone, by its name; None for a type without one.

    Raises:
        InputError: such a group; names the field.
    """
    seen = {frozenset([name]) for name, share in own.items() if share is not None}
    for i, group in enumerate(groups):
        for k, name in enumerate(group.hardware):
            if name not in own:
                raise InputError(
                    f"unknown hardware {name!r}; known: {', '.join(own)}", field=f"largest_shares[{i}].hardware[{k}]"
                )
        types = frozenset(group.hardware)
        if types in seen:
            raise InputError(
                f"the share of {group.named} is given twice; keep one of them", field=f"largest_shares[{i}]"
            )
        seen.add(types)


def types_of_name(name: str, known: Sequence[str]) -> tuple[str, ...]:
    """The types of a group by its name: a type of the session, or several with "+" between them."""
    return (name,) if name in known else tuple(part.strip() for part in name.split(AND))
