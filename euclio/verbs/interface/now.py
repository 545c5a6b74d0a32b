"""Machines that run already, as verbs take them: a solver whose one plan is theirs (docs/howto/now.md)."""

from __future__ import annotations

import argparse
import re
from typing import Any

from euclio.core.errors import InputError
from euclio.core.families import find_family
from euclio.core.family import Family
from euclio.core.parameters import Parameter
from euclio.core.result import Answer
from euclio.core.solver import AnySolver, Solver
from euclio.core.values import count, named, one_or_named
from euclio.verbs.interface.family_keywords import SERVED

NOW = "now"
"""Name of the solver."""
BATCH = "--batch"
_SIZE = re.compile(r"(\d+)(?:x(\d+))?")


def batch_size(given: Any) -> tuple[int, int | None]:
    """Requests of a batch, and batches at a time: 8, or ``8x2``.

    Raises:
        argparse.ArgumentTypeError: no such text.
    """
    parts = (part for part in given if part is not None) if isinstance(given, tuple) else (given,)
    found = _SIZE.fullmatch("x".join(str(part).strip() for part in parts))
    if found is None:
        raise argparse.ArgumentTypeError(f"{given!r} must be a batch, such as 8, or 8x2 for two of them at a time")
    return count(found[1]), None if found[2] is None else count(found[2])


def running(flag: str) -> tuple[Parameter, ...]:
    """The options that state the machines which run already, and their batch."""
    return (
        Parameter(flag, parse=named(count), metavar="MODULE:TYPE=N,..."),
        Parameter(BATCH, parse=one_or_named(batch_size), metavar="B|MODULE=B,..."),
    )


def now(family: Family, instance: Any, machines: Any, batch: Any, flag: str) -> AnySolver | None:
    """The solver whose plan is the machines that run already; None where none are stated.

    Args:
        family: family of the instance.
        instance: the instance.
        machines: number of machines by place; None: none are stated.
        batch: their batch, as the family's `deployed` takes it.
        flag: the option that states the machines.

    Raises:
        InputError: the machines do not fit the instance, or the family has no such plans.
    """
    if machines is None:
        if batch is not None:
            raise InputError(f"is that of the machines of {flag}; add these, or leave it out", field=BATCH)
        return None
    make = family.deployed
    if make is None:
        raise InputError(
            f"states machines of {find_family(SERVED).instances}, and this is one of {family.instances}; leave it out",
            field=flag,
        )

    def run(instance: Any, space: Any, limits: Any) -> Answer[Any]:
        try:
            return Answer(make(instance, machines, batch, flag)[0], NOW)
        except InputError as error:  # of an instance with margins, which the machines need not serve
            return Answer(None, "no plan", reason=error.message)

    _, space = make(instance, machines, batch, flag)
    covers = frozenset(demand.name for demand in family.demands)
    return Solver(NOW, "heuristic", "the machines that run", run, space, family=family.name, covers=covers)
