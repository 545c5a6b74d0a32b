"""References to cite: euclio, and the papers and programs that results rest on (`euclio cite`, `euclio.cite`)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from euclio.core.literature import ENGINES, KNOWN, PAPERS, PULP, Reference, euclio_itself
from euclio.core.references import is_reference
from euclio.core.registry import find_solver, offered
from euclio.core.result import AnyResult
from euclio.core.solver import AnySolver, Option, SolverLike, several
from euclio.core.words import joined
from euclio.files.unbound_results import load_without_instance

# References as BibTeX: seven-bit text that BibTeX and biber read alike.

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
}
"""Characters that TeX would obey, with the text that shows them."""
ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
    "\u0328": "k",
}
LETTERS = {
    "ß": r"{\ss}",
    "ø": r"{\o}",
    "Ø": r"{\O}",
    "ł": r"{\l}",
    "Ł": r"{\L}",
    "æ": r"{\ae}",
    "Æ": r"{\AE}",
    "œ": r"{\oe}",
    "ı": r"{\i}",
    "–": "--",
    "—": "---",
    "’": "'",
    "‘": "`",
}
VERBATIM = frozenset({"doi", "url", "eprint", "isbn"})
"""Fields that are addresses: styles take them as they stand."""


def bibtex(reference: Reference) -> str:
    """A reference as a BibTeX entry, without a line break at its end."""
    fields = [("title", f"{{{tex(reference.title)}}}")]
    if reference.authors:
        fields.insert(0, ("author", " and ".join(map(_author, reference.authors))))
    if reference.year:
        fields.append(("year", reference.year))
    fields += [(name, value if name in VERBATIM else tex(value)) for name, value in reference.fields]
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields)
    return f"@{reference.kind}{{{reference.key},\n{lines}}}"


def tex(text: str) -> str:
    """A text that TeX sets as it stands; a letter that TeX has no name for stays itself."""
    composed = unicodedata.normalize("NFC", text)
    return "".join(SPECIAL.get(letter) or LETTERS.get(letter) or _letter(letter) for letter in composed)


def _letter(letter: str) -> str:
    """A letter with its accent as TeX writes it, in braces, so that BibTeX counts one letter."""
    apart = unicodedata.normalize("NFD", letter)
    base, marks = apart[:1], apart[1:]
    if marks not in ACCENTS:
        return letter
    accent = ACCENTS[marks]
    return f"{{\\{accent}{{{base}}}}}" if accent.isalpha() else f"{{\\{accent}{base}}}"


def _author(name: str) -> str:
    """A person's name; a group's in braces, so that it is not taken apart."""
    return tex(name) if "," in name or name == "others" else f"{{{tex(name)}}}"


COLD = (None, "none")
"""What a result says of the plan that it started from where there was none."""


@dataclass(frozen=True, slots=True)
class Cited:
    """References and why each of them is cited.

    Attributes:
        references: each with its reasons, such as "solver nexus" or "engine highs"; euclio comes first.
        silent: solvers that do not say what they rest on, by name.
    """

    references: tuple[tuple[Reference, tuple[str, ...]], ...]
    silent: tuple[str, ...] = ()

    def __str__(self) -> str:
        """BibTeX; the line above an entry says why it is there, and BibTeX skips it."""
        return "\n\n".join(f"% {joined(why)}\n{bibtex(one)}" for one, why in self.references)

    def describe(self) -> dict[str, Any]:
        """As plain data."""
        listed = [
            {
                "key": one.key,
                "type": one.kind,
                "title": one.title,
                "authors": list(one.authors),
                "year": one.year or None,
                **dict(one.fields),
                "because": list(why),
                "bibtex": bibtex(one),
            }
            for one, why in self.references
        ]
        return {"references": listed, "silent": list(self.silent)}


@dataclass(slots=True)
class _Collected:
    """References that are being collected, with their reasons in the order in which they came."""

    reasons: dict[Reference, list[str]] = field(default_factory=dict)
    silent: list[str] = field(default_factory=list)

    def add(self, references: Iterable[Reference], why: str) -> None:
        for one in references:
            known = self.reasons.setdefault(one, [])
            if why not in known:
                known.append(why)

    def add_solver(self, name: str, solver: AnySolver | None) -> None:
        """Add what a solver rests on; None if it is not known here."""
        if solver is None or solver.rests_on is None:
            if name not in self.silent:
                self.silent.append(name)
        else:
            self.add(solver.rests_on, f"solver {name}")

    def add_engine(self, solver: AnySolver, chosen: str | None) -> None:
        """Add the library that a solver loads, and the engine that it ran on; None means its default."""
        if Option.ENGINE in solver.takes:
            self.add([PULP], "modelled with PuLP")
        engine = chosen or (solver.engines[0] if solver.engines else solver.library)
        if engine in ENGINES:
            self.add([ENGINES[engine]], f"engine {engine}")

    def sorted(self) -> Cited:
        """All of them: euclio, then what is known here in its own order, then what packages bring, by key."""
        places = {one: place for place, one in enumerate(KNOWN)}
        order = sorted(self.reasons, key=lambda one: (places.get(one, len(KNOWN)), one.key))
        itself = (euclio_itself(version("euclio")), ("euclio itself",))
        return Cited((itself, *((one, tuple(self.reasons[one])) for one in order)), tuple(self.silent))


def cite(*results: AnyResult | str | Path, solver: SolverLike | Sequence[SolverLike] | None = None) -> Cited:
    """The references to cite; printed, they are BibTeX.

    Args:
        *results: results, or files of results: what their solvers, engines and starting plans rest on.
        solver: a solver as of `euclio.solve`, or several; of a path the code is run to look.

    Returns:
        euclio and what the results and solvers rest on; where none is given, euclio and the five papers.

    Raises:
        InputError: an unknown solver, or a file that is no result.
    """
    found = _Collected()
    names = several(solver or ())
    for name in names:
        _add_by_name(found, name)
    for result in results:
        _add_result(found, result)
    if not names and not results:
        for paper in PAPERS:
            found.add([paper], "a paper that euclio runs again")
    return found.sorted()


def _add_by_name(found: _Collected, name: SolverLike) -> None:
    """Add a solver as it runs by default."""
    known = find_solver(name)
    found.add_solver(known.name, known)
    found.add_engine(known, None)
    if known.starts_from is not None:
        found.add_solver(known.starts_from, find_solver(known.starts_from))


def _add_result(found: _Collected, result: AnyResult | str | Path) -> None:
    """Add what a result rests on. Code that a file names is not run, so such a solver counts as silent."""
    made = load_without_instance(result) if isinstance(result, (str, Path)) else result
    for name in (made.solver, made.options.get("warm_start")):
        if name not in COLD:
            found.add_solver(str(name), None if is_reference(str(name)) else offered(str(name)))
    known = None if is_reference(made.solver) else offered(made.solver)
    if known is not None:
        found.add_engine(known, made.options.get("engine"))
