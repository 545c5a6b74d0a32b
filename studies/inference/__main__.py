"""`python -m studies.inference`: search settings of a paper or of both, or show the results of a stored search."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from euclio.core.errors import InputError
from euclio.core.progress import say
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
from studies.inference.figures import write_figures
from studies.inference.population import GENERATIONS, STARTS, WORKLOADS, SettingSearch, search_settings
from studies.inference.prior import PAPERS, READING_VALUES
from studies.inference.reference import reference_path, write_reference
from studies.inference.store import Stored, load_stored, stored_path
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


BAD_INPUT = 2
"""Exit code where options or files are wrong, as of every command (docs/commands.md)."""
SEED = 1131
"""Seed of the stored searches."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m studies.inference", description=__doc__)
    parser.add_argument("paper", nargs="?", choices=PAPERS, help="default: both, one after the other")
    parser.add_argument(
        "--generations", type=int, metavar="N", help="generations to search; without it a stored search is shown"
    )
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of everything (default {SEED})")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--workloads", type=int, default=WORKLOADS, help="workloads of a setting")
    parser.add_argument("--starts", type=int, default=STARTS, help="random settings that it begins with")
    parser.add_argument(
        "--reading", action="append", default=[], metavar="NAME=VALUE", help="another reading, as acceptance=all"
    )
    files = "the settings (Parquet; of both papers FILE-PAPER); default: data/posterior/PAPER.parquet"
    parser.add_argument("--out", type=Path, metavar="FILE", help=files)
    parser.add_argument("--figures", type=Path, metavar="DIR", help="write the figures there as SVG")
    given = parser.parse_args(arguments)
    papers = (given.paper,) if given.paper else PAPERS
    try:
        readings = _readings(given.reading)
        for paper in papers:
            out = _out(given.out, paper, alone=len(papers) == 1)
            if given.generations is not None:
                _search(paper, given, readings, out)
            # In single precision, as it is stored, so that a later display is the same.
            stored = load_stored(out)
            print(summary(stored))
            if given.figures is not None:
                write_figures(stored, given.figures)
    except InputError as error:
        say(str(error))
        return BAD_INPUT
    return 0


def renew(paper: str, jobs: int, generations: int | None = None) -> None:
    """Search the stored settings of a paper anew, with their own seed; an interrupted search goes on.

    Args:
        paper: the paper.
        jobs: processes, which change no digit.
        generations: number of generations; None means that of the stored search (`GENERATIONS`).

    Raises:
        InputError: the journal next to the stored search is of another search.
    """
    _written(SettingSearch(paper, SEED, generations or GENERATIONS[paper]), jobs, stored_path(paper))


def _search(paper: str, given: argparse.Namespace, readings: dict[str, Any], out: Path) -> None:
    """Search the settings of a paper."""
    began = time.perf_counter()
    search = SettingSearch(
        paper, given.seed, given.generations, starts=given.starts, workloads=given.workloads, readings=readings
    )
    _written(search, given.jobs, out)
    say(f"{paper} in {(time.perf_counter() - began) / 60:.1f} min")


def _written(search: SettingSearch, jobs: int, out: Path) -> None:
    """Search, and write the settings with the reference next to them."""
    search_settings(search, jobs, out)
    own = out == stored_path(search.paper)
    write_reference(load_stored(out), reference_path(search.paper) if own else out.with_suffix(".json"))


def _readings(given: Sequence[str]) -> dict[str, Any]:
    """Readings by name.

    Raises:
        InputError: there is no such reading, or it has no such value.
    """
    found = {}
    for one in given:
        name, _, word = one.partition("=")
        if name not in READING_VALUES:
            raise InputError(f"{name!r} is no reading; there are {', '.join(READING_VALUES)}", field="--reading")
        values = {str(value).lower(): value for value in READING_VALUES[name]}
        if word not in values:
            raise InputError(f"{word!r} is no value of {name}; give {' or '.join(values)}", field="--reading")
        found[name] = values[word]
    return found


def _out(out: Path | None, paper: str, *, alone: bool) -> Path:
    """The file of a paper's search."""
    if out is None:
        return stored_path(paper)
    return out if alone else out.with_name(f"{out.stem}-{paper}{out.suffix}")


if __name__ == "__main__":
    raise SystemExit(main())
