"""Solvers against each other on the same instances: wins, ties and losses, and ratios with bootstrap intervals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from euclio.core.errors import InputError
from euclio.core.figures import INK, MEASURED, grid
from euclio.core.tolerances import TIE_TOLERANCE
from euclio.report.analysis.heat_map import draw_cells
from euclio.report.analysis.panels import figure, goals, ratio_axis, short
from euclio.report.analysis.references import Measure, measured, with_references
from euclio.report.analysis.statistics import BOOTSTRAP_SEED, Interval, Measured, Values, means

MOST_COUNTED = 12
"""Most solvers for which a matrix spells out wins, ties and losses."""

_OF: dict[Measure, str] = {"value": "plan", "proof_time": "time of proof", "plan_time": "time"}


def pairwise(frame: pd.DataFrame, by: Measure = "value", tolerance: float = TIE_TOLERANCE) -> pd.DataFrame:
    """How often one solver beats another on the instances that both were run on.

    Args:
        frame: results.
        by: what is compared (`euclio.report.analysis.references.Measure`).
        tolerance: relative difference up to which it is a tie.

    Returns:
        One row per family, objective and ordered pair of labels: family, objective, label, other, wins (label better,
        or only label succeeded), ties, losses, both_failed.
    """
    rows: list[dict[str, Any]] = []
    for family, objective, runs in goals(with_references(frame)):
        table = measured(runs, by)
        for one, two in permutations(table.columns, 2):
            counts = _counts(table[one].to_numpy(dtype=float), table[two].to_numpy(dtype=float), tolerance)
            rows.append({"family": family, "objective": objective, "label": one, "other": two, **counts})
    columns = ["family", "objective", "label", "other", "wins", "ties", "losses", "both_failed"]
    return pd.DataFrame(rows, columns=columns)


def _counts(one: Values, two: Values, tolerance: float) -> dict[str, int]:
    both = ~(np.isnan(one) | np.isnan(two))
    failed = both & np.isinf(one) & np.isinf(two)
    wins = both & ~failed & (one < two * (1 - tolerance))
    losses = both & ~failed & (two < one * (1 - tolerance))
    ties = both & ~failed & ~wins & ~losses
    counted = {"wins": wins, "ties": ties, "losses": losses, "both_failed": failed}
    return {name: int(np.count_nonzero(found)) for name, found in counted.items()}


def pairwise_figure(frame: pd.DataFrame, by: Measure = "value", tolerance: float = TIE_TOLERANCE) -> Figure:
    """Which solver beats which?

    Args:
        frame: as of `pairwise`.
        by: as of `pairwise`.
        tolerance: as of `pairwise`.

    Returns:
        A matrix of wins, ties and losses of the row against the column, the solver with the most wins on top. For many
        solvers it has wins less losses in per cent of the instances.
    """

    def draw(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
        counts = pairwise(runs, by, tolerance)
        total = counts.wins + counts.ties + counts.losses
        if total.sum() == 0:
            return "there are no two solvers on one instance that succeed"
        net = (100.0 * (counts.wins - counts.losses) / total.where(total > 0)).rename("net")
        spelled = counts.label.nunique() <= MOST_COUNTED
        text = [
            f"{row.wins} / {row.ties} / {row.losses}"
            if spelled
            else f"{round(number):+d}".replace("+0", "0")
            if np.isfinite(number)
            else ""
            for row, number in zip(counts.itertuples(), net, strict=True)
        ]
        shaped = counts.assign(net=net, text=text)
        order = list(shaped.groupby("label").net.mean().sort_values(ascending=False, kind="stable").index)
        shades, texts = (
            shaped.pivot(index="label", columns="other", values=name).reindex(index=order, columns=order)
            for name in ("net", "text")
        )
        draw_cells(axes[0], shades, texts.fillna(""))
        meaning = "wins / ties / losses" if spelled else "wins less losses (% of the instances)"
        axes[0].set_title(f"row against column, {meaning}", loc="left")
        axes[0].set(ylabel="solver", xlabel="against")
        return ""

    question = f"Which solver beats which? By {_OF[by]}"
    return figure(frame, question, draw, panel_in=lambda runs: 1.4 + 0.32 * max(runs.label.nunique(), 3))


def paired_ratios(
    frame: pd.DataFrame,
    baseline: str,
    by: Measure = "value",
    *,
    interval: Interval = "bca",
    seed: int = BOOTSTRAP_SEED,
) -> pd.DataFrame:
    """Each solver over a baseline, instance by instance, with 95 % bootstrap intervals over the instances.

    Args:
        frame: results.
        baseline: label of the solver to compare with.
        by: what is compared (`euclio.report.analysis.references.Measure`).
        interval: kind of bootstrap interval.
        seed: seed of the bootstrap.

    Returns:
        One row per family, objective and other label: family, objective, label, instances (both succeed), failed (only
        the label fails), ratio, low, high. Above 1 the label is worse: it costs more, serves less, or takes longer. The
        ratio of values is a mean of ratios, that of times a geometric mean. Without a common instance the numbers are
        missing.

    Raises:
        InputError: no run has the baseline's label.
    """
    table = with_references(frame)
    if baseline not in set(table.label):
        known = ", ".join(sorted(map(str, table.label.unique()))) or "none"
        raise InputError(f"the results have no label {baseline!r}; known: {known}", field="baseline")
    rows: list[dict[str, Any]] = []
    for family, objective, runs in goals(table):
        found = measured(runs, by)
        if baseline not in found:
            continue
        others = found.columns.drop(baseline)
        for label, ratio in zip(others, _mean_ratios(found, others, baseline, by, interval, seed), strict=True):
            failed = int((np.isinf(found[label]) & np.isfinite(found[baseline])).sum())
            named = {"family": family, "objective": objective, "label": label, "instances": ratio.n, "failed": failed}
            rows.append(named | {"ratio": ratio.value, "low": ratio.low, "high": ratio.high})
    columns = ["family", "objective", "label", "instances", "failed", "ratio", "low", "high"]
    return pd.DataFrame(rows, columns=columns).astype({"ratio": float, "low": float, "high": float})


def _mean_ratios(
    found: pd.DataFrame, others: pd.Index[Any], baseline: str, by: Measure, interval: Interval, seed: int
) -> list[Measured]:
    """Mean ratios over the baseline (of times geometric means) with intervals over the same resampled instances."""
    both = np.isfinite(found[others]) & np.isfinite(found[[baseline]].to_numpy())
    ratios = found[others].where(both).div(found[baseline], axis=0).to_numpy(dtype=float)
    if by == "value":
        return means(ratios, interval=interval, seed=seed)
    return [_exponential(m) for m in means(np.log(ratios), interval=interval, seed=seed)]


def _exponential(m: Measured) -> Measured:
    low, high = (None if end is None else float(np.exp(end)) for end in (m.low, m.high))
    return Measured(float(np.exp(m.value)), low, high, m.n)


def paired_figure(frame: pd.DataFrame, baseline: str, by: Measure = "value", *, interval: Interval = "bca") -> Figure:
    """How do the solvers compare with one of them?

    Args:
        frame: as of `paired_ratios`.
        baseline: as of `paired_ratios`.
        by: as of `paired_ratios`.
        interval: as of `paired_ratios`.

    Returns:
        Ratios with their intervals, best on top; solvers without a common instance are left out.

    Raises:
        InputError: no run has the baseline's label.
    """
    every = paired_ratios(frame, baseline, by, interval=interval)
    table = with_references(frame)
    has_baseline = (table.label == baseline).groupby([table.family, table.objective], observed=True).transform("any")

    def draw(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
        own = (every.family == str(runs.family.iloc[0])) & (every.objective == str(runs.objective.iloc[0]))
        rows = every[own & every.ratio.notna()].sort_values(["ratio", "label"])
        if rows.empty:
            return f"no solver succeeds on an instance together with {short(baseline)}"
        _intervals(axes[0], rows, by)
        meaning = {"value": "value, above 1 is worse", "plan_time": "time", "proof_time": "time of proof"}[by]
        axes[0].set_xlabel(f"ratio to {short(baseline)} ({meaning}), 95 % interval")
        return ""

    question = f"How do the solvers compare with {short(baseline)}? By {_OF[by]}"
    return figure(table[has_baseline], question, draw, panel_in=lambda runs: 1.0 + 0.25 * max(runs.label.nunique(), 4))


def _intervals(panel: Axes, rows: pd.DataFrame, by: Measure) -> None:
    places = np.arange(len(rows))
    low, high = min(1.0, float(rows.low.min())), max(1.0, float(rows.high.max()))
    if by == "value" and high < 8:
        room = 0.04 * (high - low) or 0.05
        panel.set_xlim(low - room, high + room)
    else:
        ratio_axis(panel, 1.1 * high, least=low)
    panel.axvline(1, color=INK, linewidth=0.9)
    panel.hlines(places, rows.low, rows.high, color=MEASURED, linewidth=2.4, alpha=0.55)
    panel.plot(rows.ratio, places, "o", color=MEASURED, markersize=5.5)
    for place, ratio, instances, failed in zip(places, rows.ratio, rows.instances, rows.failed, strict=True):
        text = f"{ratio:.4g} (n = {instances}" + (f", {failed} failed)" if failed else ")")
        panel.annotate(text, (1.01, place), xycoords=("axes fraction", "data"), va="center", fontsize="small")
    panel.set_yticks(places, [short(str(label)) for label in rows.label])
    panel.set_ylim(len(rows) - 0.4, -0.6)
    grid(panel, "x")
