"""The claims as a table in the folder of the reports, and as lines for the terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

from euclio.core.folders import data_dir
from euclio.core.words import counted, listed, with_unit
from euclio.report import Block, Code, Heading, Paragraph, Table, markdown_page
from studies.agreement import Verdict
from studies.claims import Card, CheckedClaim, ClaimStanding, stored_claims
from studies.papers.published import CHECK, DOUBTFUL, INPUT, TIME

FILE = "sentences.json"
SET_UP, BACKGROUND, CONDITION, NOT_MEASURED = "set-up", "background", "condition", "not measured"
STATUSES = (SET_UP, BACKGROUND, CONDITION, NOT_MEASURED)
"""Reasons why a sentence states no published number: its numbers describe the set-up, other work, a condition, or a
result that nothing here measures."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a paper that carries a number.

    Attributes:
        paper: the paper.
        section: where it stands.
        numbers: the numbers in it.
        figures: keys of the published numbers that it states; empty means none.
        status: why it states none; empty if it does.
        why: for an unmeasured result, its subject and the reason.
    """

    paper: str
    section: str
    numbers: tuple[float, ...]
    figures: tuple[str, ...] = ()
    status: str = ""
    why: str = ""


@cache
def sentences() -> tuple[Sentence, ...]:
    """All sentences, paper by paper in the order of the text."""
    found = json.loads((data_dir() / FILE).read_text(encoding="utf-8"))["sentences"]
    return tuple(
        Sentence(**{**one, "numbers": tuple(one["numbers"]), "figures": tuple(one.get("figures", ()))}) for one in found
    )


def selection(own: Sequence[Sentence], claimed: frozenset[str]) -> tuple[int, int, int, int, int]:
    """Coverage of a paper's sentences, given the keys of its numbers that decide a claim.

    Returns:
        Counts of sentences: with a number; with a number that decides a claim; with other published numbers alone,
        which the scorecard compares; without a result; with a result that nothing here measures.
    """
    stated = [one for one in own if one.figures]
    taken = sum(not claimed.isdisjoint(one.figures) for one in stated)
    not_measured = sum(one.status == NOT_MEASURED for one in own)
    return len(own), taken, len(stated) - taken, len(own) - len(stated) - not_measured, not_measured


PAGE = "claims.md"
INTRODUCTION = (
    "Numbers of its paper's scorecard decide every claim; the command measures them again. Replicated is ACM's "
    "word (Artifact Review and Badging, version 1.1) for main results that others obtain without the authors' "
    "artifacts. Reproduced means with artifacts of the authors, here the blocks that "
    "PPipe's authors measured. Either requires that every number agrees. A claim is not replicated if one number is "
    "off, and otherwise not decided. A run time is measured on another machine, and never replicated. Minutes are "
    "those of the whole command in its last run."
)
SELECTION = (
    "We selected the claims by hand, after all numbers had been measured once: the first statements in each part of "
    "a paper's evaluation. {claimed} of {all} sentences with a number in abstract, introduction and evaluation are in "
    "a claim; data/sentences.json lists them all. The published numbers of {alone} more are on a scorecard alone. "
    "The search misses numbers in words and claims without a number, except “no baseline is cheaper”."
)


def write_claims(checked: Sequence[CheckedClaim], reports: Path, cards: Mapping[str, Card] | None = None) -> Path:
    """Write the table of all claims into the folder of the reports; returns its path.

    Args:
        checked: all claims.
        reports: the folder.
        cards: scorecards by paper, for the counts of numbers; None omits the counts.
    """
    reports.mkdir(parents=True, exist_ok=True)
    page = reports / PAGE
    shown = cards or {}
    blocks: list[Block] = [
        *([Paragraph(figures_text(shown))] if shown else []),
        Paragraph(tally(checked)),
        Paragraph(INTRODUCTION),
        *figures_blocks(shown),
        Heading("Claims"),
        claims_table(checked),
        *selection_blocks(),
    ]
    page.write_text(markdown_page("Claims of the papers", blocks), encoding="utf-8", newline="\n")
    return page


def tally(checked: Sequence[CheckedClaim]) -> str:
    """The number of claims by verdict, in words."""
    standings = [one.standing for one in checked]
    parts = [f"{standings.count(standing)} {standing}" for standing in ClaimStanding if standing in standings]
    return f"{counted(len(checked), 'claim')}: {', '.join(parts)}."


def figures_of(cards: Mapping[str, Card], roles: Sequence[str] = (CHECK,)) -> pd.DataFrame:
    """Published numbers of some roles, a row each, with their paper."""
    frames = [card.rows[card.rows.role.isin(roles)].assign(paper=paper) for paper, card in cards.items()]
    return pd.concat(frames)


def figures_text(cards: Mapping[str, Card]) -> str:
    """The verdicts on the check numbers of all papers, in a sentence; nothing was fitted to these numbers."""
    own, more = figures_of(cards), figures_of(cards, (DOUBTFUL,))
    agree, undecided, off, apart = (int((own.verdict == word).sum()) for word in Verdict)
    return (
        f"Of {len(own)} printed numbers that nothing was fitted or set to, {agree} agree (the whole 95 % interval "
        f"within the tolerance), {undecided} are not decided, {off} are off, {apart} are not compared, as print "
        f"contradicts them. Together with {len(more)} numbers that another printed one makes doubtful, "
        f"{agree + (more.verdict == Verdict.AGREES).sum()} of {len(own) + len(more)} agree."
    )


def figures_blocks(cards: Mapping[str, Card]) -> list[Block]:
    """The same by paper, a row each."""
    rows = []
    for paper, card in cards.items():
        own = figures_of({paper: card})
        others = ((card.rows.role == role).sum() for role in (DOUBTFUL, "fit", INPUT, TIME))
        cells = (paper, len(own), *((own.verdict == word).sum() for word in Verdict), *others)
        rows.append(tuple(str(cell) for cell in cells))
    columns = ("paper", "check numbers", *Verdict, "doubtful in print", "fitted", "set", "times")
    return [Heading("Numbers by paper"), Table("", columns, tuple(rows), frozenset(range(1, 10)))] if rows else []


def selection_blocks() -> list[Block]:
    """How claims were selected: one row per paper, and the results that nothing measures."""
    found = {}
    for paper in dict.fromkeys(one.paper for one in sentences()):
        own = [one for one in sentences() if one.paper == paper]
        keys = (key for claim in stored_claims() if claim.paper == paper for key in claim.figures)
        found[paper] = selection(own, frozenset(keys))
    left = [(one.paper, one.section, one.why) for one in sentences() if one.status == NOT_MEASURED]
    columns = ("paper", "with a number", "in a claim", "scorecard alone", "no result", "not measured")
    rows = tuple((paper, *map(str, own)) for paper, own in found.items())
    every, claimed, alone, *_ = map(sum, zip(*found.values(), strict=True))
    return [
        Heading("How claims were selected"),
        Paragraph(SELECTION.format(claimed=claimed, all=every, alone=alone)),
        Table("", columns, rows, frozenset(range(1, 6))),
        Table(
            "Results in these sentences that no study measures", ("paper", "section", "result and reason"), tuple(left)
        ),
    ]


def claims_table(checked: Sequence[CheckedClaim]) -> Table:
    """One row per claim."""
    rows = [
        (
            one.claim.says,
            Code(one.claim.command),
            "" if one.minutes is None else f"{one.minutes:.1f}",
            one.claim.tolerance,
            ", ".join(with_unit(published, unit) for published, _, unit in one.measured),
            ", ".join(with_unit(measured, unit) for _, measured, unit in one.measured),
            _said(one),
        )
        for one in checked
    ]
    columns = ("claim", "command", "minutes", "tolerance", "published", "measured", "verdict")
    return Table("", columns, tuple(rows), frozenset({2, 4, 5}))


def _said(one: CheckedClaim) -> str:
    """The verdict with its note."""
    why = f": {one.why}" if one.why else ""
    return f"{one.standing}{why}{' (held before)' if one.lost else ''}"


def lines(checked: Sequence[CheckedClaim], cards: Mapping[str, Card] | None = None) -> list[str]:
    """The lines for the terminal: which reports were read, the numbers, the tally, lost claims, new claims."""
    first = [_read(cards), figures_text(cards)] if cards else []
    lost = [f"lost: {one.claim.key}: {one.claim.says} ({one.standing})" for one in checked if one.lost]
    gained = [f"new: {one.claim.key}: {one.claim.says}" for one in checked if one.holds and not one.claim.held]
    return [*first, tally(checked), *lost, *gained]


def _read(cards: Mapping[str, Card]) -> str:
    """The folders of reports, with the papers whose reports were read there."""
    folders = dict.fromkeys(card.reports for card in cards.values())
    papers = {folder: [paper for paper, card in cards.items() if card.reports == folder] for folder in folders}
    return f"reports: {'; '.join(f'{listed(own)} in {folder}' for folder, own in papers.items())}"
