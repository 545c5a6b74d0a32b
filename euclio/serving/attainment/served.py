"""The simulation that shows what a result of an attainment states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from euclio.core.errors import InputError
from euclio.problems.session.space import PlanSpace
from euclio.serving.session.service import service, setup_from
from euclio.serving.session.setup import Setup


class Answered(Protocol):
    """A result as it is returned, or as it is read from a file."""

    @property
    def options(self) -> dict[str, Any]:
        """Plan space and options of the run."""

    @property
    def space(self) -> PlanSpace:
        """The plan space that the plan was made in."""

    @property
    def plan(self) -> Any:
        """Its plan; None: it has none."""

    @property
    def planned_for(self) -> Mapping[str, Any]:
        """What the plan was made for (`euclio.serving.attainment.planned`)."""


def setup_of(result: Answered, trace_s: Sequence[float] = ()) -> Setup:
    """The setup under which a result of `solve_attaining` keeps the attainment that it states.

    Its seconds and its seed are those of the simulation that the statement was made from; the statement is about any
    seed, and about longer simulations. `simulate(session, result.plan, setup_of(result), result.space)` plays it out.

    Args:
        result: a result that was asked for an attainment, as it is returned or read from a file.
        trace_s: the timestamps in seconds that requests follow, if they do: results count them only.

    Raises:
        InputError: the result was not asked for an attainment, what it states is no setup, or the trace is missing or
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
    """The same without the timestamps of a trace; None: no attainment was asked for.

    Raises:
        InputError: what the result states is no setup.
    """
    asked = result.options.get("attainment")
    return None if asked is None else setup_from(asked, "options.attainment")


def same_service(result: Answered, setup: Setup) -> bool:
    """Whether a simulation serves as the attainment of a result counts on, at whatever load and for how long.

    A result that was not asked for an attainment counts on nothing.

    Raises:
        InputError: what the result states is no setup.
    """
    asked = setup_as_asked(result)
    return asked is None or service(asked, result.space) == service(setup, result.space)
