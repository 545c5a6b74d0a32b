"""The published figures that settings are held against, fitted ones and checked ones apart."""

from __future__ import annotations

from functools import cache

from euclio.studies.scorecard import COUNTED, Published, published_figures

PAPER = "harpagon"
REFERENCES = ("optimal_share", "optimal_gap_max")
"""What needs the best split of every workload, which only settings that were accepted are asked for."""


@cache
def targets() -> dict[str, Published]:
    """Every figure that settings are held against, by key, in the order of the paper: those of a role that counts."""
    return {figure.key: figure for figure in published_figures(PAPER) if figure.role in COUNTED}


def fitted() -> tuple[str, ...]:
    """Keys of the figures that settings are chosen by."""
    return tuple(key for key, target in targets().items() if target.role == "fit")


def checked() -> tuple[str, ...]:
    """Keys of the figures that are only compared, those of the references among them."""
    return tuple(key for key, target in targets().items() if target.role == "check")
