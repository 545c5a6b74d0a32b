"""How much a verdict tells: how often its rule says yes of numbers that nobody printed.

A rule that says yes of anything tells nothing when it says yes of a paper. So every rule is tried on numbers that mean
nothing for the paper: those of random settings of the workload generator, drawn before any number was looked at, where
the paper has such draws; else on the paper's other numbers of the same unit and kind, dealt round. What it says of the
printed numbers stands next to what it says of those; the quotient is the lift over chance. To lie within what
consistent settings give is said of a paper only where that lift is above 1 (`weighed`). Ours; the permutation is
Fisher's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from euclio.papers.published import Published
from euclio.studies.agreement import Agreement, agreement
from euclio.studies.scorecard import Score
from euclio.studies.verdicts import Predicted, Verdict

CHECK = "check"
ROUGHLY = f"{Verdict.WITHIN}, with the model's error"
SETTINGS, DEALT = "random settings", "the paper's other figures"
"""What rules are tried on."""
RULES = (
    str(Verdict.AGREES),
    str(Verdict.UNDECIDED),
    str(Verdict.WITHIN),
    ROUGHLY,
    str(Verdict.OTHER_READING),
    str(Verdict.PROFILES),
)
"""Rules that are tried, each by itself: what it would say if no rule came before it."""
COLUMNS = ("key", "role", "tried_on", "rule", "tried", "chance", "printed")
"""Columns of `power.parquet`: the share of tried numbers that a rule says yes of, and if of the printed."""


@dataclass(frozen=True, slots=True)
class Lift:
    """How much more often intervals of consistent settings hold a paper's checked numbers than random settings'.

    Attributes:
        figures: checked numbers that random settings show.
        covered: share of them whose printed value lies in the settings' own interval.
        chance: share of random settings whose number does, mean over the numbers.
        error_covered: as `covered`, with the model's error.
        error_chance: as `chance`, with the model's error.
    """

    figures: int
    covered: float
    chance: float
    error_covered: float
    error_chance: float

    @property
    def lift(self) -> float:
        """Covered over chance; NaN where there is nothing to divide."""
        return self.covered / self.chance if self.chance else math.nan

    @property
    def error_lift(self) -> float:
        """The same with the model's error."""
        return self.error_covered / self.error_chance if self.error_chance else math.nan


NO_LIFT = Lift(0, math.nan, math.nan, math.nan, math.nan)


def lift(figures: Sequence[Published], predicted: Mapping[str, Predicted]) -> Lift:
    """The lift over chance of a paper's checked numbers.

    Args:
        figures: the paper's published numbers.
        predicted: what consistent settings give, by key.
    """
    known = [
        (figure.value, predicted[figure.key])
        for figure in figures
        if figure.role == CHECK and figure.key in predicted and not math.isnan(predicted[figure.key].chance)
    ]
    if not known:
        return NO_LIFT
    return Lift(
        len(known),
        float(np.mean([own.covers(value) for value, own in known])),
        float(np.mean([own.chance for _, own in known])),
        float(np.mean([own.covers_roughly(value) for value, own in known])),
        float(np.mean([own.error_chance for _, own in known])),
    )


def weighed(figures: Sequence[Published], predicted: Mapping[str, Predicted]) -> dict[str, Predicted]:
    """What settings give, by key, with whether it tells something to lie within it: the paper's lift is above 1."""
    found = lift(figures, predicted)
    telling = found.lift > 1
    error_telling = telling and found.error_lift > 1
    return {key: replace(own, telling=telling, error_telling=error_telling) for key, own in predicted.items()}


def says_yes(rule: str, score: Score, value: float) -> bool:
    """Whether a rule by itself says yes of a value in the place of the printed one.

    Args:
        rule: one of `RULES`.
        score: the number with its measure and evidence.
        value: what is tried.
    """
    kind, evidence = score.published.kind, score.evidence
    if rule in (Verdict.AGREES, Verdict.UNDECIDED):
        wanted = Agreement.AGREES if rule == Verdict.AGREES else Agreement.UNDECIDED
        return agreement(value, score.measured, kind) == wanted
    if rule == Verdict.WITHIN:
        return evidence.predicted is not None and evidence.predicted.covers(value)
    if rule == ROUGHLY:
        return evidence.predicted is not None and evidence.predicted.covers_roughly(value)
    if rule == Verdict.OTHER_READING:
        return any(agreement(value, one.measured, kind) == Agreement.AGREES for one in evidence.readings)
    return any(one.across(value) for one in evidence.moved)


def power_frame(scores: Sequence[Score], random: Mapping[str, Sequence[float]]) -> pd.DataFrame:
    """One row per number and rule: how often it says yes of numbers that mean nothing, and whether of the printed.

    Run times are left out: their verdict does not depend on what was measured.

    Args:
        scores: the scorecard.
        random: numbers under random settings, by key; empty: the paper has none, and its other numbers are tried.
    """
    rows = []
    for score in scores:
        if score.published.role == "time":
            continue
        tried_on = SETTINGS if random else DEALT
        tried = random.get(score.published.key, ()) if random else _others(score, scores)
        if len(tried):
            printed = score.published.value
            for rule in RULES:
                chance = float(np.mean([says_yes(rule, score, float(value)) for value in tried]))
                head = (score.published.key, score.published.role, tried_on, rule, len(tried))
                rows.append((*head, chance, says_yes(rule, score, printed)))
    return pd.DataFrame.from_records(rows, columns=COLUMNS)


def _others(score: Score, scores: Sequence[Score]) -> list[float]:
    """The other numbers of the same unit, role and kind, which a number is exchanged for; none: it stands alone."""
    own = score.published
    return [
        other.published.value
        for other in scores
        if (other.published.unit, other.published.role, other.published.kind) == (own.unit, own.role, own.kind)
        and other.published.key != own.key
    ]


def withdrawn(power: pd.DataFrame) -> frozenset[Verdict]:
    """Verdicts that name a cause, and whose rules say yes of printed checks no more often than of tried numbers.

    Args:
        power: what `power_frame` gives.
    """
    lifts = summed(power).lift if len(power) else pd.Series(dtype=np.float64)
    return frozenset(one for one in (Verdict.OTHER_READING, Verdict.PROFILES) if not lifts.get(str(one), 2.0) > 1)


def without(scores: Sequence[Score], verdicts: frozenset[Verdict]) -> tuple[Score, ...]:
    """The scores, none of which is given one of some verdicts."""
    return tuple(replace(one, evidence=replace(one.evidence, withdrawn=verdicts)) for one in scores)


def summed(power: pd.DataFrame, role: str = CHECK) -> pd.DataFrame:
    """One row per rule over the numbers of a role: how many, printed and by chance, in shares; the lift.

    Args:
        power: what `power_frame` gives.
        role: role of the numbers.
    """
    own = power[power.role == role]
    found = own.groupby("rule", sort=False).agg(
        figures=("key", "size"), printed=("printed", "mean"), chance=("chance", "mean")
    )
    return found.assign(lift=found.printed / found.chance.where(found.chance > 0))
