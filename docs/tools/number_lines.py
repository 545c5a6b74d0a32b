"""Every number that a paper prints, a line each: where, what it is, and the row of the scorecard or why there is none.

The lines stand in `data/published/numbers/PAPER.csv`. Those of the paper's text are held against what
`numerals` finds in it, place by place; two kinds of lines more are written by hand: numbers in words
(place "in words"), which no program finds, and figures that are drawings alone (place "Figure 5(b), drawn").
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from functools import cache

from numerals import Numeral
from paper_text import TEXT

from euclio.core.folders import data_dir
from studies.papers.published import Published

RESULT, SETTING, EXAMPLE, BACKGROUND, DEFINITION = "result", "setting", "example", "background", "definition"
KINDS = (RESULT, SETTING, EXAMPLE, BACKGROUND, DEFINITION)
"""The kind of a number: a finding of the paper, a setting, part of a worked example, other people's finding or a
number that is common knowledge, part of a definition."""
NOT_SCORED, NOT_MEASURED, DRAWN_ONLY = "not scored yet", "not measured", "drawing only"
REASONS = (NOT_SCORED, NOT_MEASURED, DRAWN_ONLY)
"""How the reason of a result without a row begins: a row could be made; nothing here can measure it; its numbers are
not printed."""
IN_WORDS, DRAWN, RESTATES = "in words", ", drawn", "restates"
_FACTORS = {"ms": 1e-3, "milliseconds": 1e-3, "microseconds": 1e-6, "hours": 3600.0, "TFLOPS": 1e3}
"""The factor from a printed unit to the unit of published numbers."""


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """A number that a paper prints.

    Attributes:
        section: where, as `paper_text.Line.section`.
        place: a number among those of the section's running text, "Table III, row 2", "Figure 6" (its caption), "in
            words", or "Figure 5(b), drawn".
        number: as printed, without unit; of what is drawn alone, empty.
        unit: as printed.
        what: what it is, in a few words of ours.
        kind: one of `KINDS`.
        row: key of the published number that it states; empty if it states none.
        why: why there is no row, or what has to be said of it.
    """

    section: str
    place: str
    number: str
    unit: str
    what: str
    kind: str
    row: str
    why: str

    @property
    def in_text(self) -> bool:
        """Whether it stands in the paper's text in digits, where a program finds it."""
        return self.place != IN_WORDS and not self.place.endswith(DRAWN)

    @property
    def unscored(self) -> bool:
        """Whether it is a result that could have a row and has none yet."""
        return self.why.startswith(NOT_SCORED)

    @property
    def address(self) -> tuple[str, str, str, str]:
        """The key of the line: section, place, number and unit."""
        return self.section, self.place, self.number, self.unit


COLUMNS = tuple(field.name for field in fields(PrintedNumber))


@cache
def printed_numbers(paper: str) -> tuple[PrintedNumber, ...]:
    """All lines of a paper, in the order of its text.

    Raises:
        ValueError: the file's columns are others, or a line has too few or too many cells.
    """
    path = data_dir() / "published" / "numbers" / f"{paper}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    if tuple(head) != COLUMNS or any(len(row) != len(COLUMNS) for row in rows):
        raise ValueError(f"{path}: columns have to be {', '.join(COLUMNS)}")
    return tuple(PrintedNumber(*row) for row in rows)


def addressed(numerals: Iterable[Numeral]) -> tuple[tuple[str, str, str, str], ...]:
    """Numerals by section, place, number and unit, those of running text counted within their section."""
    seen: Counter[str] = Counter()
    found = []
    for one in numerals:
        seen[one.section] += one.place == TEXT
        place = str(seen[one.section]) if one.place == TEXT else one.place
        found.append((one.section, place, one.number, one.unit))
    return tuple(found)


def problems(line: PrintedNumber, keys: frozenset[str]) -> list[str]:
    """The fault of a line, in words; empty if it has none.

    Args:
        line: the line.
        keys: keys of the paper's published numbers.
    """
    reason = any(line.why.startswith(f"{one}: ") for one in REASONS)
    wrong = {
        "has an empty cell": not all(astuple(line)[i] for i in (0, 1, 4, 5)),
        "is of no kind that there is": line.kind not in KINDS,
        "names a row that is not published": bool(line.row) and line.row not in keys,
        "has neither a row nor a reason": not line.row and not line.why,
        "is a result without a row or one of the reasons for that": line.kind == RESULT and not line.row and not reason,
        "has a row and is not scored": bool(line.row) and line.unscored,
        "has a number where nothing is printed, or none": bool(line.number) == line.place.endswith(DRAWN),
    }
    return [text for text, holds in wrong.items() if holds]


def states(line: PrintedNumber, published: Mapping[str, Published]) -> bool:
    """Whether a line prints the value of its row, as it stands or in another unit; otherwise it has to say "restates".

    Args:
        line: the line; one without a row, or in words, states what it says.
        published: the paper's published numbers, by key.
    """
    if not line.row or line.place == IN_WORDS or line.why.startswith(RESTATES):
        return True
    printed = float(line.number.replace(",", "")) * _FACTORS.get(line.unit, 1.0)
    return abs(printed - published[line.row].value) <= 1e-9 * max(1.0, abs(printed))
