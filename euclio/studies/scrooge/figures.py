"""Figures 10 and 11 of Scrooge, from our runs, and where the extra cost comes from."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from euclio.analysis.charts import bars, distribution, published_line
from euclio.analysis.statistics import mean, share
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.report import PALETTE
from euclio.report.drawings import drawn
from euclio.studies.scrooge.measures import (
    BRUTE_FORCE,
    FIVE_APPLICATIONS,
    GREEDY,
    MANY_TYPES,
    MILP,
    OPTIMUM,
    OWN_SESSIONS,
    drawn_as,
    on_types,
    ratio,
    wall,
)
from euclio.studies.sessions import application_of

NAMES = {MILP: "MILP", GREEDY: "greedy", BRUTE_FORCE: "brute force"}
TITLES = ("2 worker types", "2, sessions as in §4.2", f"{MANY_TYPES} worker types")
SHOWN_RATIO = 1.15
"""End of Figure 10's cost axis; the published one is cut as well."""


@drawn("figure-10", "Figure 10. How much more expensive than the optimum is Scrooge?", panels=3, height=4.4)
def figure_10(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
    """Distribution of cost over the optimum."""
    five, own = drawn_as(runs, FIVE_APPLICATIONS), drawn_as(runs, OWN_SESSIONS)
    panels = (
        {NAMES[name]: ratio(five, name) for name in (MILP, GREEDY)},
        {NAMES[name]: ratio(own, name) for name in (MILP, GREEDY)},
        {NAMES[name]: ratio(five, on_types(name), on_types(OPTIMUM)) for name in (MILP, GREEDY)},
    )
    for panel, title, series in zip(axes, TITLES, panels, strict=True):
        distribution(panel, series, "cost over the optimum")
        panel.set_xlim(1 - 0.02 * (SHOWN_RATIO - 1), SHOWN_RATIO)
        panel.set_title(title)
    for panel in axes[:2]:
        published_line(panel, 1.03, "paper: MILP at most", 0)
        published_line(panel, 1.05, "paper: greedy at most", 1)
        panel.plot([1.0], [85.0], marker="o", color=PALETTE[0])
        panel.plot([1.0], [80.0], marker="o", color=PALETTE[1])
    return (
        f"Distribution over all workloads, cut at {SHOWN_RATIO:g} (like the published one). Dots: published shares at "
        "the optimum, 85 and 80 %, with 2 VM types. Middle: sessions at the rates and the 400 ms of §4.2."
    )


@drawn("figure-11", "Figure 11. How long does an allocation decision take?", panels=2, height=4.6)
def figure_11(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
    """Distribution of the latency of allocation decisions."""
    five = drawn_as(runs, FIVE_APPLICATIONS)
    few = {NAMES[name]: 1000 * wall(five, name) for name in (MILP, GREEDY, BRUTE_FORCE)}
    many = {NAMES[name]: 1000 * wall(five, on_types(name)) for name in (MILP, GREEDY, BRUTE_FORCE)}
    for panel, title, series in ((axes[0], TITLES[0], few), (axes[1], TITLES[2], many)):
        distribution(panel, series, "latency of the decision (ms)", log=True)
        panel.set_title(title)
    published_line(axes[0], 100, "paper: MILP at most", 0)
    published_line(axes[0], 10_000, "paper: brute force over", 2)
    published_line(axes[1], 130, "paper: MILP at most", 0)
    return (
        "Distribution over all workloads, model building included; brute force with 30 types on a seeded sample. "
        "Dashed: published limits. The paper's brute force does not end with 30 types."
    )


@drawn("figure-applications", "On which applications does Scrooge's MILP miss the optimum?", panels=2, height=2.9)
def figure_applications(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
    """Shares at the optimum and mean extra cost per application."""
    runs = drawn_as(runs, FIVE_APPLICATIONS)
    application = application_of(runs)
    over = ratio(runs, MILP)
    groups = {str(name): over[application[over.index] == name] for name in sorted(application.unique())}

    shares = {name: share(values <= 1 + OPTIMALITY_TOLERANCE) for name, values in groups.items()}
    means = {name: mean(values - 1, 100.0) for name, values in groups.items()}
    bars(axes[0], shares, {}, "at the optimum (%)")
    bars(axes[1], means, {}, "mean extra cost (%)", digits=2)
    for panel, measured in zip(axes, (shares, means), strict=True):
        panel.set_xlim(0, 1.2 * max(max(m.value, m.high or 0.0) for m in measured.values()) + 1e-3)
    axes[1].set_yticklabels([])
    return "Two worker types; lines: 95 % intervals. Published: about 85 % at the optimum over all decisions."
