"""The scorecard: every figure of a paper, published against measured, with its verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from euclio.analysis.statistics import Measured
from euclio.core.data_files import data_dir
from euclio.core.words import with_unit
from euclio.studies.verdicts import NOTHING, Evidence, Judged, inside, judge, met

COUNTED = ("fit", "check")
"""Roles of figures that count; run times and figures that contradict another printed one are only shown."""


@dataclass(frozen=True, slots=True)
class Published:
    """A figure that a paper prints.

    Attributes:
        key: its name in the scorecard.
        value: the printed number.
        unit: "%", "ratio", "s" or "count".
        source: paper and section.
        role: "fit" (free parameters may be fitted to it), "check" (only ever compared), "time" (a run time, on another
            machine and in another language, which is not counted) or "inconsistent" (it contradicts another printed
            figure, `data/published/contradictions.json`, and is fitted to nothing and not counted).
        what: what it says.
    """

    key: str
    value: float
    unit: str
    source: str
    role: str
    what: str


def published_figures(paper: str) -> tuple[Published, ...]:
    """All published figures of a paper (`data/published/`), in the order of its text."""
    text = (data_dir() / "published" / f"{paper}.json").read_text(encoding="utf-8")
    return tuple(Published(**entry) for entry in json.loads(text)["figures"])


@dataclass(frozen=True, slots=True)
class Score:
    """A row of the scorecard.

    Attributes:
        published: the printed figure.
        measured: ours.
        why: what the data say of the difference, as far as they do; empty: nothing.
        evidence: what the verdict rests on next to the measure.
    """

    published: Published
    measured: Measured
    why: str = ""
    evidence: Evidence = NOTHING

    @property
    def difference(self) -> float:
        """Measured less published, in the figure's unit."""
        return self.measured.value - self.published.value

    @property
    def inside(self) -> bool:
        """Whether the published value lies in the 95 % interval."""
        return inside(self.published.value, self.measured)

    @property
    def differs(self) -> bool:
        """Whether it differs visibly: by more than a tenth of the printed figure, and outside the interval."""
        return not met(self.published.value, self.measured)

    @property
    def counted(self) -> bool:
        """Whether the figure is one of the consistent ones that a verdict is counted of."""
        return self.published.role in COUNTED

    @property
    def judged(self) -> Judged:
        """The verdict with its reason."""
        p = self.published
        return judge(p.role, p.value, p.unit, self.measured, self.evidence)


def scorecard(
    figures: Sequence[Published],
    measures: Mapping[str, Measured],
    reasons: Mapping[str, str],
    evidence: Mapping[str, Evidence] | None = None,
) -> tuple[Score, ...]:
    """One score per published figure, in the order of the paper.

    Args:
        figures: the published figures.
        measures: ours, by key.
        reasons: what the data say of differences, by key.
        evidence: what verdicts rest on next to the measures, by key.

    Raises:
        KeyError: a published figure has no measure.
    """
    known = evidence or {}
    return tuple(Score(f, measures[f.key], reasons.get(f.key, ""), known.get(f.key, NOTHING)) for f in figures)


def tally(scores: Sequence[Score]) -> dict[str, tuple[int, int]]:
    """Per role that counts, fit and check, how many figures do not differ visibly, and how many there are."""
    found: dict[str, tuple[int, int]] = {}
    for role in COUNTED:
        mine = [score for score in scores if score.published.role == role]
        found[role] = (sum(not score.differs for score in mine), len(mine))
    return found


def score_line(score: Score) -> str:
    """A score as a line for the terminal."""
    p, m = score.published, score.measured
    return f"{p.what}: {with_unit(m.value, p.unit)} (published {with_unit(p.value, p.unit)})"


def outcomes_text(labels: pd.Series[str], statuses: pd.Series[str]) -> str:
    """How often which solver ended without an accepted plan, in words."""
    odd = ~statuses.isin(["optimal", "feasible"])
    count = (labels + ": " + statuses)[odd].value_counts().sort_index()
    return ", ".join(f"{what} on {n}" for what, n in count.items()) or "none"
