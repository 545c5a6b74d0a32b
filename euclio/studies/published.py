"""Published figures of a paper, from `data/published/`."""

from __future__ import annotations

import json
from dataclasses import dataclass

from euclio.core.data_files import data_dir


@dataclass(frozen=True, slots=True)
class Published:
    """A figure that a paper prints.

    Attributes:
        key: its name in the scorecard.
        value: the printed number.
        unit: "%", "ratio", "s" or "count".
        source: paper and section.
        role: "fit" (free parameters may be fitted to it) or "check" (only ever compared).
        what: what it says.
    """

    key: str
    value: float
    unit: str
    source: str
    role: str
    what: str


def published_figures(paper: str) -> tuple[Published, ...]:
    """All published figures of a paper, in the order of its text."""
    text = (data_dir() / "published" / f"{paper}.json").read_text(encoding="utf-8")
    return tuple(Published(**entry) for entry in json.loads(text)["figures"])
