"""The tables of re-planning: all rows, and those of the page, means over the networks (ours)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

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
    Row,
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
"""Pairs of policies whose break-even is shown: one that moves, one that stays, and what they are called."""


def all_rows(rows: Sequence[Row]) -> str:
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
    """What a step is called."""
    return UNITS.get(step_s, f"{step_s} s")


def chosen(rows: Sequence[Row], step_s: int, key: Key, source: str = "") -> list[Row]:
    """The rows of a policy on all networks.

    Args:
        rows: all rows.
        step_s: seconds of their steps.
        key: planner, policy and setting.
        source: "seeded" or "measured"; "": both.
    """
    of_step = [row for row in rows if row.step_s == step_s and f", {source}" in row.line]
    return [row for row in of_step if (row.planner, row.policy, row.setting) == key]


def mean_row(rows: Sequence[Row]) -> Row:
    """One row of the means of several of one policy."""
    first = rows[0]
    return Row(
        line="mean",
        planner=first.planner,
        policy=first.policy,
        setting=first.setting,
        share_pct=fmean(row.share_pct for row in rows),
        above=fmean(row.above for row in rows),
        started=fmean(row.started for row in rows),
        shadow_pct=fmean(row.shadow_pct for row in rows),
        missed=fmean(row.missed for row in rows),
        step_s=first.step_s,
        planned=fmean(row.planned for row in rows),
        shares_pct=(),
    )


def page_tables(rows: Sequence[Row]) -> str:
    """What the page shows: break-evens, then policies by length of a step, the longest ones first."""
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


def _sources(rows: Sequence[Row]) -> list[str]:
    return [source for source in SOURCES if any(f", {source}" in row.line for row in rows)]


def _break_evens(rows: Sequence[Row], steps: Sequence[int]) -> str:
    """Seconds of start-up from which a policy that stays takes less, by length of a step and kind of links."""
    columns = [(step_s, source) for step_s in steps for source in _sources(rows)]
    head = " | ".join(f"every {unit_of(step_s)}, {source}" for step_s, source in columns)
    found = [f"| from which start-up on it pays to stay (s) | {head} |", f"|---|{'---:|' * len(columns)}"]
    for moving, staying, called in STAYING:
        cells = [_break_even(rows, step_s, source, moving, staying) for step_s, source in columns]
        if any(cells):
            found.append(f"| {called.format(unit='step')} | {' | '.join(cells)} |")
    return "\n".join(found)


def _break_even(rows: Sequence[Row], step_s: int, source: str, moving: Key, staying: Key) -> str:
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


def _policies(rows: Sequence[Row], step_s: int) -> str:
    """One row per policy, means over the networks."""
    sources, unit = _sources(rows), unit_of(step_s)
    asked = ("share above the optimum", f"started per {unit}", "shadow (%)", "late")
    head = [*(f"{what}, {source}" for what in asked for source in sources), "planned"]
    found = [f"| policy | {' | '.join(head)} |", f"|---|{'---:|' * len(head)}"]
    found += [line for key, called in SHOWN for line in _policy(rows, step_s, key, called.format(unit=unit), sources)]
    return "\n".join(found)


def _policy(rows: Sequence[Row], step_s: int, key: Key, called: str, sources: Sequence[str]) -> Iterator[str]:
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
