"""Demands on a plan under random arrivals."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from euclio.core.errors import InputError
from euclio.core.lazy import late
from euclio.core.parts import Keeping
from euclio.core.values import SHARE, Values, exact_positive, named
from euclio.core.words import full, milliseconds
from euclio.problems.session.instance import Session
from euclio.problems.session.policies import Policy
from euclio.serving.session.setup import Dispatch, Dropping, Partial, Setup, time_out
from euclio.serving.session.targets import own_dispatch
from euclio.serving.setup import MODULE_PERCENTILES, PHASE_S, VARIABILITY, Arrivals, with_attainment

TARGETS = Values("a number from 0.5 to 0.9999", float, lambda number: 0.5 <= number <= 0.9999)
CONFIDENCE = 0.95
"""Confidence of the statement that the attainment, and each module's share, is at least the one asked for."""
MOST_NAMES = 20
"""Modules that an error lists."""


@dataclass(frozen=True, slots=True)
class ModuleObjective:
    """A percentile objective of one module.

    Attributes:
        module: its name.
        share: share of the requests through it that must pass it in time.
        seconds: time from when a request is ready there until the last of its invocations there has ended.
    """

    module: str
    share: float
    seconds: float

    def in_words(self) -> str:
        """The objective in a few words."""
        return f"{full(100 * self.share)} % through {self.module} within {milliseconds(self.seconds)} ms"

    def describe(self) -> dict[str, Any]:
        """The objective as plain data."""
        return {"module": self.module, "share": self.share, "seconds": self.seconds}


@dataclass(frozen=True, slots=True)
class Demand:
    """An attainment that a plan must keep, with objectives of single modules.

    Attributes:
        target: share of requests within the SLO.
        setup: arrivals and dispatch. The simulation uses only capacity that the plan pays for: it sends no dummies, and
            a machine that is charged in part is shared with others. Load, seconds and seed are ignored.
        modules: objectives of single modules, kept together with the attainment.

    Raises:
        InputError: the target is out of range, or clients wait for their answers.
    """

    target: float
    setup: Setup
    modules: tuple[ModuleObjective, ...] = ()

    def __post_init__(self) -> None:
        """Remove from the setup the fields without a meaning here."""
        try:
            TARGETS.read(self.target)
        except InputError as error:
            raise InputError(error.message, field="attainment") from None
        if self.setup.clients:
            raise InputError("wait for their answers, so that they have no rate to plan for", field="clients")
        setup = replace(self.setup, load=1.0, seed=0, dummies=False, partial=Partial.SHARED, full_load_rps=None)
        object.__setattr__(self, "setup", setup)

    def in_words(self, session: Session | None = None) -> str:
        """The demand in one line, on a session where it is known."""
        return f"{self.shares_in_words(session)} under {self.setup.arrivals.value} arrivals"

    def shares_in_words(self, session: Session | None = None) -> str:
        """The shares to be kept, without the arrivals."""
        within = "keep all objectives" if session is not None and session.objectives else "within the SLO"
        return ", ".join((f"{full(100 * self.target)} % {within}", *(own.in_words() for own in self.modules)))

    def of(self, session: Session) -> tuple[tuple[int, ModuleObjective], ...]:
        """The objectives of those modules that a session has, each with the module's number.

        A step of a day has only the modules to which requests come.
        """
        number = {module.name: m for m, module in enumerate(session.modules)}
        return tuple((number[own.module], own) for own in self.modules if own.module in number)

    def describe(self, policy: Policy) -> dict[str, Any]:
        """The demand as plain data, with the dispatcher that serves plans of a policy."""
        dispatch = self.setup.dispatch or own_dispatch(policy)
        left_out = ("load", "seconds", "seed")
        described = {key: value for key, value in self.setup.describe().items() if key not in left_out}
        modules = self.describe_modules()
        return {"target": self.target, "confidence": CONFIDENCE, **modules, **described, "dispatch": dispatch.value}

    def describe_modules(self) -> dict[str, Any]:
        """The objectives of single modules as plain data; empty if there are none."""
        return {"modules": [own.describe() for own in self.modules]} if self.modules else {}


def objectives_of(seconds: Mapping[str, Mapping[str, Fraction]]) -> tuple[ModuleObjective, ...]:
    """The objectives of single modules.

    Args:
        seconds: by name of the objective, as in `MODULE_PERCENTILES`, seconds by name of the module.
    """
    return tuple(
        ModuleObjective(module, MODULE_PERCENTILES[name], float(own))
        for name, by_module in seconds.items()
        for module, own in by_module.items()
    )


def objectives_from(told: Mapping[str, Any], field: str) -> tuple[ModuleObjective, ...]:
    """The objectives of single modules that a result states; other fields are ignored.

    Args:
        told: plain data with the objectives under `modules`; without this key there are none.
        field: the place of these data, for errors.

    Raises:
        InputError: the data are no objectives.
    """
    try:
        rows = told.get("modules", ())
        return tuple(ModuleObjective(str(row["module"]), float(row["share"]), float(row["seconds"])) for row in rows)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InputError(
            "are no objectives of modules; give a list of objects with module, share and seconds",
            field=f"{field}.modules",
        ) from None


def check_names(objectives: Iterable[ModuleObjective], session: Session) -> None:
    """Refuse objectives of modules that a session does not have.

    Raises:
        InputError: the session has no module of such a name.
    """
    names = [module.name for module in session.modules]
    for own in objectives:
        if own.module not in names:
            near = difflib.get_close_matches(own.module, names, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(names[:MOST_NAMES])}"
            option = f"--module-p{full(100 * own.share).replace('.', '')}"
            raise InputError(f"names {own.module}, which is no module of {session.name}; {hint}", field=option)


# A demand as plain data, such as an experiment's file has it.

DRAWN = tuple(kind.value for kind in Arrivals if kind is not Arrivals.TRACE)


def _word(*words: str) -> Any:
    def read(value: Any) -> str:
        if value not in words:
            raise argparse.ArgumentTypeError(f"is {value!r}; it must be one of {', '.join(words)}")
        return str(value)

    return read


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise argparse.ArgumentTypeError(f"is {value!r}; it must be true or false")
    return value


def _by_module(value: Any) -> str:
    """Seconds by module, from a table or a text such as ``detect=0.05``, as such a text."""
    seconds = BY_MODULE(value)
    for module in seconds:
        if "," in module:
            raise argparse.ArgumentTypeError(f"names {module!r}; a comma divides modules here, so rename it")
    return ",".join(f"{module}={float(own)!r}" for module, own in seconds.items())


BY_MODULE = named(exact_positive)
"""Reads seconds by module."""
READERS: dict[str, Any] = {
    "attainment": TARGETS.parse,
    "arrivals": _word(*DRAWN),
    "cv": VARIABILITY.parse,
    "on": PHASE_S.parse,
    "off": PHASE_S.parse,
    "noise": SHARE.parse,
    "dispatch": _word(*map(str, Dispatch)),
    "time_out": time_out,
    "hold": _flag,
    "dropping": _word(*map(str, Dropping)),
    **dict.fromkeys(MODULE_PERCENTILES, _by_module),
}
"""Fields of a demand, each with its reader; named as the keywords of the verbs."""
FIELDS = {"on": "on_s", "off": "off_s", "time_out": "timeout_s"}
"""Fields that have another name in setups."""


def read_field(name: str, value: Any) -> Any:
    """The value of a field as plain data.

    Raises:
        ArgumentTypeError: the value is not admissible.
    """
    return READERS[name](value)


def demand_from(fields: Mapping[str, Any]) -> Demand:
    """The demand that fields make, each as `read_field` gives it.

    Raises:
        InputError: the fields contradict each other.
    """
    given = with_attainment(fields)
    modules = objectives_of({name: BY_MODULE(given.pop(name)) for name in MODULE_PERCENTILES if name in given})
    target = given.pop("attainment", None)
    if target is None:
        name = next(iter(given))
        raise InputError("says what `attainment` is asked under; give that too, or leave this out", field=name)
    kind = Arrivals(given.get("arrivals", "poisson"))
    for name, process in (("cv", Arrivals.GAMMA), ("on", Arrivals.ON_OFF), ("off", Arrivals.ON_OFF)):
        if name in given and kind is not process:
            raise InputError(f"is for arrivals {process}; leave it out", field=name)
    return Demand(target, Setup(**{FIELDS.get(name, name): value for name, value in given.items()}), modules)


KEEPING = Keeping(READERS, read_field, demand_from, late("euclio.serving.attainment.attaining", "attaining"))
