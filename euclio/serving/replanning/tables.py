"""The tables of re-planning: all rows, and those of the page, means over the networks (ours)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from euclio.serving.replanning.study import (
    FIXED,
    HINDSIGHT,
    KEPT,
    MEAN,
    PERIODIC,
    SCRATCH,
    SOLVERS,
    TRIGGERED,
    TRIGGERED_WITHIN,
    WITHIN,
    PolicyRow,
    break_even_s,
)

PERCENT = 100
GRAFT, OPTIMUM = SOLVERS.values()
UNITS = {1: "second", 60: "minute"}
Key = tuple[str, str, float]
"""Planner, policy and setting."""
SOURCES = ("seeded", "measured")
SHOWN: tuple[tuple[Key, str], ...] = (
    ((OPTIMUM, SCRATCH, 0.0), "optimum, new every {unit}"),
    ((OPTIMUM, TRIGGERED, 0.0), "optimum, new when a cut changes"),
    ((OPTIMUM, WITHIN, 0.05), "optimum, kept unless over 5 % worse"),
    ((OPTIMUM, WITHIN, 0.2), "optimum, kept unless over 20 % worse"),
    ((OPTIMUM, TRIGGERED_WITHIN, 0.2), "optimum, when a cut changes, kept unless over 20 % worse"),
    ((OPTIMUM, WITHIN, 0.5), "optimum, kept unless over 50 % worse"),
    ((OPTIMUM, PERIODIC, 5.0), "optimum, new every 5 {unit}s, kept between"),
    ((OPTIMUM, KEPT, 0.0), "optimum of the first {unit}, kept"),
    ((GRAFT, SCRATCH, 0.0), "Graft, new every {unit}"),
    ((GRAFT, TRIGGERED, 0.0), "Graft, new when a cut changes (its trigger)"),
    ((GRAFT, WITHIN, 0.0), "Graft, kept unless worse"),
    ((GRAFT, WITHIN, 0.2), "Graft, kept unless over 20 % worse"),
    ((GRAFT, TRIGGERED_WITHIN, 0.2), "Graft, when a cut changes, kept unless over 20 % worse"),
    ((OPTIMUM, MEAN, 0.0), "one optimal plan, cuts at the mean (Static)"),
    ((OPTIMUM, FIXED, 0.0), "one optimal plan, roomiest cuts"),
)
"""Rows of the page's tables."""
STAYING: tuple[tuple[Key, Key, str], ...] = tuple(
    ((planner, first, 0.0), (planner, WITHIN, worse), f"{said} → kept unless over {PERCENT * worse:g} % worse")
    for planner, first, said in (
        (OPTIMUM, SCRATCH, "optimum, new every {unit}"),
        (GRAFT, TRIGGERED, "Graft, new when a cut changes"),
    )
    for worse in (0.05, 0.2, 0.5)
)
"""Pairs of policies whose break-even is shown: one that moves, one that stays, and their label."""


def all_rows(rows: Sequence[PolicyRow]) -> str:
    """One row per timeline, planner and policy."""
    head = (
        "clients", "planner", "policy", "share (%)", "above optimum (%)", "started/step", "shadow (%)", "missed (%)",
        "planned (%)",
    )  # fmt: skip
    found = [f"| {' | '.join(head)} |", f"|{'---|' * 3}{'---:|' * 6}"]
    for row in rows:
        kinds = (WITHIN, HINDSIGHT, TRIGGERED_WITHIN)
        setting = f" {row.setting:g}" if row.setting or row.policy in kinds else ""
        numbers = (
            f"{row.share_pct:.1f}",
            f"{PERCENT * row.above:.1f}",
            f"{row.started:.2f}",
            f"{row.shadow_pct:.1f}",
            f"{PERCENT * row.missed:.1f}",
            f"{PERCENT * row.planned:.0f}",
        )
        policy = row.policy if row.policy == HINDSIGHT else row.policy.replace("second", unit_of(row.step_s))
        found.append(f"| {row.line} | {row.planner} | {policy}{setting} | {' | '.join(numbers)} |")
    return "\n".join(found) + "\n"


def unit_of(step_s: int) -> str:
    """The word for a step."""
    return UNITS.get(step_s, f"{step_s} s")


def chosen(rows: Sequence[PolicyRow], step_s: int, key: Key, source: str = "") -> list[PolicyRow]:
    """The rows of a policy on all networks. The source is "seeded", "measured", or "" for both."""
    of_step = [row for row in rows if row.step_s == step_s and f", {source}" in row.line]
    return [row for row in of_step if (row.planner, row.policy, row.setting) == key]


def mean_row(rows: Sequence[PolicyRow]) -> PolicyRow:
    """One row of the means of several of one policy."""
    numbers = ("share_pct", "above", "started", "shadow_pct", "missed", "planned")
    means: dict[str, Any] = {name: fmean(getattr(row, name) for row in rows) for name in numbers}
    return replace(rows[0], line="mean", shares_pct=(), **means)


def page_tables(rows: Sequence[PolicyRow]) -> str:
    """The tables of the page: break-evens, then policies by length of a step, the longest ones first."""
    steps = sorted({row.step_s for row in rows}, reverse=True)
    parts = [_break_evens(rows, steps)]
    for place, step_s in enumerate(steps):
        table = _policies(rows, step_s)
        title = f"Bandwidth anew every {unit_of(step_s)}"
        if place == 0:
            parts.append(f"{title}, means over the networks:\n\n{table}")
        else:
            parts.append(f'<details markdown="1"><summary>{title}</summary>\n\n{table}\n\n</details>')
    return "\n\n".join(parts)


def _sources(rows: Sequence[PolicyRow]) -> list[str]:
    return [source for source in SOURCES if any(f", {source}" in row.line for row in rows)]


def _break_evens(rows: Sequence[PolicyRow], steps: Sequence[int]) -> str:
    """Seconds of start-up from which a policy that stays takes less, by length of a step and kind of links."""
    columns = [(step_s, source) for step_s in steps for source in _sources(rows)]
    head = " | ".join(f"every {unit_of(step_s)}, {source}" for step_s, source in columns)
    found = [f"| from which start-up on it pays to stay (s) | {head} |", f"|---|{'---:|' * len(columns)}"]
    for moving, staying, called in STAYING:
        cells = [_break_even(rows, step_s, source, moving, staying) for step_s, source in columns]
        if any(cells):
            found.append(f"| {called.format(unit='step')} | {' | '.join(cells)} |")
    return "\n".join(found)


def _break_even(rows: Sequence[PolicyRow], step_s: int, source: str, moving: Key, staying: Key) -> str:
    """The break-even of the means over networks, and its range over them."""
    pairs = list(zip(chosen(rows, step_s, moving, source), chosen(rows, step_s, staying, source), strict=False))
    if not pairs:
        return ""
    whole = break_even_s(mean_row([a for a, _ in pairs]), mean_row([b for _, b in pairs]))
    each = [found for found in (break_even_s(a, b) for a, b in pairs) if found is not None]
    if whole is None:
        return "never"
    if whole < 0:
        return "always"
    return f"{whole:.2g} ({max(0.0, min(each)):.2g} to {max(each):.2g})"


def _policies(rows: Sequence[PolicyRow], step_s: int) -> str:
    """One row per policy, means over the networks."""
    sources, unit = _sources(rows), unit_of(step_s)
    asked = ("share above the optimum", f"started per {unit}", "shadow (%)", "late")
    head = [*(f"{what}, {source}" for what in asked for source in sources), "planned"]
    found = [f"| policy | {' | '.join(head)} |", f"|---|{'---:|' * len(head)}"]
    found += [line for key, called in SHOWN for line in _policy(rows, step_s, key, called.format(unit=unit), sources)]
    return "\n".join(found)


def _policy(rows: Sequence[PolicyRow], step_s: int, key: Key, called: str, sources: Sequence[str]) -> Iterator[str]:
    means = [mean_row(own) for own in (chosen(rows, step_s, key, source) for source in sources) if own]
    if not means:
        return
    cells = [
        *(f"{round(PERCENT * own.above, 1) + 0.0:.1f} %" for own in means),
        *(f"{own.started:.2f}" for own in means),
        *(f"{own.shadow_pct:.0f}" for own in means),
        *(f"{PERCENT * own.missed:.1f} %" if own.missed else "" for own in means),
        f"{PERCENT * fmean(own.planned for own in means):.0f} %",
    ]
    yield f"| {called} | {' | '.join(cells)} |"


# The figure of re-planning: GPU share over time, and policies' share with starts, by the time of a start.

ORANGE, BLUE, GREEN, GREY = "#d9822b", "#2f6fb5", "#3c9a5f", "#8a8f98"
LINES: tuple[tuple[Key, str, str, str], ...] = (
    ((GRAFT, SCRATCH, 0.0), ORANGE, "-", "Graft, new every step"),
    ((OPTIMUM, KEPT, 0.0), GREY, "-", "optimum of the first step, kept"),
    ((OPTIMUM, MEAN, 0.0), BLUE, ":", "optimum, cuts at the mean"),
    ((OPTIMUM, WITHIN, 0.2), GREEN, "-", "optimum, kept unless 20 % worse"),
    ((OPTIMUM, SCRATCH, 0.0), BLUE, "-", "optimum, new every step"),
)
"""The curves over time: policy, colour, style, label."""
TOTALS: tuple[tuple[Key, str, str, str], ...] = (
    ((GRAFT, TRIGGERED, 0.0), ORANGE, "-", "Graft, new when a cut changes"),
    ((GRAFT, WITHIN, 0.2), ORANGE, "--", "Graft, kept unless 20 % worse"),
    ((OPTIMUM, SCRATCH, 0.0), BLUE, "-", "optimum, new every step"),
    ((OPTIMUM, WITHIN, 0.2), GREEN, "-", "optimum, kept unless 20 % worse"),
    ((OPTIMUM, WITHIN, 0.5), GREEN, "--", "optimum, kept unless 50 % worse"),
)
"""The curves over the time of a start."""
START_S = np.geomspace(0.02, 60, 60)
"""Start-up seconds of an instance, for which it takes its share."""
MOST = 160
"""Top of the scale of totals, in percent above the optimum."""


def overview_figure(rows: Sequence[PolicyRow]) -> Figure:
    """The figure: share over time of the timelines with the longest steps above, totals by length of a step below."""
    steps = sorted({row.step_s for row in rows})
    shown = [row for row in rows if row.step_s == steps[-1]]
    source = "seeded" if any(", seeded" in row.line for row in shown) else ""
    names = list(dict.fromkeys(row.line for row in shown if source in row.line))
    figure = Figure(figsize=(9, 7), layout="constrained")
    halves: Any = figure.subfigures(2, 1, height_ratios=(1, 1.25))
    above, below = halves
    tops = above.subplots(1, len(names), squeeze=False)[0]
    for axes, name in zip(tops, names, strict=True):
        _over_time(axes, name, [row for row in shown if row.line == name])
    tops[0].set_ylabel("GPU share (%)")
    above.legend(*tops[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=9, frameon=False)
    panels = below.subplots(1, len(steps), squeeze=False, sharey=True)[0]
    for axes, step_s in zip(panels, steps, strict=True):
        _totals(axes, rows, step_s)
    panels[0].set_ylabel("GPU share with starts,\nabove the optimum's without (%)")
    below.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=9, frameon=False)
    return figure


def save(rows: Sequence[PolicyRow], path: Path) -> None:
    """Write the figure; the same rows give the same bytes."""
    style: Any = {
        "svg.hashsalt": "replanning",
        "svg.fonttype": "path",
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with mpl.rc_context(style):
        overview_figure(rows).savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def _over_time(axes: Any, name: str, rows: Sequence[PolicyRow]) -> None:
    for key, colour, style, label in LINES:
        for row in rows:
            if (row.planner, row.policy, row.setting) == key:
                axes.step(range(len(row.shares_pct)), row.shares_pct, style, where="post", color=colour, label=label)
    axes.set(title=name, xlabel=unit_of(rows[0].step_s))
    axes.set_ylim(bottom=0)
    axes.title.set_fontsize(10)


def _totals(axes: Any, rows: Sequence[PolicyRow], step_s: int) -> None:
    """Draw means over all timelines of policies' shares, relative to new optimal plans with free starts."""
    best = {row.line: row.share_pct for row in chosen(rows, step_s, (OPTIMUM, SCRATCH, 0.0))}
    for key, colour, style, label in TOTALS:
        own = chosen(rows, step_s, key)
        if own:
            totals = [(row.share_pct + START_S / step_s * row.shadow_pct) / best[row.line] - 1 for row in own]
            axes.plot(START_S, PERCENT * np.mean(totals, axis=0), style, color=colour, label=label)
    axes.set(title=f"bandwidth anew every {unit_of(step_s)}", xlabel="time that a start takes (s)", xscale="log")
    axes.set_xticks([0.1, 1, 10, 60], labels=["0.1", "1", "10", "60"])
    axes.minorticks_off()
    axes.set_ylim(0, MOST)
    axes.grid(color="#656b73", alpha=0.25, linewidth=0.6)
    axes.title.set_fontsize(10)
