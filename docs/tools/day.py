"""Draws the figure of `docs/model/load-over-time.md` and prints its table: `python docs/tools/day.py`.

The planner's example of `docs/tools/whole.py`, six models in a DAG on four kinds of machines, under a load with two
peaks and noise, every five minutes of a day. It writes `docs/figures/day.svg`; the same code gives the same bytes.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction

from pasting import FIGURES
from whole import planner

from euclio.core.registry import solvers_of
from euclio.core.solving import solve
from euclio.core.words import figures, percent
from euclio.problems.day import Day, Step
from euclio.problems.day.evaluate import DayEvaluation
from euclio.problems.day.figures import figures_of
from euclio.questions.day_figure import draw_day
from euclio.questions.day_rules import DayComparison, compare_day
from euclio.report.figure_files import save_figure

RATE_RPS, SLO_S = 600, "0.3"
STEPS, LENGTH_S = 288, 300
WARM_UP_S, KEEP_ALIVE_S, PRICE_PER_CHANGE = 120, 300, "0.01"
NOISE = 0.12
"""Each module has up to this share more or less in a step."""
DRAWN = ("day-exact", "day-thresholds", "day-per-step")


def example() -> Day:
    """The day of the figure."""
    session, draw = planner(RATE_RPS, SLO_S), random.Random(1)
    steps = []
    for k in range(STEPS):
        hour = 24 * k / STEPS
        level = 0.15 + 0.6 * math.exp(-(((hour - 11) / 3.5) ** 2)) + 0.75 * math.exp(-(((hour - 19.5) / 2.2) ** 2))
        factors = [Fraction(round(1000 * level * (1 + draw.uniform(-NOISE, NOISE))), 1000) for _ in session.modules]
        rates = [module.rate_rps * factor for module, factor in zip(session.modules, factors, strict=True)]
        steps.append(Step(LENGTH_S, rates))
    return Day("six models", session, steps, WARM_UP_S, KEEP_ALIVE_S, PRICE_PER_CHANGE)


def table(found: DayComparison) -> None:
    """Print a row per solver."""
    print("| solver | cost | over the bound | starts | peak | mean | machine-hours |")
    print("|---|---|---|---|---|---|---|")
    for result in found.results:
        evaluation: DayEvaluation | None = result.evaluation
        regret = found.regret(result)
        if evaluation is not None and regret is not None:
            own = figures_of(found.day, evaluation)
            numbers = (own.peak_machines, f"{float(own.mean_machines):.2f}", figures(own.machine_hours))
            first = (f"{float(result.value):.2f}", percent(regret, 1), own.starts)
            print("|", " | ".join(map(str, (f"`{result.solver}`", *first, *numbers))), "|")
    print(f"\nbound: {found.bound}")


def main() -> None:
    """Solve, print and draw."""
    found = compare_day(example(), solvers_of("day"), solve, lambda: None)
    table(found)
    save_figure(draw_day(found, DRAWN), FIGURES / "day.svg")


if __name__ == "__main__":
    main()
