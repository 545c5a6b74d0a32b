"""Blocks of every study's page: populations, also of each figure and table, scorecard, numbers of accepted settings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

from euclio.core.folders import data_dir
from euclio.core.words import counted, decimals, with_unit
from euclio.report import Block, Count, Counts, Facts, Figure, Fold, Heading, KeyNumber, Paragraph, Table, Tone
from euclio.workloads.populations import POPULATIONS, Identity
from studies.agreement import Verdict
from studies.inference.evidence import interval
from studies.inference.figures import all_figures
from studies.inference.store import Stored, load_stored
from studies.inference.targets import full
from studies.inference.validation import validated
from studies.papers.published import CHECK, DOUBTFUL
from studies.scorecard import Score, ends, tally
from studies.study import Found, Study

TONES = {
    Verdict.AGREES: Tone.GOOD,
    Verdict.UNDECIDED: Tone.OPEN,
    Verdict.OFF: Tone.BAD,
    Verdict.NOT_COMPARED: Tone.SET,
}
MEANINGS = {
    Verdict.AGREES: "the whole 95 % interval of the measured number lies within a tenth of the published one. For a "
    "share above 50 % the tolerance is a tenth of its distance to 100 %. For a printed bound the interval lies on its "
    "side; “all” requires all",
    Verdict.UNDECIDED: "the interval lies partly within that tolerance, or the number does and has no interval",
    Verdict.OFF: "no part of the interval lies within that tolerance",
    Verdict.NOT_COMPARED: "a run time of other code on another machine, an input of the study, or a "
    "number that another printed one contradicts",
}
SCORE_COLUMNS = (
    *("key", "source", "role", "kind", "unit", "published", "measured", "low", "high", "n"),
    *("exact", "settings_low", "settings_high", "verdict", "why", "artifact"),
)
"""Columns of `scorecard.parquet`."""


def counts(scores: Iterable[Score]) -> tuple[Count, ...]:
    """Number of scores with each word."""
    words = [score.verdict for score in scores]
    labels = {**{word: str(word) for word in TONES}, Verdict.AGREES: "agree"}
    return tuple(Count(labels[word], words.count(word), tone, MEANINGS[word]) for word, tone in TONES.items())


def standing_number(scores: Sequence[Score]) -> KeyNumber:
    """Number of check numbers that agree, as a key number. Numbers with a role in fitting or setting up are no checks.

    Behind it: the other words, and the same with the numbers that are doubtful in print.
    """
    own = [score.verdict for score in scores if score.published.role == CHECK]
    if not own:
        return KeyNumber("none", "of the printed numbers is a check")
    agree, more = own.count(Verdict.AGREES), tally(scores)[DOUBTFUL]
    parts = ["agree: the whole 95 % interval lies within the tolerance"]
    parts += [f"{own.count(word)} {word}" for word in TONES if word != Verdict.AGREES]
    if more[1]:
        parts.append(f"with {more[1]} that another printed number makes doubtful, {agree + more[0]} agree")
    what = "printed numbers, to which nothing was fitted, agree with ours"
    return KeyNumber(f"{agree} of {len(own)}", what, "; ".join(parts))


def verdict_lines(scores: Sequence[Score]) -> list[str]:
    """Counts of numbers by word, as a line for the terminal; none without numbers."""
    found = ", ".join(f"{count.n} {count.label}" for count in counts(scores) if count.n)
    return [f"{counted(len(scores), 'printed number')}: {found}"] if scores else []


def scorecard_blocks(scores: Sequence[Score]) -> list[Block]:
    """Counts, then one fold per section of the paper; nothing without scores."""
    if not scores:
        return []
    shown = Counts(f"{counted(len(scores), 'printed number')}, each with one of four verdicts.", counts(scores))
    return [shown, *sections(scores)]


def sections(scores: Sequence[Score]) -> list[Fold]:
    """One fold per section or figure of the paper, in the order of its text, with the counts of its words."""
    order: dict[str, int] = {}
    for score in scores:
        order.setdefault(place(score), len(order))
    arranged = sorted(scores, key=lambda score: order[place(score)])
    return [_section(name, list(found)) for name, found in groupby(arranged, place)]


def place(score: Score) -> str:
    """Section and figure of the paper with a published number."""
    return score.published.source.partition(" ")[2]


def _section(name: str, scores: Sequence[Score]) -> Fold:
    return Fold(f"{name} · {counted(len(scores), 'number')}", (score_table(scores),), counts(scores))


def score_table(scores: Sequence[Score]) -> Table:
    """Scores as a table: published, measured, the interval over accepted settings; the word opens its why."""
    with_settings = any(score.settings is not None for score in scores)
    columns = ("number", "published", "measured", "95 % interval", *(("accepted settings",) if with_settings else ()))
    return Table(
        "",
        (*columns, "verdict"),
        tuple((*_numbers(score)[: len(columns)], str(score.verdict)) for score in scores),
        numeric=frozenset(range(1, len(columns))),
        tones=tuple((str(word), tone) for word, tone in TONES.items()),
        behind=tuple(details(score) for score in scores),
        stacks=True,
    )


def _numbers(score: Score) -> tuple[str, ...]:
    p, m = score.published, score.measured
    settings = "" if score.settings is None else ends(*score.settings, p.unit)
    return p.what, with_unit(p.value, p.unit), with_unit(m.value, p.unit), ends(m.low, m.high, p.unit), settings


def details(score: Score) -> str:
    """The text behind a verdict, a line each: the reason, and the numbers that the table omits."""
    p, m = score.published, score.measured
    parts, by = [f"Role {p.role}"], m.value - p.value
    if not math.isnan(by):
        parts.append(f"measured less published {'+' if by > 0 else ''}{with_unit(by, p.unit)}")
    if m.n:
        parts.append(f"{decimals(m.n)} observations")
    return "\n".join(filter(None, (score.why, f"{'; '.join(parts)}.")))


def how_to_read(tally: str) -> Fold:
    """The meaning of the verdicts, and the study's text on its roles."""
    return Fold(
        "How verdicts are given, and which numbers do not count",
        (
            Paragraph(
                "A number has one of four verdicts (docs/claims.md). It agrees only if its whole interval lies within "
                "the tolerance; maxima and single runs have no interval and cannot agree. Accepted settings are those "
                "of the workload generator that fit the paper's fitted numbers (docs/model/posterior.md). The table "
                "also shows the 95 % interval over them, which does not affect the verdict."
            ),
            Facts(tuple((str(word), meaning) for word, meaning in MEANINGS.items())),
            Paragraph(tally),
        ),
    )


def score_frame(scores: Sequence[Score]) -> pd.DataFrame:
    """One row per score for storage: published and measured number, intervals, word and reason."""
    rows = []
    for score in scores:
        p, m, (least, most) = score.published, score.measured, score.settings or (math.nan, math.nan)
        printed = (p.key, p.source, p.role, p.kind, p.unit, p.value)
        ours = (m.value, m.low, m.high, m.n, m.exact, least, most)
        rows.append((*printed, *ours, str(score.verdict), score.why, score.artifact))
    frame = pd.DataFrame.from_records(rows, columns=SCORE_COLUMNS)
    numbers = ("published", "measured", "low", "high", "settings_low", "settings_high")
    return frame.astype(dict.fromkeys(numbers, "float64"))


_ON = ". On "
"""The text between a caption and its populations."""
SAYING = (
    "These are the instances of the figures and tables on this page. `euclio generate NAME` writes the registered "
    "ones. In their folder `sha256sum *.json | sha256sum` gives the hash; figures and tables show its "
    "first twelve digits."
)


def population_blocks(found: Found) -> list[Block]:
    """The section on a study's populations; nothing if it has none."""
    if not found.populations:
        return []
    rows = [
        (one.name, _about(one), f"{one.size:,}", "" if one.seed is None else str(one.seed), one.sha256)
        for one in found.populations
    ]
    columns = ("population", "what", "instances", "seed", "sha256")
    return [
        Heading("Populations"),
        Paragraph(SAYING),
        Table("Populations of this page", columns, tuple(rows), frozenset({2, 3}), stacks=True),
    ]


def _about(one: Identity) -> str:
    """The description of a population; registered ones have their own."""
    known = POPULATIONS.get(one.name)
    if one.seed is None:
        return "from files or tables, not drawn"
    return "drawn by this study alone" if known is None else f"{known.about}; {known.drawn}"


def identified(study: Study, found: Found, blocks: Sequence[Block]) -> list[Block]:
    """Blocks with the populations named at each figure and table."""
    return [
        replace(block, caption=_with_populations(study, found, _key(block), block.caption))
        if isinstance(block, Figure | Table)
        else block
        for block in blocks
    ]


def _key(block: Figure | Table) -> str:
    return block.key if isinstance(block, Figure) else block.caption


def _with_populations(study: Study, found: Found, key: str, caption: str) -> str:
    text = shown_of(study, found, key)
    return f"{caption.rstrip('.')}{_ON}{text}." if text else caption


def without_populations(caption: str) -> str:
    """A caption without its added populations."""
    return caption.partition(_ON)[0]


def shown_of(study: Study, found: Found, key: str) -> str:
    """The populations of a figure (by key) or a table (by caption), in words; empty means none."""
    names = study.shown(key)
    chosen = found.populations[:1] if names is None else [one for one in found.populations if one.name in names]
    return ", ".join(one.text for one in chosen)


def as_data(populations: Sequence[Identity]) -> list[dict[str, Any]]:
    """Populations as plain data, for storage with tables."""
    return [asdict(one) for one in populations]


ACCEPTED = "-accepted.parquet"
"""End of the name of the file of a draw that holds its accepted settings."""
FEWEST = 10
"""Least number of accepted settings that show a number for it to have an interval."""


def stored_posterior(paper: str, folder: Path | None = None) -> Stored | None:
    """The first stored draw that has numbers of a paper; None if there is none.

    Args:
        paper: name of the study.
        folder: where draws are stored; None means `data/posterior`.
    """
    for accepted in sorted((folder or data_dir() / "posterior").glob(f"*{ACCEPTED}")):
        if any(name.startswith(full(paper, "")) for name in pq.read_schema(accepted).names):
            return load_stored(accepted.with_name(f"{accepted.name.removesuffix(ACCEPTED)}.parquet"))
    return None


def settings_intervals(paper: str, folder: Path | None = None) -> dict[str, tuple[float, float]]:
    """Ends of the 95 % interval of each number over the accepted settings, by key; empty if the paper has no draw.

    Args:
        paper: name of the study.
        folder: where draws are stored; None means `data/posterior`.
    """
    stored, found = stored_posterior(paper, folder), {}
    if stored is not None:
        for name in map(str, stored.accepted):
            if name.startswith(full(paper, "")) and stored.accepted[name].notna().sum() >= FEWEST:
                own = interval(stored.accepted, name)
                found[name.removeprefix(full(paper, ""))] = (own.low, own.high)
    return found


def posterior_blocks(paper: str) -> list[Block]:
    """The section of a page on the paper's posterior; nothing where it has none."""
    stored = stored_posterior(paper)
    if stored is None:
        return []
    found = validated(stored)
    text = (
        f"We simulated {len(stored.draws)} settings of the workload generator and accepted the {len(stored.accepted)} "
        "nearest to the paper's fitted numbers (docs/model/posterior.md). Their results for the other "
        "numbers follow from the rest of the paper, within this generator; a wide interval means that the "
        "paper does not fix the number. As a test, we chose settings without a "
        f"group of numbers (dispatch, dummies, ...). Their intervals hold {100 * found.coverage:.0f} % of the numbers "
        f"of that group, those of the prior {100 * found.prior_coverage:.0f} %. They are {found.width:.2f} times "
        "as wide (median)."
    )
    return [Heading("Results of consistent settings"), Paragraph(text), *all_figures(stored)]
