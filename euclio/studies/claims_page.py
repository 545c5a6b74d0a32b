"""The claims as a table in the folder of the reports, and as lines for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from euclio.core.words import counted, with_unit
from euclio.report import Block, Code, Heading, Paragraph, Table, markdown_page
from euclio.studies.claims import Checked, Standing

PAGE = "claims.md"
INTRODUCTION = (
    "Every claim is decided by figures of its paper's scorecard, which the command measures again. Replicated is ACM's "
    "word (Artifact Review and Badging, version 1.1) for main results that were obtained independently by others than "
    "the authors, without artifacts of theirs; reproduced would be with artifacts of theirs, of which none are used "
    "here. Consistent, not replicated: every figure that does not agree lies within what settings give that are "
    "consistent with the fitted figures. Minutes are those of the whole command when it last ran."
)


def write_claims(checked: Sequence[Checked], reports: Path) -> Path:
    """Write the table of all claims into the folder of the reports; returns its path."""
    page = reports / PAGE
    blocks: list[Block] = [Paragraph(INTRODUCTION), Paragraph(tally(checked)), Heading("Claims"), claims_table(checked)]
    page.write_text(markdown_page("Claims of the papers", blocks), encoding="utf-8", newline="\n")
    return page


def tally(checked: Sequence[Checked]) -> str:
    """How many claims stand how, in words."""
    standings = [one.standing for one in checked]
    parts = [f"{standings.count(standing)} {standing}" for standing in Standing if standing in standings]
    return f"{counted(len(checked), 'claim')}: {', '.join(parts)}."


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
            f"{one.standing}{' (held before)' if one.lost else ''}",
        )
        for one in checked
    ]
    columns = ("claim", "command", "minutes", "tolerance", "published", "measured", "verdict")
    return Table("", columns, tuple(rows), frozenset({2, 4, 5}))


def lines(checked: Sequence[Checked]) -> list[str]:
    """What a terminal is shown: the tally, claims that were lost, claims that are new."""
    lost = [f"lost: {one.claim.key}: {one.claim.says} ({one.standing})" for one in checked if one.lost]
    gained = [f"new: {one.claim.key}: {one.claim.says}" for one in checked if one.holds and not one.claim.held]
    return [tally(checked), *lost, *gained]
