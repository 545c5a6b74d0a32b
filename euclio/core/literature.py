"""The papers and programs that solvers rest on, for `euclio cite`, and the citation of euclio.

They stand in `literature.bib` next to this file: one field to a line, in UTF-8, without TeX commands, in the printed
order. A solver names one by its key in capitals, as in ``literature.HARPAGON``. Authors, titles and venues follow the
papers; those of baselines follow the papers that compare with them.

CITATION.cff states the same for euclio and the five papers; a test compares the two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Reference:
    """A paper or a program.

    Attributes:
        key: its citation key: lower-case letters and digits.
        kind: type of its BibTeX entry: "article", "inproceedings" or "misc".
        title: as printed; BibTeX styles keep its capitals.
        authors: "Family, Given" each, in the printed order; one without a comma is a group. Empty if unknown.
        year: year of publication; empty if there is none.
        fields: other fields of the entry, by name, in order.
    """

    key: str
    kind: str
    title: str
    authors: tuple[str, ...]
    year: str = ""
    fields: tuple[tuple[str, str], ...] = ()


EUCLIO_TITLE = "euclio: an optimization research workbench for DNN inference serving"
EUCLIO_AUTHORS = ("The euclio authors",)

_ENTRY = re.compile(r"^@(\w+)\{(\w+),\n(.*?)^\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)


def _reference(entry: re.Match[str]) -> Reference:
    fields = dict(_FIELD.findall(entry[3]))
    authors = tuple(filter(None, fields.pop("author", "").split(" and ")))
    return Reference(entry[2], entry[1], fields.pop("title"), authors, fields.pop("year", ""), tuple(fields.items()))


KNOWN = tuple(map(_reference, _ENTRY.finditer(Path(__file__).with_suffix(".bib").read_text(encoding="utf-8"))))
"""All of them, in the order in which they are printed."""
_BY_NAME = {one.key.upper(): one for one in KNOWN}


def __getattr__(name: str) -> Reference:
    """A reference by its key in capitals; raises an `AttributeError` if there is no such reference."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


PAPERS = tuple(_BY_NAME[name] for name in ("HARPAGON", "PICCOLO", "SCROOGE", "PPIPE", "GRAFT"))
"""The five papers that euclio runs again."""

ENGINES = {
    "highs": _BY_NAME["HIGHS"],
    "highs-program": _BY_NAME["HIGHS"],
    "cbc": _BY_NAME["CBC"],
    "scip": _BY_NAME["SCIP"],
    "gurobi": _BY_NAME["GUROBI"],
    "ortools": _BY_NAME["CPSAT"],
}
"""Citations of engines and solver libraries, by their names in options and in records of solvers."""


def euclio_itself(version: str) -> Reference:
    """The citation of euclio in the installed version."""
    return Reference("euclio", "misc", EUCLIO_TITLE, EUCLIO_AUTHORS, fields=(("version", version),))
