"""What a stored draw says, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from euclio.studies.consistent import moved, parameters
from euclio.studies.posterior.evidence import UNPRINTED, compared, correlations, coverages, interval, model_error
from euclio.studies.posterior.labels import figure_label
from euclio.studies.posterior.parameters import choices, ranges
from euclio.studies.posterior.prior import PAPERS
from euclio.studies.posterior.store import Stored
from euclio.studies.posterior.targets import full
from euclio.studies.posterior.validation import (
    LEAST_COVERAGE,
    MOST_WIDTH,
    by_paper,
    cross_validated,
    held_out,
    validated,
)


def summary(stored: Stored) -> str:
    """Figures of both papers with their intervals, coverage, parameters, readings, cross-validation."""
    table = compared(stored)
    lines = [*_head(stored)]
    for paper in PAPERS:
        lines += ["", *_figures(stored, table, paper)]
    lines += ["", *_coverages(table), "", *_moved(stored, table), "", *_ranges(stored), "", *_choices(stored)]
    if len(stored.halves):
        lines += ["", *_validation(stored)]
    return "\n".join(lines)


def _head(stored: Stored) -> Iterator[str]:
    best, again = stored.accepted.distance, stored.accepted.distance_again
    ends = f"within {best.max():.3f} (nearest {best.min():.3f})"
    yield f"{len(stored.accepted)} accepted {ends}, {different(stored)} of them different"
    error = model_error(stored.accepted)
    yield f"their distances on other workloads: {again.min():.3f} to {again.max():.3f}; the model's error: {error:.3f}"


def different(stored: Stored) -> int:
    """How many of the accepted settings differ: chains that did not move repeat their start."""
    return len(stored.accepted.drop_duplicates(["round", "chain", "step"]))


def _figures(stored: Stored, table: pd.DataFrame, paper: str) -> Iterator[str]:
    """The table of a paper's figures; one star: the interval misses the published value, two: with the error too."""
    yield f"{paper.capitalize():40}{'role':>6}{'published':>10}{'median':>9}{'95 % interval':>20}{'prior':>20}"
    for row in _rows(table[table.paper == paper]):
        mark = "" if row.covered else " *" if row.error_covered else " **"
        own, wide = _ends(row.low, row.high), _ends(row.prior_low, row.prior_high)
        yield f"{figure_label(row.key):40}{row.role:>6}{row.published:10.1f}{row.middle:9.1f}{own:>20}{wide:>20}{mark}"
    for key in UNPRINTED:
        if key.startswith(full(paper, "")):
            found = interval(stored.accepted, key)
            yield f"{figure_label(key):40}{'':>16}{found.middle:9.1f}{_ends(found.low, found.high):>20}"


def _coverages(table: pd.DataFrame) -> Iterator[str]:
    for row in _rows(coverages(table)):
        yield (
            f"{row.paper.capitalize()}, {row.role}: {row.covered} of {row.figures} figures in their intervals, "
            f"{row.with_error} with the model's error, {row.prior} in the prior's; "
            f"median width over prior {row.width_over_prior:.2f}"
        )


def _moved(stored: Stored, table: pd.DataFrame) -> Iterator[str]:
    """For every figure outside its interval the parameters that move it across the published value, strongest first.

    Where there is none: the parameter with the strongest rank correlation over the draws from the prior, and whether
    these lie on both sides of the published value.
    """
    yield "figures outside their intervals, with parameters that move them across the published value"
    found = correlations(stored.prior)
    for row in _rows(table[~table.covered]):
        names = [
            f"{one.parameter} {one.correlation:+.2f}"
            for one in moved(stored, row.paper, row.key.partition(":")[2], row.published)
        ]
        yield f"{row.key}: {', '.join(names) or _strongest(stored, found, row)}"


def _strongest(stored: Stored, found: pd.DataFrame, row: Any) -> str:
    if row.key not in found:
        return "not known of draws from the prior"
    own = found[row.key].reindex(list(parameters(row.paper)))
    name = str(own.abs().idxmax())
    values = stored.prior[row.key]
    both = values.min() <= row.published <= values.max()
    reach = "draws from the prior on both sides" if both else "no draw from the prior beyond it"
    return f"none; strongest {name} {own[name]:+.2f}, {reach}"


def _ranges(stored: Stored) -> Iterator[str]:
    yield f"{'parameter':26}{'median':>9}{'95 % of settings':>22}{'prior':>18}{'narrowed to':>13}"
    for row in _rows(ranges(stored)):
        own, wide = (f"{a:.3g} to {b:.3g}" for a, b in ((row.low, row.high), (row.prior_low, row.prior_high)))
        yield f"{row.parameter:26}{row.middle:9.3g}{own:>22}{wide:>18}{row.narrowed:13.2f}"


def _choices(stored: Stored) -> Iterator[str]:
    yield "choices: share of the accepted settings (of the prior's draws)"
    for name, values in choices(stored).groupby("parameter", sort=False):
        shares = (f"{v.value} {100 * v.posterior:.0f} % ({100 * v.prior:.0f})" for v in _rows(values))
        kind = "reading" if values.reading.iloc[0] else ""
        yield f"{name!s:26}{kind:9}{', '.join(shares)}"


def _rows(frame: pd.DataFrame) -> Iterator[Any]:
    yield from frame.itertuples()


def _validation(stored: Stored) -> Iterator[str]:
    halves = cross_validated(stored)
    yield "cross-validation: settings fitted to half of the figures, the other half in their intervals"
    yield halves.round(2).to_string(index=False)
    yield ", ".join(f"{k} {v:g}" for k, v in _means(halves).items())
    for paper, own in by_paper(stored).groupby("paper"):
        yield f"{paper}: " + ", ".join(f"{k} {v:g}" for k, v in _means(own).items())
    found = validated(stored)
    word = "holds" if found.passed else "does not hold"
    yield (
        f"the model {word}: coverage {found.coverage:.2f} (at least {LEAST_COVERAGE:g}), "
        f"width over prior {found.width:.2f} (below {MOST_WIDTH:g})"
    )
    out = held_out(stored).set_index("key")
    for key in found.wrong:
        row = out.loc[key]
        side = "below" if row.below > row.above else "above"
        missed = f"{row.splits - row.covered} of {row.splits}"
        yield f"wrong at {key}: outside in {missed} splits, settings {side} the printed value"


def _means(table: pd.DataFrame) -> pd.Series[float]:
    """Means over the splits."""
    return table.drop(columns=["half", "paper"], errors="ignore").mean().round(2)


def _ends(low: float, high: float) -> str:
    return "unknown" if low != low else f"{low:.1f} to {high:.1f}"
