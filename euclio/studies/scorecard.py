"""The scorecard: every number of a paper, published against measured, with its verdict."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from euclio.analysis.statistics import Measured
from euclio.core.words import with_unit
from euclio.papers.published import CHECK, Published
from euclio.studies.agreement import Agreement, agreement, near
from euclio.studies.verdicts import NOTHING, ODD, Evidence, Judged, Verdict, judge

COMPARED = ("fit", CHECK, "doubtful")
"""Roles of numbers that may agree; the others are inputs and run times."""


@dataclass(frozen=True, slots=True)
class Score:
    """A row of the scorecard.

    Attributes:
        published: the printed number.
        measured: ours.
        why: what the data say of the difference, as far as they do; empty: nothing.
        evidence: what the verdict rests on next to the measure.
        artifact: whether the measure rests on what the paper's authors published and measured.
    """

    published: Published
    measured: Measured
    why: str = ""
    evidence: Evidence = NOTHING
    artifact: bool = False

    @property
    def difference(self) -> float:
        """Measured less published, in the number's unit."""
        return self.measured.value - self.published.value

    @property
    def agreement(self) -> Agreement:
        """Whether the measure agrees with the printed number, by the test of equivalence alone."""
        return agreement(self.published.value, self.measured, self.published.kind)

    @property
    def agrees(self) -> bool:
        """Whether it is shown to agree."""
        return self.agreement == Agreement.AGREES

    @property
    def near(self) -> bool:
        """Whether the measured number alone lies within the tolerance, whatever its interval."""
        return near(self.published.value, self.measured, self.published.kind)

    @property
    def odd(self) -> bool:
        """Whether it equals another printed number to the digit where nothing makes them equal."""
        return any(one.kind == ODD for one in self.evidence.contradictions) and self.published.role == "doubtful"

    @property
    def compared(self) -> bool:
        """Whether the number is one that may agree: no input, and no run time."""
        return self.published.role in COMPARED

    @property
    def judged(self) -> Judged:
        """The verdict with its reason; of a run time the reason is what the study says of what it timed."""
        p = self.published
        found = judge(p.role, p.value, p.unit, self.measured, self.evidence, p.kind)
        return Judged(found.verdict, self.why) if found.verdict == Verdict.OTHER_MACHINE and self.why else found


def scorecard(
    figures: Sequence[Published],
    measures: Mapping[str, Measured],
    reasons: Mapping[str, str],
    evidence: Mapping[str, Evidence] | None = None,
    artifact: Collection[str] = (),
) -> tuple[Score, ...]:
    """One score per published number, in the order of the paper.

    Args:
        figures: the published numbers.
        measures: ours, by key.
        reasons: what the data say of differences, by key.
        evidence: what verdicts rest on next to the measures, by key.
        artifact: keys of the measures that rest on what the paper's authors published and measured.

    Raises:
        KeyError: a published number has no measure.
    """
    known = evidence or {}
    return tuple(
        Score(f, measures[f.key], reasons.get(f.key, ""), known.get(f.key, NOTHING), f.key in artifact) for f in figures
    )


def tally(scores: Sequence[Score]) -> dict[str, tuple[int, int]]:
    """Per role, times apart, how many numbers are shown to agree, and how many there are."""
    found: dict[str, tuple[int, int]] = {}
    for role in ("fit", "input", CHECK, "doubtful"):
        mine = [score for score in scores if score.published.role == role]
        found[role] = (sum(score.agrees for score in mine), len(mine))
    return found


@dataclass(frozen=True, slots=True)
class Checked:
    """How a paper's check numbers stand, those that nothing was fitted to.

    Attributes:
        all: how many there are.
        agree: how many agree: their whole interval lies within the tolerance.
        undecided: how many are not decided.
        near: how many lie within the tolerance by the measured number alone.
        doubtful: how many more are doubtful in print.
        doubtful_agree: how many of those agree.
        doubtful_near: how many of those lie within the tolerance by the number alone.
    """

    all: int
    agree: int
    undecided: int
    near: int
    doubtful: int
    doubtful_agree: int
    doubtful_near: int


def checked(scores: Sequence[Score]) -> Checked:
    """How the check numbers stand, with the doubtful ones apart."""
    own = [score for score in scores if score.published.role == CHECK]
    doubtful = [score for score in scores if score.published.role == "doubtful"]
    return Checked(
        len(own),
        sum(score.agrees for score in own),
        sum(score.agreement == Agreement.UNDECIDED for score in own),
        sum(score.near for score in own),
        len(doubtful),
        sum(score.agrees for score in doubtful),
        sum(score.near for score in doubtful),
    )


def score_line(score: Score) -> str:
    """A score as a line for the terminal."""
    p, m = score.published, score.measured
    return f"{p.what}: {with_unit(m.value, p.unit)} (published {with_unit(p.value, p.unit)})"


def outcomes_text(labels: pd.Series[str], statuses: pd.Series[str]) -> str:
    """How often which solver ended without an accepted plan, in words."""
    odd = ~statuses.isin(["optimal", "feasible"])
    count = (labels + ": " + statuses)[odd].value_counts().sort_index()
    return ", ".join(f"{what} on {n}" for what, n in count.items()) or "none"
