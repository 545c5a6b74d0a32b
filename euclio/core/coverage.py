"""Coverage: the solvers that cover each demand of a problem family, as they declare it (`Solver.covers`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from euclio.core.engine_packages import missing_packages
from euclio.core.families import family_of, find_family
from euclio.core.family import Family
from euclio.core.parameters import Demand
from euclio.core.registry import AnySolver, solvers_of
from euclio.core.space_fields import space_fields

MOST_NAMED = 3
"""Solvers that a refusal names at most."""
KINDS = ("exact", "heuristic", "brute force")
"""Kinds of solvers, those first that serve best who has named none: what proves, then what answers at any size."""


def covered(family: Family) -> dict[tuple[str, ...], tuple[bool, ...]]:
    """Whether solvers cover each demand of their family.

    Args:
        family: the problem family.

    Returns:
        For each group of solvers with equal coverage, whether they cover each of `Family.demands`, in that order. The
        keys are the solvers' names. Exact methods come first.
    """
    alike: dict[tuple[bool, ...], list[str]] = {}
    for solver in sorted(solvers_of(family.name), key=lambda solver: (solver.kind != "exact", solver.name)):
        alike.setdefault(tuple(_takes_on(solver, demand, family.demands) for demand in family.demands), []).append(
            solver.name
        )
    return {tuple(names): row for row, names in alike.items()}


def ranked(solvers: Iterable[AnySolver], asked: Collection[str] = ()) -> list[AnySolver]:
    """Solvers by how well they fit, according to their records, so that refusals need no list of their own.

    Args:
        solvers: the solvers.
        asked: names of the demands that they have to cover.

    Returns:
        Exact methods first, the family's default before the others. Then heuristics, those made for a demand
        (`Solver.made_for`) before those that improve plans (`Family.improvers`). Enumerations come last. Variants
        follow their base solver.
    """

    def rank(solver: AnySolver) -> tuple[object, ...]:
        family = find_family(solver.family)
        return (
            KINDS.index(solver.kind) if solver.kind in KINDS else len(KINDS),
            solver.name != family.default_solver,
            not solver.made_for & set(asked),
            solver.kind != "exact" and solver.name not in family.improvers,
            ":" in solver.name,
            solver.name,
        )

    return sorted(solvers, key=rank)


def fitting(instance: Any, space_of: Callable[[AnySolver], Any]) -> list[AnySolver]:
    """The solvers that cover an instance in the plan space that each would search, the best fit first.

    Args:
        instance: the instance.
        space_of: gives the plan space that a solver is to search on the instance.
    """
    found, asked = [], set()
    for solver in solvers_of(family_of(instance).name):
        space = space_of(solver)
        if not solver.uncovered(instance, space) and not missing_packages(solver):
            found.append(solver)
            asked |= {demand.name for demand in family_of(instance).demands if demand.asked(instance, space)}
    return ranked(found, asked)


def remedy(
    instance: Any,
    space_of: Callable[[AnySolver], Any],
    kinds: Collection[str] = KINDS,
    spelled: Callable[[str, str], str] = "{} {}".format,
) -> str:
    """The proposal of a refusal: the best fitting solvers, else options under which one fits, else that none does.

    Args:
        instance: the instance.
        space_of: gives the plan space that a solver is to search on the instance.
        kinds: kinds of solvers that may be proposed.
        spelled: gives an option with its value as text; results always hold it as typed.
    """
    named = [solver.name for solver in fitting(instance, space_of) if solver.kind in kinds]
    if named:
        return f"use {' or '.join(named[:MOST_NAMED])}"
    family = family_of(instance)
    own = space_of(next(iter(ranked(solvers_of(family.name)))))
    instead = dict(demand.instead for demand in family.demands if demand.instead and demand.asked(instance, own))
    changed = [s.name for s in fitting(instance, lambda s: replace(space_of(s), **instead)) if s.kind in kinds]
    return f"use {_options(own, instead, spelled)} with {changed[0]}" if instead and changed else "no solver does"


def _options(space: Any, fields: Mapping[str, Any], spelled: Callable[[str, str], str]) -> str:
    """Values of fields of a plan space as options."""
    declared = space_fields(space.__class__)
    return " ".join(
        spelled(option.flag, str(value)) for name, value in fields.items() if (option := declared[name].option)
    )


def short_names(names: Sequence[str]) -> str:
    """Solvers in a few words: a name before a colon stands for its variants too."""
    return ", ".join(dict.fromkeys(name.partition(":")[0] for name in names))


def demand_words(demand: Demand) -> str:
    """A demand in words, with the reason if it is kept but not extended."""
    return f"{demand.words} (kept, not extended: {demand.kept})" if demand.kept else demand.words


def _takes_on(solver: AnySolver, demand: Demand, demands: Sequence[Demand]) -> bool:
    """Whether a solver covers a demand, and the demands that it combines."""
    parts = [other for other in demands if other.name in demand.meets]
    return solver.takes_on(demand) and all(_takes_on(solver, part, demands) for part in parts)
