"""How the results stand to the experiment: runs that are missing, and runs that it no longer asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from euclio.core.words import counted
from euclio.experiments.folder import ResultFolder
from euclio.experiments.results import mixture
from euclio.report import Block, Paragraph, Table


@dataclass(frozen=True, slots=True)
class Standing:
    """Results against the experiment.

    Attributes:
        current: the runs that the experiment asks for; all, where nothing says what it asks for.
        outdated: how many runs it no longer asks for.
        missing: how many runs are not finished yet, by label.
    """

    current: pd.DataFrame
    outdated: int
    missing: Mapping[str, int]


def asked_for(paths: Iterable[str | Path]) -> dict[str, str]:
    """Label by key of the runs that the experiments in some result folders ask for; empty: unknown for one of them."""
    asked: dict[str, str] = {}
    for path in paths:
        labels = ResultFolder(Path(path)).labels() if Path(path).is_dir() else {}
        if not labels:
            return {}
        asked |= labels
    return asked


def standing(frame: pd.DataFrame, asked: Mapping[str, str]) -> Standing:
    """Results against the runs that are asked for.

    Args:
        frame: results.
        asked: from `asked_for`.
    """
    if not asked:
        return Standing(frame, 0, {})
    wanted = frame.key.isin(list(asked))
    done = set(frame.key)
    missing = Counter(label for key, label in asked.items() if key not in done)
    current = frame[wanted].reset_index(drop=True) if not wanted.all() else frame
    return Standing(current, int((~wanted).sum()), missing)


def standing_blocks(found: Standing) -> list[Block]:
    """What a reader has to know before comparing: mixed versions, outdated runs, missing runs; often nothing."""
    blocks: list[Block] = []
    differing = mixture(found.current)
    if differing:
        blocks.append(Paragraph(f"Mind that {differing}. Times compare only where they are the same."))
    if found.outdated:
        blocks.append(
            Paragraph(
                f"{counted(found.outdated, 'further run')} that the experiment no longer asks for "
                f"{'is' if found.outdated == 1 else 'are'} left out of all that follows."
            )
        )
    if found.missing:
        total = sum(found.missing.values())
        blocks.append(
            Paragraph(f"{counted(total, 'run')} of the experiment {'is' if total == 1 else 'are'} not finished.")
        )
        rows = tuple((label, f"{count:,}") for label, count in sorted(found.missing.items()))
        blocks.append(Table("Runs that are missing", ("solver", "runs"), rows, frozenset({1})))
    return blocks
