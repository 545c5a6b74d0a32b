"""The scorecard: every figure of a paper, published against measured."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from euclio.analysis.statistics import Measured
from euclio.core.data_files import data_dir
from euclio.core.words import UNITS, with_unit
from euclio.report import Table

COUNTED = ("fit", "check")
"""Roles of figures that count; run times and figures that contradict another printed one are only shown."""
VISIBLE = 0.1
"""A difference beyond this share of the published value is visible."""


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
        why: why it differs visibly, as far as the data say; empty: it does not, or nothing is known.
    """

    published: Published
    measured: Measured
    why: str = ""

    @property
    def difference(self) -> float:
        """Measured less published, in the figure's unit."""
        return self.measured.value - self.published.value

    @property
    def inside(self) -> bool:
        """Whether the published value lies in the 95 % interval."""
        m = self.measured
        return m.low is not None and m.high is not None and m.low <= self.published.value <= m.high

    @property
    def differs(self) -> bool:
        """Whether it differs visibly: by more than a tenth of the printed figure, and outside the interval."""
        if math.isnan(self.measured.value):
            return True
        return not self.inside and abs(self.difference) > VISIBLE * abs(self.published.value)


def scorecard(
    figures: Sequence[Published], measures: Mapping[str, Measured], reasons: Mapping[str, str]
) -> tuple[Score, ...]:
    """One score per published figure, in the order of the paper.

    Raises:
        KeyError: a published figure has no measure.
    """
    scores = [Score(figure, measures[figure.key], reasons.get(figure.key, "")) for figure in figures]
    return tuple(scores)


def tally(scores: Sequence[Score]) -> dict[str, tuple[int, int]]:
    """Per role that counts, fit and check, how many figures do not differ visibly, and how many there are."""
    found: dict[str, tuple[int, int]] = {}
    for role in COUNTED:
        mine = [score for score in scores if score.published.role == role]
        found[role] = (sum(not score.differs for score in mine), len(mine))
    return found


def interval(measured: Measured, unit: str) -> str:
    """The 95 % interval in words."""
    if measured.low is None or measured.high is None:
        return ""
    low, high = with_unit(measured.low, unit), with_unit(measured.high, unit)
    return f"{low.removesuffix(UNITS[unit]) if UNITS[unit] else low} to {high}"


def score_line(score: Score) -> str:
    """A score as a line for the terminal."""
    p, m = score.published, score.measured
    return f"{p.what}: {with_unit(m.value, p.unit)} (published {with_unit(p.value, p.unit)})"


def outcomes_text(labels: pd.Series[str], statuses: pd.Series[str]) -> str:
    """How often which solver ended without an accepted plan, in words."""
    odd = ~statuses.isin(["optimal", "feasible"])
    count = (labels + ": " + statuses)[odd].value_counts().sort_index()
    return ", ".join(f"{what} on {n}" for what, n in count.items()) or "none"


def score_table(scores: Sequence[Score]) -> Table:
    """The scorecard as a table; rows that differ visibly are marked."""
    rows = []
    for score in scores:
        p, m = score.published, score.measured
        sign = "+" if score.difference > 0 else ""
        rows.append(
            (
                f"{p.what} ({p.source.partition(' ')[2]})",
                p.role,
                with_unit(p.value, p.unit),
                with_unit(m.value, p.unit),
                interval(m, p.unit),
                "" if math.isnan(score.difference) else sign + with_unit(score.difference, p.unit),
                (score.why or "Nothing in the data explains it.") if score.differs else "",
            )
        )
    return Table(
        "Published against measured. Marked: differs by more than a tenth and lies outside the 95 % interval.",
        ("figure", "role", "published", "measured", "95 % interval", "difference", "why it differs"),
        tuple(rows),
        frozenset({2, 3, 4, 5}),
        frozenset(i for i, score in enumerate(scores) if score.differs),
    )
