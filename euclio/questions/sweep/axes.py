"""The axes of a sweep: the parts of a session that take several values, and these values (ours)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

from euclio.core.errors import InputError
from euclio.core.numbers import Number, exact_number
from euclio.core.words import full
from euclio.problems.session.changes import SessionChanges, source_rate
from euclio.problems.session.instance import Session, machine_number
from euclio.problems.session.services import application_rate

Value = Fraction | None
"""A value on an axis; None means no limit."""
Given = Mapping[str, Iterable[Number | None]]
"""Values by name of a hardware type or resource."""
NO_LIMIT = "no limit"


def _exact(value: Number | None, field: str) -> Value:
    return exact_number(_some(value, field), field)


def _price(value: Number | None, field: str) -> Value:
    return exact_number(_some(value, field), field, zero=True)


def _machines(value: Number | None, field: str) -> Value:
    # `machine_number` refuses a number of any other type, as it may come from a caller.
    return None if value is None else Fraction(machine_number(cast(int, value), field))


def _some(value: Number | None, field: str) -> Number:
    if value is None:
        raise InputError("is None; give a number", field=field)
    return value


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of axis; a new kind needs only a row in `KINDS`.

    Attributes:
        name: its name in texts.
        field: the field of `SessionChanges`.
        unit: of its values.
        read: value and field in, exact value out; raises an `InputError`.
        own: the session's own value, given the name of the hardware type, resource, application or objective.
        limits: whether a lower value leaves fewer plans and changes no cost.
        of_each: whether there is one per hardware type, resource, application or objective, whose name the axis has.
    """

    name: str
    field: str
    unit: str
    read: Callable[[Number | None, str], Value]
    own: Callable[[Session, str], Value]
    limits: bool = False
    of_each: bool = False


RATE = Kind("rate", "rate_rps", "req/s", _exact, lambda session, _: source_rate(session))
RATE_OF = Kind("rate", "rates_rps", "req/s", _exact, application_rate, of_each=True)
SLO = Kind("SLO", "slo_s", "s", _exact, lambda session, _: session.slo_s, limits=True)
OBJECTIVE = Kind(
    "SLO",
    "objectives_s",
    "s",
    _exact,
    lambda session, name: next(one.slo_s for one in session.objectives if one.name == name),
    limits=True,
    of_each=True,
)
PRICE = Kind("price", "price_per_h", "per hour", _price, lambda session, name: session.price[name], of_each=True)
STOCK = Kind(
    "stock",
    "stock",
    "machines",
    _machines,
    lambda session, name: None if name not in session.stock else Fraction(session.stock[name]),
    limits=True,
    of_each=True,
)
RESOURCE = Kind(
    "capacity",
    "resources",
    "",
    _price,
    lambda session, name: session.resources.get(name),
    limits=True,
    of_each=True,
)
KINDS = (RATE, RATE_OF, SLO, OBJECTIVE, PRICE, STOCK, RESOURCE)
"""The kinds of axes, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: the values of one kind.

    Attributes:
        kind: the kind of value that varies.
        of: name of the hardware type or resource; empty if the kind has none.
        values: ascending; no limit, None, stands last.
        start: place of the value nearest to the session's own.
    """

    kind: Kind
    of: str
    values: tuple[Value, ...]
    start: int

    @property
    def label(self) -> str:
        """Its name for people, without the unit."""
        return f"{self.kind.name} of {self.of}" if self.of else self.kind.name

    @property
    def heading(self) -> str:
        """Its name with the unit in which `text` gives its values."""
        return f"{self.label} ({self.kind.unit})" if self.kind.unit else self.label

    def text(self, place: int) -> str:
        """A value for people, in the unit of the axis."""
        value = self.values[place]
        return NO_LIMIT if value is None else full(value)


def axis(session: Session, kind: Kind, values: Iterable[Number | None], of: str = "") -> Axis:
    """An axis of a session.

    Args:
        session: the session, with the changes that all points share.
        kind: what the axis varies.
        values: its values, in any order; None means no limit, where the session has none of its own.
        of: name of the hardware type or resource.

    Raises:
        InputError: no value, one out of range, or one that does not fit the session; names the field.
    """
    field = f"{kind.field}.{of}" if of else kind.field
    found = {kind.read(value, field) for value in values}
    if not found:
        raise InputError("has no points; give one or more", field=field)
    for value in found:
        changed([(kind, of, value)]).applied_to(session)
    own = kind.own(session, of)
    if None in found and own is not None:
        raise InputError(f"is limited to {full(own)} in the file; give numbers", field=field)
    ordered = (*sorted(value for value in found if value is not None), *([None] if None in found else []))
    return Axis(kind, of, ordered, _nearest(ordered, own))


def changed(values: Iterable[tuple[Kind, str, Value]], changes: SessionChanges | None = None) -> SessionChanges:
    """Changes in which the values of axes replace their own; a value of None leaves the session's own limit."""
    given = changes or SessionChanges()
    fields: dict[str, Any] = {}
    for kind, of, value in values:
        if not of:
            fields[kind.field] = value
        elif value is not None:
            before = fields.get(kind.field, getattr(given, kind.field)) or {}
            fields[kind.field] = before | {of: int(value) if kind is STOCK else value}
    return replace(given, **fields)


def _nearest(values: Sequence[Value], own: Value) -> int:
    """The place of a value, or of the nearest one if it is not among them; for no limit the last."""
    if own is None:
        return len(values) - 1
    places = [k for k, value in enumerate(values) if value is not None]
    return min(places, key=lambda k: abs((values[k] or Fraction(0)) - own))
