"""The scorecard on a page: counts per verdict, then the numbers folded by section of the paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import groupby

import pandas as pd

from euclio.core.words import counted, decimals, with_unit
from euclio.papers.published import CHECK
from euclio.report import Block, Count, Counts, Facts, Fold, KeyNumber, Paragraph, Table, Tone
from euclio.studies.agreement import Agreement
from euclio.studies.power import ROUGHLY
from euclio.studies.scorecard import Score, checked
from euclio.studies.unexplained import unexplained_fold
from euclio.studies.verdicts import Verdict, ends, quoted

TONES = {
    Verdict.AGREES: Tone.GOOD,
    Verdict.UNDECIDED: Tone.OPEN,
    Verdict.WITHIN: Tone.NEAR,
    Verdict.OTHER_READING: Tone.READING,
    Verdict.PROFILES: Tone.INPUTS,
    Verdict.INPUT: Tone.SET,
    Verdict.OTHER_MACHINE: Tone.OTHER,
    Verdict.CONTRADICTS: Tone.CONFLICT,
    Verdict.UNEXPLAINED: Tone.BAD,
}
# What lies within only with the model's error has the same verdict in a paler colour (`power.ROUGHLY`).
_TONES = (*((verdict.words, tone) for verdict, tone in TONES.items()), (ROUGHLY, Tone.ROUGH))

_SHORT = {
    Tone.GOOD: "agree",
    Tone.OPEN: "not decided",
    Tone.NEAR: "within",
    Tone.ROUGH: "roughly within",
    Tone.READING: "other reading",
    Tone.INPUTS: "profiles",
    Tone.SET: "set to it",
    Tone.OTHER: "other machine",
    Tone.CONFLICT: "contradict",
    Tone.BAD: "unexplained",
}
"""Verdicts in a word or two, by their tone."""


def verdict_text(score: Score) -> str:
    """The verdict on a score as a page has it."""
    return ROUGHLY if score.judged.roughly else score.judged.verdict.words


def counts(scores: Iterable[Score]) -> tuple[Count, ...]:
    """How many scores have each verdict, in the order of the list; those that lie within only roughly apart."""
    texts = [verdict_text(score) for score in scores]
    found = []
    for verdict, tone in TONES.items():
        found.append(Count(verdict.words, texts.count(verdict.words), tone, verdict.meaning))
        if verdict == Verdict.WITHIN and (found[-1].n or ROUGHLY in texts):
            note = "outside the settings' own interval, inside the one that the model's error widens"
            found.append(Count("the same, only with the model's error", texts.count(ROUGHLY), Tone.ROUGH, note))
    return tuple(found)


def short_counts(scores: Iterable[Score]) -> tuple[Count, ...]:
    """The same in a word or two each, for the line of a fold."""
    return tuple(Count(_SHORT[c.tone], c.n, c.tone) for c in counts(scores))


def standing_number(scores: Sequence[Score]) -> KeyNumber:
    """How many check numbers agree, as a number to be seen first; no number that anything was fitted or set to is one.

    Behind it: how many are not decided, how many lie within the tolerance by the number alone, the same with the
    numbers that are doubtful in print, and how many of those that do not agree lie within what settings give.
    """
    found = checked(scores)
    if not found.all:
        return KeyNumber("none", "of the printed numbers is a check")
    within = sum(
        score.judged.verdict == Verdict.WITHIN and not score.judged.roughly
        for score in scores
        if score.published.role == CHECK
    )
    parts = ["agree: the whole 95 % interval lies within the tolerance", f"{found.undecided} not decided"]
    parts += [f"{found.near} lie within it if intervals are left out"]
    parts += [f"{within} more lie within what settings give that fit the paper's fitted numbers"] if within else []
    if found.doubtful:
        parts.append(
            f"with {found.doubtful} that another printed number makes doubtful {found.agree + found.doubtful_agree} "
            "agree"
        )
    return KeyNumber(
        f"{found.agree} of {found.all}",
        "printed numbers agree with ours, of those that nothing was fitted to",
        "; ".join(parts),
    )


def verdict_lines(scores: Sequence[Score]) -> list[str]:
    """How many numbers have each verdict, as a line for the terminal; none where there are no numbers."""
    found = ", ".join(f"{count.n} {count.label}" for count in short_counts(scores) if count.n)
    return [f"{counted(len(scores), 'printed number')}: {found}"] if scores else []


def scorecard_blocks(scores: Sequence[Score], before: tuple[int, int] | None = None) -> list[Block]:
    """Counts, then one fold per section of the paper, then the numbers by verdict, and what was tried of unexplained.

    Args:
        scores: all scores, in the order of the paper.
        before: how many numbers agreed, and of how many, before agreement was a test of equivalence.
    """
    if not scores:
        return []
    return [
        Counts(f"{counted(len(scores), 'printed number')}, by verdict.{_before(scores, before)}", counts(scores)),
        *sections(scores),
        by_verdict(scores),
        *unexplained_fold(scores),
    ]


def _before(scores: Sequence[Score], before: tuple[int, int] | None) -> str:
    """How counts were before, and which stand apart."""
    odd = sum(score.odd for score in scores)
    texts = [f" {odd} of them are odd: equal to the digit to another paper's, of other systems."] if odd else []
    if before is not None:
        now = sum(score.agrees and score.compared for score in scores)
        texts.append(
            f" Before agreement was a test of equivalence, {before[0]} of {before[1]} agreed; now {now} do, without "
            "run times and inputs that were set to the printed number."
        )
    return "".join(texts)


def sections(scores: Sequence[Score]) -> list[Fold]:
    """One fold per section or figure of the paper, in the order of its text, with the counts of its verdicts."""
    order: dict[str, int] = {}
    for score in scores:
        order.setdefault(place(score), len(order))
    arranged = sorted(scores, key=lambda score: order[place(score)])
    return [_section(name, list(found)) for name, found in groupby(arranged, place)]


def place(score: Score) -> str:
    """Section and figure of the paper that a published number stands in."""
    return score.published.source.partition(" ")[2]


def _section(name: str, scores: Sequence[Score]) -> Fold:
    return Fold(f"{name} · {counted(len(scores), 'number')}", (score_table(scores),), short_counts(scores))


def score_table(scores: Sequence[Score]) -> Table:
    """Scores as a table: published, measured, what consistent settings give; the verdict opens its reason."""
    with_settings = any(score.evidence.predicted is not None for score in scores)
    settings = ("consistent settings",) if with_settings else ()
    columns = ("number", "published", "measured", "95 % interval", *settings, "verdict")
    return Table(
        "",
        columns,
        tuple((*_numbers(score, with_settings), verdict_text(score)) for score in scores),
        numeric=frozenset(range(1, len(columns) - 1)),
        tones=_TONES,
        behind=tuple(details(score) for score in scores),
        stacks=True,
    )


def _numbers(score: Score, with_settings: bool) -> tuple[str, ...]:
    p, m, found = score.published, score.measured, score.evidence.predicted
    texts = (p.what, with_unit(p.value, p.unit), with_unit(m.value, p.unit), ends(m.low, m.high, p.unit))
    settings = "" if found is None else ends(found.low, found.high, p.unit)
    return (*texts, settings) if with_settings else texts


def details(score: Score) -> str:
    """What stands behind a verdict, a line each: its reason, what the data say of the difference, the numbers."""
    judged = score.judged
    contradicts = judged.verdict == Verdict.CONTRADICTS
    why = "" if score.agrees or judged.because == score.why else score.why
    others = tuple(one for one in score.evidence.contradictions if not (contradicts and one.impossible))
    others_said = f"In print next to it: {quoted(others)}" if others else ""
    equal = f"By itself it {AGREEMENTS[score.agreement]}." if contradicts else ""
    return "\n".join(line for line in (judged.because, equal, why, others_said, _difference(score)) if line)


AGREEMENTS = {
    Agreement.AGREES: "agrees",
    Agreement.UNDECIDED: "is not decided",
    Agreement.DIFFERS: "does not agree",
}
"""What the test of equivalence says, as a verb."""


def _difference(score: Score) -> str:
    """The numbers that the table leaves out."""
    p, m, found = score.published, score.measured, score.evidence.predicted
    parts = [f"Role {p.role}"]
    if not math.isnan(score.difference):
        sign = "+" if score.difference > 0 else ""
        parts.append(f"measured less published {sign}{with_unit(score.difference, p.unit)}")
    if m.n:
        parts.append(f"{decimals(m.n)} observations")
    if found is not None:
        wide, prior = (ends(*pair, p.unit) for pair in (found.widened, found.prior))
        parts += [f"consistent settings with the model's error {wide}"] if wide and not score.judged.roughly else []
        parts += [f"all settings of the prior {prior}"] if prior else []
        held = found.covers(p.value) and not found.telling
        parts += (
            [
                "within what consistent settings give, which is not said of a paper that they cover no better than "
                "random ones"
            ]
            if held
            else []
        )
    return "; ".join(parts) + "."


def by_verdict(scores: Sequence[Score]) -> Fold:
    """Which numbers have which verdict."""
    rows = []
    for verdict in Verdict:
        mine = [f"{s.published.what} ({place(s)})" for s in scores if s.judged.verdict == verdict]
        if mine:
            rows.append((verdict.words, str(len(mine)), "; ".join(mine)))
    table = Table("", ("verdict", "n", "numbers"), tuple(rows), frozenset({1}), tones=_TONES, stacks=True)
    return Fold("All numbers by verdict", (table,), key="by-verdict")


def how_to_read(tally: str) -> Fold:
    """What verdicts mean where they are not plain, and what the study says of its roles."""
    return Fold(
        "How verdicts are given, and what is not counted",
        (
            Paragraph(
                "Verdicts are given by rules (docs/claims.md), of which the first that holds is taken. A number agrees "
                "only where its whole interval lies within the tolerance; maxima and single runs have no interval and "
                "cannot agree. Consistent settings are those of the workload generator that the fitted numbers accept "
                "(docs/model/posterior.md); next to what lies within theirs stands how many random settings would."
            ),
            Facts(tuple((verdict.words, verdict.meaning) for verdict in Verdict)),
            Paragraph(tally),
        ),
    )


def score_frame(scores: Sequence[Score]) -> pd.DataFrame:
    """One row per score, to be kept: what is published, measured and predicted, the verdict and its reason."""
    rows = []
    for score in scores:
        p, m, found = score.published, score.measured, score.evidence.predicted
        rows.append(
            {
                "key": p.key,
                "source": p.source,
                "role": p.role,
                "kind": p.kind,
                "unit": p.unit,
                "published": p.value,
                "measured": m.value,
                "low": m.low,
                "high": m.high,
                "n": m.n,
                "exact": m.exact,
                "agreement": str(score.agreement),
                "near": score.near,
                "odd": score.odd,
                "settings_low": None if found is None else found.low,
                "settings_high": None if found is None else found.high,
                "error_low": None if found is None else found.error_low,
                "error_high": None if found is None else found.error_high,
                "chance": None if found is None else found.chance,
                "telling": found is not None and found.telling,
                "verdict": str(score.judged.verdict),
                "roughly": score.judged.roughly,
                "because": score.judged.because,
                "artifact": score.artifact,
            }
        )
    numbers = ["published", "measured", "low", "high", "settings_low", "settings_high", "error_low", "error_high"]
    numbers.append("chance")
    frame = pd.DataFrame.from_records(rows, columns=SCORE_COLUMNS)
    return frame.astype(dict.fromkeys(numbers, "float64"))


SCORE_COLUMNS = (
    *("key", "source", "role", "kind", "unit", "published", "measured", "low", "high", "n"),
    *("exact", "agreement", "near", "odd", "settings_low", "settings_high", "error_low", "error_high"),
    *("chance", "telling", "verdict", "roughly", "because", "artifact"),
)
"""Columns of `scorecard.parquet`."""
