"""What is said of a printed figure next to the measured one: a verdict of a closed list, given by rules, not by hand.

`judge` has the rules, in the order of the list but for one: an interval that only the model's error widens to hold a
value comes last. What they rest on is `Evidence`: what settings give that are consistent with the other figures,
figures under other readings, quotations of figures that do not go together, and what a study measured by a sweep of its
own. A reader is given the reason next to the verdict.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from euclio.analysis.statistics import Measured
from euclio.core.words import UNITS, with_unit

VISIBLE = 0.1
"""A difference beyond this share of the published value is visible."""
LEAST_CORRELATION = 0.3
"""Rank correlation from which a parameter is said to move a figure."""


class Verdict(StrEnum):
    """All that can be said of a printed figure; every score has exactly one."""

    AGREES = "agrees"
    WITHIN = "within what consistent settings give"
    OTHER_READING = "other reading fits"
    PROFILES = "profiles not printed"
    OTHER_MACHINE = "other machine or implementation"
    CONTRADICTS = "contradicts another printed figure"
    UNEXPLAINED = "unexplained"

    @property
    def meaning(self) -> str:
        """The rule by which it is given, for readers of a page."""
        return _MEANINGS[self]


_MEANINGS = {
    Verdict.AGREES: "the published value lies in the 95 % interval of the measured one, or within a tenth of itself",
    Verdict.WITHIN: "it lies in the 95 % interval of what all settings give that are consistent with the fitted "
    "figures; where it does so only with the model's error added, that is said",
    Verdict.OTHER_READING: "it agrees where a sentence that the paper leaves open is read the other way",
    Verdict.PROFILES: "a named parameter of the unprinted profiles or workloads moves the figure across it",
    Verdict.OTHER_MACHINE: "a run time, of other code on another machine; not counted",
    Verdict.CONTRADICTS: "the papers print another figure that it does not go together with; fitted to nothing and not "
    "counted",
    Verdict.UNEXPLAINED: "none of these",
}


@dataclass(frozen=True, slots=True)
class Predicted:
    """What settings that are consistent with the fitted figures give for a figure, as 95 % intervals.

    Attributes:
        low: end of the settings' own interval.
        high: its other end.
        error_low: end of the interval with the model's error added.
        error_high: its other end.
        prior_low: end of the interval of all settings, consistent or not.
        prior_high: its other end.
    """

    low: float
    high: float
    error_low: float
    error_high: float
    prior_low: float
    prior_high: float

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
class Moved:
    """A parameter that moves a figure.

    Attributes:
        parameter: its name and, where it has one, its range.
        correlation: rank correlation of the figure with it.
        low: the figure at the parameter's low end.
        high: the figure at its high end.
    """

    parameter: str
    correlation: float
    low: float
    high: float

    def across(self, value: float) -> bool:
        """Whether it moves the figure across a value, and does so for more than a few settings."""
        low, high = sorted((self.low, self.high))
        return low <= value <= high and abs(self.correlation) >= LEAST_CORRELATION


@dataclass(frozen=True, slots=True)
class OtherReading:
    """A figure under another answer to a question that the paper leaves open.

    Attributes:
        question: what is open.
        answer: the other answer.
        measured: the figure under it.
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


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Printed figures that do not go together.

    Attributes:
        kind: how strongly.
        quotes: what is printed.
        why: why they do not go together.
    """

    kind: str
    quotes: tuple[Quotation, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Stated:
    """A verdict that a study gives itself, since its figures have no posterior.

    Attributes:
        verdict: what it says.
        because: why, in sentences.
        sweep: the figure over the range of a named parameter, which "profiles not printed" needs.
    """

    verdict: Verdict
    because: str
    sweep: Moved | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of one figure next to its measure.

    Attributes:
        predicted: what consistent settings give; None: the paper has no posterior, or the figure is not in it.
        moved: parameters with what they do to the figure over their posterior range, the strongest first.
        readings: the figure under other readings.
        contradictions: other printed figures that it does not go together with.
        stated: the study's own verdict, which stands only where no rule gives one.
    """

    predicted: Predicted | None = None
    moved: tuple[Moved, ...] = ()
    readings: tuple[OtherReading, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    stated: Stated | None = None


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


def inside(value: float, measured: Measured) -> bool:
    """Whether a published value lies in the 95 % interval of a measure."""
    return measured.low is not None and measured.high is not None and measured.low <= value <= measured.high


def met(value: float, measured: Measured) -> bool:
    """Whether a measure agrees with a published value: inside its interval, or no more than a tenth of it away."""
    if math.isnan(measured.value):
        return False
    return inside(value, measured) or abs(measured.value - value) <= VISIBLE * abs(value)


def judge(role: str, value: float, unit: str, measured: Measured, evidence: Evidence = NOTHING) -> Judged:
    """The verdict on a printed figure: the first rule that holds.

    Args:
        role: the figure's role, which alone decides on run times and contradicting figures.
        value: the printed number.
        unit: its unit, for the reason.
        measured: ours.
        evidence: what else is known.

    Raises:
        ValueError: a study states "profiles not printed" without a parameter that moves the figure across the value.
    """
    _refuse_unshown(value, evidence.stated)
    if role == "time":
        return Judged(Verdict.OTHER_MACHINE)
    if role == "inconsistent":
        return Judged(Verdict.CONTRADICTS, quoted(evidence.contradictions))
    if met(value, measured):
        return Judged(Verdict.AGREES)
    return (
        _within(value, unit, evidence.predicted)
        or _under_another_reading(value, unit, evidence.readings)
        or _by_profiles(value, unit, evidence.moved)
        # The model's error is wide and names no cause, so that it comes after what does.
        or _roughly_within(value, unit, evidence.predicted)
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
        raise ValueError(f"{stated.verdict}: no parameter is named that moves the figure across {value:g}")


def _within(value: float, unit: str, predicted: Predicted | None) -> Judged | None:
    if predicted is None or not predicted.covers(value):
        return None
    return Judged(Verdict.WITHIN, f"Consistent settings give {ends(predicted.low, predicted.high, unit)}.")


def _roughly_within(value: float, unit: str, predicted: Predicted | None) -> Judged | None:
    if predicted is None or not predicted.covers_roughly(value):
        return None
    own = ends(predicted.low, predicted.high, unit)
    wide = ends(predicted.error_low, predicted.error_high, unit)
    because = f"Consistent settings give {own}; {wide} with the model's error, which alone holds it."
    return Judged(Verdict.WITHIN, because, roughly=True)


def _under_another_reading(value: float, unit: str, readings: tuple[OtherReading, ...]) -> Judged | None:
    for reading in readings:
        if met(value, reading.measured):
            found = with_unit(reading.measured.value, unit)
            return Judged(Verdict.OTHER_READING, f"{reading.question}: {reading.answer} ({found}).")
    return None


def _by_profiles(value: float, unit: str, moved: tuple[Moved, ...]) -> Judged | None:
    for one in moved:
        if one.across(value):
            return Judged(Verdict.PROFILES, movement(one, unit))
    return None


def _as_stated(unit: str, stated: Stated | None) -> Judged | None:
    if stated is None:
        return None
    sweep = "" if stated.sweep is None else f" {movement(stated.sweep, unit)}"
    return Judged(stated.verdict, f"{stated.because}{sweep}")


def movement(moved: Moved, unit: str) -> str:
    """What a parameter does to a figure, as a sentence."""
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
