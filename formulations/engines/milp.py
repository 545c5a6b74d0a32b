"""Linear models in PuLP: runs that confirm "infeasible", relaxations, and LP files."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.core.errors import InputError
from euclio.core.result import Status
from formulations.engines.interface import EngineLimits, LinearOutcome, LinearValues, Outcome
from formulations.engines.registry import LinearEngine

if TYPE_CHECKING:
    from pulp import LpProblem

UNCONFIRMED = "the time limit was hit before a second run could confirm that there is no solution"


def run_twice(
    model: LpProblem, engine: LinearEngine, limits: EngineLimits, start: LinearValues | None = None
) -> LinearOutcome:
    """Like `Engine.run`, but "infeasible" only if the engine answers so without and with its presolve.

    HiGHS 1.13.1 and CBC both call models infeasible that have points which keep every row to the last digit, even with
    coefficients of similar size. This happens with presolve or without. If the two runs disagree, the solution counts,
    since it can be checked. Both runs share the time limit.
    """
    began_s = time.perf_counter()
    first = engine.run(model, replace(limits, presolve=False), start)
    if first.status is not Status.INFEASIBLE:
        return first
    left_s = None if limits.time_limit_s is None else limits.time_limit_s - (time.perf_counter() - began_s)
    if left_s is not None and left_s <= 0:
        return Outcome(Status.UNKNOWN, UNCONFIRMED, nodes=first.nodes)
    second = engine.run(model, replace(limits, time_limit_s=left_s, presolve=True, plain=True), start)
    return replace(second, nodes=first.nodes + second.nodes)


def solve_relaxation(model: LpProblem, engine: LinearEngine, limits: EngineLimits) -> LinearOutcome:
    """Solve the linear relaxation of a model; its objective is the bound, and there are reduced costs."""
    return engine.run(model, replace(limits, relaxed=True))


LONGEST_NAME = 40
"""Most characters of a name. LP files allow 100, and a name there consists of two names or more."""


def readable(names: Sequence[str]) -> list[str]:
    """The names for LP files: short, all different, of ASCII letters, digits and underscores only.

    Composed names are input too, since `a_b` and `c` make the same name as `a` and `b_c`.
    """
    found: dict[str, None] = {}
    for name in names:
        plain = re.sub(r"[^0-9A-Za-z_]", "_", name)[:LONGEST_NAME]
        unique, number = plain, 1
        while unique in found:
            number += 1
            unique = f"{plain}_{number}"
        found[unique] = None
    return list(found)


def export_lp(model: LpProblem, file: Path) -> None:
    """Write a model in LP format, with its own names.

    Raises:
        InputError: the file cannot be written.
    """
    try:
        model.writeLP(str(file))
    except OSError as error:
        raise InputError(
            f"cannot be written ({error.strerror}); name a file in a folder that exists", field="--export-lp"
        ) from None
