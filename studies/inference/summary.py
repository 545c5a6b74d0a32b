"""The summary of a stored draw, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from studies.inference.evidence import (
    UNPRINTED,
    by_role,
    choices,
    compared,
    convergence,
    interval,
    model_error,
    optimal,
    ranges,
)
from studies.inference.store import Stored
from studies.inference.targets import figure_label, full, of_paper, targets
from studies.inference.validation import LEAST_COVERAGE, MOST_WIDTH, by_group, left_out, validated


def summary(stored: Stored) -> str:
    """A paper's numbers with their intervals, coverage, parameters, readings, left-out groups."""
    table = compared(stored)
    parts = (_head(stored), _figures(stored, table), _optimal(stored), _coverages(table))
    more = (_ranges(stored), _choices(stored), _validation(stored))
    return "\n\n".join("\n".join(part) for part in (*parts, *more))


def _head(stored: Stored) -> Iterator[str]:
    best, again = stored.accepted.distance, stored.accepted.distance_again
    drawn = f"{len(stored.draws)} settings simulated, {len(stored.accepted)} accepted"
    yield f"{stored.paper.capitalize()}: {drawn} within {best.max():.3f} (nearest {best.min():.3f})"
    each = ", ".join(f"run {run}: {len(own)}" for run, own in stored.accepted.groupby("run"))
    yield f"{different(stored)} of them different; {each}"
    error = model_error(stored.accepted)
    yield f"their distances on other workloads: {again.min():.3f} to {again.max():.3f}; the model's error: {error:.3f}"
    yield f"R-hat of the optimal share between the runs: {convergence(stored):.3f}"


def different(stored: Stored) -> int:
    """Number of different accepted settings."""
    return len(set(stored.settings))


def _figures(stored: Stored, table: pd.DataFrame) -> Iterator[str]:
    """The table of the numbers; * if the interval misses the published value, ** if also with the error."""
    yield f"{stored.paper.capitalize():40}{'role':>6}{'published':>10}{'median':>9}{'95 % interval':>20}{'prior':>20}"
    for row in _rows(table):
        mark = "" if row.covered else " *" if row.covered_with_error else " **"
        own, wide = _ends(row.low, row.high), _ends(row.prior_low, row.prior_high)
        yield f"{figure_label(row.key):40}{row.role:>6}{row.published:10.1f}{row.middle:9.1f}{own:>20}{wide:>20}{mark}"
    for key in of_paper(UNPRINTED, stored.paper):
        found, prior = interval(stored.accepted, key), interval(stored.prior, key)
        ends = f"{_ends(found.low, found.high):>20}{_ends(prior.low, prior.high):>20}"
        yield f"{figure_label(key):40}{'':>16}{found.middle:9.1f}{ends}"


def _optimal(stored: Stored) -> Iterator[str]:
    """The share of optimal splits, of random and of accepted settings."""
    printed = targets()[full(stored.paper, "optimal_share")].value
    yield f"share of workloads on which {stored.paper.capitalize()} matches the best split; printed {printed:g} %"
    for name, frame in (("random settings of the prior", stored.prior), ("accepted settings", stored.accepted)):
        own = optimal(stored.paper, frame)
        ends = f"{own.low:.1f} to {own.high:.1f} %, median {own.middle:.1f} %"
        agreeing = f"{own.agreeing:.0f} % of them within a factor of 1.5 of the printed failures"
        yield f"{own.settings} {name}: 95 % of them {ends}; {agreeing}"


def _coverages(table: pd.DataFrame) -> Iterator[str]:
    for row in _rows(by_role(table)):
        yield (
            f"{row.role}: {row.covered} of {row.figures} numbers in their intervals, "
            f"{row.covered_with_error} with the model's error, {row.prior_covered} in the prior's; "
            f"median width over prior {row.width:.2f}"
        )


def _ranges(stored: Stored) -> Iterator[str]:
    yield f"{'parameter':26}{'median':>9}{'95 % of settings':>22}{'prior':>18}{'narrowed to':>13}"
    for row in _rows(ranges(stored)):
        own, wide = (f"{a:.3g} to {b:.3g}" for a, b in ((row.low, row.high), (row.prior_low, row.prior_high)))
        yield f"{row.parameter:26}{row.middle:9.3g}{own:>22}{wide:>18}{row.narrowed:13.2f}"


def _choices(stored: Stored) -> Iterator[str]:
    yield "choices: share of the accepted settings (of the prior's draws)"
    for name, values in choices(stored).groupby("parameter", sort=False):
        shares = (f"{v.value} {100 * v.posterior:.0f} % ({100 * v.prior:.0f})" for v in _rows(values))
        yield f"{name!s:26}{', '.join(shares)}"


def _rows(frame: pd.DataFrame) -> Iterator[Any]:
    yield from frame.itertuples()


def _validation(stored: Stored) -> Iterator[str]:
    table = left_out(stored)
    yield "each group of numbers left out: its numbers in the intervals of the settings that the other groups choose"
    yield by_group(table).round(2).to_string(index=False)
    found = validated(stored)
    yield (
        f"all {found.figures}: {100 * found.coverage:.0f} % covered, {100 * found.coverage_with_error:.0f} % with the "
        f"model's error, {100 * found.prior_coverage:.0f} % by the prior; median width over prior {found.width:.2f}"
    )
    word = "holds" if found.passed else "does not hold"
    yield f"the model {word}: asked for are {100 * LEAST_COVERAGE:.0f} % at no more than {MOST_WIDTH:g} of the width"
    for row in _rows(table[table.key.isin(found.wrong)]):
        side = "below" if row.high < row.published else "above"
        yield f"wrong at {row.key}: {row.published:g} printed, settings {side} it ({_ends(row.low, row.high)})"


def _ends(low: float, high: float) -> str:
    return "unknown" if np.isnan(low) else f"{low:.1f} to {high:.1f}"
