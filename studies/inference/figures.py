"""Pictures: posterior intervals next to published values, shares of optimal plans, effects of parameters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from euclio.core.figures import MEASURED, MUTED, PUBLISHED, grid
from euclio.report import Figure
from euclio.report.analysis.charts import distribution, published_line
from euclio.report.drawings import drawn
from studies.inference.evidence import compared, correlations, narrowed
from studies.inference.prior import NAMES
from studies.inference.store import Stored
from studies.inference.targets import figure_label, full, parameter_label, targets
from studies.inference.validation import by_group, left_out

PANELS = (("fit", "Settings are chosen by these"), ("check", "Never fitted"))
TICKS = (0, 1, 3, 10, 30, 100, 300)
"""Marks of the scale ln(x + 1)."""
SHOWN = (-0.6, 700.0)
"""Ends of the scale; values beyond are cut."""
ROW_IN, HEAD_IN = 0.27, 0.9
"""Height of a number's row, and of the space above and below the rows, in inches."""
STRONGEST = 15
"""Numbers, and parameters, in a picture of effects."""
LEAST_WRITTEN = 0.3
"""Least rank correlation that is written in a cell."""


def interval_figure(stored: Stored, paper: str) -> Figure:
    """Posterior and prior interval of every number of a paper, fitted ones left, checked ones right."""
    table = compared(stored)
    parts = [table[table.role == role].reset_index(drop=True) for role, _ in PANELS]
    rows = max(len(part) for part in parts)

    @drawn(
        f"posterior-intervals-{paper}",
        f"{paper.capitalize()}: which printed numbers follow from the others?",
        panels=2,
        height=HEAD_IN + ROW_IN * rows,
    )
    def figure(axes: Sequence[Axes]) -> str:
        for panel, part, (_, title) in zip(axes, parts, PANELS, strict=True):
            _rows(panel, part, rows)
            panel.set_title(title)
        return (
            "Orange: published. Bars: what 95 % of the accepted settings give, with the median; thin: with the model's "
            "error; grey: random settings of the prior. A row is shaded where the published value lies "
            "outside even of the thin line. Per cent but for ratios and counts; the scale is ln(x + 1), and what lies "
            "beyond it is cut. Maxima are of fewer workloads than the paper's."
        )

    return figure()


def _rows(axes: Axes, table: pd.DataFrame, rows: int) -> None:
    """A panel of as many rows as the longer one has, so that both have one pitch."""
    for y, row in table.iterrows():
        at = float(str(y))
        if not row.covered_with_error:
            axes.axhspan(at - 0.5, at + 0.5, color=PUBLISHED, alpha=0.15, linewidth=0)
        for low, high, color, alpha, width in (
            (row.prior_low, row.prior_high, MUTED, 0.3, 8.0),
            (row.error_low, row.error_high, MEASURED, 0.9, 1.0),
            (row.low, row.high, MEASURED, 1.0, 3.2),
        ):
            ends = _scaled(low, high)
            # Flat ends: a thick bar with round ones would reach beyond its interval.
            axes.plot(ends, [at, at], color=color, alpha=alpha, linewidth=width, solid_capstyle="butt")
        axes.plot(_scaled(row.middle), [at], "o", color=MEASURED, markersize=4)
        axes.plot(_scaled(row.published), [at], "|", color=PUBLISHED, markersize=13, markeredgewidth=2.6)
    axes.set_yticks(range(len(table)), [figure_label(key) for key in table.key], fontsize=8)
    axes.set_ylim(rows - 0.4, -0.6)
    axes.set_xticks(_scaled(*TICKS), [f"{tick}" for tick in TICKS], fontsize=8.5)
    axes.set_xlim(*_scaled(*SHOWN))
    axes.tick_params(axis="y", length=0)
    grid(axes, "x")


def _scaled(*values: float) -> list[float]:
    return [float(np.log(max(value, -0.9) + 1)) for value in values]


def strongest(stored: Stored, paper: str) -> pd.DataFrame:
    """Rank correlations of a paper's numbers (columns) with parameters (rows), over the draws from the prior.

    Kept are the numbers that some parameter moves most, and the parameters that move one of them most, both in the
    order of the paper and of `Setting`.
    """
    found = correlations(stored.prior)
    own = found.reindex(
        index=list(NAMES),
        columns=[key for key in map(str, found) if key.startswith(full(paper, ""))],
    )
    most = own.abs().max(axis=0)
    # Numbers that no parameter moves, such as those that need the best split, are unknown for draws from the prior.
    keys = set(most[most > 0].nlargest(STRONGEST).index)
    kept = own.reindex(columns=[key for key in own if key in keys])
    names = set(kept.abs().max(axis=1).nlargest(STRONGEST).index)
    return kept.reindex(index=[name for name in own.index if name in names])


def sensitivity_figure(stored: Stored, paper: str) -> Figure:
    """The strongest rank correlations of a paper's numbers over the draws from the prior."""
    found = strongest(stored, paper)
    tight = narrowed(stored)
    values = found.to_numpy()

    @drawn(
        f"posterior-sensitivity-{paper}",
        f"{paper.capitalize()}: which parameter moves which number?",
        height=2.6 + ROW_IN * len(found),
    )
    def figure(axes: Sequence[Axes]) -> str:
        panel = axes[0]
        panel.imshow(values, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto")
        names = [f"{parameter_label(name)} ({tight[name]:.1f})" for name in map(str, found.index)]
        panel.set_yticks(range(len(names)), names, fontsize=8.5)
        labels = [figure_label(str(key)) for key in found]
        panel.set_xticks(range(len(labels)), labels, fontsize=8, rotation=40, ha="right", rotation_mode="anchor")
        for i, j in zip(*np.nonzero(np.abs(values) >= LEAST_WRITTEN), strict=True):
            value = values[i, j]
            # Not the page's own ink, which a dark page turns white: the cells stay light.
            color = "black" if abs(value) < 0.6 else "white"
            panel.text(j, i, f"{value:+.1f}", ha="center", va="center", fontsize=7.5, color=color)
        panel.tick_params(length=0)
        return (
            f"The {len(found.columns)} numbers and {len(found)} parameters with the strongest rank correlations "
            f"(Spearman) over the draws from the prior. Values from {LEAST_WRITTEN:g} on are written. Red: the number "
            "rises with the parameter, or with the place of a choice among its values. In brackets: interquartile "
            "range of the parameter among accepted settings over the prior's; 1 means that the numbers do not "
            "constrain it."
        )

    return figure()


def optimal_figure(stored: Stored) -> Figure:
    """Share of workloads on which the own system matches the best split: random settings next to accepted ones."""
    paper = stored.paper
    key, title = full(paper, "optimal_share"), f"On how many workloads does {paper.capitalize()} match the best split?"
    parts = {"random settings of the prior": stored.prior, "settings that fit the other numbers": stored.accepted}
    shares = {name: frame[key].dropna().astype(np.float64) for name, frame in parts.items() if key in frame}

    @drawn(f"posterior-optimal-{paper}", title, height=3.4)
    def figure(axes: Sequence[Axes]) -> str:
        panel = axes[0]
        distribution(panel, shares, "workloads on which the own system costs no more than the best split (%)")
        published_line(panel, targets()[key].value, f"{paper.capitalize()}: printed", 2)
        panel.set_ylabel("settings at or below (%)")
        counts = " and ".join(f"{len(own)} {name}" for name, own in shares.items())
        return f"Share of workloads by setting: {counts}. No setting was chosen by it."

    return figure()


def groups_figure(stored: Stored) -> Figure:
    """Numbers of each group under settings chosen by the other groups, next to the published values."""
    paper, table = stored.paper, left_out(stored)
    rows = len(table)

    @drawn(f"posterior-left-out-{paper}", f"{paper.capitalize()}: does each part follow from the others?", height=3.0)
    def figure(axes: Sequence[Axes]) -> str:
        panel, groups = axes[0], by_group(table)
        at = np.arange(len(groups))
        for shift, column, label, color in (
            (-0.27, "prior_covered", "random settings", MUTED),
            (0.0, "covered", "settings that the other groups choose", MEASURED),
            (0.27, "covered_with_error", "the same, with the model's error", PUBLISHED),
        ):
            panel.barh(at + shift, 100 * groups[column] / groups.figures, 0.25, label=label, color=color)
        panel.set_yticks(at, [f"{g} ({n})" for g, n in zip(groups.group, groups.figures, strict=True)], fontsize=8.5)
        panel.invert_yaxis()
        panel.set_xlabel("published numbers in the 95 % intervals (%)")
        panel.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, 1.16), ncols=3, frameon=False)
        grid(panel, "x")
        return f"{rows} published numbers by group, in brackets how many; settings were chosen without the group."

    return figure()


def write_figures(stored: Stored, folder: Path) -> None:
    """Write all figures as SVG files."""
    folder.mkdir(parents=True, exist_ok=True)
    for figure in all_figures(stored):
        (folder / f"{figure.key}.svg").write_text(figure.svg, encoding="utf-8", newline="\n")


def all_figures(stored: Stored) -> tuple[Figure, ...]:
    """All figures of a paper's draw."""
    paper = stored.paper
    found = (interval_figure(stored, paper), groups_figure(stored), sensitivity_figure(stored, paper))
    return (optimal_figure(stored), *found)
