"""Packages of engines (solver libraries of other projects): the needs of a solver, and the missing packages.

Not every Python version has a release of each package. Only solvers that need a missing one are refused.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec

from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.parameters import option_text, verb_text
from euclio.core.registry import offered, solvers_of
from euclio.core.result import AnyResult
from euclio.core.solver import AnySolver
from euclio.core.words import joined

PACKAGE_OF_ENGINE = {"highs": "highspy", "highs-program": "highsbox", "scip": "pyscipopt", "gurobi": "gurobipy"}
"""The package that a solver needs on an engine beyond `Solver.needs`; an engine that is not here needs none."""


ENGINE_OF_LIBRARY = {"ortools": "cpsat"}
"""Libraries that are one engine, whose word is the claim of every solver that loads them, with its name."""


class MissingEngineError(InputError):
    """A solver needs an engine whose package is not installed."""


def engine_of_claim(result: AnyResult) -> str:
    """The single engine that a result's claim relies on, by the result's solver; empty if there is none."""
    of = result.of_instance
    solver = offered(result.solver, None if of is None else family_of(of).name)
    return result.options.get("engine") or ("" if solver is None else ENGINE_OF_LIBRARY.get(solver.library, ""))


def missing_packages(solver: AnySolver, engine: str | None = None) -> tuple[str, ...]:
    """The packages that a solver lacks.

    Args:
        solver: the solver.
        engine: the engine of the run. None means the solver's default.
    """
    chosen = engine or next(iter(solver.engines), "")
    needed = solver.needs | ({PACKAGE_OF_ENGINE[chosen]} if chosen in PACKAGE_OF_ENGINE else set())
    return tuple(name for name in sorted(needed) if not is_installed(name))


@cache
def is_installed(package: str) -> bool:
    """Whether a package can be found, without importing it."""
    return find_spec(package) is not None


def refuse_missing(
    solver: AnySolver, engine: str | None = None, covers: Callable[[AnySolver], bool] = lambda other: True
) -> None:
    """Refuse to run a solver without its engine.

    Args:
        solver: the solver.
        engine: the engine of the run. None means the solver's default.
        covers: whether another solver covers the case, so that the message may propose it.

    Raises:
        MissingEngineError: packages are missing; the error names them and the remedy.
    """
    missing = missing_packages(solver, engine)
    if missing:
        remedies = [_remedy(missing), *_ways_around(solver, covers)]
        what = f"solver {solver.name!r} needs {joined(missing)}, which {'is' if len(missing) == 1 else 'are'} missing"
        raise MissingEngineError(f"{what}; {', or '.join(remedies)}", field="--solver")


def lacking_text(solver: AnySolver) -> str:
    """The missing packages of a solver, in a few words; empty if none is missing."""
    missing = missing_packages(solver)
    if not missing:
        return ""
    others = [f"runs on --engine {name}" for name in solver.engines if not missing_packages(solver, name)]
    return "; ".join([f"missing engine: {joined(missing)}", *others[:1]])


def _remedy(packages: Sequence[str]) -> str:
    """Instructions to install packages in the required versions; some exist for older Pythons only."""
    asked = [_requirement(package) for package in packages]
    for package, (_, first_without) in zip(packages, asked, strict=True):
        if first_without is not None and _here() >= first_without:
            return f"take Python 3.{first_without - 1}, as {package} is not there for 3.{_here()} yet"
    return f"`pip install {' '.join(repr(version) for version, _ in asked)}`"


def _requirement(package: str) -> tuple[str, int | None]:
    """A package with its required versions, and 15 if Python 3.15 is the first without it (None if there is none)."""
    try:
        known = requires("euclio") or []
    except PackageNotFoundError:  # the sources, not installed
        known = []
    asked = next((text for text in known if re.match(rf"{package}\b", text)), package)
    version, _, marker = asked.partition(";")
    found = re.search(r"python_version\s*<\s*[\"']3\.(\d+)", marker)
    return version.strip(), None if found is None else int(found[1])


def _here() -> int:
    """The 14 of Python 3.14."""
    return sys.version_info.minor


def _ways_around(solver: AnySolver, covers: Callable[[AnySolver], bool]) -> list[str]:
    """Another engine of the solver, and an exact solver that covers the case and lacks no package."""
    engines = [f"`{option_text('--engine', name)}`" for name in solver.engines if not missing_packages(solver, name)]
    able = [other for other in solvers_of(solver.family) if covers(other) and not missing_packages(other)]
    exact = [other for other in able if other.kind == "exact"]
    # Those that need no engine at all come first.
    exact.sort(key=lambda other: (bool(other.needs), ":" in other.name))
    return [
        *engines[:1],
        f"`{option_text('--solver', exact[0].name)}`"
        if exact
        else f"take one that {verb_text('solvers')} lists without that",
    ]
