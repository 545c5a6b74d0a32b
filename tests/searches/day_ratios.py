"""`python -m tests.searches.day_ratios COUNT [SEED]`: cost over optimum of day-exact on drawn days of several modules.

Once as it is, once as if the days were too large for vectors of all modules together.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import count, islice

from euclio.core.solving import solve
from tests.drawn.days import nasty_day
from tests.drawn.reference_days import ends, least_cost

from .search_days import CELLS, LIMIT_S, searched

BEYOND = (1e-9, 0.001, 0.01, 0.1, 0.3)
"""Shares over the optimum for which days are counted."""


def main(number: int, seed: int) -> None:
    """Print how many days are so much above the optimum, and the largest ratio."""
    found = list(islice(_ratios(seed), number))
    for name, column in zip(("as it is", "as if large"), zip(*found, strict=True), strict=True):
        above = ", ".join(f"over {share:g}: {sum(own > 1 + share for own in column)}" for share in BEYOND)
        print(f"{name}: {len(column)} days; {above}; largest {max(column):.6g}")


def _ratios(seed: int) -> Iterator[tuple[float, float]]:
    for own in count(seed):
        day = nasty_day(own)
        most = ends(day, CELLS)
        least = None if most is None or len(day.session.modules) < 2 else least_cost(day, most)
        if least:
            results = (solve(day, "day-exact", time_limit_s=LIMIT_S), searched(day))
            yield float(results[0].value / least), float(results[1].value / least)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
