"""What is said of a printed number next to the measured one: a verdict of a closed list, given by rules, not by hand.

`judge` has the rules, in the order of the list but for one: an interval that only the model's error widens to hold a
value comes last. Whether a measure agrees is a test of equivalence (`agreement`), which may end undecided; the rules
after it are for numbers that do not agree. What they rest on is `Evidence`: what settings give that are consistent with
the other numbers, numbers under other readings, quotations of numbers that do not go together, and what a study
measured by a sweep of its own. A reader is given the reason next to the verdict, and how often a rule would say yes of
numbers that mean nothing (`power`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from euclio.analysis.statistics import Measured
from euclio.core.words import UNITS, percent, with_unit
from euclio.posterior.moving import Moved
from euclio.studies.agreement import Agreement, Kind, agreement


class Verdict(StrEnum):
    """All that can be said of a printed number; every score has exactly one."""

    AGREES = "agrees"
    UNDECIDED = "not decided"
    WITHIN = "within what consistent settings give"
    OTHER_READING = "other reading fits"
    PROFILES = "profiles not printed"
    INPUT = "set to it"
    OTHER_MACHINE = "other machine or implementation"
    CONTRADICTS = "contradicts another printed figure"
    UNEXPLAINED = "unexplained"

    @property
    def meaning(self) -> str:
        """The rule by which it is given, for readers of a page."""
        return _MEANINGS[self]

    @property
    def words(self) -> str:
        """What a page calls it; `scorecard.parquet` keeps the value, in which a printed number is a figure."""
        return self.replace("figure", "number")


_MEANINGS = {
    Verdict.AGREES: "the whole 95 % interval of the measured number lies within a tenth of the published one; of a "
    "share above 50 %, within a tenth of what it lacks to 100 %; of a printed bound, on its side; of “all”, only where "
    "all do",
    Verdict.UNDECIDED: "the interval lies partly within that tolerance, or the number does and has no interval",
    Verdict.WITHIN: "it does not agree, but lies in the 95 % interval of what the workload generator gives under all "
    "settings that fit the paper's fitted numbers; said only where these intervals hold more of the paper's numbers "
    "than of random settings'; where it needs the model's error added, that is said",
    Verdict.OTHER_READING: "it does not agree, but would if what the paper leaves open were read the other way; not "
    "said where the rule holds of random numbers as often",
    Verdict.PROFILES: "it does not agree, but a named parameter of profiles or workloads, which the paper does not "
    "print, moves our number across it; not said where the rule holds of random numbers as often",
    Verdict.INPUT: "an input that the study set to the printed number; no check, and not counted as one",
    Verdict.OTHER_MACHINE: "a run time, of other code on another machine; never counted as agreement",
    Verdict.CONTRADICTS: "the papers print another number, and the two cannot both hold; counted with and without",
    Verdict.UNEXPLAINED: "it does not agree, and none of the rules above gives a reason",
}


@dataclass(frozen=True, slots=True)
class Predicted:
    """What settings that are consistent with the fitted numbers give for a number, as 95 % intervals.

    Attributes:
        low: end of the settings' own interval.
        high: its other end.
        error_low: end of the interval with the model's error added.
        error_high: its other end.
        prior_low: end of the interval of all settings, consistent or not.
        prior_high: its other end.
        chance: share of all settings whose own number lies in the settings' interval; NaN: not known.
        error_chance: share of them whose number lies in the interval with the model's error.
        telling: whether the settings' intervals hold more of the paper's checked numbers than of random settings'.
        error_telling: whether those with the model's error do too.
    """

    low: float
    high: float
    error_low: float
    error_high: float
    prior_low: float
    prior_high: float
    chance: float = math.nan
    error_chance: float = math.nan
    telling: bool = True
    error_telling: bool = True

    @property
    def widened(self) -> tuple[float, float]:
        """The interval with the model's error."""
        return self.error_low, self.error_high

    @property
    def prior(self) -> tuple[float, float]:
        """The interval of all settings."""
        return self.prior_low, self.prior_high

    def covers(self, value: float) -> bool:
        """Whether the settings' own interval holds a value."""
        return self.low <= value <= self.high

    def covers_roughly(self, value: float) -> bool:
        """Whether the interval with the model's error holds it."""
        return self.error_low <= value <= self.error_high


@dataclass(frozen=True, slots=True)
class OtherReading:
    """A number under another answer to a question that the paper leaves open.

    Attributes:
        question: what is open.
        answer: the other answer.
        measured: the number under it.
    """

    question: str
    answer: str
    measured: Measured


@dataclass(frozen=True, slots=True)
class Quotation:
    """A few words of a paper, with their place."""

    paper: str
    section: str
    text: str

    def __str__(self) -> str:
        """Words and place in one line."""
        return f"“{self.text}” ({self.paper} {self.section})"


IMPOSSIBLE, ODD = "cannot both hold", "odd"
"""Kinds of contradictions: the one that a verdict is given for, and equal digits where equality means nothing."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Printed numbers that do not go together.

    Attributes:
        kind: how strongly.
        quotes: what is printed.
        why: why they do not go together.
    """

    kind: str
    quotes: tuple[Quotation, ...]
    why: str

    @property
    def impossible(self) -> bool:
        """Whether the numbers cannot both hold."""
        return self.kind == IMPOSSIBLE


@dataclass(frozen=True, slots=True)
class Stated:
    """A verdict that a study gives itself, since its numbers have no posterior.

    Attributes:
        verdict: what it says.
        because: why, in sentences.
        sweep: the number over the range of a named parameter, which "profiles not printed" needs.
    """

    verdict: Verdict
    because: str
    sweep: Moved | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of one number next to its measure.

    Attributes:
        predicted: what consistent settings give; None: the paper has no posterior, or the number is not in it.
        moved: parameters that move the number over their posterior range, the strongest first, across whatever value.
        readings: the number under other readings.
        contradictions: other printed numbers that it does not go together with.
        stated: the study's own verdict, which stands only where no rule gives one.
        withdrawn: verdicts whose rules say yes of this paper's checks no more often than by chance (`power`).
    """

    predicted: Predicted | None = None
    moved: tuple[Moved, ...] = ()
    readings: tuple[OtherReading, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    stated: Stated | None = None
    withdrawn: frozenset[Verdict] = frozenset()


NOTHING = Evidence()
"""No evidence but the measure."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict with its reason.

    Attributes:
        verdict: what is said.
        because: the numbers, the reading, the parameter or the quotations that it rests on; empty: the measure itself.
        roughly: of "within what consistent settings give": only with the model's error added.
    """

    verdict: Verdict
    because: str = ""
    roughly: bool = False


def judge(
    role: str, value: float, unit: str, measured: Measured, evidence: Evidence = NOTHING, kind: str = Kind.NUMBER
) -> Judged:
    """The verdict on a printed number: the first rule that holds.

    Args:
        role: the number's role, which alone decides on run times.
        value: the printed number.
        unit: its unit, for the reason.
        measured: ours.
        evidence: what else is known.
        kind: what the printed number is (`agreement.Kind`).

    Raises:
        ValueError: a study states "profiles not printed" without a parameter that moves the number across the value.
    """
    _refuse_unshown(value, evidence.stated)
    if role == "time":
        return Judged(Verdict.OTHER_MACHINE)
    impossible = tuple(one for one in evidence.contradictions if one.impossible)
    if impossible:
        return Judged(Verdict.CONTRADICTS, quoted(impossible))
    found = agreement(value, measured, kind)
    if found == Agreement.AGREES:
        return Judged(Verdict.INPUT if role == "input" else Verdict.AGREES)
    if found == Agreement.UNDECIDED:
        return Judged(Verdict.UNDECIDED)
    return (
        _within(value, unit, kind, evidence.predicted)
        or _under_another_reading(value, unit, kind, evidence)
        or _by_profiles(value, unit, evidence)
        # The model's error is wide and names no cause, so that it comes after what does.
        or _roughly_within(value, unit, kind, evidence.predicted)
        or _as_stated(unit, evidence.stated)
        or Judged(Verdict.UNEXPLAINED)
    )


def quoted(contradictions: tuple[Contradiction, ...]) -> str:
    """What is printed, and why it does not go together."""
    return " ".join(f"{'; '.join(map(str, c.quotes))}. {c.why}" for c in contradictions)


def _refuse_unshown(value: float, stated: Stated | None) -> None:
    """Refuse what no sweep shows: a study may not say of any difference that the profiles explain it."""
    if stated is None or stated.verdict != Verdict.PROFILES:
        return
    if stated.sweep is None or not stated.sweep.across(value):
        raise ValueError(f"{stated.verdict}: no parameter is named that moves the number across {value:g}")


def _within(value: float, unit: str, kind: str, predicted: Predicted | None) -> Judged | None:
    if predicted is None or not (allowed(predicted, kind) and predicted.covers(value)):
        return None
    own = ends(predicted.low, predicted.high, unit)
    return Judged(Verdict.WITHIN, f"Consistent settings give {own}{by_chance(predicted.chance)}.")


def _roughly_within(value: float, unit: str, kind: str, predicted: Predicted | None) -> Judged | None:
    if predicted is None or not (allowed(predicted, kind, rough=True) and predicted.covers_roughly(value)):
        return None
    own = ends(predicted.low, predicted.high, unit)
    wide = ends(predicted.error_low, predicted.error_high, unit)
    chance = by_chance(predicted.error_chance)
    because = f"Consistent settings give {own}; {wide} with the model's error, which alone holds it{chance}."
    return Judged(Verdict.WITHIN, because, roughly=True)


def allowed(predicted: Predicted, kind: str, *, rough: bool = False) -> bool:
    """Whether to lie within what settings give may be said of a number: not of "all", and where it tells something.

    With the model's error it tells nothing where it does not without.

    Args:
        predicted: what settings give.
        kind: what the printed number is.
        rough: whether the model's error is added.
    """
    return kind != Kind.ALL and predicted.telling and (predicted.error_telling or not rough)


def by_chance(chance: float) -> str:
    """How many random settings an interval would accept, as a part of a sentence."""
    return "" if math.isnan(chance) else f", which would hold the number of {percent(chance, 0)} of random settings"


def _under_another_reading(value: float, unit: str, kind: str, evidence: Evidence) -> Judged | None:
    if Verdict.OTHER_READING in evidence.withdrawn:
        return None
    for reading in evidence.readings:
        if agreement(value, reading.measured, kind) == Agreement.AGREES:
            found = with_unit(reading.measured.value, unit)
            return Judged(Verdict.OTHER_READING, f"{reading.question}: {reading.answer} ({found}).")
    return None


def _by_profiles(value: float, unit: str, evidence: Evidence) -> Judged | None:
    if Verdict.PROFILES in evidence.withdrawn:
        return None
    for one in evidence.moved:
        if one.across(value):
            return Judged(Verdict.PROFILES, movement(one, unit))
    return None


def _as_stated(unit: str, stated: Stated | None) -> Judged | None:
    if stated is None:
        return None
    sweep = "" if stated.sweep is None else f" {movement(stated.sweep, unit)}"
    return Judged(stated.verdict, f"{stated.because}{sweep}")


def movement(moved: Moved, unit: str) -> str:
    """What a parameter does to a number, as a sentence."""
    low, high = with_unit(moved.low, unit), with_unit(moved.high, unit)
    sign = "+" if moved.correlation > 0 else "−"
    return f"{moved.parameter} moves it from {low} to {high} (rank correlation {sign}{abs(moved.correlation):.2f})."


def ends(low: float | None, high: float | None, unit: str) -> str:
    """The ends of an interval in words; empty where there is none."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return ""
    first, last = with_unit(low, unit), with_unit(high, unit)
    sign = UNITS[unit]
    return f"{first.removesuffix(sign) if sign and last.endswith(sign) else first} to {last}"
