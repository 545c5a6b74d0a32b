"""`python -m euclio.posterior`: draw the posterior of a paper or of both, or show what a stored one says."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from euclio.core.errors import InputError
from euclio.core.progress import say
from euclio.posterior.drawing import SCREENED, Plan, draw_posterior
from euclio.posterior.figures import write_figures
from euclio.posterior.population import Search, nearest_setting
from euclio.posterior.printed import printed_path, write_printed
from euclio.posterior.prior import PAPERS
from euclio.posterior.reference import reference_path, write_reference
from euclio.posterior.renewing import SEED
from euclio.posterior.simulation import WORKLOADS
from euclio.posterior.store import Stored, load_stored, stored_path
from euclio.posterior.summary import summary

BAD_INPUT = 2
"""Exit code where options or files are wrong, as of every command (docs/commands.md)."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m euclio.posterior", description=__doc__)
    parser.add_argument("paper", nargs="?", choices=PAPERS, help="default: both, one after the other")
    parser.add_argument(
        "--draws", type=int, metavar="N", help="settings to simulate; without it a stored draw is shown"
    )
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of everything (default {SEED})")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--workloads", type=int, default=WORKLOADS, help="workloads of a setting")
    parser.add_argument("--screened", type=int, default=SCREENED, help="settings that an emulator screens in each wave")
    out = "the draws (Parquet; of both papers FILE-PAPER); default: data/posterior/PAPER.parquet"
    parser.add_argument("--out", type=Path, metavar="FILE", help=out)
    parser.add_argument("--figures", type=Path, metavar="DIR", help="write the figures there as SVG")
    parser.add_argument(
        "--as-printed",
        type=int,
        metavar="N",
        help="search the setting that keeps to print through N generations (FILE: JSON; its default: "
        "data/posterior/PAPER-as-printed.json)",
    )
    parser.add_argument("--reference", action="store_true", help="choose data/posterior/PAPER-reference.json")
    given = parser.parse_args(arguments)
    papers = (given.paper,) if given.paper else PAPERS
    began = time.perf_counter()
    try:
        if given.as_printed is not None:
            return _search_printed(given)
        for stored in _stored(given, papers):
            if given.reference:
                write_reference(stored, reference_path(stored.paper))
            print(summary(stored))
            if given.figures is not None:
                write_figures(stored, given.figures)
    except InputError as error:
        say(str(error))
        return BAD_INPUT
    if given.draws is not None:
        say(f"{' and '.join(papers)} in {(time.perf_counter() - began) / 60:.1f} min")
    return 0


def _search_printed(given: argparse.Namespace) -> int:
    """Search the setting of a paper that keeps to print, and write it."""
    paper = given.paper or PAPERS[0]
    out = given.out or printed_path(paper)
    search = Search.of(paper, given.seed, given.as_printed)
    setting, how = nearest_setting(search, given.jobs, out)
    write_printed(paper, setting, how, out)
    print(out)
    return 0


def _stored(given: argparse.Namespace, papers: Sequence[str]) -> Iterator[Stored]:
    """The draws that are asked for, or the stored ones, paper by paper."""
    for paper in papers:
        out = _out(given.out, paper, alone=len(papers) == 1)
        if given.draws is not None:
            plan = Plan.of(paper, given.draws, given.seed, given.workloads, given.screened)
            draw_posterior(plan, given.jobs, out)
        # As it is stored, in single precision: shown again it is the same.
        yield load_stored(out)


def _out(out: Path | None, paper: str, *, alone: bool) -> Path:
    """The file of a paper's draw."""
    if out is None:
        return stored_path(paper)
    return out if alone else out.with_name(f"{out.stem}-{paper}{out.suffix}")


if __name__ == "__main__":
    raise SystemExit(main())
