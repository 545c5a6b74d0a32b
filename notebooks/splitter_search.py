"""A random local search over the constants of Harpagon's splitter in plain Python (notebook 13)."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from euclio import solve
from euclio.core.families import find_family
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
        score: its mean share of the way from the initial program to the optimum on the training instances.
        kept: whether it became the incumbent.
    """

    constants: Constants
    score: Fraction
    kept: bool


CHEAPEST = """

def cheapest(instance):
    \"\"\"The cheapest of the plans with each of these constants.\"\"\"
    global SAVED, LONGER, SPREAD
    price = {h["name"]: h["price_per_h"] for h in instance["hardware"]}

    def cost(plan):
        rows = [a for m in plan["modules"] for a in m["allocations"]]
        return sum(price[a["hardware"]] * (a["machines"] + a["partial_rps"] / throughput(a)) for a in rows)

    plans = []
    for SAVED, LONGER, SPREAD in CONSTANTS:
        plans.append(split(instance))
    return min(plans, key=cost)


split, solve = solve, cheapest
"""


def with_constants(program: str, *constants: Constants) -> str:
    """The program with other constants; with several of them it returns the cheapest of their plans."""
    return program + CHEAPEST.replace("CONSTANTS", repr(constants))


def solver(program: str) -> Callable[[dict[str, Any]], object]:
    """The function of a program of our own, which needs no confinement."""
    names: dict[str, Any] = {}
    exec(program, names)
    found: Callable[[dict[str, Any]], object] = names["solve"]
    return found


def values(problem: Problem, cases: tuple[Case, ...], program: str) -> list[Fraction | None]:
    """The checked value of a program's plan on each instance; None if the checker refuses the plan."""
    own = solver(program)
    plans = (parse_json(json.dumps(own(case.source.data))) for case in cases)
    return [problem.price(case.source.text, plan).value for case, plan in zip(cases, plans, strict=True)]


def solver_values(cases: tuple[Case, ...], name: str) -> list[Fraction | None]:
    """The checked value of a solver's plan on each instance of sessions."""
    sessions = (find_family("session").read(parse_json(case.source.text), None) for case in cases)
    return [solve(session, name).value for session in sessions]


def mean_gap(cases: tuple[Case, ...], found: list[Fraction | None]) -> float:
    """The mean relative distance to the proven optimum, over the instances with an accepted plan."""
    gaps = [abs(value / case.optimum - 1) for case, value in zip(cases, found, strict=True) if value is not None]
    return float(sum(gaps, Fraction(0)) / len(gaps))


def mean_share(problem: Problem, cases: tuple[Case, ...], program: str) -> Fraction:
    """The score of a program, as the evaluator defines it."""
    found = zip(cases, values(problem, cases, program), strict=True)
    return sum((share_of(case, value) for case, value in found if value is not None), Fraction(0)) / len(cases)


def search(problem: Problem, cases: tuple[Case, ...], evaluations: int, seed: int) -> list[Tried]:
    """Change one constant of the incumbent at random, again and again, and keep the change if the score does not fall.

    A plan worse than the initial program's counts 0. So this is the score of the program that takes the cheaper of both
    plans.

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
