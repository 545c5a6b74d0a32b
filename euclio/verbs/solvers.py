"""`solvers`, `versions`, `warm_up`: what there is to solve with, on what it runs, and compiling it now."""

from __future__ import annotations

import time
from typing import Any, Literal, overload

from euclio.core import registry
from euclio.core.errors import InputError
from euclio.core.numbers import Number
from euclio.core.own_solver import name_elsewhere
from euclio.core.progress import progress_bar
from euclio.core.solver import AnySolver, SolverLike
from euclio.core.versions import show_versions
from euclio.core.versions import versions as known_versions
from euclio.verbs.verb import verb

__all__ = ["show_versions", "solvers", "versions", "warm_up"]


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
def versions() -> dict[str, Any]:
    """Versions of euclio, of what it runs on and of this machine, as `euclio versions` says.

    `euclio.show_versions` prints them.

    Returns:
        `euclio`, `git`, `python`, `platform`, `cpu`, `cores`, `packages`, `extras`, `engines` and `kernels`; None is
        what is not installed.
    """
    return known_versions()


@verb()
def warm_up(*solvers: SolverLike, jobs: Number | None = None) -> dict[str, float]:
    """Compile solvers, provers and simulators now instead of during the first long runs, as `euclio warm-up` does.

    Args:
        *solvers: solvers by name; none: all, and all provers and simulators.
        jobs: processes; None: one per core, at most four.

    Returns:
        The seconds from the start until each was compiled, by what it is called; what is compiled already is loaded.

    Raises:
        InputError: an unknown solver, or a number of processes below 1.
    """
    from euclio.core.code_cache import folder
    from euclio.core.warm_up import compile_all, parts, prune

    processes = None if jobs is None else int(jobs)
    if processes is not None and processes < 1:
        raise InputError(f"is {processes}; give at least 1", field="--jobs")
    names = [registry.find_solver(name_elsewhere(name)).name for name in solvers] or None
    began, seconds = time.perf_counter(), {}
    with progress_bar("compiling", len(parts(names)), after_s=0) as step:
        for name in compile_all(names, processes):
            seconds[name] = time.perf_counter() - began
            step()
    if own := folder():
        prune(own)
    return seconds
