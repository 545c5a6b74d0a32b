"""Groups of numbers that measure the same part of a paper's system: what one of them is off by, the others are too."""

from __future__ import annotations

from collections.abc import Iterable

GROUPS: dict[str, tuple[str, ...]] = {
    "baselines": ("baseline", "harpagon_cheapest", "piccolo_cheapest"),
    "dispatch": ("2d_", "dt_"),
    "configurations": ("1c_", "2c_", "more_than_two", "1bpc_", "2bpc_"),
    "batching and hardware": ("nb_", "nhc_", "nhe_", "nh_", "np_"),
    "dummies": ("nd_", "dummy_"),
    "reassignment": ("0re_", "1re_", "reassigned"),
    "splitting by throughput": ("tb_", "harpagon_iterations"),
    "splitting in steps": ("q0.1_", "q0.01_"),
    "splitting optimizer": ("nnm_", "ncd_"),
    "best split": ("optimal_",),
}
"""Beginnings of a number's key by its group (ours, after the sections of both evaluations)."""


def group(key: str) -> str:
    """The group of a number by PAPER:KEY.

    Raises:
        KeyError: it is in none.
    """
    own = key.partition(":")[2]
    for name, beginnings in GROUPS.items():
        if own.startswith(beginnings):
            return name
    raise KeyError(key)


def groups_of(keys: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Numbers by group, in the order of `GROUPS`."""
    found: dict[str, list[str]] = {name: [] for name in GROUPS}
    for key in keys:
        found[group(key)].append(key)
    return {name: tuple(own) for name, own in found.items() if own}
