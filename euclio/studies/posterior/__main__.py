"""`python -m euclio.studies.posterior`: draw the posterior, or show what a stored one says."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from euclio.core.errors import InputError
from euclio.core.progress import say
from euclio.studies.posterior.drawing import draw_posterior
from euclio.studies.posterior.figures import write_figures
from euclio.studies.posterior.reference import reference_path, write_reference
from euclio.studies.posterior.renewing import SEED, asked_for
from euclio.studies.posterior.simulation import WORKLOADS
from euclio.studies.posterior.store import Stored, load_stored
from euclio.studies.posterior.summary import summary

BAD_INPUT = 2
"""Exit code where options or files are wrong, as of every command (docs/commands.md)."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m euclio.studies.posterior", description=__doc__)
    parser.add_argument("--draws", type=int, metavar="N", help="settings to draw; without it a stored draw is shown")
    parser.add_argument("--seed", type=int, default=SEED, help=f"seed of everything (default {SEED})")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--workloads", type=int, default=WORKLOADS, help="workloads of a setting")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the draws (Parquet)")
    parser.add_argument("--figures", type=Path, metavar="DIR", help="write the figures there as SVG")
    parser.add_argument("--reference", action="store_true", help="choose data/posterior/reference.json from the draws")
    given = parser.parse_args(arguments)
    try:
        stored = _stored(given)
        if given.reference:
            write_reference(stored, reference_path(), given.jobs)
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
    draws = draw_posterior(asked_for(given.draws, given.seed, given.jobs, given.workloads), given.out).draws
    say(f"{len(draws)} settings in {time.perf_counter() - began:.0f} s")
    # As it is stored, in single precision: shown again it is the same.
    return load_stored(given.out)


if __name__ == "__main__":
    raise SystemExit(main())
