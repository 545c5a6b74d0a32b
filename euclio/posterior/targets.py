"""The published numbers that settings are held against, fitted ones and checked ones apart."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from euclio.papers.published import COUNTED, Published, published_figures
from euclio.posterior.prior import PAPERS

REFERENCES = ("optimal_share", "optimal_gap_max")
"""What needs the best split of every workload, which only settings that were accepted are asked for."""

MACHINES = ("harpagon:nhc_mean_extra", "harpagon:nhe_mean_extra")
"""What the cheapest and the most expensive machine type alone cost more (Figure 6)."""


def full(paper: str, key: str) -> str:
    """The name of a paper's number among those of both, as in `data/published/contradictions.json`."""
    return f"{paper}:{key}"


@cache
def targets() -> dict[str, Published]:
    """Every number that settings are held against, by PAPER:KEY, paper by paper in the order of its text.

    They are those of a role that counts.
    """
    return {
        full(paper, figure.key): figure
        for paper in PAPERS
        for figure in published_figures(paper)
        if figure.role in COUNTED
    }


@cache
def every() -> dict[str, Published]:
    """Every number that the papers with settings print, by PAPER:KEY, whatever its role."""
    return {full(paper, figure.key): figure for paper in PAPERS for figure in published_figures(paper)}


def machines_fitted(paper: str) -> tuple[str, ...]:
    """The numbers that settings which keep to print are chosen by: the fitted ones, and what one machine type costs.

    Where machines and their prices are as printed, what Harpagon prints of one type alone is no doubtful number.
    """
    return (*of_paper(fitted(), paper), *(key for key in MACHINES if key.startswith(full(paper, ""))))


@cache
def fitted() -> tuple[str, ...]:
    """Names of the numbers that settings are chosen by."""
    return tuple(key for key, target in targets().items() if target.role == "fit")


@cache
def checked() -> tuple[str, ...]:
    """Names of the numbers that are only compared, those of the references among them."""
    return tuple(key for key, target in targets().items() if target.role == "check")


def of_paper(keys: Iterable[str], paper: str) -> tuple[str, ...]:
    """Those of some names that are a paper's."""
    return tuple(key for key in keys if key.startswith(full(paper, "")))
