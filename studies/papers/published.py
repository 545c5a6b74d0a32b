"""The printed numbers of papers, and sentences of pages on papers, from `data/published/`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from euclio.core.folders import data_dir

CHECK = "check"
"""The role of numbers to which nothing was fitted; only these count for agreement."""
DOUBTFUL, INPUT, TIME = "doubtful", "input", "time"
"""Roles of numbers with a count of their own."""
COUNTED = ("fit", CHECK)
"""Roles of numbers with which settings are compared (`studies.inference.targets`)."""


@dataclass(frozen=True, slots=True)
class Published:
    """A printed number of a paper.

    Attributes:
        key: its name in the scorecard.
        value: the printed number.
        unit: "%", "ratio", "s" or "count".
        source: paper and section.
        role: "check" (compared only), "fit" (free parameters may be fitted to it), "input" (an input of the study was
            set to it), "time" (a run time, on another machine and in another language) or "doubtful" (in doubt by
            another printed number, `data/published/contradictions.json`). A doubtful number is compared as a check and
            counted apart.
        what: its meaning.
        kind: its kind, which sets the tolerance (`studies.scorecard.Kind`); empty means a number.
    """

    key: str
    value: float
    unit: str
    source: str
    role: str
    what: str
    kind: str = ""


def published_figures(paper: str, file: Path | None = None) -> tuple[Published, ...]:
    """All published numbers of a paper, in the order of its text.

    Args:
        paper: name of the study.
        file: their file; None means that in `data/published/`.
    """
    text = (file or data_dir() / "published" / f"{paper}.json").read_text(encoding="utf-8")
    return tuple(Published(**entry) for entry in json.loads(text)["figures"])


def printed_values(paper: str, file: Path | None = None) -> dict[str, float]:
    """The values of a paper's published figures, by key; arguments as of `published_figures`."""
    return {figure.key: figure.value for figure in published_figures(paper, file)}


def notes(paper: str, about: str) -> tuple[Any, ...]:
    """A page's sentences on a paper (`data/published/notes/`).

    Args:
        paper: name of the study.
        about: the subject: "readings" of open questions, "not_run", the "model" of a simulator and the features that it
            "lacks". Each sentence is a text; "not_run" has names and reasons.
    """
    text = (data_dir() / "published" / "notes" / f"{paper}.json").read_text(encoding="utf-8")
    return tuple(json.loads(text)[about])
