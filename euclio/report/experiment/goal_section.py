"""The section of one goal (family and objective): summary, plans, proofs, times, comparisons, hardest instances."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import percent
from euclio.report import Block, Heading
from euclio.report.analysis.drawing import GoalRuns
from euclio.report.analysis.growth import LEAST_SIZES, growth
from euclio.report.analysis.references import references
from euclio.report.experiment import drawings
from euclio.report.experiment.drawings import drawn
from euclio.report.experiment.goal_tables import hardest_table, summary_tables
from euclio.report.experiment.overview import instances_of

MOST_NAMED = 3
"""Solvers that the first lines of the page name."""
MOST_SIZES = 2
"""Sizes of the instances that times are drawn against."""


def headline(part: GoalRuns) -> str:
    """What the runs of a goal say, in two sentences."""
    known = references(part.runs)
    found, proven = int(known.best.notna().sum()), int(known.best_proven.sum())
    text = f"{instances_of(part.family, len(known))} ({part.objective}): "
    if not found:
        return f"{text}no run found a plan."
    best = best_finders(part.runs).head(MOST_NAMED)
    names = ", ".join(f"{label} ({percent(share, 1)})" for label, share in best.items())
    return (
        f"{text}a plan is known for {found:,}, and it is proven optimal for {proven:,}. The best known plan is found "
        f"most often by {names}."
    )


def best_finders(runs: pd.DataFrame) -> pd.Series[float]:
    """Share of the runs that reach the best known value, by label, the most first; labels that never do are left out.

    Runs on instances of which no plan is known do not count.
    """
    solvable = runs[runs.best.notna()]
    hits = (solvable.gap <= OPTIMALITY_TOLERANCE).astype(float)
    shares = hits.groupby(solvable.label.astype(str)).mean()
    return shares[shares > 0].sort_values(ascending=False, kind="stable")


def goal_blocks(runs: pd.DataFrame, *, level: int, prefix: str = "") -> Iterator[Block]:
    """All blocks of a goal.

    Args:
        runs: the runs of the goal, with references.
        level: level of the headings.
        prefix: put before the keys of its figures.
    """
    yield Heading("Summary", level)
    yield from summary_tables(runs)
    if not runs.has_plan.any():
        return
    yield Heading("How good are the plans?", level)
    yield drawn(drawings.GAPS, runs, prefix)
    if runs.space.nunique() > 1:
        yield drawn(drawings.OWN_GAPS, runs, prefix)
    yield drawn(drawings.VALUES, runs, prefix)
    if runs.label.nunique() > 1:
        yield drawn(drawings.PAIRS, runs, prefix)
        yield drawn(drawings.ratios_to(str(best_finders(runs).index[0])), runs, prefix)
    if runs.proven.any():
        yield Heading("How much is proven?", level)
        yield drawn(drawings.PROVEN, runs, prefix)
        yield drawn(drawings.CACTUS, runs, prefix)
        yield drawn(drawings.PROOF_TIMES, runs, prefix)
    yield Heading("How long does it take?", level)
    yield drawn(drawings.PLAN_TIMES, runs, prefix)
    for feature in telling_sizes(runs):
        yield drawn(drawings.growth_with(feature), runs, prefix)
    if any(trace is not None and len(trace) for trace in runs.trace):
        yield Heading("How do plan and proof come about?", level)
        yield drawn(drawings.CONVERGENCE, runs, prefix)
        yield drawn(drawings.TRACE, runs, prefix)
    yield Heading("Which instances are the hardest?", level)
    yield hardest_table(runs)


def telling_sizes(runs: pd.DataFrame) -> list[str]:
    """The sizes of the instances (columns) that explain the times best, at most `MOST_SIZES`.

    A size needs `LEAST_SIZES` different values; the measure is the mean R² of the better law of growth over solvers.
    """
    explained = {}
    for feature in sorted(str(name) for name in runs if str(name).startswith("feature.")):
        if runs[feature].nunique() >= LEAST_SIZES:
            laws = growth(runs, feature)
            explained[feature] = float(laws[["power_r2", "exponential_r2"]].max(axis=1).mean())
    known = [feature for feature, r2 in explained.items() if math.isfinite(r2)]
    return sorted(known, key=lambda feature: (-explained[feature], feature))[:MOST_SIZES]
