"""`python -m studies.inference`: search settings of a paper or of both, or show the results of a stored search."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.core.progress import say
from studies.inference.figures import write_figures
from studies.inference.population import GENERATIONS, STARTS, WORKLOADS, SettingSearch, search_settings
from studies.inference.prior import PAPERS, READING_VALUES
from studies.inference.reference import reference_path, write_reference
from studies.inference.store import load_stored, stored_path
from studies.inference.summary import summary

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
