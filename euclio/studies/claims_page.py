"""The claims as a table in the folder of the reports, and as lines for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from pathlib import Path

import pandas as pd

from euclio.core.words import counted, listed, percent, with_unit
from euclio.papers.published import CHECK
from euclio.report import Block, Code, Heading, Paragraph, Table, markdown_page
from euclio.studies.agreement import TOLERANCE, Agreement
from euclio.studies.claims import Card, Checked, Standing, stored_claims
from euclio.studies.power_blocks import HEADS, power_rows, tried_on
from euclio.studies.sentences import NOT_MEASURED, selection, sentences

PAGE = "claims.md"
INTRODUCTION = (
    "Every claim is decided by numbers of its paper's scorecard, which the command measures again. Replicated is ACM's "
    "word (Artifact Review and Badging, version 1.1) for main results that were obtained independently by others than "
    "the authors, without artifacts of theirs; reproduced is with artifacts of theirs, which are the blocks that "
    "PPipe's authors measured. Either is said only where the whole 95 % interval of every number lies within the "
    "tolerance; not decided where no number is shown to be off. Consistent, not replicated: every number that does not "
    "agree lies within what settings give that are consistent with the fitted numbers, which is said of no paper that "
    "those cover no better than random settings; chance is the share of random settings that the same intervals would "
    "accept. A run time is measured on another machine, and never replicated. Minutes are those of the whole command "
    "when it last ran."
)
POWER = (
    "A verdict tells as much as its rule refuses. Each rule by itself was tried on numbers that mean nothing for the "
    "paper: Harpagon's and Piccolo's on those of every random setting of the workload generator, drawn before any "
    "number was looked at, the others' on the paper's own other numbers of the same unit and kind. Printed: the share "
    "of check numbers that the rule says yes of; by chance: of the numbers tried."
)


SELECTION = (
    "Claims were selected by hand, when all numbers had been measured once: what a paper puts first in each part of "
    "its evaluation. So that nothing is lost by that, data/sentences.json has every sentence with a number of "
    "abstract, introduction and evaluation; numbers in words are not found, nor claims without a number, of which only "
    "“no baseline is cheaper” is among the claims. Sentences that no claim takes up are decided by the scorecard, "
    "number by number."
)


def write_claims(checked: Sequence[Checked], reports: Path, cards: Mapping[str, Card] | None = None) -> Path:
    """Write the table of all claims into the folder of the reports; returns its path.

    Args:
        checked: all claims.
        reports: the folder.
        cards: scorecards by paper, for the counts of numbers and the power of verdicts; None: they are left out.
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
        *power_blocks(shown),
        *selection_blocks(),
    ]
    page.write_text(markdown_page("Claims of the papers", blocks), encoding="utf-8", newline="\n")
    return page


def tally(checked: Sequence[Checked]) -> str:
    """How many claims stand how, in words."""
    standings = [one.standing for one in checked]
    parts = [f"{standings.count(standing)} {standing}" for standing in Standing if standing in standings]
    return f"{counted(len(checked), 'claim')}: {', '.join(parts)}."


def figures_of(cards: Mapping[str, Card], roles: Sequence[str] = (CHECK,)) -> pd.DataFrame:
    """Published numbers of some roles, a row each, with their paper."""
    frames = [card.rows[card.rows.role.isin(roles)].assign(paper=paper) for paper, card in cards.items()]
    return pd.concat(frames)


def figures_text(cards: Mapping[str, Card]) -> str:
    """How the check numbers of all papers stand, in a sentence: those that nothing was fitted to."""
    own, more = figures_of(cards), figures_of(cards, ("doubtful",))
    agree, undecided = ((own.agreement == one).sum() for one in (Agreement.AGREES, Agreement.UNDECIDED))
    near, more_agree = own.near.sum(), (more.agreement == Agreement.AGREES).sum()
    tenth = ((own.measured - own.published).abs() <= TOLERANCE * own.published.abs()).sum()
    return (
        f"Of {len(own)} printed numbers that nothing was fitted or set to, {agree} agree (the whole 95 % interval "
        f"within the tolerance), {undecided} are not decided, {len(own) - agree - undecided} do not agree; {near} lie "
        f"within the tolerance if intervals are left out ({tenth} within a tenth of the printed value, "
        f"whatever it is). With {len(more)} numbers that another printed one makes doubtful: "
        f"{agree + more_agree} of {len(own) + len(more)} agree, {near + more.near.sum()} lie within."
    )


def figures_blocks(cards: Mapping[str, Card]) -> list[Block]:
    """The same by paper, a row each."""
    rows = []
    for paper, card in cards.items():
        own, more = figures_of({paper: card}), figures_of({paper: card}, ("doubtful",))
        counts = ((own.agreement == one).sum() for one in Agreement)
        odd = (
            f"{len(more)} ({(more.agreement == Agreement.AGREES).sum()} agree, {more.odd.sum()} odd)"
            if len(more)
            else "–"
        )
        inputs, times = ((card.rows.role == role).sum() for role in ("input", "time"))
        cells = (paper, len(own), *counts, own.near.sum(), odd, (card.rows.role == "fit").sum(), inputs, times)
        rows.append(tuple(str(cell) for cell in cells))
    columns = (
        "paper",
        "check numbers",
        *Agreement,
        "near without interval",
        "doubtful in print",
        "fitted",
        "set",
        "times",
    )
    return [Heading("Numbers by paper"), Table("", columns, tuple(rows), frozenset(range(1, 9)))] if rows else []


def power_blocks(cards: Mapping[str, Card]) -> list[Block]:
    """How often each verdict's rule says yes of printed numbers and by chance, for every paper that was tried."""
    rows = []
    for paper, card in cards.items():
        if card.power is not None and (card.power.role == CHECK).any():
            on = tried_on(card.power[card.power.role == CHECK])
            rows += [(paper, on, *cells) for cells in power_rows(card.power)]
    if not rows:
        return []
    table = Table("", ("paper", "tried on", *HEADS), tuple(rows), frozenset(range(3, 3 + len(HEADS) - 1)))
    return [Heading("How much a verdict tells"), Paragraph(POWER), table]


def selection_blocks() -> list[Block]:
    """How claims were selected, with what was left out: one row per paper, and the results that nothing measures."""
    rows = []
    for paper in dict.fromkeys(one.paper for one in sentences()):
        own = [one for one in sentences() if one.paper == paper]
        keys = (key for claim in stored_claims() if claim.paper == paper for key in claim.figures)
        rows.append((paper, *map(str, astuple(selection(own, frozenset(keys))))))
    left = [(one.paper, one.section, one.why) for one in sentences() if one.status == NOT_MEASURED]
    columns = ("paper", "with a number", "in a claim", "scorecard alone", "no result", "not measured")
    return [
        Heading("How claims were selected"),
        Paragraph(SELECTION),
        Table("", columns, tuple(rows), frozenset(range(1, 6))),
        Table("Results in these sentences that nothing here measures", ("paper", "section", "what, why"), tuple(left)),
    ]


def claims_table(checked: Sequence[Checked]) -> Table:
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
            percent(one.chance, 0, none="not known" if one.standing == Standing.CONSISTENT else ""),
        )
        for one in checked
    ]
    columns = ("claim", "command", "minutes", "tolerance", "published", "measured", "verdict", "chance")
    return Table("", columns, tuple(rows), frozenset({2, 4, 5, 7}))


def _said(one: Checked) -> str:
    """The verdict with what has to be said next to it."""
    why = f": {one.why}" if one.why else ""
    return f"{one.standing}{why}{' (held before)' if one.lost else ''}"


def lines(checked: Sequence[Checked], cards: Mapping[str, Card] | None = None) -> list[str]:
    """What a terminal is shown: which reports were read, the numbers, the tally, claims that were lost, new claims."""
    first = [_read(cards), figures_text(cards)] if cards else []
    lost = [f"lost: {one.claim.key}: {one.claim.says} ({one.standing})" for one in checked if one.lost]
    gained = [f"new: {one.claim.key}: {one.claim.says}" for one in checked if one.holds and not one.claim.held]
    return [*first, tally(checked), *lost, *gained]


def _read(cards: Mapping[str, Card]) -> str:
    """Which papers' reports were read in which folder."""
    folders = dict.fromkeys(card.reports for card in cards.values())
    papers = {folder: [paper for paper, card in cards.items() if card.reports == folder] for folder in folders}
    return f"reports: {'; '.join(f'{listed(own)} in {folder}' for folder, own in papers.items())}"
