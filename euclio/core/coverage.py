"""Who covers what: the demands of a problem family by its solvers, as these declare it (`Solver.covers`)."""

from __future__ import annotations

from collections.abc import Sequence

from euclio.core.demand import Demand
from euclio.core.family import Family
from euclio.core.registry import AnySolver, solvers_of


def covered(family: Family) -> dict[tuple[str, ...], tuple[bool, ...]]:
    """Whether solvers cover each demand of their family.

    Args:
        family: the problem family.

    Returns:
        By the names of all solvers that cover the same, whether they cover each of `Family.demands`, in that order.
        Exact methods come first.
    """
    alike: dict[tuple[bool, ...], list[str]] = {}
    for solver in sorted(solvers_of(family.name), key=lambda solver: (solver.kind != "exact", solver.name)):
        alike.setdefault(tuple(_takes_on(solver, demand, family.demands) for demand in family.demands), []).append(
            solver.name
        )
    return {tuple(names): row for row, names in alike.items()}


def short_names(names: Sequence[str]) -> str:
    """Solvers in a few words: a name before a colon stands for its variants too."""
    return ", ".join(dict.fromkeys(name.partition(":")[0] for name in names))


def demand_words(demand: Demand) -> str:
    """A demand for people, and whether it is kept only."""
    return f"{demand.words} (kept, not extended: {demand.kept})" if demand.kept else demand.words


def _takes_on(solver: AnySolver, demand: Demand, demands: Sequence[Demand]) -> bool:
    """Whether it covers a demand, and those that it is the meeting of."""
    parts = [other for other in demands if other.name in demand.meets]
    return solver.takes_on(demand) and all(_takes_on(solver, part, demands) for part in parts)
