"""The scorecard: every number of a paper, published against measured, with one of four words and a reason.

A test of equivalence decides whether a number agrees (`studies.agreement`). It leaves out run times, inputs to which
the study was set, and numbers that another printed one makes impossible (`data/published/contradictions.json`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from euclio.core.folders import data_dir
from euclio.core.words import UNITS, with_unit
from euclio.report.analysis.statistics import Measured
from studies.agreement import Verdict, agreement
from studies.papers.published import CHECK, DOUBTFUL, INPUT, TIME, Published

IMPOSSIBLE = "cannot both hold"
"""The kind of contradictions that excludes a number from comparison; the others are quoted only."""
IN_PRINT = "In print: "
"""The opening of the quotations of contradictions, which come last."""
OF_TIMES = "A run time, of other code on another machine."
OF_INPUTS = "An input, which the study was set to"
INPUTS_CAME_OUT = {
    Verdict.AGREES: ".",
    Verdict.UNDECIDED: "; whether it came out as that is not decided.",
    Verdict.OFF: "; it did not come out as that.",
}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Printed numbers that contradict each other.

    Attributes:
        kind: strength of the contradiction: `IMPOSSIBLE`, or one of the file's weaker kinds.
        quotes: the printed texts, with paper and section.
        why: the reason.
    """

    kind: str
    quotes: tuple[str, ...]
    why: str

    def __str__(self) -> str:
        """Quotations and reason in one line."""
        return f"{'; '.join(self.quotes)}. {self.why}"


def contradictions(paper: str) -> dict[str, tuple[Contradiction, ...]]:
    """Contradictions by number of a paper, from `data/published/contradictions.json`."""
    text = (data_dir() / "published" / "contradictions.json").read_text(encoding="utf-8")
    found: dict[str, tuple[Contradiction, ...]] = {}
    for entry in json.loads(text)["contradictions"]:
        quotes = tuple(f"“{own['text']}” ({own['paper']} {own['section']})" for own in entry["quotes"])
        for name in entry["figures"]:
            printed_in, _, key = name.partition(":")
            if printed_in == paper:
                found[key] = (*found.get(key, ()), Contradiction(entry["kind"], quotes, entry["why"]))
    return found


@dataclass(frozen=True, slots=True)
class Score:
    """A row of the scorecard.

    Attributes:
        published: the printed number.
        measured: ours.
        reason: the study's own sentences on the number; empty means none.
        settings: ends of the 95 % interval over the accepted settings of the paper's posterior; None means not known.
        printed: the contradictions with other printed numbers.
        artifact: whether the measure rests on the artifact of the paper's authors.
    """

    published: Published
    measured: Measured
    reason: str = ""
    settings: tuple[float, float] | None = None
    printed: tuple[Contradiction, ...] = ()
    artifact: bool = False

    @property
    def agreement(self) -> Verdict:
        """The result of the test of equivalence, for any role of the number."""
        return agreement(self.published.value, self.measured, self.published.kind)

    @property
    def impossible(self) -> bool:
        """Whether another printed number makes this one impossible."""
        return any(one.kind == IMPOSSIBLE for one in self.printed)

    @property
    def verdict(self) -> Verdict:
        """One of the four words."""
        apart = self.published.role in (TIME, INPUT) or self.impossible
        return Verdict.NOT_COMPARED if apart else self.agreement

    @property
    def why(self) -> str:
        """The reason for no comparison, the study's own sentences unless the number agrees, and its contradictions."""
        role, sentences = self.published.role, []
        if role == TIME:
            sentences.append(self.reason or OF_TIMES)
        elif self.impossible:
            sentences.append(f"Print contradicts it; by itself it is: {self.agreement}.")
        elif role == INPUT:
            sentences.append(f"{OF_INPUTS}{INPUTS_CAME_OUT[self.agreement]}")
        if role != TIME and self.agreement != Verdict.AGREES:
            sentences.append(self.reason)
        quoted = " ".join(map(str, self.printed))
        return " ".join(filter(None, (*sentences, quoted and f"{IN_PRINT}{quoted}")))


def scorecard(
    figures: Sequence[Published],
    measures: Mapping[str, Measured],
    reasons: Mapping[str, str],
    settings: Mapping[str, tuple[float, float]] | None = None,
    printed: Mapping[str, tuple[Contradiction, ...]] | None = None,
    artifact: Collection[str] = (),
) -> tuple[Score, ...]:
    """One score per published number, in the order of the paper.

    Args:
        figures: the published numbers.
        measures: ours, by key.
        reasons: the study's own sentences, by key.
        settings: intervals over accepted settings, by key; None if there are none.
        printed: contradictions of numbers, by key; None means none is known.
        artifact: keys of the measures that rest on the artifact of the paper's authors.

    Raises:
        KeyError: a published number has no measure.
    """
    ends_of, against = settings or {}, printed or {}
    return tuple(
        Score(f, measures[f.key], reasons.get(f.key, ""), ends_of.get(f.key), against.get(f.key, ()), f.key in artifact)
        for f in figures
    )


def tally(scores: Sequence[Score]) -> dict[str, tuple[int, int]]:
    """Per role, times apart, the count of numbers that the test shows to agree, and of all."""
    found: dict[str, tuple[int, int]] = {}
    for role in ("fit", INPUT, CHECK, DOUBTFUL):
        mine = [score for score in scores if score.published.role == role]
        found[role] = (sum(score.agreement == Verdict.AGREES for score in mine), len(mine))
    return found


def score_line(score: Score) -> str:
    """A score as a line for the terminal."""
    p, m = score.published, score.measured
    return f"{p.what}: {with_unit(m.value, p.unit)} (published {with_unit(p.value, p.unit)})"


def ends(low: float | None, high: float | None, unit: str) -> str:
    """The ends of an interval in words; empty if there is none."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return ""
    first, last = with_unit(low, unit), with_unit(high, unit)
    sign = UNITS[unit]
    return f"{first.removesuffix(sign) if sign and last.endswith(sign) else first} to {last}"


def outcomes_text(labels: pd.Series[str], statuses: pd.Series[str]) -> str:
    """The count of runs without an accepted plan, by solver, in words."""
    odd = ~statuses.isin(["optimal", "feasible"])
    count = (labels + ": " + statuses)[odd].value_counts().sort_index()
    return ", ".join(f"{what} on {n}" for what, n in count.items()) or "none"
