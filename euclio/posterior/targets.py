"""The published numbers that settings are held against, fitted ones and checked ones apart."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from euclio.papers.published import COUNTED, Published, published_figures
from euclio.posterior.prior import PAPERS

REFERENCES = ("optimal_share", "optimal_gap_max")
"""What needs the best split of every workload, which only settings that were accepted are asked for."""


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
