"""The figure of `docs/model/exact.md`: `python docs/tools/exact.py`.

Two modules in a row (`docs/model/two-modules.json`): what is known of their costs before the first round, and what they
cost at each budget. A test follows the method on them, round by round.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pasting import DOCS, FIGURES, draw_plain

from euclio import load
from euclio.problems.session import DummyRule, PlanSpace, Policy
from euclio.problems.session.arrays import session_arrays
from formulations.session.exact.frontier_search import first_modes
from formulations.session.module.charges import no_charges
from formulations.session.module.problem import no_stock
from formulations.session.split.frontiers import split_problem

SPACE = PlanSpace(Policy.MACHINE_RATE, DummyRule.NONE)
WINDOW_S = {"a": 0.25, "b": 0.2}
"""Seconds that the last relaxation gives each module; `test_exact_example.py` holds them."""
CHOSEN = {"a": (0.2, 2.0), "b": (0.2, 1.0)}
"""Latency in seconds and cost per hour of each module's plan in the optimum."""


def draw() -> Figure:
    """A panel per module: what it costs at each budget, what was known first, its window and its plan."""
    session = load(DOCS / "model" / "two-modules.json")
    arrays = session_arrays(session, SPACE)
    # With a longer objective, modules have all their modes that the axes show.
    problem = split_problem(replace(session, slo_s=Fraction(6, 10)), SPACE, math.inf)
    bounds = first_modes(arrays, no_stock(arrays), no_charges(arrays))
    figure = Figure(figsize=(9.6, 3.8), layout="constrained")
    for m, axes in enumerate(figure.subplots(1, 2, sharey=True)):
        name = problem.modules[m]
        known = [(float(mode.latency_s), float(mode.cost_per_h)) for mode in problem.modes[m]]
        first = [(float(bounds.latency[m, i]), float(bounds.cost[m, i])) for i in range(bounds.size[m])]
        steps(axes, first, color="#656b73", linestyle="--", label="bound before the first round")
        steps(axes, sorted(known), color="#2f6fb5", label="cheapest plans")
        axes.plot(*zip(*sorted(known), strict=True), "o", color="#2f6fb5")
        axes.axvline(WINDOW_S[name], color="#d9822b", zorder=0, label="window of the last relaxation")
        axes.plot(*CHOSEN[name], "o", markersize=12, fillstyle="none", color="#2e7d32", label="in the optimum")
        axes.set(title=f"module {name}", xlabel="latency budget (s)", xlim=(0, 0.55), ylim=(0, 3.4))
        axes.grid(color="#656b73", alpha=0.25, linewidth=0.6)
    figure.axes[0].set_ylabel("cost (money per hour)")
    figure.axes[0].legend(fontsize=8, frameon=False)
    return figure


def steps(axes: Axes, modes: list[tuple[float, float]], **style: str) -> None:
    """A cost that holds from each latency on to the next, and from the last one on."""
    latencies, costs = zip(*modes, strict=True)
    axes.step([*latencies, 0.55], [*costs, costs[-1]], where="post", **style)


if __name__ == "__main__":
    draw_plain(FIGURES / "exact.svg", draw)
