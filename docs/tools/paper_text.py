"""A paper's text, as programs take it out of a PDF, line by line with the place of each line.

The text is not in the tree. Headings, tables, captions, listings and display formulas are told by how such programs
write them: Markdown or plain headings, rows of cells, captions that begin with "Figure" or "Table". A heading counts
only where its number follows the one before, so that neither a numbered line of an algorithm nor a row of a table
begins a section. Ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

ABSTRACT, FRONT, BACK = "abstract", "front matter", "back matter"
TEXT, LISTING, FORMULA = "text", "listing", "formula"
"""Places within a section, next to "Table III, row 2" and "Figure 6"."""

_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X")
_MARKS = re.compile(r"^[#\s]*|\*\*")
_PARTS = re.compile(
    r"^(?:([IVX]+)\. ([A-Z][A-Z ]+)|([A-Z])\. ([A-Z][\w -]+)|(A\.\d|\d{1,2}(?:\.\d{1,2})?) ([A-Z][^.]*))$"
)
_CAPTION = re.compile(r"^(?:\*\*)?(?:Figure|Fig\.|Table|TABLE) ?([0-9IVX]+)(?:[:.]|$)")
_CAPTION_KIND = re.compile(r"^(?:\*\*)?(Fig|T)")
_ENDS = re.compile(r"^(?:Acknowledge?ments?|References|REFERENCES)$", re.IGNORECASE)
_LISTING = re.compile(r"^\s*\d{1,2}:?(?:\s{2,}|\s*[𝐀-𝟿]|: | (?:Function|pOPT))|^(?:Input|Output): |^return ")
_ROW = re.compile(r"^\|.*\|$|\t")
_RULE = re.compile(r"^\|[-| :]+\|$")
_SHORT = re.compile(r"^(?!\*).{1,80}(?<!\.)$")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a paper.

    Attributes:
        text: the line, as the text has it.
        section: "abstract", "§IV-B", "§4.2", "§A.1", "front matter" or "back matter".
        place: "text", "listing", "formula", "Figure 6", "Table III" (its caption) or "Table III, row 2".
    """

    text: str
    section: str
    place: str = TEXT


def lines_of(text: str) -> tuple[Line, ...]:
    """All lines of a paper that are not empty, with their places.

    Args:
        text: the text of the paper; hyphens at the ends of lines are closed.
    """
    sectioned = tuple(_sectioned(_unbroken(text).splitlines()))
    return tuple(_with_tables(tuple(_with_places(sectioned))))


def _unbroken(text: str) -> str:
    """The text without hyphens that a line break put into words, and with plain spaces alone."""
    return re.sub(r"(?<=[a-z])-\n(?=[a-z])", "", text.replace("\u00a0", " "))


def _sectioned(raw: Sequence[str]) -> Iterator[Line]:
    """Lines with their sections: what stands before the abstract and after the references is front and back matter."""
    section, number = FRONT, ""
    for text in raw:
        bare = _MARKS.sub("", text).strip()
        if section == FRONT and re.match(r"Abstract\b", bare):
            section = ABSTRACT
        elif section != FRONT and _ENDS.match(bare):
            section = BACK
        else:
            found = _heading(bare, number)
            if found and section != FRONT:
                number, section = found, f"§{found}"
                continue
        if bare:
            yield Line(text, section)


def _heading(bare: str, before: str) -> str:
    """The number of a heading that follows the one before; empty: the line is none."""
    parts = _PARTS.match(bare)
    if parts is None or len(bare) > 90:
        return ""
    roman, _, letter, _, number, _ = parts.groups()
    found = roman or (f"{before.split('-')[0]}-{letter}" if letter else number)
    return found if found in _successors(before) else ""


def _successors(number: str) -> tuple[str, ...]:
    """The numbers of sections that may follow one."""
    if not number:
        return ("I", "1")
    if number[0] in "IVX":
        top, _, letter = number.partition("-")
        return _ROMAN[_ROMAN.index(top) + 1], f"{top}-{chr(ord(letter or '@') + 1)}"
    top, _, low = number.partition(".")
    after = () if top == "A" else (str(int(top) + 1), "A.1")
    return *after, f"{top}.{int(low or 0) + 1}"


def _with_places(lines: Sequence[Line]) -> Iterator[Line]:
    """Lines with captions, listings and display formulas told from running text."""
    fenced = formula = False
    for line in lines:
        bare = line.text.strip()
        caption = _CAPTION.match(bare)
        if bare.startswith("```"):
            fenced = not fenced
        elif fenced or (line.place == TEXT and _LISTING.match(line.text)):
            yield replace(line, place=LISTING)
        elif formula or bare.startswith("$$") or ("start_POSTSUPERSCRIPT" in bare and bare.endswith(")")):
            formula = (bare.count("$$") == 1) != formula
            yield replace(line, place=FORMULA)
        elif caption and _CAPTION_KIND.match(bare):
            what = "Figure" if "Fig" in bare[:5] else "Table"
            yield replace(line, place=f"{what} {caption[1]}")
        else:
            yield line


def _with_tables(lines: Sequence[Line]) -> Iterator[Line]:
    """Lines with the rows of tables named by the table's caption, which stands before or after them."""
    blocks = tuple(_blocks(lines))
    above = sum(bool(_caption_above(lines, first)) for first, _ in blocks)
    below = sum(bool(_caption_below(lines, last)) for _, last in blocks)
    named = dict(_named(lines, blocks, above_first=above >= below))
    for i, line in enumerate(lines):
        yield replace(line, place=named.get(i, line.place))


def _blocks(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """First and last line of every run of rows."""
    first = None
    for i, line in enumerate((*lines, Line("", ""))):
        row = line.place == TEXT and bool(_ROW.search(line.text) or _plain_row(lines, i))
        if row and first is None:
            first = i
        elif not row and first is not None:
            yield first, i - 1
            first = None


def _named(lines: Sequence[Line], blocks: Sequence[tuple[int, int]], *, above_first: bool) -> Iterator[tuple[int, str]]:
    """Places of rows, by line.

    Args:
        lines: the paper.
        blocks: runs of rows.
        above_first: whether the paper's captions stand above its tables, where a table has one on both sides.
    """
    for first, last in blocks:
        sides = _caption_above(lines, first), _caption_below(lines, last)
        table = (sides if above_first else sides[::-1])[0] or max(sides) or "Table"
        rows = [i for i in range(first, last + 1) if not _RULE.match(lines[i].text)]
        yield from ((i, f"{table}, row {row}") for row, i in enumerate(rows, 1))


def _plain_row(lines: Sequence[Line], i: int) -> bool:
    """Whether a line without marks of cells is a row: short, and nothing but short lines up to a table's caption."""
    k = i
    while 0 < k < len(lines) and lines[k].place == TEXT and _SHORT.match(lines[k].text):
        k -= 1
    return k < i < len(lines) and lines[k].place.startswith("Table")


def _caption_above(lines: Sequence[Line], first: int) -> str:
    """The table whose caption stands above a run of rows, at most a line between them; empty: none."""
    near = [line.place for line in lines[max(0, first - 2) : first] if line.place.startswith("Table")]
    return near[-1] if near else ""


def _caption_below(lines: Sequence[Line], last: int) -> str:
    """The table whose caption stands right below a run of rows; empty: none."""
    near = [line.place for line in lines[last + 1 : last + 2] if line.place.startswith("Table")]
    return near[0] if near else ""
