"""The scorecard: every number of a paper, published against measured, with one of four words and why.

Whether a number agrees is a test of equivalence (`studies.scorecard`). Not compared are run times, inputs that
the study was set to, and numbers that another printed one makes impossible (`data/published/contradictions.json`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

import pandas as pd

from euclio.core.folders import data_dir
from euclio.core.words import UNITS, with_unit
from euclio.report.analysis.statistics import Z_95, Measured
from studies.papers.published import CHECK, DOUBTFUL, INPUT, TIME, Published

TOLERANCE = 0.1
"""The tolerance around a printed value, as a share of it."""
MIDDLE = 50.0
"""Shares above it, in per cent, are judged by what is missing to all: 97.7 against 94.2 is 2.5 times the failures."""
WHOLE = 100.0
_FEW = 2
"""Observations from which an interval can be made."""


# A test of a difference that finds none says nothing where intervals are wide: it agrees best where least is known. So
# the question is asked the other way round (Schuirmann 1987, two one-sided tests): a measure agrees only where its
# whole 95 % interval lies within the tolerance around the printed value, and does not agree where none of it does.


class NumberKind(StrEnum):
    """What a printed number is, which decides on the tolerance around it."""

    NUMBER = ""
    SHARE = "share"
    ALL = "all"
    LEAST = "at least"
    MOST = "at most"


class Verdict(StrEnum):
    """All that is said of a printed number; the first three are what the test of equivalence says of a measure."""

    AGREES = "agrees"
    UNDECIDED = "not decided"
    OFF = "off"
    NOT_COMPARED = "not compared"


def tolerated(value: float, kind: str = NumberKind.NUMBER) -> tuple[float, float]:
    """The values that are as good as a printed one.

    Args:
        value: the printed value.
        kind: what it is. Of a number it is a tenth on each side; of a share above 50 % a tenth of what is missing to
            100 %; of "all" the value alone; of a bound what keeps it.
    """
    if kind == NumberKind.LEAST:
        return value, math.inf
    if kind == NumberKind.MOST:
        return -math.inf, value
    if kind == NumberKind.ALL:
        return value, value
    by = WHOLE - value if kind == NumberKind.SHARE and value > MIDDLE else value
    return value - TOLERANCE * abs(by), value + TOLERANCE * abs(by)


def near(value: float, measured: Measured, kind: str = NumberKind.NUMBER) -> bool:
    """Whether the measured number alone, without its interval, lies within the tolerance."""
    low, high = tolerated(value, kind)
    return low <= measured.value <= high


def interval_of(measured: Measured) -> tuple[float, float] | None:
    """The interval that a measure is judged by; None: it has none, since it is a maximum or of one observation.

    That of a number which needs none, such as one of a worked case, is the number. Bootstrap intervals of few
    observations are too narrow (Hesterberg 2015), so that they are widened to what Student's distribution gives for
    as many: 9-fold for two, 1.2-fold for ten.
    """
    if measured.exact:
        return measured.value, measured.value
    if measured.low is None or measured.high is None or 0 < measured.n < _FEW:
        return None
    wider = widening(measured.n) if measured.n else 1.0
    return measured.value - wider * (measured.value - measured.low), measured.value + wider * (
        measured.high - measured.value
    )


@cache
def widening(n: int) -> float:
    """How much wider Student's interval of a mean is than the bootstrap's percentiles, which are about normal.

    Args:
        n: observations, at least 2.
    """
    from scipy.stats import t

    return float(t.ppf(0.975, n - 1)) / Z_95 * math.sqrt(n / (n - 1))


def agreement(value: float, measured: Measured, kind: str = NumberKind.NUMBER) -> Verdict:
    """Whether a measure agrees with a printed value, is off, or neither is decided.

    What "all" says holds or does not hold of what was measured. A measure without interval never agrees: inside the
    tolerance it is not decided.

    Args:
        value: the printed value.
        measured: ours.
        kind: what the printed value is.
    """
    if math.isnan(measured.value):
        return Verdict.UNDECIDED
    if kind == NumberKind.ALL:
        return Verdict.AGREES if measured.value == value else Verdict.OFF
    least, most = tolerated(value, kind)
    found = interval_of(measured)
    low, high = found or (measured.value, measured.value)
    # Printed values are rounded, and sums in floating point are: what lies on the edge lies within.
    room = 1e-9 * max(1.0, abs(value))
    if high < least - room or low > most + room:
        return Verdict.OFF
    if found is not None and least - room <= low and high <= most + room:
        return Verdict.AGREES
    return Verdict.UNDECIDED


IMPOSSIBLE = "cannot both hold"
"""The kind of contradictions that takes a number out of comparison; the others are quoted alone."""
IN_PRINT = "In print: "
"""What opens the quotations of contradictions, which stand last."""
OF_TIMES = "A run time, of other code on another machine."
OF_INPUTS = "An input, which the study was set to"
INPUTS_CAME_OUT = {
    Verdict.AGREES: ".",
    Verdict.UNDECIDED: "; whether it came out as that is not decided.",
    Verdict.OFF: "; it did not come out as that.",
}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Printed numbers that do not go together.

    Attributes:
        kind: how strongly; `IMPOSSIBLE` or one of the weaker kinds that the file names.
        quotes: what is printed, with paper and section.
        why: why they do not go together.
    """

    kind: str
    quotes: tuple[str, ...]
    why: str

    def __str__(self) -> str:
        """Quotations and reason in one line."""
        return f"{'; '.join(self.quotes)}. {self.why}"


def contradictions(paper: str) -> dict[str, tuple[Contradiction, ...]]:
    """Of every number of a paper that is named in `data/published/contradictions.json`: what it does not go with."""
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
        reason: the study's own sentences on the number; empty: none.
        settings: ends of the 95 % interval over the accepted settings of the paper's posterior; None: not known.
        printed: what the number does not go together with in print.
        artifact: whether the measure rests on what the paper's authors published and measured.
    """

    published: Published
    measured: Measured
    reason: str = ""
    settings: tuple[float, float] | None = None
    printed: tuple[Contradiction, ...] = ()
    artifact: bool = False

    @property
    def agreement(self) -> Verdict:
        """What the test of equivalence says, whatever the number's role."""
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
        """Why a number is not compared, the study's own sentences unless it agrees, and what print has next to it."""
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
        settings: intervals over accepted settings, by key; None: there are none.
        printed: what numbers do not go together with, by key; None: none is known.
        artifact: keys of the measures that rest on what the paper's authors published and measured.

    Raises:
        KeyError: a published number has no measure.
    """
    ends_of, against = settings or {}, printed or {}
    return tuple(
        Score(f, measures[f.key], reasons.get(f.key, ""), ends_of.get(f.key), against.get(f.key, ()), f.key in artifact)
        for f in figures
    )


def tally(scores: Sequence[Score]) -> dict[str, tuple[int, int]]:
    """Per role, times apart, how many numbers are shown to agree by the test alone, and how many there are."""
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
    """The ends of an interval in words; empty where there is none."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return ""
    first, last = with_unit(low, unit), with_unit(high, unit)
    sign = UNITS[unit]
    return f"{first.removesuffix(sign) if sign and last.endswith(sign) else first} to {last}"


def outcomes_text(labels: pd.Series[str], statuses: pd.Series[str]) -> str:
    """How often which solver ended without an accepted plan, in words."""
    odd = ~statuses.isin(["optimal", "feasible"])
    count = (labels + ": " + statuses)[odd].value_counts().sort_index()
    return ", ".join(f"{what} on {n}" for what, n in count.items()) or "none"
