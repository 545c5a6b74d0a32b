"""Changes of a session for what-if questions: more requests, a tighter objective, other prices (ours).

A result of a changed session states its changes, so that the original instance and the result together are enough to
check it.
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.core.lazy import late
from euclio.core.numbers import exact_number
from euclio.core.parameters import Parameter, option_text
from euclio.core.values import (
    amounts_by_name,
    count_or_none,
    exact_not_negative,
    exact_positive,
    named,
    one_or_named,
    texts_by_name,
)
from euclio.core.words import amount, counted, full, joined, percent
from euclio.problems.session.instance import Hardware, Session, amounts, level_share, machine_number
from euclio.problems.session.largest_shares import LargestShare, exact_share, types_of_name
from euclio.problems.session.machine_limits import NamedPlan, machine_counts, named_plan
from euclio.problems.session.plan import Plan
from euclio.problems.session.running import Running, RunningMachines
from euclio.problems.session.services import application_modules, application_rate

modules_at = late("euclio.problems.session.duration_quantiles", "modules_at")
quantile_level = late("euclio.problems.session.duration_quantiles", "quantile_level")


@dataclass(frozen=True, slots=True)
class SessionChanges:
    """Changes of a session; a field of None leaves the session as it is.

    Attributes:
        rate_rps: requests per second of all sources (modules without parents) together; the rates of all modules are
            scaled in proportion.
        slo_s: latency objective in seconds.
        rates_rps: requests per second of applications, by name; the rates of an application's modules are scaled.
        objectives_s: latency objectives in seconds, by name.
        price_per_h: money per hour, by hardware.
        stock: most machines that a plan may use, by hardware.
        running: the machines that run already.
        most_changes: most machines that may be added to these and removed from them together.
        price_per_change_per_h: money for each machine added or removed, for each hour that the plan is to run.
        state: additional price of a change of a module's machines because they hold state, by name of the module.
        spare_machines: spare machines of each type that a plan uses.
        largest_share: largest share of a module's requests that may need some hardware, by its name, or a group of
            types, by their names with "+" between them.
        resources: capacity by name of a resource that machines take some of.
        takes: amount of a resource with a capacity that a machine takes, by name of the resource, then by hardware.
        headroom: share of additional requests to plan for: after `rate_rps`, all rates are multiplied by 1 + this.
        durations: quantile of the durations at which a plan holds, such as "p95"; it replaces the duration of every
            configuration.
        longest_duration_s: most seconds of a batch, by name of the module, of the durations that are planned with.
        least_machines: the whole machines that a module has at least, by its name.
        at_least: machines that are paid for, used or not, by hardware.
        slices: profile of the GPU slice that a machine is, by name of the resource, then by hardware.

    Raises:
        InputError: a number out of range; names the field.
    """

    rate_rps: Fraction | None = None
    slo_s: Fraction | None = None
    price_per_h: dict[str, Fraction] | None = None
    headroom: Fraction | None = None
    stock: dict[str, int] | None = None
    running: tuple[RunningMachines, ...] | None = None
    most_changes: int | None = None
    price_per_change_per_h: Fraction | None = None
    state: dict[str, Fraction] | None = None
    spare_machines: int | None = None
    largest_share: dict[str, Fraction] | None = None
    resources: dict[str, Fraction] | None = None
    durations: str | None = None
    rates_rps: dict[str, Fraction] | None = None
    objectives_s: dict[str, Fraction] | None = None
    takes: dict[str, dict[str, Fraction]] | None = None
    longest_duration_s: dict[str, Fraction] | None = None
    least_machines: dict[str, int] | None = None
    at_least: dict[str, int] | None = None
    slices: dict[str, dict[str, str]] | None = None

    def __post_init__(self) -> None:
        # One option takes a value of the session, or values by name.
        for one, named_ones in (("rate_rps", "rates_rps"), ("slo_s", "objectives_s")):
            given: Any = getattr(self, one)
            if isinstance(given, Mapping):
                object.__setattr__(self, one, None)
                object.__setattr__(self, named_ones, dict(given))
            for name, value in (getattr(self, named_ones) or {}).items():
                exact_number(value, f"{one}.{name}")
        for field in ("rate_rps", "slo_s", "headroom"):
            value = getattr(self, field)
            if value is not None:
                exact_number(value, field, zero=field == "headroom")
        for name, price in (self.price_per_h or {}).items():
            exact_number(price, f"price_per_h.{name}", zero=True)
        for field in ("stock", "least_machines", "at_least"):
            for name, count in (getattr(self, field) or {}).items():
                machine_number(count, f"{field}.{name}")
        for name, longest in (self.longest_duration_s or {}).items():
            exact_number(longest, f"longest_duration_s.{name}")
        for name, most in (self.largest_share or {}).items():
            exact_share(most, f"largest_share.{name}")
        for name, each in (self.takes or {}).items():
            amounts(each, f"takes.{name}")
        amounts(self.resources or {}, "resources")
        amounts(self.state or {}, "state")
        if self.durations is not None:
            level_share(self.durations, "durations")
        if self.spare_machines is not None:
            machine_number(self.spare_machines, "spare_machines")

    def applied_to(self, session: Session) -> Session:
        """The session with these changes, exactly.

        Raises:
            InputError: hardware that the session does not have, or a rate that is too high for it; names the field.
        """
        for field in ("price_per_h", "stock", "at_least"):
            for name in getattr(self, field) or {}:
                check_hardware(name, session.price, f"{field}.{name}")
        for field in ("longest_duration_s", "least_machines"):
            for name in getattr(self, field) or {}:
                check_known(name, session.index, "module", f"{field}.{name}")
        return replace(
            session,
            **self._objectives(session),
            **self._machines(session),
            **self._load(session),
            running=self._running(session),
            spare_machines=session.spare_machines if self.spare_machines is None else self.spare_machines,
            resources=session.resources | (self.resources or {}),
            state=session.state | (self.state or {}),
            least_machines=session.least_machines | (self.least_machines or {}),
        )

    def _machines(self, session: Session) -> dict[str, Any]:
        """The fields of a session that state its machine types, and the groups of them with a largest share."""
        shares, taken, sliced = self._shares(session), self._by_type(session, "takes"), self._by_type(session, "slices")
        hardware = tuple(self._hardware(h, shares, taken[h.name], sliced[h.name]) for h in session.hardware)
        kept = (group for group in session.largest_shares if frozenset(group.hardware) not in shares)
        new = (group for group in shares.values() if len(group.hardware) > 1)
        return {"hardware": hardware, "largest_shares": (*kept, *new)}

    def _hardware(
        self,
        own: Hardware,
        shares: dict[frozenset[str], LargestShare],
        taken: dict[str, Fraction],
        sliced: dict[str, str],
    ) -> Hardware:
        """A machine type with its changes."""
        name, alone = own.name, shares.get(frozenset([own.name]))
        try:
            return replace(
                own,
                price_per_h=(self.price_per_h or {}).get(name, own.price_per_h),
                count=(self.stock or {}).get(name, own.count),
                largest_share=own.largest_share if alone is None else alone.share,
                takes=own.takes | taken,
                slices=own.slices | sliced,
                price_source=None if name in (self.price_per_h or {}) else own.price_source,
                at_least=(self.at_least or {}).get(name, own.at_least),
            )
        except InputError as error:
            kind, _, resource = (error.field or "").partition(".")
            if kind == "slices":
                # If two fields conflict, the error may name the one that changes.
                kind = "slices" if resource in sliced or resource not in taken else "takes"
                raise InputError(f"{name}: {error.message}", field=f"{kind}.{resource}") from None
            # If two changes conflict, the error may name either.
            changed = "at_least" if name in (self.at_least or {}) else "stock"
            said = error.message if changed == "at_least" else f"does not fit `at_least`, which {error.message}"
            raise InputError(said, field=f"{changed}.{name}") from None

    def _shares(self, session: Session) -> dict[frozenset[str], LargestShare]:
        """The groups whose largest shares change, by their types."""
        found: dict[frozenset[str], LargestShare] = {}
        for text, most in (self.largest_share or {}).items():
            field, types = f"largest_share.{text}", types_of_name(text, list(session.price))
            for name in types:
                check_hardware(name, session.price, field)
            if frozenset(types) in found or len(set(types)) < len(types):
                raise InputError(f"{text!r} names a type or a group twice; keep one of them", field=field)
            found[frozenset(types)] = LargestShare(types, most)
        return found

    def _by_type(self, session: Session, field: str) -> dict[str, dict[str, Any]]:
        """The amounts or slices of resources that machines take, by hardware, then by name of the resource."""
        found: dict[str, dict[str, Any]] = {h.name: {} for h in session.hardware}
        for resource, each in (getattr(self, field) or {}).items():
            if resource not in session.resources | (self.resources or {}):
                message = f"limits nothing, since {resource} has no capacity; give --resource {resource}=N as well"
                raise InputError(message, field=f"{field}.{resource}")
            for name, own in each.items():
                check_hardware(name, session.price, f"{field}.{resource}")
                found[name][resource] = own
        return found

    def in_words(self) -> str:
        """The changes in a few words."""
        words = [] if self.rate_rps is None else [f"rate {amount(self.rate_rps)} req/s"]
        words += [f"rate of {name} {amount(rate)} req/s" for name, rate in (self.rates_rps or {}).items()]
        words += [] if self.slo_s is None else [f"SLO {full(self.slo_s)} s"]
        words += [f"objective {name} {full(slo)} s" for name, slo in (self.objectives_s or {}).items()]
        words += [f"price of {name} {amount(price)} per hour" for name, price in (self.price_per_h or {}).items()]
        words += [f"{counted(count, 'machine')} of {name} in stock" for name, count in (self.stock or {}).items()]
        words += [f"{full(most)} of {name} in all" for name, most in (self.resources or {}).items()]
        for resource, each in (self.takes or {}).items():
            words += [f"{full(own)} of {resource} for each {name}" for name, own in each.items()]
        for resource, parts in (self.slices or {}).items():
            words += [f"a slice {profile} of {resource} for each {name}" for name, profile in parts.items()]
        if self.running is not None:
            words.append(f"{sum(own.machines for own in self.running):,} machines that run already")
        if self.most_changes is not None:
            words.append(f"at most {self.most_changes:,} of them changed")
        if self.price_per_change_per_h is not None:
            words.append(f"{amount(self.price_per_change_per_h)} per change and hour")
        words += [f"{amount(price)} more where machines of {name} change" for name, price in (self.state or {}).items()]
        words += [] if self.durations is None else [f"durations at {self.durations}"]
        words += self._spare_in_words()
        words += self._floors_in_words()
        words += [] if self.headroom is None else [f"headroom {percent(float(self.headroom), 1)}"]
        return joined(words or ["nothing changed"])

    def _spare_in_words(self) -> list[str]:
        """The changes for machines that fail or are taken away."""
        words = [f"{name} for at most {percent(float(most), 1)}" for name, most in (self.largest_share or {}).items()]
        if self.spare_machines is not None:
            words.append(f"{counted(self.spare_machines, 'spare machine')} of every type that is used")
        return words

    def _floors_in_words(self) -> list[str]:
        """The longest durations, and the least machines."""
        longest = (self.longest_duration_s or {}).items()
        words = [f"batches of {name} within {full(seconds)} s" for name, seconds in longest]
        words += [f"at least {counted(n, 'machine')} for {name}" for name, n in (self.least_machines or {}).items()]
        return [
            *words,
            *(f"{counted(n, 'machine')} of {name} paid for at least" for name, n in (self.at_least or {}).items()),
        ]

    def _running(self, session: Session) -> Running | None:
        """The machines that run, with the limit and the price of changes."""
        old = session.running
        machines = self.running if self.running is not None else None if old is None else old.machines
        if machines is None:
            for field in ("most_changes", "price_per_change_per_h", "state"):
                if getattr(self, field) is not None:
                    plan = option_text("--from", placeholder="RESULT")
                    raise InputError(f"counts changes to a running plan; give it by {plan}", field=field)
            return None
        most = old.most_changes if self.most_changes is None and old is not None else self.most_changes
        price = self.price_per_change_per_h
        if price is None:
            price = Fraction(0) if old is None else old.price_per_change_per_h
        return Running(machines, most, price)

    def _objectives(self, session: Session) -> dict[str, Any]:
        """The fields of a session that state its objectives."""
        if not session.objectives:
            if self.objectives_s:
                raise InputError("the session has one objective without a name; give it in seconds", field="slo_s")
            return {"slo_s": session.slo_s if self.slo_s is None else self.slo_s}
        known = {objective.name: objective for objective in session.objectives}
        for name in self.objectives_s or {}:
            if name not in known:
                raise InputError(f"unknown objective {name!r}; known: {', '.join(known)}", field="slo_s")
        if self.slo_s is not None:
            raise InputError(f"the session has several objectives; name one of {', '.join(known)}", field="slo_s")
        changed = {**{name: one.slo_s for name, one in known.items()}, **(self.objectives_s or {})}
        return {"slo_s": None, "objectives": [replace(one, slo_s=changed[name]) for name, one in known.items()]}

    def _load(self, session: Session) -> dict[str, Any]:
        """The fields of a session that state its modules and their rates."""
        changed = self.durations is not None or self.longest_duration_s is not None
        modules = modules_at(session, self.durations, self.longest_duration_s or {}) if changed else session.modules
        every = 1 + (self.headroom or Fraction(0))
        if self.rate_rps is not None:
            every *= self.rate_rps / source_rate(session)
        factors, rates = [every] * len(modules), dict[str, Fraction]()
        for name, rate in (self.rates_rps or {}).items():
            try:
                members, own = application_modules(session, name), application_rate(session, name)
            except InputError as error:
                raise InputError(error.message, field="rate_rps") from None
            rates[name] = rate / own
            for m in members:
                factors[m] *= rates[name]
        try:
            scaled = tuple(
                module if factor == 1 else replace(module, rate_rps=module.rate_rps * factor)
                for module, factor in zip(modules, factors, strict=True)
            )
        except InputError as error:
            field = "headroom" if self.rate_rps is None and not rates else "rate_rps"
            raise InputError(f"is too high for this session: a module's rate {error.message}", field=field) from None
        applications = [
            one
            if one.rate_rps is None
            else replace(one, rate_rps=one.rate_rps * every * rates.get(one.name, Fraction(1)))
            for one in session.applications
        ]
        return {"modules": scaled, "applications": applications}


def source_rate(session: Session) -> Fraction:
    """Requests per second of all sources together: of the modules without parents, by which requests enter."""
    below = {child for _, child in session.edges}
    return sum((module.rate_rps for module in session.modules if module.name not in below), Fraction(0))


def check_hardware(name: str, known: Iterable[str], field: str) -> None:
    """Raise an `InputError` with the nearest name for hardware that a session does not have."""
    check_known(name, known, "hardware", field)


def check_known(name: str, known: Iterable[str], what: str, field: str) -> None:
    """Raise an `InputError` with the nearest name for a name of something that a session does not have."""
    names = list(known)
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(names)}"
        raise InputError(f"unknown {what} {name!r}; {hint}", field=field)


def _running_of(path: str) -> tuple[RunningMachines, ...]:
    """The value of option --from.

    Raises:
        argparse.ArgumentTypeError: there is no such result, or it has no plan of a session.
    """
    try:
        return running_machines(path)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _running_given(given: Any, session: Session) -> tuple[RunningMachines, ...]:
    """The running machines that a call gives as a result, a plan, the file of a result, or machines themselves.

    Raises:
        InputError: it is none of these, or a plan of other modules than the session's.
    """
    if isinstance(given, str | Path):
        return running_machines(str(given))
    if isinstance(given, tuple) and all(isinstance(own, RunningMachines) for own in given):
        return given
    plan = given if isinstance(given, Plan) else getattr(given, "plan", None)
    if not isinstance(plan, Plan):
        raise InputError("must be a result with a plan of a session, or the file of one")
    if len(plan.modules) != len(session.modules):
        raise InputError(f"plans {len(plan.modules)} modules, and the session has {len(session.modules)}")
    return _machines_of(named_plan(session, plan))


def running_machines(path: str) -> tuple[RunningMachines, ...]:
    """The machines of the plan in a result file; raises an `InputError` if it is no result of a session with a plan."""
    from euclio.files.unbound_results import load_without_instance
    from euclio.problems.session.files.plans import plan_without_instance

    found = load_without_instance(path)
    if found.family.name != "session" or found.plan is None:
        raise InputError("holds no plan of a session; give a result that has one", file=path)
    return _machines_of(plan_without_instance(found.plan))


def _machines_of(plan: NamedPlan) -> tuple[RunningMachines, ...]:
    """The machines of a plan."""
    counts = machine_counts(plan)
    return tuple(RunningMachines(*place, machines) for place, machines in sorted(counts.items()) if machines)


CHANGE_OPTIONS = (
    Parameter(
        flag="--rate",
        field="rate_rps",
        help="requests per second of all sources together, or of applications as NAME=R; the rates of all their "
        "modules are scaled in ratio",
        parse=one_or_named(exact_positive),
        metavar="R|NAME=R,...",
    ),
    Parameter(
        flag="--slo",
        field="slo_s",
        help="latency objective in seconds, or objectives by name as NAME=SECONDS",
        parse=one_or_named(exact_positive),
        metavar="SECONDS|NAME=SECONDS,...",
    ),
    Parameter(
        flag="--price",
        field="price_per_h",
        help="money per hour of some hardware, such as A100=1.1,T4=0.3",
        parse=named(exact_not_negative),
        metavar="NAME=P,...",
    ),
    Parameter(
        flag="--stock",
        help="most machines that a plan may use of some hardware (`count` in files), such as A100=4,T4=20",
        parse=named(count_or_none),
        metavar="NAME=N,...",
    ),
    Parameter(
        flag="--resource",
        field="resources",
        help="most that all machines take of a resource, such as power=3200; the file or --takes says what each takes",
        parse=named(exact_not_negative),
        metavar="NAME=C,...",
    ),
    Parameter(
        flag="--takes",
        help="what a machine takes of a resource of --resource or the file, such as region=T4:1,L4:2",
        parse=amounts_by_name,
        metavar="NAME=TYPE:N,...",
    ),
    Parameter(
        flag="--slices",
        field="slices",
        help="which slice of a GPU a machine is, such as gpus=small:1g,large:3g, where --resource gpus=4 or the file "
        "counts the GPUs",
        parse=texts_by_name,
        metavar="NAME=TYPE:SLICE,...",
    ),
    Parameter(
        flag="--from",
        field="running",
        help="result whose plan runs already; machines added to it and removed from it are counted as changes",
        parse=_running_of,
        given=_running_given,
        metavar="RESULT",
    ),
    Parameter(
        flag="--changes",
        field="most_changes",
        help="most machines added and removed together, from the plan of --from",
        parse=count_or_none,
        metavar="N",
    ),
    Parameter(
        flag="--change-price",
        field="price_per_change_per_h",
        help="money for each machine added or removed, for each hour that the plan is to run",
        parse=exact_not_negative,
        metavar="P",
    ),
    Parameter(
        flag="--state-price",
        field="state",
        help="money on top for each change of a module whose machines hold state, such as caption=0.5; the same unit",
        parse=named(exact_not_negative),
        metavar="MODULE=P,...",
    ),
    Parameter(
        flag="--spare",
        field="spare_machines",
        help="spare machines of every hardware type that the plan uses: so many of each may fail",
        parse=count_or_none,
        metavar="N",
    ),
    Parameter(
        flag="--largest-share",
        help="largest share of a module's requests that may need some hardware, such as spot-T4=0.5, or a group of "
        "types, such as spot-T4+spot-L4=0.5",
        parse=named(exact_positive),
        metavar="NAME[+NAME...]=SHARE,...",
    ),
    Parameter(
        flag="--headroom",
        help="plan for this share more requests: 0.2 multiplies all rates by 1.2",
        parse=exact_not_negative,
        metavar="SHARE",
    ),
    Parameter(
        flag="--durations",
        help="quantile of the measured durations that plans are to hold at, such as p95; default: the durations",
        parse=quantile_level,
        metavar="QUANTILE",
    ),
    Parameter(
        flag="--longest-duration",
        field="longest_duration_s",
        help="most seconds of a batch of a module, such as decode=0.05: slower configurations are left out",
        parse=named(exact_positive),
        metavar="MODULE=SECONDS,...",
    ),
    Parameter(
        flag="--least-machines",
        help="whole machines that a module has at least, such as decode=2; idle ones stand by",
        parse=named(count_or_none),
        metavar="MODULE=N,...",
    ),
    Parameter(
        flag="--at-least",
        help="machines of some hardware that are paid for, used or not, such as A100=4",
        parse=named(count_or_none),
        metavar="NAME=N,...",
    ),
)
"""The options of the commands that change a session."""
