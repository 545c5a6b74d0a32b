"""`euclio solvers`: list the solvers."""

from __future__ import annotations

from argparse import Namespace
from typing import Literal, overload

from euclio.core import registry
from euclio.core.coverage import covered, demand_words
from euclio.core.families import families
from euclio.core.parameters import Parameter
from euclio.core.solver import AnySolver
from euclio.core.tables import coverage_table, solver_table, to_text
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import SOLVED
from euclio.verbs.interface.verb import verb


@overload
def solvers(*, covers: Literal[False] = False) -> dict[str, AnySolver]: ...
@overload
def solvers(*, covers: Literal[True]) -> dict[str, dict[str, tuple[str, ...]]]: ...
@overload
def solvers(*, covers: bool) -> dict[str, AnySolver] | dict[str, dict[str, tuple[str, ...]]]: ...
@verb(Parameter("--covers"))
def solvers(*, covers: bool = False) -> dict[str, AnySolver] | dict[str, dict[str, tuple[str, ...]]]:
    """The solvers that are installed, as `euclio solvers` lists them.

    Args:
        covers: list the demands of instances and plan spaces with the solvers that cover them.

    Returns:
        The solvers by name; with `covers`, by family the demands in words with the solvers that cover them.
    """
    if not covers:
        return dict(registry.solvers())
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for family in families():
        rows = covered(family)
        for k, demand in enumerate(family.demands):
            fitting = tuple(name for names, row in rows.items() if row[k] for name in names)
            found.setdefault(family.instances, {})[demand_words(demand)] = fitting
    return found


@command(solvers, page="model/plan-spaces.md#who-covers-what", examples=("euclio solvers", "euclio solvers --covers"))
def print_solvers(arguments: Namespace) -> int:
    """Print the table, or those of who covers what."""
    if "covers" in arguments.keywords:
        for family in families():
            if family.demands:
                print(to_text(coverage_table(family)))
    else:
        print(to_text(solver_table(solvers().values())))
    return SOLVED
