"""The simulation that reproduces the statement of a result with an attainment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from euclio.core.errors import InputError
from euclio.core.result import AnyResult, WrittenResult
from euclio.core.words import full
from euclio.serving.attainment.demand import ModuleObjective, objectives_from
from euclio.serving.session.service import (
    ALL_IN_TIME,
    DEPLOYED,
    even_service,
    listed_words,
    service,
    service_words,
    setup_from,
)
from euclio.serving.session.setup import Setup
from euclio.serving.setup import Arrivals

Answered = AnyResult | WrittenResult
"""A result as it is returned, or as it is read from a file."""


def setup_of(result: Answered, trace_s: Sequence[float] = ()) -> Setup:
    """The setup under which a result of `solve_attaining` keeps the attainment that it states.

    Its seconds and its seed are those of the simulation behind the statement, which covers any seed and longer
    simulations. `simulate(session, result.plan, setup_of(result), result.space)` repeats it.

    Args:
        result: a result that was asked for an attainment, as it is returned or read from a file.
        trace_s: the timestamps in seconds that requests follow, if they do: results count them only.

    Raises:
        InputError: the result was not asked for an attainment, its statement is no setup, or the trace is missing or
            has another number of timestamps.
    """
    setup = setup_as_asked(result)
    if setup is None:
        raise InputError("is not stated: the plan was not asked for an attainment", field="options.attainment")
    told = result.options["attainment"].get("timestamps", 0)
    if told != len(trace_s):
        raise InputError(f"are {told}, not {len(trace_s)}; give the trace", field="options.attainment.timestamps")
    return replace(setup, trace_s=tuple(trace_s))


def setup_as_asked(result: Answered) -> Setup | None:
    """The same without the timestamps of a trace; None if no attainment was asked for.

    Raises:
        InputError: the result's statement is no setup.
    """
    asked = result.options.get("attainment")
    return None if asked is None else setup_from(asked, "options.attainment")


def same_service(result: Answered, setup: Setup) -> bool:
    """Whether a simulation serves as the attainment of a result assumes, at any load and for any length.

    A result without an attainment assumes nothing.

    Raises:
        InputError: the result's statement is no setup.
    """
    asked = setup_as_asked(result)
    return asked is None or service(asked, result.space) == service(setup, result.space)


# The service that the plan of a result was made for, which is the default of simulations (ours).  Every result of a
# session states it (`Result.planned_for`). A plan without an attainment is made for evenly spaced requests, all of them
# in time, served by the dispatcher of its policy.

MOST_LISTED = 8
"""Objectives of modules that a line names."""
ARRIVALS = ("arrivals", "cv", "on_s", "off_s")
"""Fields of setups that say how requests come."""


def planned_setup(result: Answered) -> Setup:
    """The setup that a result's plan was made for.

    Its load has no meaning. Seconds and seed are those of an attainment's judgement, otherwise they have no meaning
    either. Older results, which do not state the setup, were made for the attainment in their options, otherwise for
    evenly spaced requests.

    Raises:
        InputError: the result's statement is no setup, or its options state another one.
    """
    asked = setup_as_asked(result)
    stated = setup_from(result.planned_for or even_service(result.space), "planned_for")
    if asked is None:
        return stated
    if result.planned_for and service(asked, result.space) != service(stated, result.space):
        raise InputError(
            "is another setup than options.attainment; give the result as it was written", field="planned_for"
        )
    return asked


def planned_modules(result: Answered) -> tuple[ModuleObjective, ...]:
    """The objectives of single modules that a result's plan was made for.

    Results of earlier versions have them among their options alone.

    Raises:
        InputError: the result's statement has no objectives, or its options state others.
    """
    asked = objectives_from(result.options.get("attainment") or {}, "options.attainment")
    if "modules" in result.planned_for and objectives_from(result.planned_for, "planned_for") != asked:
        raise InputError(
            "are others than those of options.attainment; give the result as it was written",
            field="planned_for.modules",
        )
    return asked


def planned_service(result: Answered) -> dict[str, Any]:
    """The service that a result's plan was made for, as results state it; for older ones, as their options imply it.

    Raises:
        InputError: as `planned_setup`.
    """
    setup = planned_setup(result)
    if setup_as_asked(result) is None:
        return {"attainment": result.planned_for.get("attainment", ALL_IN_TIME), **service(setup, result.space)}
    objectives = planned_modules(result)
    modules = {"modules": [own.describe() for own in objectives]} if objectives else {}
    return {"attainment": result.options["attainment"].get("target"), **modules, **service(setup, result.space)}


def planned_fields(result: Answered) -> dict[str, Any]:
    """The fields of a simulation's setup that are as planned by default.

    A plan for evenly spaced requests is tried with random ones, served as it is deployed (`DEPLOYED`), so that its
    arrivals are not among these fields. Neither are arrivals of a trace, which a result does not hold. Seconds and seed
    are those of the simulation that judged an attainment.

    Raises:
        InputError: as `planned_setup`.
    """
    setup = planned_setup(result)
    left_out = {"load", "full_load_rps", "trace_s", "clients"}
    if setup.arrivals in (Arrivals.UNIFORM, Arrivals.TRACE):
        left_out |= set(ARRIVALS)
    if setup_as_asked(result) is None:
        left_out |= {"seconds", "seed"}
        setup = replace(setup, **DEPLOYED)
    return {name: getattr(setup, name) for name in (field.name for field in fields(Setup)) if name not in left_out}


def as_planned(result: Answered, setup: Setup) -> str:
    """One line on whether a simulation serves as a result was planned for, at any load and for any length.

    Raises:
        InputError: as `planned_setup`.
    """
    planned = service_words(service(planned_setup(result), result.space))
    served = service_words(service(setup, result.space))
    same = {"dummies"} if result.plan is not None and not any(own.dummy_rps for own in result.plan.modules) else set()
    differing = [words for name, words in served.items() if words != planned[name] and name not in same]
    objectives = planned_modules(result)
    modules = f"; planned for {_modules_in_words(objectives)}" if objectives else ""
    if not differing:
        return f"served as planned: {listed_words(planned)}{modules}"
    return f"served as planned ({listed_words(planned)}) but for: {', '.join(differing)}{modules}"


def _modules_in_words(objectives: Sequence[ModuleObjective]) -> str:
    more = f" and {len(objectives) - MOST_LISTED} more" if len(objectives) > MOST_LISTED else ""
    return ", ".join(own.in_words() for own in objectives[:MOST_LISTED]) + more


def planned_words(planned_for: Mapping[str, Any]) -> str:
    """The service that a result was planned for, in a few words.

    Args:
        planned_for: as it stands in the result.

    Raises:
        InputError: it is no such record.
    """
    setup = setup_from(planned_for, "planned_for")
    try:
        target = float(planned_for["attainment"])
    except (KeyError, TypeError, ValueError):
        raise InputError("is missing or no number; give a share", field="planned_for.attainment") from None
    if setup.dispatch is None:
        raise InputError("is missing; give the router", field="planned_for.dispatch")
    share = "all" if target >= ALL_IN_TIME else f"{full(100 * target, digits=6)} %"
    objectives = objectives_from(planned_for, "planned_for")
    modules = f", {_modules_in_words(objectives)}," if objectives else ""
    return f"{share} in time{modules} under {listed_words(service_words(setup.describe()))}"
