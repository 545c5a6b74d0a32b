"""Laws of runtime by size: a power law and an exponential, fitted by least squares on logarithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from euclio.core.errors import InputError
from euclio.core.figures import grid
from euclio.report.analysis.panels import figure, height_for, labels_of, legend, short, styles, time_axis
from euclio.report.analysis.references import LEAST_TIME_S, with_references
from euclio.report.analysis.statistics import Values

LEAST_SIZES = 3
"""Different sizes that a fit needs, since every law passes through two points."""


@dataclass(frozen=True, slots=True)
class Law:
    """A fitted law of growth, t = scale * n ** rate ("power") or t = scale * rate ** n ("exponential").

    Attributes:
        kind: "power" or "exponential".
        scale: seconds at n = 1 or at n = 0.
        rate: the exponent, or the factor for each unit of size.
        r2: share of the variance of log t that the law explains; 1 where all times are equal.
    """

    kind: str
    scale: float
    rate: float
    r2: float

    def seconds(self, sizes: Values) -> Values:
        """The law's times."""
        grown: Values = sizes**self.rate if self.kind == "power" else self.rate**sizes
        return self.scale * grown

    def describe(self) -> str:
        """The law with R², such as "∝ n^2.1 (R² 0.93)"."""
        law = f"n^{self.rate:.2g}" if self.kind == "power" else f"{self.rate:.3g}^n"
        return f"∝ {law} (R² {self.r2:.2f})"


def fitted_laws(sizes: Values, seconds: Values) -> tuple[Law, ...]:
    """Both laws; the first one explains more of the variance.

    Args:
        sizes: one per run; if one of them is not above 0, there is no power law.
        seconds: times, above 0.

    Returns:
        The laws; none for fewer than `LEAST_SIZES` different sizes.
    """
    if np.unique(sizes).size < LEAST_SIZES:
        return ()
    logs = np.log(seconds)
    laws = [_law("exponential", sizes, logs)]
    if sizes.min() > 0:
        laws.append(_law("power", np.log(sizes), logs))
    return tuple(sorted(laws, key=lambda law: -law.r2))


def _law(kind: str, x: Values, logs: Values) -> Law:
    slope, start = np.polynomial.Polynomial.fit(x, logs, 1).convert().coef[::-1] if np.ptp(logs) else (0.0, logs[0])
    spread = float(((logs - logs.mean()) ** 2).sum())
    left = float(((logs - start - slope * x) ** 2).sum())
    r2 = 1.0 if spread == 0 else 1.0 - left / spread
    return Law(kind, float(np.exp(start)), float(slope if kind == "power" else np.exp(slope)), r2)


def growth(frame: pd.DataFrame, feature: str) -> pd.DataFrame:
    """Fitted growth of each solver's time with a size of the instances.

    The fit leaves out and counts runs that a limit stopped, that failed, or that did not apply. With many of them the
    fitted growth is too slow.

    Args:
        frame: results.
        feature: column of the size, such as "feature.modules".

    Returns:
        One row per family, objective and label that has the feature. Columns: family, objective, label, runs (fitted),
        left_out, sizes (different ones), better ("power", "exponential", or "" for too few sizes), law (in words),
        power_exponent, power_r2, exponential_factor (per unit of size), exponential_r2.

    Raises:
        InputError: there is no such column, or it holds no numbers.
    """
    table = _sized(frame, feature)
    rows = []
    for (family, objective, label), runs in table.groupby(["family", "objective", "label"], observed=True):
        kept = runs[runs.ended]
        laws = fitted_laws(*_points(kept, feature))
        by_kind = {law.kind: law for law in laws}
        power, exponential = by_kind.get("power"), by_kind.get("exponential")
        rows.append(
            {
                "family": family,
                "objective": objective,
                "label": label,
                "runs": len(kept),
                "left_out": len(runs) - len(kept),
                "sizes": kept[feature].nunique(),
                "better": laws[0].kind if laws else "",
                "law": laws[0].describe() if laws else f"fewer than {LEAST_SIZES} sizes",
                "power_exponent": power.rate if power else np.nan,
                "power_r2": power.r2 if power else np.nan,
                "exponential_factor": exponential.rate if exponential else np.nan,
                "exponential_r2": exponential.r2 if exponential else np.nan,
            }
        )
    return pd.DataFrame(rows)


def growth_figure(frame: pd.DataFrame, feature: str) -> Figure:
    """How does the time grow with the size of the instance?

    Args:
        frame: results.
        feature: column of the size, such as "feature.modules".

    Returns:
        Medians of the runs by size (marks) and the law that explains more (curve). A mark is hollow if at least half of
        its runs were stopped at a limit or failed.

    Raises:
        InputError: there is no such column, or it holds no numbers.
    """
    name = feature.partition(".")[2] or feature

    def draw(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
        looks, panel = styles(labels_of(runs)), axes[0]
        shown = runs[runs[feature].notna()]
        if not shown.ended.any():
            return f"no run that ended by itself has {name}"
        for label in labels_of(shown):
            of, look = shown[shown.label == label], looks[label]
            sizes = of.groupby(feature)[["time_s", "ended"]].agg({"time_s": "median", "ended": "mean"})
            law = fitted_laws(*_points(of[of.ended], feature))[:1]
            ended = sizes[sizes.ended > 0.5]
            stopped = sizes[sizes.ended <= 0.5]
            text = short(label) + "".join(f" {found.describe()}" for found in law)
            panel.plot(ended.index, ended.time_s, look.marker, color=look.color, markersize=4)
            panel.plot(stopped.index, stopped.time_s, look.marker, color=look.color, markersize=6, fillstyle="none")
            places = np.linspace(float(sizes.index.min()), float(sizes.index.max()), 60)
            curve = law[0].seconds(places) if law else np.full(places.size, np.nan)
            panel.plot(places, curve, label=text, color=look.color, linestyle=look.dashes, linewidth=1.5)
        time_axis(panel, shown.time_s.groupby([shown.label, shown[feature]]).median().to_numpy(), "y")
        if shown[feature].nunique() == 1:
            panel.set_xlim(shown[feature].iloc[0] - 1, shown[feature].iloc[0] + 1)
        if (shown[feature] == shown[feature].round()).all():
            panel.xaxis.set_major_locator(MaxNLocator(integer=True))
        panel.set(xlabel=f"{name} of the instance", ylabel="median time (s)")
        grid(panel)
        legend(panel)
        return ""

    return figure(_sized(frame, feature), f"How does the time grow with {name}?", draw, panel_in=height_for)


def _sized(frame: pd.DataFrame, feature: str) -> pd.DataFrame:
    """The runs with a size. `ended` means that the solver ended by itself, and has a plan if any solver has one."""
    if feature not in frame:
        known = ", ".join(sorted(name for name in map(str, frame) if name.startswith("feature."))) or "none"
        raise InputError(f"the results have no column {feature!r}; known sizes: {known}", field="feature")
    table = with_references(frame)
    table = table[table[feature].notna()]
    try:
        table = table.assign(**{feature: table[feature].astype(float)})
    except (TypeError, ValueError):
        raise InputError(f"{feature!r} holds texts; name a column of numbers", field="feature") from None
    limit = table.time_limit_s.astype(float).fillna(np.inf)
    answered = table.has_plan | (table.status == "infeasible")
    return table.assign(ended=answered & (table.proven | (table.time_s < limit)))


def _points(runs: pd.DataFrame, feature: str) -> tuple[Values, Values]:
    """Sizes and times of runs."""
    return runs[feature].to_numpy(dtype=float), runs.time_s.clip(lower=LEAST_TIME_S).to_numpy(dtype=float)
