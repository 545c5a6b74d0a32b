"""The section of one goal (family and objective): summary, plans, proofs, times, comparisons, in tables and figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from euclio.core.fitted_table import Column, Label
from euclio.core.result import Status
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import decimals, full, number, percent
from euclio.report import Block, Figure, Heading, Table, figure_style, svg_text
from euclio.report.analysis.gap_and_performance_profiles import gap_ecdf, performance_profile
from euclio.report.analysis.growth import LEAST_SIZES, growth, growth_figure
from euclio.report.analysis.pairs import paired_figure, pairwise_figure
from euclio.report.analysis.panels import GoalRuns
from euclio.report.analysis.proofs import cactus, proven_figure
from euclio.report.analysis.references import references
from euclio.report.analysis.summaries import hardest_instances, summary
from euclio.report.analysis.trace_figures import convergence_figure, trace_figure
from euclio.report.drawn_data import drawn_data
from euclio.report.experiment.overview import instances_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


HARDEST = 20
MOST_DISAGREEMENTS = 50

hundredths = partial(decimals, digits=2)
"""A number with two decimals, such as a percentage; empty if there is none."""


def table_of(caption: str, rows: pd.DataFrame, columns: Iterable[Column], marked: Iterable[int] = ()) -> Table:
    """A table of some columns of a frame; a name that is missing is an empty cell."""
    shown = list(columns)
    numeric = frozenset(k for k, column in enumerate(shown) if column.justify == "right")
    cells = [
        [column.form(value) if k in numeric or not pd.isna(value) else "" for value in rows[column.field]]
        for k, column in enumerate(shown)
    ]
    headings = tuple(column.heading for column in shown)
    return Table(caption, headings, tuple(zip(*cells, strict=True)), numeric, frozenset(marked))


def summary_tables(runs: pd.DataFrame) -> tuple[Table, Table]:
    """Two tables with one row per solver: gaps and times, then counts of runs by status."""
    rows = summary(runs)
    statuses = [Column(status.value, form=decimals) for status in Status if rows[status.value].any()]
    qualities = table_of(
        "Gaps are to the best known value of the instance, over runs with a plan. Best and proven are shares of the "
        "runs on instances with a known plan. The mean time is the geometric mean shifted by 1 s.",
        rows,
        (
            Label("solver", "label"),
            Column("runs", "runs", decimals),
            Column("best (%)", "best_pct", hundredths),
            Column("proven (%)", "proven_pct", hundredths),
            Column("mean gap (%)", "gap_mean_pct", hundredths),
            Column("median gap (%)", "gap_median_pct", hundredths),
            Column("95 % of gaps up to (%)", "gap_p95_pct", hundredths),
            Column("largest gap (%)", "gap_max_pct", hundredths),
            Column("mean time (s)", "time_sgm_s", number),
            Column("longest time (s)", "time_max_s", number),
        ),
    )
    outcomes = table_of(
        "How the runs ended. Optimal: proven in the plan space of the run. Infeasible: the solver says that there is "
        "no plan; of an exact method a proof, of a heuristic the end of its rule.",
        rows,
        (Label("solver", "label"), *statuses),
    )
    return qualities, outcomes


def hardest_table(runs: pd.DataFrame) -> Table:
    """The hardest instances."""
    rows = hardest_instances(runs, HARDEST)
    return table_of(
        f"The {len(rows)} instances with the fewest solvers that prove their plan, then the most left open by the best "
        "bound, then the latest first proof; instances without any proof are marked.",
        rows,
        (
            Label("instance", "instance"),
            Column("best value", "best", number),
            Column("open (%)", "open_pct", hundredths),
            Column("solvers", "solvers", decimals),
            Column("with a plan", "with_plan", decimals),
            Column("with a proof", "with_proof", decimals),
            Column("first proof (s)", "first_proof_s", number),
            Label("by", "first_proof_by"),
            Column("median gap (%)", "gap_median_pct", hundredths),
        ),
        (k for k, proofs in enumerate(rows.with_proof) if proofs == 0),
    )


def disagreement_table(rows: pd.DataFrame) -> Table:
    """Bounds that a plan beats (`euclio.report.analysis.references.contradictions`)."""
    shown = rows.head(MOST_DISAGREEMENTS)
    most = f"The first {len(shown)} of {len(rows):,} bounds" if len(shown) < len(rows) else "Bounds"
    return table_of(
        f"{most} that an accepted plan of the same plan space beats: one of the two solvers is wrong",
        shown,
        (
            Label("instance", "instance"),
            Label("plan space", "space"),
            Label("bound by", "label"),
            Column("bound", "bound", full),
            Column("plan", "best", full),
            Label("found by", "found_by"),
        ),
        range(len(shown)),
    )


class FigureKind(NamedTuple):
    """A figure of the report.

    Attributes:
        key: its name in the page.
        draw: draws it from the runs of one goal.
        caption: an explanation for readers.
    """

    key: str
    draw: Callable[[pd.DataFrame], Drawing]
    caption: str


GAPS = FigureKind(
    "gaps",
    gap_ecdf,
    "Higher and further left is better. Each curve is a solver: the share of its runs whose gap is at most that on the "
    "axis. Where it ends below 100 %, runs have no plan.",
)
OWN_GAPS = FigureKind(
    "own-gaps",
    lambda runs: gap_ecdf(runs, "space"),
    "Higher and further left is better. The same against the best plan of the solver's own plan space: what its rule "
    "loses, without what its design gives up.",
)
VALUES = FigureKind(
    "values",
    performance_profile,
    "Higher is better. A curve starts, at 1, with the share of instances on which the solver has the best plan. "
    "Further right it has the share within that factor of the best.",
)
PROVEN = FigureKind(
    "proven",
    proven_figure,
    "A proof is a bound that the solver gave within 1e-9 of the checked value (1e-6 under dummy rule continuous), in "
    "the plan space of its run.",
)
CACTUS = FigureKind("cactus", cactus, "Further right means more proofs, lower means sooner.")
PROOF_TIMES = FigureKind(
    "proof-times",
    lambda runs: performance_profile(runs, "proof_time"),
    "Higher is better. A curve starts, at 1, with the share of instances that the solver is the first to prove. If it "
    "ends below 100 %, the solver leaves some open.",
)
PLAN_TIMES = FigureKind(
    "plan-times",
    lambda runs: performance_profile(runs, "plan_time"),
    "Higher is better. A curve starts, at 1, with the share of instances on which the solver is the fastest to end "
    "with a plan, good or bad.",
)
CONVERGENCE = FigureKind(
    "convergence",
    convergence_figure,
    "Lower and further left is better. A solver that reports nothing while it runs has plan and bound when it ends.",
)
TRACE = FigureKind(
    "trace",
    trace_figure,
    "The instance with the longest traces. Marks: checked values at the ends of the runs; where the two curves of a "
    "solver meet, it has a proof.",
)
PAIRS = FigureKind(
    "pairs",
    pairwise_figure,
    "On the instances that both were run on; a plan beats none, and values within 1e-9 are ties.",
)


def ratios_to(baseline: str) -> FigureKind:
    """The figure of all solvers' values over one solver's."""
    return FigureKind(
        "ratios",
        lambda runs: paired_figure(runs, baseline),
        "Means over the instances on which both have a plan, with BCa bootstrap intervals over the instances; the "
        "baseline is the solver that finds the best known plan most often.",
    )


def growth_with(feature: str) -> FigureKind:
    """The figure of time against a size of the instances (a column such as "feature.modules")."""
    return FigureKind(
        f"growth-{feature.partition('.')[2]}",
        lambda runs: growth_figure(runs, feature),
        "Lower is better. Marks: median times, hollow where half of the runs or more were stopped at a limit or "
        "failed, so that the true time is longer. Curves: the better of power law and exponential, fitted without "
        "such runs.",
    )


def goal_figure(kind: FigureKind, runs: pd.DataFrame, prefix: str = "") -> Figure:
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


MOST_NAMED = 3
"""Solvers that the first lines of the page name."""
MOST_SIZES = 2
"""Sizes of the instances that times are drawn against."""


def headline(part: GoalRuns) -> str:
    """The result of a goal's runs in two sentences."""
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
    yield goal_figure(GAPS, runs, prefix)
    if runs.space.nunique() > 1:
        yield goal_figure(OWN_GAPS, runs, prefix)
    yield goal_figure(VALUES, runs, prefix)
    if runs.label.nunique() > 1:
        yield goal_figure(PAIRS, runs, prefix)
        yield goal_figure(ratios_to(str(best_finders(runs).index[0])), runs, prefix)
    if runs.proven.any():
        yield Heading("How much is proven?", level)
        yield goal_figure(PROVEN, runs, prefix)
        yield goal_figure(CACTUS, runs, prefix)
        yield goal_figure(PROOF_TIMES, runs, prefix)
    yield Heading("How long does it take?", level)
    yield goal_figure(PLAN_TIMES, runs, prefix)
    for feature in telling_sizes(runs):
        yield goal_figure(growth_with(feature), runs, prefix)
    if any(trace is not None and len(trace) for trace in runs.trace):
        yield Heading("How do plan and proof come about?", level)
        yield goal_figure(CONVERGENCE, runs, prefix)
        yield goal_figure(TRACE, runs, prefix)
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
