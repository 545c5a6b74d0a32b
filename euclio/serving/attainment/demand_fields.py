"""What plans of sessions may be asked to keep: an attainment."""

import argparse
from collections.abc import Mapping
from typing import Any

from euclio.core.errors import InputError
from euclio.core.parts import Keeping
from euclio.core.values import SHARE, exact_positive, named
from euclio.serving.attainment.attaining import attaining
from euclio.serving.attainment.demand import TARGETS, Demand, objectives_of
from euclio.serving.session.setup import Dispatch, Dropping, Setup
from euclio.serving.session.simulator import time_out
from euclio.serving.setup import MODULE_PERCENTILES, PHASE_S, VARIABILITY, Arrivals, with_attainment

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
"""Fields of a demand, each with what reads it; named as the keywords of the verbs."""
FIELDS = {"on": "on_s", "off": "off_s", "time_out": "timeout_s"}
"""Fields of setups that have other names there."""


def read_field(name: str, value: Any) -> Any:
    """The value of a field as plain data.

    Raises:
        ArgumentTypeError: it is none.
    """
    return READERS[name](value)


def demand_from(fields: Mapping[str, Any]) -> Demand:
    """The demand that fields make, each as `read_field` gives it.

    Raises:
        InputError: they do not go together.
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


KEEPING = Keeping(READERS, read_field, demand_from, attaining)
