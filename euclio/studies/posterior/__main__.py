"""`python -m euclio.studies.posterior`: draw the posterior, or show what a stored one says."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from euclio.core.errors import InputError
from euclio.core.progress import say
from euclio.studies.posterior import references
from euclio.studies.posterior.drawing import Asked, draw_posterior
from euclio.studies.posterior.evidence import summary
from euclio.studies.posterior.figures import write_figures
from euclio.studies.posterior.prior import draw
from euclio.studies.posterior.reference import reference_path, write_reference
from euclio.studies.posterior.references import Again
from euclio.studies.posterior.sampler import PAIRS
from euclio.studies.posterior.simulation import WORKLOADS
from euclio.studies.posterior.store import Stored, load_stored

BAD_INPUT = 2
"""Exit code where options or files are wrong, as of every command (docs/commands.md)."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m euclio.studies.posterior", description=__doc__)
    parser.add_argument("--draws", type=int, metavar="N", help="settings to draw; without it a stored draw is shown")
    parser.add_argument("--seed", type=int, default=1131, help="seed of everything (default 1131)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--workloads", type=int, default=WORKLOADS, help="workloads of a setting")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the draws (Parquet)")
    parser.add_argument("--figures", type=Path, metavar="DIR", help="write the figures there as SVG")
    parser.add_argument("--reference", action="store_true", help="write data/posterior/reference.json from the draws")
    given = parser.parse_args(arguments)
    try:
        stored = _stored(given)
        if given.reference:
            write_reference(stored, reference_path())
    except InputError as error:
        say(str(error))
        return BAD_INPUT
    print(summary(stored))
    if given.figures is not None:
        write_figures(stored, given.figures)
    return 0


def _stored(given: argparse.Namespace) -> Stored:
    """The draw that is asked for, or the stored one."""
    if given.draws is None:
        return load_stored(given.out)
    began = time.perf_counter()
    draws = draw_posterior(_asked(given), given.out).draws
    say(f"{len(draws)} settings in {time.perf_counter() - began:.0f} s")
    # As it is stored, in single precision: shown again it is the same.
    return load_stored(given.out)


def _asked(given: argparse.Namespace) -> Asked:
    """What the options ask for; few workloads or draws make everything small, as tests need it."""
    small = given.workloads / WORKLOADS
    again = Again(
        draw(0, 0),
        0,
        max(5, round(references.WORKLOADS * small)),
        {paper: max(3, round(count * small)) for paper, count in references.SPLIT_WORKLOADS.items()},
        max(2, round(references.PLAN_WORKLOADS * small)),
    )
    pairs = max(2, min(PAIRS, given.draws // 50))
    return Asked(given.draws, given.seed, given.jobs, given.workloads, pairs, again)


if __name__ == "__main__":
    raise SystemExit(main())
