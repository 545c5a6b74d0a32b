"""Every number that the papers print, and what became of it: the tables of the page on `data/published/numbers/`.

`make docs` puts them into the page that `data/published/numbers/README.md` becomes (`docs/tools/hooks.py`), and
`python docs/tools/printed_numbers.py` prints them, from `data/published/` and the scorecards in `reports/`; it runs
nothing. What it needs of the papers stands in `data/published/numbers/`, which a test holds against their texts where
these are. `python docs/tools/printed_numbers.py FOLDER` prints the numbers of the texts in a folder that have no line,
and the lines that no text has.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

import pandas as pd
from number_lines import DRAWN, KINDS, RESULT, PrintedNumber, addressed, printed_numbers
from numerals import claims_of
from pasting import OPENED, PAPERS, ROOT, fold, table

from euclio.core.words import counted, with_unit
from studies.claims import load_card

REPORTS = ROOT / "reports"
NAMES = PAPERS


def all_lines() -> dict[str, tuple[PrintedNumber, ...]]:
    """The lines of every paper that has them."""
    return {paper: printed_numbers(paper) for paper in NAMES}


def in_short(lines: dict[str, tuple[PrintedNumber, ...]]) -> str:
    """The three numbers of the page."""
    own = [line for paper in lines.values() for line in paper]
    rows = (
        (
            f"numbers in the texts of {counted(len(lines), 'paper')} that say something",
            sum(line.in_text for line in own),
        ),
        ("of them with a row on a scorecard", sum(line.in_text and bool(line.row) for line in own)),
        ("results, in digits or words, that are not scored yet", sum(line.unscored for line in own)),
    )
    return table(("three numbers", ""), ((text, str(count)) for text, count in rows))


def by_paper(lines: dict[str, tuple[PrintedNumber, ...]]) -> str:
    """Paper by paper: numbers of the text by kind, results by what became of them, and what is drawn alone."""
    head = ("paper", "numbers", *KINDS, "with a row", "results without a row", "not scored yet", "drawn alone")
    return table(head, ((NAMES[paper], *map(str, counts(own))) for paper, own in lines.items()))


def counts(own: Sequence[PrintedNumber]) -> tuple[int, ...]:
    """The counts of a paper, in the order of the table's columns."""
    text = [line for line in own if line.in_text]
    kinds = (sum(line.kind == kind for line in text) for kind in KINDS)
    without = sum(line.kind == RESULT and not line.row for line in text)
    drawn = sum(line.place.endswith(DRAWN) for line in own)
    return len(text), *kinds, sum(bool(line.row) for line in text), without, sum(line.unscored for line in own), drawn


def not_scored(lines: dict[str, tuple[PrintedNumber, ...]]) -> str:
    """The results that could have a row and have none, with what a row would need."""
    rows = (
        (NAMES[paper], line.section, _numbers((line,)), _safe(line.what), _safe(line.why.partition(": ")[2]))
        for paper, own in lines.items()
        for line in own
        if line.unscored
    )
    return table(("paper", "section", "number", "what", "what a row needs, or why there is none"), rows)


def in_full(lines: dict[str, tuple[PrintedNumber, ...]]) -> str:
    """A fold per paper with all its lines."""
    return "\n\n".join(
        fold(f"{NAMES[paper]}: {counted(len(own), 'line')}", paper_table(paper, own), OPENED)
        for paper, own in lines.items()
    )


def paper_table(paper: str, own: Iterable[PrintedNumber]) -> str:
    """The lines of a paper; neighbours that say the same of the same place share a row."""
    card = load_card(REPORTS, paper)
    scores = None if card is None else card.rows
    rows = []
    for _, group in groupby(own, key=_shared):
        first, *more = group
        said = f"{_safe(first.what)} ({first.kind})"
        rows.append((first.section, _places(first, more), _numbers((first, *more)), said, became(first, scores)))
    return table(("section", "place", "number", "what", "row, or why none"), rows)


def became(line: PrintedNumber, scores: pd.DataFrame | None) -> str:
    """What became of a number: its row with measure and verdict, and what else has to be said."""
    if not line.row:
        return _safe(line.why)
    if scores is None or line.row not in scores.index:
        return f"`{line.row}`: no scorecard has it"
    row = scores.loc[line.row]
    measured = with_unit(float(row["measured"]), str(row["unit"]))
    return f"`{line.row}`: {measured}, {row['verdict']}{f' ({_safe(line.why)})' if line.why else ''}"


def _shared(line: PrintedNumber) -> tuple[str, ...]:
    place = "" if line.place.isdigit() else line.place
    return line.section, place, line.what, line.kind, line.row, line.why


def _places(first: PrintedNumber, more: Sequence[PrintedNumber]) -> str:
    last = more[-1].place if more else first.place
    return first.place if last == first.place else f"{first.place}–{last}"


def _numbers(group: Iterable[PrintedNumber]) -> str:
    return ", ".join(_safe(f"{line.number} {line.unit}".strip()) for line in group)


def _safe(text: str) -> str:
    """A cell in which nothing is Markdown by accident."""
    return text.replace("|", "\\|").replace("*", "\\*").replace("_", "\\_").replace("<", "&lt;")


def differences(paper: str, text: str) -> list[str]:
    """Numbers of a text that have no line, with what stands around them, and lines that are not in the text."""
    numerals = claims_of(text)
    left = Counter(line.address for line in printed_numbers(paper) if line.in_text)
    found = []
    for one, address in zip(numerals, addressed(numerals), strict=True):
        if not left[address]:
            found.append(f"no line: {','.join(address)}: …{one.before[-40:]}[{one.number}]{one.after[:40]}…")
        left[address] -= 1
    return [*found, *(f"not in the text: {','.join(address)}" for address in (+left).elements())]


def tables() -> str:
    """All tables of the page, in its order."""
    lines = all_lines()
    note = 'Numbers with kinds are those of the texts; "not scored yet" counts numbers in words too.'
    parts = (in_short(lines), by_paper(lines), note, "## Not scored yet", not_scored(lines), "## Number by number")
    return "\n\n".join((*parts, in_full(lines)))


if __name__ == "__main__":
    if sys.argv[1:]:
        for name in NAMES:
            own = differences(name, Path(sys.argv[1], f"{name}.txt").read_text(encoding="utf-8"))
            print(f"{NAMES[name]}: {counted(len(own), 'difference')}", *own, sep="\n")
    else:
        print(tables())
