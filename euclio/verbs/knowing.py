"""`solvers`, `check_solver`, `cite`, `versions`, `warm_up`: what there is, whether it holds, what it rests on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from euclio.core import registry
from euclio.core.errors import InputError
from euclio.core.numbers import Number
from euclio.core.progress import progress_bar
from euclio.core.result import AnyResult
from euclio.core.solver import AnySolver
from euclio.core.values import count
from euclio.core.versions import show_versions
from euclio.core.versions import versions as known_versions
from euclio.verbs.calling import verb
from euclio.verbs.keywords import read_if

if TYPE_CHECKING:
    from euclio.contract.findings import Report
    from euclio.files.citing import Cited

__all__ = ["check_solver", "cite", "show_versions", "solvers", "versions", "warm_up"]

SAMPLES = 12
"""Small instances of `check_solver`, by default."""


@overload
def solvers(*, covers: Literal[False] = False) -> dict[str, AnySolver]: ...
@overload
def solvers(*, covers: Literal[True]) -> dict[str, dict[str, tuple[str, ...]]]: ...
@overload
def solvers(*, covers: bool) -> dict[str, AnySolver] | dict[str, dict[str, tuple[str, ...]]]: ...
@verb()
def solvers(*, covers: bool = False) -> dict[str, AnySolver] | dict[str, dict[str, tuple[str, ...]]]:
    """The solvers that are installed, as `euclio solvers` lists them.

    Args:
        covers: what instances and plan spaces may ask for, and who covers it, instead.

    Returns:
        The solvers by name; with `covers` by family what may be asked for, in words, with the solvers that cover it.
    """
    if not covers:
        return dict(registry.solvers())
    from euclio.core.coverage import covered, demand_words
    from euclio.core.families import families

    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for family in families():
        rows = covered(family)
        for k, demand in enumerate(family.demands):
            fitting = tuple(name for names, row in rows.items() if row[k] for name in names)
            found.setdefault(family.instances, {})[demand_words(demand)] = fitting
    return found


@verb()
def check_solver(name: str, samples: Number = SAMPLES, advance: Callable[[int], None] | None = None) -> Report:
    """Try whether a solver keeps the contract of all solvers, as `euclio check-solver` does.

    It runs in processes of its own, so that one that crashes or hangs is a finding too.

    Args:
        name: name of a registered solver, or ``path/to/file.py:function``.
        samples: number of small instances.
        advance: called after each trial with the number of all of them.

    Returns:
        One finding per claim.

    Raises:
        InputError: there is no such solver.
    """
    from euclio.contract.checking import check_solver as checked

    return checked(name, read_if(count, samples, "--samples"), advance)


@verb()
def cite(*results: AnyResult | str | Path, solver: str | Sequence[str] | None = None) -> Cited:
    """What to cite, as `euclio cite` prints it; printed, it is BibTeX.

    Args:
        *results: results, or files of results: what their solvers, engines and starting plans rest on.
        solver: name of a solver, or several; a path as in `euclio.solve` names code, which is run to look.

    Returns:
        euclio and what the results and solvers rest on; where none is given, euclio and the five papers.

    Raises:
        InputError: an unknown solver, or a file that is no result.
    """
    from euclio.files.citing import cite as cited

    return cited(*results, solver=solver)


@verb()
def versions() -> dict[str, Any]:
    """Versions of euclio, of what it runs on and of this machine, as `euclio versions` says.

    `euclio.show_versions` prints them.

    Returns:
        `euclio`, `git`, `python`, `platform`, `cpu`, `cores`, `packages`, `extras`, `engines` and `kernels`; None is
        what is not installed.
    """
    return known_versions()


@verb()
def warm_up(*solvers: str, jobs: Number | None = None) -> dict[str, float]:
    """Compile solvers, provers and simulators now instead of during the first long runs, as `euclio warm-up` does.

    Args:
        *solvers: solvers by name; none: all, and all provers and simulators.
        jobs: processes; None: one per core, at most four.

    Returns:
        The seconds from the start until each was compiled, by what it is called; what is compiled already is loaded.

    Raises:
        InputError: an unknown solver, or a number of processes below 1.
    """
    from euclio.core.keeping import folder
    from euclio.core.warm_up import compile_all, parts, prune

    processes = None if jobs is None else int(jobs)
    if processes is not None and processes < 1:
        raise InputError(f"is {processes}; give at least 1", field="--jobs")
    names = [registry.find_solver(name).name for name in solvers] or None
    began, seconds = time.perf_counter(), {}
    with progress_bar("compiling", len(parts(names)), after_s=0) as step:
        for name in compile_all(names, processes):
            seconds[name] = time.perf_counter() - began
            step()
    prune(folder())
    return seconds
