"""Places of reports: the stored ones in git, and the last written ones, which git ignores.

A reproduction writes its report to `LAST`, and prints the differences from `STORED`; `store` puts the first in place of
the second. Times, and runs that a time limit stops, depend on the machine, so no run replaces a stored report.
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
"""Folder in a report with the runs of a study until its page is written."""


def latest(paper: str, *, whole: bool = False) -> Path:
    """The folder of reports with the last report of a paper: `LAST`, or `STORED` if that has none.

    Args:
        paper: name of the study.
        whole: whether to skip a report of fewer workloads than the study's.
    """
    card = LAST / paper / SCORECARD
    return LAST if card.exists() and not (whole and not load(card)[1]["whole"]) else STORED


def folder_of_claims(out: Path | None, accepted: bool) -> Path:
    """The folder for the table of claims: the named one, or that of the reports behind it."""
    return out or (STORED if accepted else LAST)


def store(paper: str) -> None:
    """Put the last report in place of the stored one; a smaller run stays in its place.

    Raises:
        InputError: the stored report has instances that this run lacked; nothing is stored.
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
    """The populations of the stored report that a report lacks, since their folder was absent.

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
    """The differences between the numbers of a report and the stored one, in lines; none without a stored one.

    Numbers are compared as printed, and run times apart from them.

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
    """A comparison of run times and of their quotients; nothing if there are none."""
    ratios = (rows.measured / rows.measured_stored).dropna()
    if ratios.empty:
        return []
    return [f"{counted(len(ratios), 'run time')}: {ratios.min():.2f} to {ratios.max():.2f} times what is stored"]
