"""The figures of one goal (family and objective), each with the sentence that says how to read it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from euclio.report import Figure, figure_style, svg_text
from euclio.report.analysis.gap_figures import gap_ecdf, performance_profile
from euclio.report.analysis.growth import growth_figure
from euclio.report.analysis.pairs import paired_figure, pairwise_figure
from euclio.report.analysis.proofs import cactus, proven_figure
from euclio.report.analysis.trace_figures import convergence_figure, trace_figure
from euclio.report.drawn_data import drawn_data

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


class Kind(NamedTuple):
    """A figure of the report.

    Attributes:
        key: its name in the page.
        draw: draws it from the runs of one goal.
        caption: how to read it.
    """

    key: str
    draw: Callable[[pd.DataFrame], Drawing]
    caption: str


GAPS = Kind(
    "gaps",
    gap_ecdf,
    "Higher and further left is better. Each curve is a solver: the share of its runs whose gap is at most that on the "
    "axis. Where it ends below 100 %, runs have no plan.",
)
OWN_GAPS = Kind(
    "own-gaps",
    lambda runs: gap_ecdf(runs, "space"),
    "Higher and further left is better. The same against the best plan of the solver's own plan space: what its rule "
    "loses, without what its design gives up.",
)
VALUES = Kind(
    "values",
    performance_profile,
    "Higher is better. At 1: the share of instances on which the solver has the best plan; to the right: within that "
    "factor of it.",
)
PROVEN = Kind(
    "proven",
    proven_figure,
    "A proof is a bound that the solver gave within 1e-9 of the checked value (1e-6 under dummy rule continuous), in "
    "the plan space of its run.",
)
CACTUS = Kind("cactus", cactus, "Further right: more instances proven; lower: sooner.")
PROOF_TIMES = Kind(
    "proof-times",
    lambda runs: performance_profile(runs, "proof_time"),
    "Higher is better. At 1: the share of instances that the solver is the first to prove; a curve that ends below "
    "100 % leaves some open.",
)
PLAN_TIMES = Kind(
    "plan-times",
    lambda runs: performance_profile(runs, "plan_time"),
    "Higher is better. At 1: the share of instances on which the solver is the fastest to end with a plan, however "
    "good it is.",
)
CONVERGENCE = Kind(
    "convergence",
    convergence_figure,
    "Lower and further left is better. A solver that reports nothing while it runs has plan and bound when it ends.",
)
TRACE = Kind(
    "trace",
    trace_figure,
    "The instance with the longest traces. Marks: checked values at the ends of the runs; where the two curves of a "
    "solver meet, it has a proof.",
)
PAIRS = Kind(
    "pairs",
    pairwise_figure,
    "On the instances that both were run on; a plan beats none, and values within 1e-9 are ties.",
)


def ratios_to(baseline: str) -> Kind:
    """The figure of all solvers' values over one solver's."""
    return Kind(
        "ratios",
        lambda runs: paired_figure(runs, baseline),
        "Means over the instances on which both have a plan, with BCa bootstrap intervals over the instances; the "
        "baseline is the solver that finds the best known plan most often.",
    )


def growth_with(feature: str) -> Kind:
    """The figure of time against a size of the instances (a column such as "feature.modules")."""
    return Kind(
        f"growth-{feature.partition('.')[2]}",
        lambda runs: growth_figure(runs, feature),
        "Lower is better. Marks: median times, hollow where half of the runs or more were stopped at a limit or "
        "failed, so that the true time is longer. Curves: the better of power law and exponential, fitted without "
        "such runs.",
    )


def drawn(kind: Kind, runs: pd.DataFrame, prefix: str = "") -> Figure:
    """A figure as a block.

    Args:
        kind: which one.
        runs: results with references, of one goal.
        prefix: put before its key, so that figures of several goals can stand in one page.
    """
    with figure_style():
        drawing = kind.draw(runs)
        key, question = prefix + kind.key, drawing.get_suptitle()
        return Figure(key, svg_text(drawing, key, question), kind.caption, question, drawn_data(drawing))
