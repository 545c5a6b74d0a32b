"""The rates or objectives that a question varies: the session's, or those of one application or objective by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.core.numbers import Number, exact_number
from euclio.core.words import joined

Several = Iterable[Number] | Mapping[str, Iterable[Number]]
"""Values, or values by name of an application or objective."""


@dataclass(frozen=True, slots=True)
class Varied:
    """The values of one rate or objective.

    Attributes:
        of: name of the application or objective; empty for the rate or objective of the session.
        values: its values in the given order; empty means the session's own.
        fixed: values of others by name, the same at all points.
    """

    of: str
    values: tuple[Fraction, ...]
    fixed: dict[str, Fraction] = field(default_factory=dict)


def varied(given: Several, flag: str) -> Varied:
    """The values that vary; at most one name may have several.

    Raises:
        InputError: two names have several values, or a value is no positive number.
    """
    if not isinstance(given, Mapping):
        return Varied("", tuple(exact_number(value, flag) for value in given))
    found = {name: tuple(exact_number(value, f"{flag}.{name}") for value in values) for name, values in given.items()}
    if not found:
        return Varied("", ())
    several = [name for name, values in found.items() if len(values) != 1]
    if len(several) > 1:
        raise InputError(f"gives several values of {joined(several)}; give several of one of them", field=flag)
    of = several[0] if several else next(iter(found))
    return Varied(of, found[of], {name: values[0] for name, values in found.items() if name != of})
