"""Instances of the family `day`: a session, its load step by step, costs of changes (docs/model/load-over-time.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.core.lazy import late_value
from euclio.core.numbers import Number, exact_number
from euclio.core.showing import Framed, Plotted
from euclio.problems.session import Module, Session
from euclio.problems.session.instance import amounts
from euclio.problems.session.objectives import MOST_NAMED, Application, parts
from euclio.problems.session.services import refuse_several

HOUR_S = 3600
"""Seconds of an hour, the time unit of prices."""
STATE = "state_price_per_change"
"""Field of days in files for `Day.state`."""
MOST_STEPS = 20_000
"""Most steps of a load, two weeks by the minute."""


@dataclass(frozen=True, slots=True)
class Step:
    """A time with a constant load.

    Attributes:
        length_s: seconds.
        rates_rps: requests per second of each module, in the session's order; 0 means no requests.
    """

    length_s: Fraction
    rates_rps: tuple[Fraction, ...]

    def __init__(self, length_s: Number, rates_rps: Sequence[Number]) -> None:
        object.__setattr__(self, "length_s", exact_number(length_s, "length_s"))
        rates = tuple(exact_number(rate, f"rates_rps[{m}]", zero=True) for m, rate in enumerate(rates_rps))
        object.__setattr__(self, "rates_rps", rates)


@dataclass(frozen=True, slots=True, repr=False)
class Day(Framed, Plotted):
    """A load over time.

    Attributes:
        name: name of the instance.
        session: the application; the steps' rates replace its own.
        steps: the load, one step after the other.
        warm_up_s: seconds for which a machine is charged before it serves.
        keep_alive_s: seconds for which a machine is charged after its release.
        price_per_change: money per started or stopped machine.
        state: by name of a module with state in its machines (Scrooge §3.1), the additional money per started or
            stopped machine for moving the state.

    Raises:
        InputError: there are no or too many steps, a step does not fit the session, or a number is out of range.
    """

    _view = late_value("euclio.questions.day_views", "DAY")

    name: str
    session: Session
    steps: tuple[Step, ...]
    warm_up_s: Fraction
    keep_alive_s: Fraction
    price_per_change: Fraction
    state: dict[str, Fraction] = field(default_factory=dict, hash=False)

    def __init__(
        self,
        name: str,
        session: Session,
        steps: tuple[Step, ...] | list[Step],
        warm_up_s: Number = 0,
        keep_alive_s: Number = 0,
        price_per_change: Number = 0,
        state: Mapping[str, Number] | None = None,
    ) -> None:
        refuse_several(session, "a load over time")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "session", session)
        object.__setattr__(self, "steps", tuple(steps))
        for own, value in (
            ("warm_up_s", warm_up_s),
            ("keep_alive_s", keep_alive_s),
            ("price_per_change", price_per_change),
        ):
            object.__setattr__(self, own, exact_number(value, own, zero=True))
        object.__setattr__(self, "state", amounts(state or {}, STATE))
        _refuse_state(session, self.state)
        _check_steps(self)

    @property
    def hours(self) -> Fraction:
        """Hours of all steps together."""
        return sum((step.length_s for step in self.steps), Fraction(0)) / HOUR_S

    @property
    def largest_rates_rps(self) -> tuple[Fraction, ...]:
        """The largest rate of each module, not necessarily in one step."""
        return tuple(max(rates) for rates in zip(*(step.rates_rps for step in self.steps), strict=True))

    def price_of_start(self, module: int, hardware: int) -> Fraction:
        """Money for starting a machine of a module, both by number: the change, its state, and its warm-up."""
        return self._price_of_change(module) + self.session.hardware[hardware].price_per_h * self.warm_up_s / HOUR_S

    def price_of_stop(self, module: int, hardware: int) -> Fraction:
        """Money for stopping a machine of a module: the change, its state, and its time kept alive."""
        return self._price_of_change(module) + self.session.hardware[hardware].price_per_h * self.keep_alive_s / HOUR_S

    def _price_of_change(self, module: int) -> Fraction:
        return self.price_per_change + self.state.get(self.session.modules[module].name, Fraction(0))


def _refuse_state(session: Session, state: Mapping[str, Fraction]) -> None:
    """Refuse state of an unknown module, and hourly prices of changes, since a day pays changes once."""
    names = {module.name for module in session.modules}
    for name in state:
        if name not in names:
            known = ", ".join(module.name for module in session.modules[:MOST_NAMED])
            raise InputError(f"unknown module {name!r}; known: {known}", field=f"{STATE}.{name}")
    for i, module in enumerate(session.modules):
        if module.name in session.state:
            raise InputError(
                f"is charged in no day; leave it out, and give {STATE} of the day, which each change costs once",
                field=f"session.modules[{i}].state_price_per_change_per_h",
            )


def _check_steps(day: Day) -> None:
    if not day.steps:
        raise InputError("there are no steps; give at least one", field="steps")
    if len(day.steps) > MOST_STEPS:
        raise InputError(f"there are {len(day.steps)} steps; at most {MOST_STEPS} are supported", field="steps")
    modules = len(day.session.modules)
    for k, step in enumerate(day.steps):
        if len(step.rates_rps) != modules:
            message = f"has {len(step.rates_rps)} rates; the session has {modules} modules, and each needs one"
            raise InputError(message, field=f"steps[{k}].rates_rps")
    at_rates(day.session, day.largest_rates_rps)  # refuses rates with too many machines for solvers to count


def asked(rates_rps: Sequence[Fraction]) -> tuple[int, ...]:
    """The places of the modules with requests at some rates, given one per module."""
    return tuple(m for m, rate in enumerate(rates_rps) if rate)


def at_rates(session: Session, rates_rps: tuple[Fraction, ...]) -> Session | None:
    """The session with other rates, one per module, without the modules that have no requests.

    Such a module takes no time, so the modules after it follow those before it at once.

    Returns:
        The session; None if no module has requests.

    Raises:
        InputError: a rate needs more machines than are supported.
    """
    rated = zip(session.modules, rates_rps, strict=True)
    modules = tuple(Module(own.name, rate, own.profile) for own, rate in rated if rate)
    left_out = [own.name for own, rate in zip(session.modules, rates_rps, strict=True) if not rate]
    if not modules:
        return None
    applications = tuple(_applications_at(session, rates_rps))
    least = {name: n for name, n in session.least_machines.items() if name not in left_out}
    return replace(
        session,
        modules=modules,
        edges=_past(session.edges, left_out),
        applications=applications,
        least_machines=least,
    )


def _applications_at(session: Session, rates_rps: tuple[Fraction, ...]) -> Iterator[Application]:
    """The applications to which requests come, each named by one of its modules; its own rate rises with the largest.

    Without the modules to which none come an application may fall into parts, of which one keeps the name.
    """
    found = parts(session.parents())
    for own in session.applications:
        part = next(part for part in found if session.index[own.modules[0]] in part)
        left = [m for m in part if rates_rps[m]]
        if left:
            factor = max(rates_rps[m] for m in left) / max(session.modules[m].rate_rps for m in part)
            rate = None if own.rate_rps is None else own.rate_rps * factor
            yield replace(own, modules=(session.modules[left[0]].name,), rate_rps=rate)


def _past(edges: tuple[tuple[str, str], ...], left_out: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The edges without some modules; each path through these stays a path."""
    found = dict.fromkeys(edges)
    for name in left_out:
        before = [a for a, b in found if b == name]
        after = [b for a, b in found if a == name]
        found = {edge: None for edge in found if name not in edge} | {(a, b): None for a in before for b in after}
    return tuple(found)


def of_modules(day: Day, places: Sequence[int]) -> Day:
    """The load of some modules alone, given by their places; they have requests in some step.

    Modules between them on a path take no time, so those after follow those before at once.
    """
    largest = day.largest_rates_rps
    session = at_rates(day.session, tuple(rate if m in places else Fraction(0) for m, rate in enumerate(largest)))
    assert session is not None
    steps = [Step(step.length_s, [step.rates_rps[m] for m in places]) for step in day.steps]
    state = {module.name: day.state[module.name] for module in session.modules if module.name in day.state}
    return replace(day, session=session, steps=tuple(steps), state=state)


def without_unused(day: Day) -> Day | None:
    """The load without the modules that have no requests in any step; None if no module has any."""
    used = asked(day.largest_rates_rps)
    if len(used) == len(day.session.modules):
        return day
    return of_modules(day, used) if used else None
