"""A figure over two parameters: gap, time or share proven by cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray

from euclio.core.errors import InputError
from euclio.core.figures import PALETTE
from euclio.core.words import plain
from euclio.report.analysis.panels import figure, short
from euclio.report.analysis.references import LEAST_TIME_S, with_references
from euclio.report.analysis.statistics import shifted_geometric_mean

CellValue = Literal["gap", "time_s", "proven"]

MOST_BINS = 6
"""Groups that a column of many numbers is divided into."""
MOST_NAMES = 40
UNSET = "unset"
"""The text for an option that this run leaves at its default and other runs of the family set."""

_QUESTIONS: dict[CellValue, str] = {
    "gap": "Where are plans far from the best known ones?",
    "time_s": "Where do solvers take long?",
    "proven": "Where are plans proven optimal?",
}
_MEANINGS: dict[CellValue, str] = {
    "gap": "mean gap (%)",
    "time_s": "mean time (s), geometric, shifted by 1 s",
    "proven": "runs proven optimal (%)",
}
_SHADES = LinearSegmentedColormap.from_list("shades", ["#e3ecf6", PALETTE[0], "#12325a"])
_DARK, _LIGHT, _EMPTY = "#101214", "#ffffff", PALETTE[4]
"""Text colours on cells. Cells look the same on light and dark pages, so the page's own colours do not fit."""


def cells(frame: pd.DataFrame, rows: str, columns: str, value: CellValue = "gap") -> pd.DataFrame:
    """Results by two parameters.

    Args:
        frame: results; pick solvers beforehand, or let `rows` or `columns` be "label".
        rows: any column, such as "label", "option.max_allocations" or "feature.modules".
        columns: another one. Numbers of more than `MOST_BINS` values are divided into groups of about equal size.
        value: "gap": mean gap of the runs with a plan in per cent; "time_s": shifted geometric mean of all runs in
            seconds; "proven": share of the runs in per cent. Runs on instances of which no plan is known are left out.

    Returns:
        One row per family, objective and cell that has runs: family, objective, row, column (texts, in order), value,
        runs, without_plan.

    Raises:
        InputError: there is no such column, or it has more than `MOST_NAMES` values that are no numbers.
    """
    table = _with_groups(frame, rows, columns)
    table = table[table.best.notna()]
    keys = ["family", "objective", "row", "column"]
    grouped = table.groupby(keys, observed=True)
    found = pd.DataFrame({"runs": grouped.size(), "without_plan": grouped.size() - grouped.has_plan.sum()})
    if value == "time_s":
        found.insert(0, "value", grouped.time_s.agg(shifted_geometric_mean))
    else:
        found.insert(0, "value", 100.0 * grouped[value].mean())
    return found.reset_index()


def _with_groups(frame: pd.DataFrame, rows: str, columns: str) -> pd.DataFrame:
    """The runs that have both parameters, with the texts of their `row` and `column`."""
    table = with_references(frame)
    for field, name in (("rows", rows), ("columns", columns)):
        if name not in table:
            raise InputError(f"the results have no column {name!r}", field=field)
    table = table.assign(row=_groups(table[rows], table.family), column=_groups(table[columns], table.family))
    return table[table.row.notna() & table.column.notna()]


def _groups(values: pd.Series[Any], families: pd.Series[str]) -> pd.Series[Any]:
    """A column as an ordered categorical of texts: many numbers by quantiles, options without a value as `UNSET`."""
    plain = values.astype(object)
    known = plain.dropna().unique()
    numeric = all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in known)
    if not numeric and len(known) > MOST_NAMES:
        raise InputError(f"{values.name} has {len(known)} values, too many for a heat map", field="columns")
    grouped = (
        _bins(values.astype(float))
        if numeric
        else _ordered(plain.map(str, na_action="ignore"), sorted(map(str, known)))
    )
    if not str(values.name).startswith("option."):
        return grouped
    has_option = plain.notna().groupby(families).transform("any")
    grouped = grouped.cat.add_categories([UNSET])
    return grouped.where(plain.notna() | ~has_option, UNSET)


def _bins(numbers: pd.Series[float]) -> pd.Series[Any]:
    known = np.sort(numbers.dropna().unique())
    if known.size <= MOST_BINS:
        return _ordered(numbers.map(plain, na_action="ignore"), [plain(v) for v in known])
    binned = pd.qcut(numbers, MOST_BINS, duplicates="drop")
    ends = numbers.groupby(binned, observed=True).agg(["min", "max"])
    names = {i: plain(low) + ("" if low == high else f" to {plain(high)}") for i, low, high in ends.itertuples()}
    return _ordered(binned.astype(object).map(names, na_action="ignore"), list(dict.fromkeys(names.values())))


def _ordered(texts: pd.Series[Any], order: list[str]) -> pd.Series[Any]:
    return texts.astype(pd.CategoricalDtype(order, ordered=True))


def heat_map(frame: pd.DataFrame, rows: str, columns: str, value: CellValue = "gap") -> Figure:
    """Where over two parameters are plans bad, solvers slow, or proofs rare?

    Args:
        frame: as of `cells`.
        rows: as of `cells`.
        columns: as of `cells`.
        value: as of `cells`.

    Returns:
        Cells with their value; if some runs have no plan, the number of those with one stands below it.

    Raises:
        InputError: as of `cells`.
    """

    def draw(axes: Sequence[Axes], runs: pd.DataFrame) -> str:
        found = cells(runs, rows, columns, value)
        if found.empty or found.value.isna().all():
            return "no run has a plan that the checker accepted" if found.empty else "no cell has a plan"
        draw_cells(axes[0], *_matrices(found, value))
        axes[0].set(xlabel=_name(columns), ylabel=_name(rows))
        axes[0].set_title(_MEANINGS[value], loc="left")
        return ""

    return figure(
        _with_groups(frame, rows, columns),
        f"{_QUESTIONS[value]} By {_name(rows)} and {_name(columns)}",
        draw,
        panel_in=lambda runs: 1.1 + 0.42 * max(runs.row.nunique(), 2),
    )


def _matrices(found: pd.DataFrame, value: CellValue) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Shades and texts of the cells; shades of times are logarithmic."""
    texts = [
        ("no plan" if np.isnan(number) else plain(number, 3))
        + (f"\n{runs - without} of {runs}" if value == "gap" and 0 < without < runs else "")
        for number, runs, without in zip(found.value, found.runs, found.without_plan, strict=True)
    ]
    shade = np.log(found.value.clip(lower=LEAST_TIME_S)) if value == "time_s" else found.value
    shaped = found.assign(text=texts, shade=shade).set_index(["row", "column"])
    shades: pd.DataFrame = shaped.shade.unstack()
    return shades, shaped.text.unstack().reindex(index=shades.index, columns=shades.columns).fillna("")


def draw_cells(axes: Axes, values: pd.DataFrame, texts: pd.DataFrame, ends: tuple[float, float] | None = None) -> None:
    """Shaded cells with text, the first row on top.

    Args:
        axes: the panel.
        values: number behind each cell's shade; NaN means no cell.
        texts: text of each cell, same shape.
        ends: values of the lightest and of the darkest shade; None means the least and the largest value.
    """
    numbers: NDArray[np.float64] = values.to_numpy(dtype=float)
    low, high = (np.nanmin(numbers), np.nanmax(numbers)) if ends is None else ends
    shades = np.clip((numbers - low) / ((high - low) or 1.0), 0, 1)
    size = "small" if numbers.shape[1] <= 10 else "x-small" if numbers.shape[1] <= 14 else "xx-small"
    axes.pcolormesh(np.ma.masked_invalid(shades), cmap=_SHADES, vmin=0, vmax=1, edgecolors="none")
    for (i, j), shade in np.ndenumerate(shades):
        color = _EMPTY if np.isnan(shade) else _LIGHT if shade > 0.45 else _DARK
        axes.text(j + 0.5, i + 0.5, str(texts.iloc[i, j]), ha="center", va="center", fontsize=size, color=color)
    names = [short(str(name)) for name in values.columns]
    place = axes.get_subplotspec()
    panels = 1 if place is None else place.get_gridspec().ncols
    turned: dict[str, Any] = {"rotation": 40, "ha": "right"} if panels * sum(map(len, names)) > 90 else {}
    axes.set_xticks(np.arange(numbers.shape[1]) + 0.5, names, **turned)
    axes.set_yticks(np.arange(numbers.shape[0]) + 0.5, [short(str(r)) for r in values.index])
    axes.tick_params(length=0)
    axes.invert_yaxis()
    axes.spines[["left", "bottom"]].set_visible(False)


def _name(column: str) -> str:
    return "solver" if column == "label" else column.partition(".")[2] or column
