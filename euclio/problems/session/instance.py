"""Session instances: modules with rates and profiles, a DAG, prices, a latency objective (docs/model/sessions.md)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

from euclio.core.errors import InputError
from euclio.core.lazy import late_value
from euclio.core.numbers import Number, exact_number, whole_number
from euclio.core.showing import Framed
from euclio.core.words import amount, full, joined
from euclio.problems.session.gpu_slices import check_profile
from euclio.problems.session.largest_shares import LargestShare, check_groups, exact_share
from euclio.problems.session.objectives import (
    MOST_NAMED,
    Application,
    End,
    Objective,
    check_objectives,
    ends,
    exact_delays,
    longest_objective,
    parents_of,
    topological_order,
)
from euclio.problems.session.running import SHARING, Running

MOST_MACHINES = 10**9
"""The most machines of a module's slowest configuration that its rate may need."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """A machine type.

    Attributes:
        price_per_h: price of a machine in money per hour.
        count: the stock: most machines of it that a plan may use (a plan charged by share: sum of the shares); None
            means any number.
        memory_mb: memory in megabytes; None if unknown, which disables the check of memory.
        largest_share: largest share of a module's requests that may need these machines, since the others have to take
            the rest without them; None means all of them. `Session.largest_shares` has the shares of several types
            together.
        takes: amount of each resource of the session (`Session.resources`) that a machine takes, in the resource's
            unit.
        price_source: source of the price, in one line (`euclio prices`); None if unknown. It does not count when two
            machine types are compared.
        at_least: machines of it that are paid for, used or not; None means none.
        slices: the profile of the GPU slice that a machine of it is, by the resource that counts these GPUs
            (`euclio.problems.session.gpu_slices.PROFILES`), such as ``{"gpus": "3g"}``.
    """

    name: str
    price_per_h: Fraction
    count: int | None = None
    memory_mb: Fraction | None = None
    largest_share: Fraction | None = None
    takes: dict[str, Fraction] = field(default_factory=dict, hash=False)
    price_source: str | None = field(default=None, compare=False)
    at_least: int | None = None
    slices: dict[str, str] = field(default_factory=dict, hash=False)

    def __init__(
        self,
        name: str,
        price_per_h: Number,
        count: int | None = None,
        memory_mb: Number | None = None,
        largest_share: Number | None = None,
        takes: Mapping[str, Number] | None = None,
        price_source: str | None = None,
        at_least: int | None = None,
        slices: Mapping[str, str] | None = None,
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "price_per_h", exact_number(price_per_h, "price_per_h", zero=True))
        object.__setattr__(self, "count", None if count is None else machine_number(count, "count"))
        object.__setattr__(self, "memory_mb", None if memory_mb is None else exact_number(memory_mb, "memory_mb"))
        object.__setattr__(
            self, "largest_share", None if largest_share is None else exact_share(largest_share, "largest_share")
        )
        object.__setattr__(self, "takes", amounts(takes or {}, "takes"))
        object.__setattr__(self, "price_source", price_source)
        object.__setattr__(self, "at_least", None if at_least is None else machine_number(at_least, "at_least"))
        if self.at_least is not None and self.count is not None and self.at_least > self.count:
            message = f"is {self.at_least:,}, more than the {self.count:,} in stock; lower it, or raise the stock"
            raise InputError(message, field="at_least")
        object.__setattr__(self, "slices", dict(slices or {}))
        for resource, profile in self.slices.items():
            if wrong := check_profile(profile):
                raise InputError(wrong, field=f"slices.{resource}")
            if resource in self.takes:
                message = f"a machine is a slice of {resource} or takes an amount of it; keep `slices` or `takes`"
                raise InputError(message, field=f"slices.{resource}")
        if len(self.slices) > 1:
            message = f"a machine is one slice of one GPU; keep one of {joined(self.slices)}"
            raise InputError(message, field=f"slices.{list(self.slices)[-1]}")


def amounts(values: Mapping[str, Number], field: str) -> dict[str, Fraction]:
    """Amounts of resources by name, none of them negative.

    Args:
        values: the numbers.
        field: name of their field, for the error.
    """
    return {name: exact_number(value, f"{field}.{name}", zero=True) for name, value in values.items()}


def machine_number(value: int, field: str) -> int:
    """A number of machines, such as those in stock.

    Args:
        value: the number.
        field: name of its field, for the error.

    Raises:
        InputError: it is no whole number from 0 to `MOST_MACHINES`.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_MACHINES:
        raise InputError(f"is {value!r}; give a whole number of machines from 0 to {MOST_MACHINES:,}", field=field)
    return value


@dataclass(frozen=True, slots=True)
class Configuration:
    """One way to run a module: batch b, concurrency e, and the time d in seconds that a batch takes.

    Its arguments are d, or its throughput t in place of d.

    Attributes:
        hardware: name of the machine type.
        batch: requests in a batch, b.
        concurrency: batches that a machine works on at a time, e.
        duration_s: seconds that a batch takes, d.
        memory_mb: megabytes of the machine's memory that it takes, with all e batches; None if unknown. It does not
            count when two configurations are compared.
        quantiles_s: quantiles of the seconds of a batch, by level, such as ``{"p95": 0.08}``, which
            `SessionChanges.durations` plans with; they do not count either.
    """

    hardware: str
    batch: int
    concurrency: int
    duration_s: Fraction
    memory_mb: Fraction | None = field(compare=False, repr=False)
    quantiles_s: dict[str, Fraction] = field(compare=False, repr=False)
    throughput_rps: Fraction = field(init=False, repr=False, compare=False)
    """Throughput t = b·e/d in requests per second."""

    def __init__(
        self,
        hardware: str,
        batch: int,
        concurrency: int,
        duration_s: Number | None = None,
        memory_mb: Number | None = None,
        quantiles_s: Mapping[str, Number] | None = None,
        throughput_rps: Number | None = None,
    ) -> None:
        object.__setattr__(self, "hardware", hardware)
        object.__setattr__(self, "batch", whole_number(batch, "batch"))
        object.__setattr__(self, "concurrency", whole_number(concurrency, "concurrency"))
        object.__setattr__(self, "duration_s", self._duration(duration_s, throughput_rps))
        object.__setattr__(self, "memory_mb", None if memory_mb is None else exact_number(memory_mb, "memory_mb"))
        object.__setattr__(self, "quantiles_s", quantiles(quantiles_s) if quantiles_s else {})
        object.__setattr__(self, "throughput_rps", self.batch * self.concurrency / self.duration_s)

    def _duration(self, duration_s: Number | None, throughput_rps: Number | None) -> Fraction:
        """Seconds of a batch: as given, or exactly b·e/t of a throughput, which may be no decimal."""
        if throughput_rps is None:
            if duration_s is None:
                raise InputError("is missing; add it, in seconds, or throughput_rps in its place", field="duration_s")
            return exact_number(duration_s, "duration_s")
        if duration_s is not None:
            raise InputError("stands next to duration_s, which says the same; keep one of them", field="throughput_rps")
        return self.batch * self.concurrency / exact_number(throughput_rps, "throughput_rps")


LEVEL = re.compile(r"p([1-9][0-9]?(\.[0-9]{1,3})?)")
"""A quantile by its level in per cent, such as "p95" or "p99.9"."""


def level_share(level: str, field: str) -> Fraction:
    """The share of cases of a level, 0.95 of "p95"; raises an `InputError` that names the field if it is no level."""
    found = LEVEL.fullmatch(level)
    if found is None:
        raise InputError(f"is {level!r}; give a quantile such as p50, p95 or p99", field=field)
    return Fraction(found[1]) / 100


def quantiles(given: Mapping[str, Number], field: str = "quantiles_s") -> dict[str, Fraction]:
    """Quantiles of a duration in seconds by ascending level.

    Raises:
        InputError: a text is no level, or a higher level has the lower quantile.
    """
    levels = sorted(given, key=lambda level: level_share(level, f"{field}.{level}"))
    found = {level: exact_number(given[level], f"{field}.{level}") for level in levels}
    for low, high in pairwise(levels):
        if found[high] < found[low]:
            message = f"is {full(found[high])}, less than {low} with {full(found[low])}; a higher quantile is no less"
            raise InputError(message, field=f"{field}.{high}")
    return found


@dataclass(frozen=True, slots=True)
class Module:
    """A DNN module with its request rate and its profile.

    Attributes:
        rate_rps: requests per second.
        profile: the configurations that plans may use.
        longest_duration_s: most seconds of a batch; None means any.
        left_out: given configurations whose batches take longer, each with its place among all given ones.
    """

    name: str
    rate_rps: Fraction
    profile: tuple[Configuration, ...]
    longest_duration_s: Fraction | None = None
    left_out: tuple[tuple[int, Configuration], ...] = field(default=(), repr=False)

    def __init__(
        self,
        name: str,
        rate_rps: Number,
        profile: tuple[Configuration, ...] | list[Configuration],
        longest_duration_s: Number | None = None,
        left_out: tuple[tuple[int, Configuration], ...] = (),
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "rate_rps", exact_number(rate_rps, "rate_rps"))
        object.__setattr__(self, "profile", tuple(profile))
        object.__setattr__(self, "left_out", tuple(left_out))
        longest = None if longest_duration_s is None else exact_number(longest_duration_s, "longest_duration_s")
        object.__setattr__(self, "longest_duration_s", longest)
        given = self.given
        if not given:
            raise InputError("the profile is empty; give at least one configuration", field="profile")
        keys = {(c.hardware, c.batch, c.concurrency) for c in given}
        if len(keys) < len(given):
            raise InputError(
                "two configurations share hardware, batch and concurrency; keep one of them", field="profile"
            )
        late = tuple((k, c) for k, c in enumerate(given) if longest is not None and c.duration_s > longest)
        if longest is not None and len(late) == len(given):
            raise InputError(_none_is_short_enough(given, longest), field="longest_duration_s")
        # Solvers recognise profiles by identity, so an unchanged profile stays the same tuple.
        if late != self.left_out:
            places = {place for place, _ in late}
            object.__setattr__(self, "profile", tuple(c for k, c in enumerate(given) if k not in places))
            object.__setattr__(self, "left_out", late)
        _check_machines(self.rate_rps, self.profile)

    @property
    def given(self) -> tuple[Configuration, ...]:
        """All given configurations, with those left out."""
        if not self.left_out:
            return self.profile
        found = list(self.profile)
        for place, configuration in self.left_out:
            found.insert(place, configuration)
        return tuple(found)


def _none_is_short_enough(given: tuple[Configuration, ...], longest_s: Fraction) -> str:
    """The message that no configuration of a module is fast enough for its longest duration."""
    c = min(given, key=lambda c: c.duration_s)
    fastest = f"{c.hardware} batch {c.batch} concurrency {c.concurrency}"
    return f"is {full(longest_s)}, and the fastest configuration, {fastest}, takes {full(c.duration_s)} s; raise it"


def _check_machines(rate_rps: Fraction, profile: tuple[Configuration, ...]) -> None:
    """Refuse a rate for which solvers would have to count more machines than they can."""
    above, below = rate_rps.numerator, rate_rps.denominator
    for c in profile:
        # Whole numbers are compared, not fractions, because files hold thousands of configurations.
        t = c.throughput_rps
        if above * t.denominator > MOST_MACHINES * below * t.numerator:
            raise InputError(
                f"is {full(rate_rps)}, the rate of {amount(rate_rps / t, digits=3)} machines of {c.hardware} "
                f"batch {c.batch} concurrency {c.concurrency}; at most {MOST_MACHINES:,} are supported: "
                "check the units, or leave this configuration out",
                field="rate_rps",
            )


@dataclass(frozen=True, slots=True, weakref_slot=True, repr=False)
class Session(Framed):
    """A session: all requests of one application with one latency objective (Harpagon §III-A).

    Attributes:
        name: name of the instance.
        slo_s: end-to-end latency objective in seconds; with objectives of modules, the longest of them.
        hardware: the machine types and their prices.
        modules: the DNN modules.
        edges: pairs of module names, from parent to child; together with the modules a DAG.
        currency: currency of the prices, such as "EUR", as tables and figures show it; None if unknown.
        running: the machines that run already, and the limit and price of changing them; None if there are none.
        spare_machines: spare machines of each type that a plan uses.
        resources: capacity by name of a resource, such as watts or licences: the most that all machines of a plan take
            of it (`Hardware.takes`), shares of machines counted as they are charged.
        state: price of moving state (Scrooge §3.1), by name of a module whose machines hold some. It is money for each
            of its machines added or removed, for each hour that the plan is to run, on top of the price of any change.
        objectives: objectives of modules, in place of one for all modules without children.
        delay_s: seconds between the end of an edge's parent and the start of its child, by edge; edges without a
            delay are left out.
        applications: names of the DAG's weakly connected parts, which share the machines.
        least_machines: by name of a module, the whole machines that it has at least; idle ones stand by.
        largest_shares: largest shares of a module's requests that may need some types together. A group of one type
            becomes `Hardware.largest_share`.

    Raises:
        InputError: duplicate names, unknown hardware or modules, a cycle, numbers out of range.
    """

    _view = late_value("euclio.problems.session.views", "SESSION")

    name: str
    slo_s: Fraction
    hardware: tuple[Hardware, ...]
    modules: tuple[Module, ...]
    edges: tuple[tuple[str, str], ...] = ()
    currency: str | None = None
    running: Running | None = None
    spare_machines: int = 0
    resources: dict[str, Fraction] = field(default_factory=dict, hash=False)
    state: dict[str, Fraction] = field(default_factory=dict, hash=False)
    objectives: tuple[Objective, ...] = ()
    delay_s: dict[tuple[str, str], Fraction] = field(default_factory=dict, hash=False)
    applications: tuple[Application, ...] = ()
    least_machines: dict[str, int] = field(default_factory=dict, hash=False)
    largest_shares: tuple[LargestShare, ...] = ()
    _order: tuple[int, ...] = field(init=False, repr=False, compare=False)
    _parents: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)
    _ends: tuple[End, ...] = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        name: str,
        slo_s: Number | None,
        hardware: tuple[Hardware, ...] | list[Hardware],
        modules: tuple[Module, ...] | list[Module],
        edges: tuple[tuple[str, str], ...] | list[tuple[str, str]] = (),
        currency: str | None = None,
        running: Running | None = None,
        spare_machines: int = 0,
        resources: Mapping[str, Number] | None = None,
        state: Mapping[str, Number] | None = None,
        objectives: tuple[Objective, ...] | list[Objective] = (),
        delay_s: Mapping[tuple[str, str], Number] | None = None,
        applications: tuple[Application, ...] | list[Application] = (),
        least_machines: Mapping[str, int] | None = None,
        largest_shares: tuple[LargestShare, ...] | list[LargestShare] = (),
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "objectives", tuple(objectives))
        object.__setattr__(self, "slo_s", longest_objective(slo_s, self.objectives))
        object.__setattr__(self, "hardware", tuple(hardware))
        object.__setattr__(self, "modules", tuple(modules))
        object.__setattr__(self, "edges", tuple((a, b) for a, b in edges))
        object.__setattr__(self, "currency", currency)
        object.__setattr__(self, "running", running)
        object.__setattr__(self, "spare_machines", machine_number(spare_machines, "spare_machines"))
        object.__setattr__(self, "resources", amounts(resources or {}, "resources"))
        object.__setattr__(self, "state", amounts(state or {}, "state"))
        object.__setattr__(self, "delay_s", exact_delays(delay_s or {}, self.edges))
        object.__setattr__(self, "applications", tuple(applications))
        least = {name: machine_number(n, f"least_machines.{name}") for name, n in (least_machines or {}).items()}
        object.__setattr__(self, "least_machines", least)
        if largest_shares:
            check_groups(largest_shares, {h.name: h.largest_share for h in self.hardware})
            alone = {group.hardware[0]: group.share for group in largest_shares if len(group.hardware) == 1}
            own = tuple(replace(h, largest_share=alone.get(h.name, h.largest_share)) for h in self.hardware)
            object.__setattr__(self, "hardware", own)
        object.__setattr__(self, "largest_shares", tuple(group for group in largest_shares if len(group.hardware) > 1))
        _check_names(self)
        object.__setattr__(self, "_order", topological_order(self.index, self.edges))
        object.__setattr__(self, "_parents", parents_of(self.index, self.edges))
        # Sessions are made often, and most have no names to check.
        names = self.index if self.objectives or self.applications else {}
        check_objectives(self.objectives, self.applications, names, self._parents)
        object.__setattr__(self, "_ends", ends(self.slo_s, self.objectives, names, self._parents))

    @property
    def order(self) -> tuple[int, ...]:
        """Indices of the modules, parents before children."""
        return self._order

    @property
    def index(self) -> dict[str, int]:
        """Module name to its index in `modules`."""
        return {module.name: i for i, module in enumerate(self.modules)}

    @property
    def price(self) -> dict[str, Fraction]:
        """Hardware name to its price per hour."""
        return {h.name: h.price_per_h for h in self.hardware}

    @property
    def stock(self) -> dict[str, int]:
        """Hardware name to the most machines of it, for types with a limit."""
        return {h.name: h.count for h in self.hardware if h.count is not None}

    @property
    def at_least(self) -> dict[str, int]:
        """Hardware name to the machines of it that are paid for, used or not, for types with some."""
        return {h.name: h.at_least for h in self.hardware if h.at_least}

    @property
    def share_groups(self) -> tuple[LargestShare, ...]:
        """All largest shares of a module's requests that may need some types: those of one type come first."""
        alone = (LargestShare([h.name], h.largest_share) for h in self.hardware if h.largest_share is not None)
        return (*alone, *self.largest_shares)

    def change_price(self, module: str) -> Fraction:
        """Money per hour for each machine of a module added or removed: of any change, and of moving its state.

        Args:
            module: name of the module, which the session may not have any more. Modules that share a machine have
                their names as in "a + b", and the machine holds the state of all.
        """
        any_change = Fraction(0) if self.running is None else self.running.price_per_change_per_h
        if not self.state or module in self.state:
            return any_change + self.state.get(module, Fraction(0))
        # A name may itself contain the text between the names of modules that share a machine.
        if module in self.index:
            return any_change
        return any_change + sum((self.state.get(name, Fraction(0)) for name in module.split(SHARING)), Fraction(0))

    def parents(self) -> tuple[tuple[int, ...], ...]:
        """For each module the indices of its parents, in the order of the edges."""
        return self._parents

    def ends(self) -> tuple[End, ...]:
        """For each module its end in seconds (`euclio.problems.session.objectives`)."""
        return self._ends

    def delay_between(self, parent: int, child: int) -> Fraction:
        """Seconds between the end of a module and the start of a child of it, by their indices."""
        return self.delay_s.get((self.modules[parent].name, self.modules[child].name), Fraction(0))


def _check_names(session: Session) -> None:
    if not session.modules:
        raise InputError("there are no modules; give at least one", field="modules")
    known: set[str] = set()
    for i, hardware in enumerate(session.hardware):
        if hardware.name in known:
            raise InputError(
                f"hardware {hardware.name!r} is listed twice; keep one of them", field=f"hardware[{i}].name"
            )
        known.add(hardware.name)
    memory = {h.name: h.memory_mb for h in session.hardware}
    _check_resources(session)
    names: set[str] = set()
    for i, module in enumerate(session.modules):
        if module.name in names:
            raise InputError(f"module {module.name!r} is listed twice; rename one", field=f"modules[{i}].name")
        names.add(module.name)
        for k, c in enumerate(module.given):
            if c.hardware not in known:
                raise InputError(
                    f"unknown hardware {c.hardware!r}; add it to `hardware` (known: {', '.join(sorted(known))})",
                    field=f"modules[{i}].profile[{k}].hardware",
                )
            there = memory[c.hardware]
            if there is not None and c.memory_mb is not None and c.memory_mb > there:
                raise InputError(
                    f"is {full(c.memory_mb)}, and {c.hardware} has {full(there)}; leave this configuration out",
                    field=f"modules[{i}].profile[{k}].memory_mb",
                )
    for field_name, by_module in (("state", session.state), ("least_machines", session.least_machines)):
        for name in by_module:
            if name not in names:
                known_names = _some_names(session.modules)
                raise InputError(f"unknown module {name!r}; known: {known_names}", field=f"{field_name}.{name}")
    seen: set[tuple[str, str]] = set()
    for i, edge in enumerate(session.edges):
        for end in edge:
            if end not in names:
                raise InputError(f"unknown module {end!r}; known: {_some_names(session.modules)}", field=f"edges[{i}]")
        if edge in seen:
            raise InputError(f"edge {edge[0]} -> {edge[1]} is listed twice; keep one of them", field=f"edges[{i}]")
        seen.add(edge)


def _check_resources(session: Session) -> None:
    amounts_of = {name for h in session.hardware for name in h.takes}
    sliced = {name for h in session.hardware for name in h.slices}
    taken = amounts_of | sliced
    for name, capacity in session.resources.items():
        if name not in taken:
            raise InputError(
                "is taken by no hardware; say under `hardware[].takes` what a machine takes of it"
                + (f" (known: {', '.join(sorted(taken))})" if taken else ""),
                field=f"resources.{name}",
            )
        if name in amounts_of & sliced:
            message = "counts GPUs for slices, and an amount for other hardware; use two resources"
            raise InputError(message, field=f"resources.{name}")
        if name in sliced and capacity.denominator != 1:
            message = f"is {full(capacity)}; it counts the GPUs that are cut into slices: give a whole number"
            raise InputError(message, field=f"resources.{name}")


def _some_names(modules: tuple[Module, ...]) -> str:
    """The names of modules; the first ones if there are very many."""
    named = ", ".join(module.name for module in modules[:MOST_NAMED])
    return named if len(modules) <= MOST_NAMED else f"{named} and {len(modules) - MOST_NAMED} more"
