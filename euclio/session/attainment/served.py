"""The simulation that shows what a result of an attainment states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, Protocol

from euclio.core.errors import InputError
from euclio.session.simulation.setup import Setup
from euclio.session.simulation.targets import own_dispatch
from euclio.session.space import PlanSpace

FREE = ("load", "seconds", "seed")
"""What a simulation may take as it likes, without serving otherwise than a plan was made for."""

NUMBERS = ("seconds", "seed", "noise", "timeout_s", "cv", "on_s", "off_s")


class Answered(Protocol):
    """A result as it is returned, or as it is read from a file."""

    @property
    def options(self) -> dict[str, Any]:
        """Plan space and options of the run."""

    @property
    def space(self) -> PlanSpace:
        """The plan space that the plan was made in."""


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
    if asked is None:
        return None
    own = {field.name for field in fields(Setup)} - {"load", "full_load_rps", "trace_s"}
    try:
        given: dict[str, Any] = {name: _plain(name, value) for name, value in asked.items() if name in own}
        return Setup(**given)
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError(f"is no setup of a simulation: {error}", field="options.attainment") from None


def same_service(result: Answered, setup: Setup) -> bool:
    """Whether a simulation serves as the attainment of a result counts on, at whatever load and for how long.

    A result that was not asked for an attainment counts on nothing.

    Raises:
        InputError: what the result states is no setup.
    """
    asked = setup_as_asked(result)
    return asked is None or _service(result, asked) == _service(result, setup)


def _plain(name: str, value: Any) -> Any:
    """A value of a file as the setup has it."""
    if name not in NUMBERS or value is None or (name == "timeout_s" and value == "none"):
        return float("inf") if value == "none" else value
    return int(value) if name == "seed" else float(value)


def _service(result: Answered, setup: Setup) -> dict[str, Any]:
    dispatch = setup.dispatch or own_dispatch(result.space.policy)
    described = replace(setup, dispatch=dispatch, trace_s=()).describe()
    return {key: value for key, value in described.items() if key not in FREE}
