"""Numbers in a paper's text: each with its place, its unit, and whether it says anything of what the paper found.

A numeral is a run of digits, with thousands and decimals. Most of a paper's are no claim: citations, references to
sections and figures, parts of names, indices, numbers of lines. Rules tell these from the others (`NO_CLAIM`), the
first that covers a numeral naming it; what no rule covers has to be accounted for. Numbers in words are not found.
Ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from paper_text import BACK, FORMULA, FRONT, LISTING, Line, lines_of

CLAIM = ""
"""The class of numerals that have to be accounted for."""

NUMERAL = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?(?![0-9])|[0-9]+(?:\.[0-9]+)?")
_REFERRED = (
    r"Fig(?:ure|s|ures)?\.?|Tables?|TABLE|Algorithms?|Theorems?|Lines?|lines?|rows?|column|Eqs?\.?|Equations?|Formula|"
    r"Sections?|Appendix|[Ff]ootnote|Key question|Steps?|nodes?|pool|pipeline|strategy|"
    r"Constraints?|constraints?|[Rr]equest(?=s? [0-9]+-)|req(?= [0-9]+-)"
)
_SPAN = r"\(?[0-9]+(?:\.[0-9]+)?\)?(?:\([a-z]\)|[a-z]\b)?"
NO_CLAIM: tuple[tuple[str, str], ...] = (
    ("link", r"<?https?://[^\s>]+>?|doi\.org\S+|\S+@\S+"),
    ("imprint", r"^.*(?:ISBN|SoCC ’21|©|was supported by|arXiv:).*$"),
    ("page", r"^\s*[0-9]{1,4}\s*$"),
    ("citation", r"\[[0-9]+(?: ?[,–-] ?[0-9]+)*\](?:[–-]\[[0-9]+\])?"),
    ("reference", r"§ ?(?:A\.)?[0-9]+(?:\.[0-9]+)*"),
    ("reference", r"(?<=pipeline 2 )partition [0-9]|\bpartition [12](?= \()"),
    (
        "reference",
        rf"(?<![A-Za-z])(?:{_REFERRED})[ \[]{_SPAN}(?:(?:, | and | to |-|–|, and ){_SPAN}(?![0-9%]|\.[0-9]))*",
    ),
    ("reference", r"\*\*\(?[0-9][a-z]\)?\*\*"),
    ("footnote", r"<sup>[0-9, ]+</sup>"),
    ("index", r"(?:start_(?:POST|FLOAT)S(?:UB|UPER)SCRIPT) .*? end_(?:POST|FLOAT)S(?:UB|UPER)SCRIPT"),
    ("index", r"[_^]\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|(?<![0-9])[_^]\(?[0-9]+|\^[0-9]+"),
    ("formula", r"(?<=×)([0-9.]+)\\times\1 ×|\[ 1 , italic|\+ 1 end_"),
    ("formula", r"\S*(?:[𝐀-𝟿]|subscript)\S*"),
    ("marker", r"(?:^|(?<=[\s:;,.*]))\((?:[0-9]|[0-9][a-z]|[0-9][0-9])\)(?=[\s,.:*]|$)|^[0-9]\. |\([0-9]+\)$"),
    ("year", r"\b20[123][0-9]\b(?!\.)"),
    ("name", r"\b5G\b|\b[23]D\b|(?<![\w.\\{])[A-Za-z][A-Za-z_]*[-–]?[A-Za-z]?[0-9][\w.]*(?:-[A-Za-z]\w*-?[0-9]*)*\b"),
)
"""Classes of numerals that are no claim, with what they cover, in the order in which they are asked."""

UNIT = re.compile(
    r"^(?:[ ~]|\\,|\\ |-)?"
    r"(%|\\%|×|x\b|\\times(?![ 0-9])|times\b|ms\b|milliseconds?\b|microseconds?\b|secs?\b|seconds?\b|s\b|"
    r"hours?\b|hrs?\b|minutes?\b|years?\b|days?\b|req/secs?\b|req/s\b|requests per second|RPS\b|img/sec\b|fps\b|"
    r"frames\b|GPUs?\b|vCPUs\b|VMs\b|[GMK]B\b|Gbps\b|Mbps\b|GbE\b|GFLOPS\b|TFLOPS\b|mAh\b|kLOC\b|k lines|k\b|lines\b|"
    r"machines?\b|workloads?\b|layers?\b|clients?\b|nodes?\b|billion\b|DNNs?\b|CNN\b|models?\b|cores?\b|core\b|d\b)"
)
_LISTED = re.compile(r"^(?:\s|\$|\\%|%)*(?:to|–|-|and|or|,|, and|, or|/)(?:\s|\$)*$")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number where a paper prints it.

    Attributes:
        section: where, as `Line.section`.
        place: where within it, as `Line.place`.
        number: as printed, without unit.
        unit: its unit or sign as printed, "$" for money; empty if it has none. One of a list or range has the list's.
        kind: why it is no claim (`NO_CLAIM`); empty if it has to be accounted for.
        before: the text before it on its line, to find the place.
        after: what stands after it.
    """

    section: str
    place: str
    number: str
    unit: str
    kind: str
    before: str
    after: str


def numerals_of(text: str) -> tuple[Numeral, ...]:
    """All numerals of a paper's text in its order, claims or not; front and back matter are left out."""
    return tuple(
        numeral for line in lines_of(text) if line.section not in (FRONT, BACK) for numeral in numerals_in(line)
    )


def claims_of(text: str) -> tuple[Numeral, ...]:
    """Those numerals of a paper's text that have to be accounted for."""
    return tuple(numeral for numeral in numerals_of(text) if numeral.kind == CLAIM)


def numerals_in(line: Line) -> Iterator[Numeral]:
    """The numerals of a line, from the last one's unit on backwards, so that a list's unit reaches its first."""
    covers = tuple(_covers(line))
    found: list[Numeral] = []
    unit, start = "", 0
    for match in reversed(tuple(NUMERAL.finditer(line.text))):
        after = line.text[match.end() :]
        own = _unit(line.text[: match.start()], after)
        listed = bool(found) and bool(_LISTED.match(line.text[match.end() : start]))
        unit, start = own or (unit if listed else ""), match.start()
        kind = next((name for name, low, high in covers if low <= match.start() < high), CLAIM)
        before = line.text[: match.start()]
        found.append(Numeral(line.section, line.place, match[0], unit, kind, before, after))
    yield from reversed(found)


def _covers(line: Line) -> Iterator[tuple[str, int, int]]:
    """Stretches of a line whose numerals are no claim."""
    if line.place in (LISTING, FORMULA):
        yield line.place, 0, len(line.text)
    in_table = ", row " in line.place
    for name, pattern in NO_CLAIM:
        if in_table and name == "marker":
            continue
        for match in re.finditer(pattern, line.text):
            yield name, match.start(), match.end()


def _unit(before: str, after: str) -> str:
    """The unit of a number from what stands around it."""
    if before.endswith("\\$"):
        return "$"
    found = UNIT.match(after.removeprefix("$"))
    return "" if found is None else found[1].removeprefix("\\").replace("times", "×").strip()
