"""What to cite: euclio, and the papers and programs that results rest on (`euclio cite`, `euclio.cite`)."""

from __future__ import annotations

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
from euclio.files.bibtex_writing import bibtex
from euclio.files.unbound_results import load_without_instance

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
        """Add what a solver rests on; None: it is not known here."""
        if solver is None or solver.rests_on is None:
            if name not in self.silent:
                self.silent.append(name)
        else:
            self.add(solver.rests_on, f"solver {name}")

    def add_engine(self, solver: AnySolver, chosen: str | None) -> None:
        """Add the library that a solver loads, and the engine that it ran on; None: its default."""
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
    """What to cite; printed, it is BibTeX.

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
