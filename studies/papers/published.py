"""The numbers that papers print, and what pages say of papers in words, as they stand in `data/published/`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from euclio.core.folders import data_dir

CHECK = "check"
"""The role of numbers that nothing was fitted to: agreement is counted of them alone."""
DOUBTFUL, INPUT, TIME = "doubtful", "input", "time"
"""Roles of numbers that are counted apart."""
COUNTED = ("fit", CHECK)
"""Roles of numbers that settings are held against (`studies.inference.targets`)."""


@dataclass(frozen=True, slots=True)
class Published:
    """A number that a paper prints.

    Attributes:
        key: its name in the scorecard.
        value: the printed number.
        unit: "%", "ratio", "s" or "count".
        source: paper and section.
        role: "check" (only ever compared), "fit" (free parameters may be fitted to it), "input" (an input of the study
            was set to it), "time" (a run time, on another machine and in another language) or "doubtful" (another
            printed number makes it so, `data/published/contradictions.json`: fitted to nothing, compared as a check,
            and counted apart).
        what: what it says.
        kind: what decides on the tolerance around it (`studies.scorecard.Kind`); empty means a number.
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
        file: where they stand; None means in `data/published/`.
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
        about: what is said: "readings" of what the paper leaves open, what is "not_run", the "model" of a simulator and
            what it "lacks"; a text each, of what is not run its name and why.
    """
    text = (data_dir() / "published" / "notes" / f"{paper}.json").read_text(encoding="utf-8")
    return tuple(json.loads(text)[about])
