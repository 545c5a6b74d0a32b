"""The line of `euclio simulate` that plays out what a result states."""

from __future__ import annotations

import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.serving.setup import Arrivals, Setup

if TYPE_CHECKING:
    from euclio.core.family import Family
    from euclio.core.result import AnyResult

PARAMETERS = {"cv": (Arrivals.GAMMA, "--cv"), "on_s": (Arrivals.ON_OFF, "--on"), "off_s": (Arrivals.ON_OFF, "--off")}
"""Fields of setups that one process has, with the option of each."""


ASKED = "--attainment 0.99"
"""The option for a plan that holds."""


def shown_by(result: AnyResult, family: Family, instance: Path, out: Path | None, trace: Path | None) -> str | None:
    """The command that shows the statement of a result of an attainment; None without a statement.

    Args:
        result: a checked result.
        family: of its instance.
        instance: file of the instance.
        out: file of the result; None means no file, and the line has RESULT.
        trace: file of timestamps of the requests; None if there is none or its name is unknown.
    """
    from euclio.serving.attainment.served import setup_as_asked

    setup = setup_as_asked(result)
    if setup is None or result.plan is None:
        return None
    length = ["--seconds", f"{setup.seconds!r}", "--seed", str(setup.seed)]
    flags = [*arrival_flags(setup, trace), *length, *setup_flags(setup, family), *_own_policy(result)]
    return shlex.join(["euclio", "simulate", str(instance), str(out or "RESULT"), *flags])


def tried_by(result: AnyResult, instance: Path, out: Path | None) -> str:
    """The command that tries a plan for evenly spaced requests with Poisson arrivals; arguments as of `shown_by`."""
    flags = ["--arrivals", "poisson", *_own_policy(result)]
    return shlex.join(["euclio", "simulate", str(instance), str(out or "RESULT"), *flags])


def _own_policy(result: AnyResult) -> list[str]:
    """The option that names the user's own policy of a plan: a result only says it, and a command line has it run."""
    from euclio.core.references import HASH

    policy = getattr(result.space, "policy", None)
    return ["--policy", policy.name.partition(HASH)[0]] if policy is not None and policy.version else []


def arrival_flags(setup: Setup, trace: Path | None) -> list[str]:
    """The options that make the arrivals and the noise of a setup.

    Args:
        setup: the setup.
        trace: file of its timestamps, if it has any; None if its name is unknown.
    """
    if setup.arrivals is Arrivals.TRACE:
        found = ["--trace", str(trace or "TRACE")]
    else:
        found = ["--arrivals", setup.arrivals.value]
    for name, (process, flag) in PARAMETERS.items():
        if setup.arrivals is process:
            found += [flag, f"{getattr(setup, name)!r}"]
    return found + (["--noise", f"{setup.noise!r}"] if setup.noise else [])


def setup_flags(setup: Setup, family: Family) -> list[str]:
    """The options that make a family's own fields of a setup, where they are not the defaults."""
    found: list[str] = []
    defaults = type(setup)()
    for option in family.setup_options():
        value = getattr(setup, option.field)
        if value == getattr(defaults, option.field):
            continue
        if option.stands_alone:
            found += [option.flag] * (value == option.value)
        else:
            found += [option.flag, "none" if value == math.inf else str(value)]
    return found
