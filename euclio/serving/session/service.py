"""How a plan is served, as results state it and in words: arrivals, router, dummies, partial machines (ours)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

from euclio.core.errors import InputError
from euclio.core.words import counted, full, milliseconds
from euclio.problems.session.space import PlanSpace
from euclio.serving.session.setup import Dropping, Setup
from euclio.serving.session.targets import own_dispatch
from euclio.serving.setup import Arrivals

FREE = ("load", "seconds", "seed")
"""Fields that a simulation may choose freely, and still serve as the plan was made for."""
SWITCHES = ("dummies", "planned_delays", "hold")
DEPLOYED: dict[str, Any] = {"dummies": False, "planned_delays": True}
"""How a plan for evenly spaced requests is deployed: without its dummies. Queue delays that assume them close the
batches that they would have filled (`euclio.export`)."""
NUMBERS = ("seconds", "seed", "noise", "timeout_s", "cv", "on_s", "off_s")
ALL_IN_TIME = 1.0
"""The attainment of a plan whose worst case is within the SLO."""
NAMES = {Arrivals.UNIFORM: "even arrivals", Arrivals.POISSON: "Poisson arrivals", Arrivals.TRACE: "arrivals of a trace"}
_USUAL = ("time-outs as planned", "modules hold nothing", "nothing is dropped", "no noise")
"""Words that are left out; the text names the service only if it differs from them."""


def service(setup: Setup, space: PlanSpace) -> dict[str, Any]:
    """Arrivals and service of a setup under a plan space, as plain data without timestamps."""
    described = replace(setup, dispatch=setup.dispatch or own_dispatch(space.policy), trace_s=()).describe()
    return {key: value for key, value in described.items() if key not in FREE}


def even_service(space: PlanSpace) -> dict[str, Any]:
    """The service that a plan of a plan space is made for without an attainment, as results state it."""
    return dict(_even_service(space))


@lru_cache(maxsize=1024)
def _even_service(space: PlanSpace) -> dict[str, Any]:
    """The result of `even_service`, made once for each plan space, since every result of a solver has it."""
    return {"attainment": ALL_IN_TIME, **service(Setup(Arrivals.UNIFORM, dummies=not space.policy.pulls), space)}


def setup_from(told: Any, field: str) -> Setup:
    """The setup that a result states as plain data; fields outside setups are ignored.

    Args:
        told: the plain data.
        field: its place, for errors.

    Raises:
        InputError: the data are no setup.
    """
    own = {field.name for field in fields(Setup)} - {"load", "full_load_rps", "trace_s"}
    try:
        given: dict[str, Any] = {name: _plain(name, value) for name, value in told.items() if name in own}
        return Setup(**given)
    except InputError as error:
        raise InputError(error.message, field=f"{field}.{error.field}" if error.field else field) from None
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError(f"is no setup of a simulation: {error}", field=field) from None


def service_words(told: Mapping[str, Any]) -> dict[str, str]:
    """Each part of a service in words, for any value, so that two can be compared part by part."""
    timeout = told["timeout_s"]
    by_time = "no time-out" if timeout == "none" else f"time-out {milliseconds(timeout or 0)} ms"
    return {
        "arrivals": _arrivals(told),
        "dispatch": str(told["dispatch"]),
        "timeout": _USUAL[0] if timeout is None else by_time,
        "dummies": "dummies sent" if told["dummies"] else "dummies not sent",
        "partial": f"partial machines {told['partial']}",
        "hold": "modules hold requests" if told["hold"] else _USUAL[1],
        "dropping": "hopeless requests dropped" if told["dropping"] == Dropping.HOPELESS else _USUAL[2],
        "noise": f"noise {full(told['noise'])}" if told["noise"] else _USUAL[3],
    }


def listed_words(words: Mapping[str, str]) -> str:
    """The parts of a service in one line, without the usual ones."""
    return ", ".join(word for word in words.values() if word not in _USUAL)


def _arrivals(told: Mapping[str, Any]) -> str:
    if told.get("clients"):
        return f"{counted(told['clients'], 'client')} who wait for their answers"
    kind = Arrivals(told["arrivals"])
    name = NAMES.get(kind, f"{kind} arrivals")
    if kind is Arrivals.GAMMA:
        return f"{name} (cv {full(told['cv'])})"
    if kind is Arrivals.ON_OFF:
        return f"{name} ({full(told['on_s'])} s on, {full(told['off_s'])} s off)"
    return name


def _plain(name: str, value: Any) -> Any:
    """A value of a file as the setup has it; its errors are those of Python."""
    if name in SWITCHES and not isinstance(value, bool):
        raise ValueError(f"{name} is {value!r}; give true or false")
    if name not in NUMBERS or value is None or (name == "timeout_s" and value == "none"):
        return float("inf") if value == "none" else value
    return int(value) if name == "seed" else float(value)
