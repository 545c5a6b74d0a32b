"""The printed numbers that nothing explains, each with all that was tried: readings, parameters, what the runs say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from euclio.core.words import counted, with_unit
from euclio.report import Fold, Table
from euclio.studies.scorecard import Score
from euclio.studies.verdicts import Verdict, quoted

MOST_PARAMETERS = 4
"""Parameters of a number that are shown, those that move it most first."""


def unexplained_fold(scores: Sequence[Score]) -> list[Fold]:
    """A table of the unexplained numbers in the order of the paper; none where there are none."""
    left = [score for score in scores if score.judged.verdict is Verdict.UNEXPLAINED]
    if not left:
        return []
    rows = tuple(
        (
            f"{own.published.what} ({own.published.source.partition(' ')[2]})",
            with_unit(own.published.value, own.published.unit),
            with_unit(own.measured.value, own.published.unit),
            tried(own) or "no reading and no parameter of ours moves it",
        )
        for own in left
    )
    table = Table("", ("number", "published", "measured", "what was tried"), rows, frozenset({1, 2}), stacks=True)
    return [Fold(f"{counted(len(left), 'unexplained number')}, with what was tried", (table,), key="unexplained")]


def tried(score: Score) -> str:
    """What was tried: what the runs say, other readings, parameters that move the number; each with what came out."""
    printed = f"In print next to it: {quoted(score.evidence.contradictions)}" if score.evidence.contradictions else ""
    return " ".join(filter(None, (score.why, *_readings(score), *_parameters(score), printed)))


def _readings(score: Score) -> Iterator[str]:
    for other in score.evidence.readings:
        yield f"{other.question}: {other.answer}: {with_unit(other.measured.value, score.published.unit)}."


def _parameters(score: Score) -> Iterator[str]:
    unit = score.published.unit
    moved = sorted(score.evidence.moved, key=lambda one: abs(one.high - one.low), reverse=True)
    for one in moved[:MOST_PARAMETERS]:
        yield f"With {one.parameter}: {with_unit(one.low, unit)} to {with_unit(one.high, unit)}."
    if len(moved) > MOST_PARAMETERS:
        yield f"{counted(len(moved) - MOST_PARAMETERS, 'more parameter')} move it less."
