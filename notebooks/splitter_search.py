"""A random local search over the constants of Harpagon's splitter in plain Python (notebook 13)."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from euclio.files.json_reading import parse_json
from euclio.scoring.problems import Problem
from euclio.scoring.scores import Case, share_of

Constants = tuple[float, float, float]
"""Exponents of the cost that a move saves, of the latency that it adds, and of the modules on the longest chain."""
START: Constants = (1.0, 1.0, 0.0)
STEP = 0.25


class Tried(NamedTuple):
    """A program that was tried.

    Attributes:
        constants: its constants.
        score: its mean share of the way from Harpagon to the optimum on the training instances.
        kept: whether it became the incumbent.
    """

    constants: Constants
    score: Fraction
    kept: bool


def with_constants(program: str, constants: Constants) -> str:
    """The program with other constants."""
    saved, longer, spread = constants
    text = re.sub(r"^SAVED, LONGER = \S+ \S+", f"SAVED, LONGER = {saved}, {longer}", program, flags=re.MULTILINE)
    return re.sub(r"^SPREAD = \S+", f"SPREAD = {spread}", text, flags=re.MULTILINE)


def solver(program: str) -> Callable[[dict[str, Any]], object]:
    """The function of a program of our own, run here: nobody has to be kept from anything."""
    names: dict[str, Any] = {}
    exec(program, names)
    found: Callable[[dict[str, Any]], object] = names["solve"]
    return found


def values(problem: Problem, cases: tuple[Case, ...], program: str) -> list[Fraction | None]:
    """The checked value of a program's plan on each instance; None if the checker refuses the plan."""
    solve = solver(program)
    plans = (parse_json(json.dumps(solve(case.source.data))) for case in cases)
    return [problem.price(case.source.text, plan).value for case, plan in zip(cases, plans, strict=True)]


def mean_share(problem: Problem, cases: tuple[Case, ...], program: str) -> Fraction:
    """The score of a program, as the evaluator defines it."""
    found = zip(cases, values(problem, cases, program), strict=True)
    return sum((share_of(case, value) for case, value in found if value is not None), Fraction(0)) / len(cases)


def search(problem: Problem, cases: tuple[Case, ...], evaluations: int, seed: int) -> list[Tried]:
    """Change one constant of the incumbent at random, again and again, and keep the change if the score does not fall.

    Args:
        problem: the problem `splitting`.
        cases: the training instances.
        evaluations: number of programs that are tried.
        seed: seed of the changes.
    """
    draw, program = random.Random(seed), problem.program()
    known = {START: Fraction(0)}
    best, tried = START, [Tried(START, Fraction(0), True)]
    while len(tried) < evaluations:
        changed = list(best)
        changed[draw.randrange(3)] += STEP * draw.choice((-4, -2, -1, 1, 2, 4))
        constants = (changed[0], changed[1], changed[2])
        if constants not in known:
            known[constants] = mean_share(problem, cases, with_constants(program, constants))
        kept = known[constants] >= known[best]
        best = constants if kept else best
        tried.append(Tried(constants, known[constants], kept))
    return tried
