"""Where reports are: those that are stored, in git, and those that were written last, which git ignores.

A reproduction writes what it finds to `LAST`, and says what differs from `STORED`; `store` puts the one in place of the
other. Times, and what a time limit stops, are of one machine, so that another one never writes over what is stored.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pandas as pd

from euclio.core.errors import InputError
from euclio.core.parameters import option_text
from euclio.core.words import counted, listed, with_unit
from euclio.experiments.results.tables import load
from studies.papers.published import TIME

STORED, LAST = Path("reports"), Path("build/reports")
SCORECARD = "scorecard.parquet"
UNFINISHED = "unfinished-runs"
"""Folder in a report that holds the runs of a study until its page is written."""


def latest(paper: str, *, whole: bool = False) -> Path:
    """The folder of reports that has what was written last of a paper: `LAST`, or `STORED` where that has none.

    Args:
        paper: name of the study.
        whole: pass over a report of fewer workloads than the study's.
    """
    card = LAST / paper / SCORECARD
    return LAST if card.exists() and not (whole and not load(card)[1]["whole"]) else STORED


def folder_of_claims(out: Path | None, accepted: bool) -> Path:
    """Where the table of claims is written: to the folder that is named, or next to the reports that it is about."""
    return out or (STORED if accepted else LAST)


def store(paper: str) -> None:
    """Put the report that was written last in place of the stored one; a smaller run stays where it is.

    Raises:
        InputError: the stored report has instances that this one was run without; nothing is stored.
    """
    if latest(paper, whole=True) != LAST:
        return
    lacking = left_out(paper, LAST / paper)
    if lacking:
        remedy = f"name their folder with {option_text('--instances')}"
        message = f"was run without {listed(lacking)}, which the stored report has; {remedy}"
        raise InputError(message, file=str(LAST / paper))
    shutil.copytree(LAST / paper, STORED / paper, dirs_exist_ok=True, ignore=shutil.ignore_patterns(UNFINISHED))


def left_out(paper: str, folder: Path) -> list[str]:
    """The populations of the stored report that a report was run without, as their folder was not at hand.

    A population drawn from a seed needs no folder: if it is missing, the study no longer draws it.
    """
    card = STORED / paper / SCORECARD
    if not card.exists():
        return []
    now, before = (load(path)[1].get("populations", ()) for path in (folder / SCORECARD, card))
    names = {one["name"] for one in now}
    return [
        f"{one['name']} ({counted(one['size'], 'instance')})"
        for one in before
        if one["name"] not in names and one["seed"] is None
    ]


def differences(paper: str, folder: Path) -> list[str]:
    """How the numbers of a report differ from those of the stored one, in lines; none where none is stored.

    Numbers are compared as they are printed, and run times apart from them.

    Args:
        paper: name of the study.
        folder: folder of the report.
    """
    card = STORED / paper / SCORECARD
    if not card.exists() or card.samefile(folder / SCORECARD):
        return []
    (now, how), (before, stored_how) = load(folder / SCORECARD), load(card)
    lacking = left_out(paper, folder)
    said = [f"left out, though {card.parent} has it: {listed(lacking)}"] if lacking else []
    if not how["whole"] or any(how[name] != stored_how[name] for name in ("seed", "full")):
        return [*said, f"not compared with {card.parent}, which is of all workloads, or has another seed"]
    both = now.merge(before, on="key", suffixes=("", "_stored"))
    both = both[both.measured.notna() | (not lacking)]
    times = both[both.role == TIME]
    numbers = [(row["key"], *_printed(row)) for row in both[both.role != TIME].to_dict("records")]
    moved = [f"  {key}: {own}, stored {stored}" for key, own, stored in numbers if own != stored]
    same = f"as in {card.parent}: {len(numbers) - len(moved)} of {counted(len(numbers), 'number')}"
    return [*said, f"{same}{', but not' if moved else ''}", *moved, *_times(times)]


def _printed(row: dict[Any, Any]) -> tuple[str, str]:
    return with_unit(row["measured"], row["unit"]), with_unit(row["measured_stored"], row["unit"])


def _times(rows: pd.DataFrame) -> list[str]:
    """How run times, and quotients of them, compare; nothing where there are none."""
    ratios = (rows.measured / rows.measured_stored).dropna()
    if ratios.empty:
        return []
    return [f"{counted(len(ratios), 'run time')}: {ratios.min():.2f} to {ratios.max():.2f} times what is stored"]
