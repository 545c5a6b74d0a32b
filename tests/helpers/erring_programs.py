"""Small programs that released engines answered wrongly, their neighbours, and the right values in fractions.

They are printed in the reports ERGO-Code/HiGHS #3273, #3094, #3043, #3073, #3002, #2432 and #2585 (MIT licence).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from tests.helpers.exact_milp import Program, minimum

Number = Fraction | None
FACTORS = [Fraction(k, 20) for k in range(15, 26)]
"""What a neighbour's coefficients are multiplied by."""


@dataclass(frozen=True)
class Tiny:
    """A program to be minimised.

    Attributes:
        cost: of each variable.
        bounds: least and largest value of each variable; None: none.
        whole: whether each variable is whole.
        rows: coefficients, sense ("<=", ">=" or "==") and right-hand side.
    """

    cost: tuple[Fraction, ...]
    bounds: tuple[tuple[Number, Number], ...]
    whole: tuple[bool, ...]
    rows: tuple[tuple[tuple[Fraction, ...], str, Fraction], ...]

    def optimum(self) -> Fraction | float | None:
        """The least cost by branch and bound in fractions; None: no point is feasible."""
        one = Fraction(1)
        rows = [({"<": "L", ">": "G", "=": "E"}[sense[0]], right, _terms(row)) for row, sense, right in self.rows]
        for j, (low, high) in enumerate(self.bounds):
            rows += [(sense, end, {j: one}) for sense, end in (("G", low), ("L", high)) if end is not None]
        whole = frozenset(j for j, each in enumerate(self.whole) if each)
        return minimum(Program(len(self.cost), whole, _terms(self.cost), tuple(rows)))

    def counted(self) -> Tiny:
        """The program of which all variables are whole, between bounds that CP-SAT's sums have room for."""
        far = Fraction(1000)
        bounds = tuple((-far if low is None else low, far if high is None else high) for low, high in self.bounds)
        return replace(self, whole=(True,) * len(self.cost), bounds=bounds)

    def neighbour(self, draw: Random) -> Tiny:
        """The program with other coefficients and right-hand sides that have the same signs; bounds are kept."""
        rows = tuple(
            (tuple(a * draw.choice(FACTORS) for a in row), sense, right * draw.choice(FACTORS))
            for row, sense, right in self.rows
        )
        return replace(self, cost=tuple(a * draw.choice(FACTORS) for a in self.cost), rows=rows)


def _terms(numbers: tuple[Fraction, ...]) -> dict[int, Fraction]:
    return {j: a for j, a in enumerate(numbers) if a}


def _tiny(cost: str, bounds: str, whole: str, *rows: str) -> Tiny:
    """A program of its numbers in words; bounds as "low:high", whole variables by a 1."""
    ends = [[Fraction(end) if end else None for end in each.split(":")] for each in bounds.split()]
    cut = [row.split() for row in rows]
    read = tuple((tuple(map(Fraction, left)), sense, Fraction(right)) for *left, sense, right in cut)
    prices = tuple(map(Fraction, cost.split()))
    return Tiny(prices, tuple((low, high) for low, high in ends), tuple(c == "1" for c in whole), read)


ERRING = {
    # max x1 + x2: x0 = 1, x1 = 1, x2 = 11; 11 by HiGHS 1.13 to 1.15 without presolve.
    "3273": (
        _tiny("-1 -1 0 0", "0: 0: :1 0:1", "0001", "-1 0 1 0 >= 0", "0 -1 0 1000 >= 0", "0 1 0 1 <= 12"),
        Fraction(-12),
    ),
    # Which of two gets the machine: 10000 by HiGHS 1.14.
    "3094": (
        _tiny(
            "10 8 0 0 0 0",
            "0:1000 0:1000 0:1000 0:1000 0:1 0:1",
            "000011",
            *("0 0 1 0 -1000 0 <= 0", "0 0 0 1 0 -1000 <= 0", "1 0 1 0 0 0 == 1000", "0 1 0 1 0 0 == 1000"),
            "0 0 0 0 1 1 <= 1",
        ),
        Fraction(8000),
    ),
    # x = 4.5: 15 by HiGHS 1.14.
    "3043": (_tiny("2 3", "0:10 0:10", "01", "1 1 >= 4.5"), Fraction(9)),
    # gap, t, x; x = 3: 200.01 by HiGHS 1.14.
    "3073": (
        _tiny(
            "100 0.01 0",
            "0: : 0:",
            "001",
            *("1 0 1 == 3", "0 -1 1 <= 0", "0 -1 -1 <= 0", "0 0 1 <= 3", "0 0 -1 <= -0.45"),
        ),
        Fraction("0.03"),
    ),
    # z = 7, y = -0.5, x = 3: 76 by HiGHS 1.14 through PuLP.
    "3002": (
        _tiny("1 4 9", "0:4 -1:1 0:", "001", "1 1 0 <= 5", "1 0 1 >= 10", "0 -1 1 == 7.5"),
        Fraction(64),
    ),
    # v0 = 4, v2 = -74: "infeasible" by HiGHS 1.11.
    "2432": (
        _tiny(
            "-93 25 17",
            "-100:120 -100:10 -100:0",
            "101",
            *("-89 -40.7 -12 >= 3994.5", "-0.1 77.2 -23.7 >= -4878.3", "-8.6 -6.5 72.78 >= -4930"),
        ),
        Fraction(-2916285, 772),
    ),
    # c = 0, d = 4: "infeasible" by HiGHS 1.11.
    "2585": (
        _tiny(
            "-24 5 7.4 9",
            "-100:100 -100:100 -100:100 -100:100",
            "0011",
            *("96.55 0 -32.45 88.78 <= 1216.06", "-3.14 -78.02 0 0 <= -50.5404", "0 11.8 -21.94 0 <= 3.422"),
            *("0 0 91.59 -10.58 <= -35.25", "79.17 1.73 0 -73.23 <= 411.403", "-10.61 -94.66 0 76.88 <= 195.69"),
        ),
        Fraction("-175.91"),
    ),
}
"""The programs by number, with their optimum."""
