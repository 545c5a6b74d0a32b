"""The options that narrow a plan space, shared by the verbs that take one."""

from __future__ import annotations

import argparse
import difflib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from euclio.commands.arguments import count_or_any, names
from euclio.errors import InputError
from euclio.session.space import DummyRule, Policy

if TYPE_CHECKING:
    from euclio.registry import Solver
    from euclio.session import PlanSpace, Session


def add_plan_space(parser: argparse.ArgumentParser) -> None:
    """Add the options; what is not given is the solver's own."""
    parser.add_argument("--policy", choices=[p.value for p in Policy], help="dispatch policy")
    parser.add_argument("--dummy", choices=[d.value for d in DummyRule], help="dummy rule")
    parser.add_argument(
        "--max-allocations",
        type=count_or_any,
        default=argparse.SUPPRESS,
        metavar="N",
        help="most allocations per module, or any",
    )
    parser.add_argument("--hardware", type=names, metavar="A,B", help="allowed hardware; default: all of the instance")
    parser.add_argument("--no-batching", action="store_true", help="batch 1 only")
    parser.add_argument("--no-concurrency", action="store_true", help="concurrency 1 only")


def plan_space(arguments: argparse.Namespace, solver: Solver, session: Session) -> PlanSpace:
    """The solver's plan space on an instance, with the options that were given.

    Raises:
        InputError: hardware that the instance does not have.
    """
    changes: dict[str, Any] = {}
    if arguments.policy is not None:
        changes["policy"] = Policy(arguments.policy)
    if arguments.dummy is not None:
        changes["dummy"] = DummyRule(arguments.dummy)
    if "max_allocations" in arguments:
        changes["max_allocations"] = arguments.max_allocations
    if arguments.hardware is not None:
        for name in arguments.hardware:
            if name not in session.price:
                raise _unknown_hardware(name, list(session.price), arguments.file)
        changes["hardware"] = arguments.hardware
    if arguments.no_batching:
        changes["batching"] = False
    if arguments.no_concurrency:
        changes["concurrency"] = False
    return solver.space_on(session, replace(solver.space, **changes))


def _unknown_hardware(name: str, known: list[str], file: str) -> InputError:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
    return InputError(f"unknown hardware {name!r}; {hint}", file=file, field="--hardware")
