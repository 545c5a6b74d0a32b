"""`euclio evaluator`: write a folder that scores users' programs against proven optima."""

from __future__ import annotations

import math
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Literal

from euclio.core.errors import InputError
from euclio.core.numbers import Number
from euclio.core.parameters import NEEDED, Parameter
from euclio.core.values import count
from euclio.scoring.folder import CALL_S, FRAMEWORKS, INSTANCES, Evaluator, write
from euclio.scoring.problems import NAMES, find_problem
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import SOLVED
from euclio.verbs.interface.shared_parameters import SEED, TIME_LIMIT, out_of
from euclio.verbs.interface.verb import as_read, verb


@verb(
    Parameter("--to", choices=tuple(FRAMEWORKS), details=NEEDED),
    Parameter("--instances", parse=count, metavar="N"),
    SEED,
    TIME_LIMIT,
)
def evaluator(
    name: str,
    out: str | Path,
    *,
    to: Literal["openevolve", "skydiscover", "harbor", "plain"],
    instances: Number | None = None,
    seed: Number | None = None,
    time_limit: Number | None = None,
) -> Evaluator:
    """Write a folder that scores programs against proven optima, as `euclio evaluator` does.

    A program defines `solve(instance)`, from plain data to plain data. It runs confined in a process of its own, and
    the checker prices its plan. The score is the mean share of the way from the initial program's value to the optimum.

    Args:
        name: the problem: "splitting", "whole", "pipelines", "fleets" or "prism".
        out: the folder, a new or an empty one.
        to: the framework whose layout the folder has; "plain" has `evaluate.py` alone.
        instances: most instances, at least 2, half of them to train on and half held out; None means 40.
        seed: seed of the choice of instances; None means 0.
        time_limit: processor time of a call in seconds, rounded up to whole ones; None means 5.

    Returns:
        The evaluator: `score(program)` scores the program in a file, with `test=True` on the held-out instances.

    Raises:
        InputError: an unknown problem or framework, a folder that has files or cannot be written to, or a system that
            cannot confine programs.
    """
    if as_read(instances) == 1:
        raise InputError("is 1; give at least 2, since half of them are held out", field="--instances")
    seconds = math.ceil(as_read(time_limit) or CALL_S)
    return write(find_problem(name), to, Path(out), as_read(instances) or INSTANCES, as_read(seed) or 0, seconds)


def _problems() -> str:
    """The problems with a line each."""
    return "\n".join(["problems:", *(f"  {name:<21} {find_problem(name).summary}" for name in NAMES)])


@command(
    evaluator,
    Parameter("name", help="a problem; they are listed below", metavar="NAME"),
    replace(out_of("the folder, a new or an empty one", "DIR"), details=NEEDED),
    about="Write a folder in which a framework for program search, or `python evaluate.py FILE`, scores programs "
    "against proven optima.",
    page="howto/evaluator.md",
    exits="0 written",
    examples=("euclio evaluator splitting --to plain --out splitting",),
    ending=_problems,
)
def print_evaluator(arguments: Namespace) -> int:
    """Write, print the folder."""
    evaluator(arguments.name, arguments.out, **arguments.keywords)
    print(arguments.out)
    return SOLVED
