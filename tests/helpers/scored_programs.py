"""A small PRISM instance with its proven optimum, and the score of a program on it, for tests of the scorer."""

from __future__ import annotations

import json
from fractions import Fraction

from euclio.scoring.problems import Source, find_problem
from euclio.scoring.running import Limit
from euclio.scoring.scores import Case, score

PRISM = find_problem("prism")
DATA = {
    "gpus": 2,
    "gpu_memory_gb": 80,
    "models": [
        {"size_gb": 20, "rate": 4, "slo": 1},
        {"size_gb": 20, "rate": 3, "slo": 1},
        {"size_gb": 20, "rate": 2, "slo": 1},
        {"size_gb": 20, "rate": 1, "slo": 1},
    ],
}
"""Two models on each GPU: loads 4+1 and 3+2 leave 40 GB free, so the pressure is 5/40 on both."""
OPTIMUM, HALF_WAY, SEED = Fraction(5, 40), Fraction(6, 40), Fraction(7, 40)
"""The seed's value is made up as that of 4+3 on one GPU; 4+2 on one is half of the way to the optimum."""
BEST, MIDDLE, WORST = [0, 1, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]
CASE = Case(Source("small", json.dumps(DATA), lambda: OPTIMUM), SEED, OPTIMUM)
LIMIT = Limit(1, memory_mb=256)
HONEST = f"def solve(instance):\n    return {{'placement': {BEST}}}\n"
"""A program with the optimal plan."""


def scored(program, *cases, limit=LIMIT):
    """The results of a program, by default on the small instance."""
    return score(PRISM, cases or (CASE,), program, limit).scored


def placed(placement):
    """A program that returns a placement."""
    return f"def solve(instance):\n    return {{'placement': {placement!r}}}\n"
