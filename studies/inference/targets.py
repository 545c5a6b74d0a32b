"""The published numbers that settings are compared with, fitted ones and checked ones apart."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from euclio.core.folders import data_dir
from studies.inference.prior import PAPERS
from studies.papers.published import COUNTED, Published, published_figures

REFERENCES = ("optimal_share", "optimal_gap_max")
"""Numbers that need the best split of every workload; they are computed for accepted settings alone."""


def full(paper: str, key: str) -> str:
    """The name of a paper's number among those of both, as in `data/published/contradictions.json`."""
    return f"{paper}:{key}"


@cache
def targets() -> dict[str, Published]:
    """Every number that settings are compared with, by PAPER:KEY, paper by paper in the order of its text.

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


OFF = float(np.log(2.0))
"""Cap of the logarithms: errors beyond a factor of two count as a factor of two."""
FLOOR = 0.1
"""The floor of a number's logarithm, one unit of the last digit that mean extra costs are printed with."""
Values = NDArray[np.float64]


# A number is off by ln((x + f)/(p + f)) for x measured and p published. The floor f = 0.1 is one unit of the last digit
# that mean extra costs are printed with, so half of 0.8 % is about as far as half of 80 %. A share above 50 % is taken
# by its complement: 97.7 in place of 94.2 % means 2.5 times fewer failures. A negative extra cost counts as 0.
# The distance is the mean of these logarithms, each capped at a factor of two, so that a number that no setting reaches
# does not hide the others.


def by_complement(key: str) -> bool:
    """Whether a number is a share that is printed above 50 %."""
    return key.endswith("_share") and targets()[key].value > 50.0


def scaled(key: str, values: Values | float) -> Values:
    """Numbers on the scale of the distance."""
    found = np.asarray(values, dtype=np.float64)
    if by_complement(key):
        lowered: Values = -np.log(np.maximum(100.0 - found, 0.0) + FLOOR)
        return lowered
    raised: Values = np.log(np.maximum(found, 0.0) + FLOOR)
    return raised


def unscaled(key: str, logs: Values) -> Values:
    """Numbers from the scale of the distance; shares stay between 0 and 100 %."""
    if by_complement(key):
        lowered: Values = np.clip(100.0 - np.exp(-logs) + FLOOR, 0.0, 100.0)
        return lowered
    raised = np.maximum(np.exp(logs) - FLOOR, 0.0)
    return np.minimum(raised, 100.0) if key.endswith("_share") else raised


def off(figures: Mapping[str, float], keys: Sequence[str]) -> Values:
    """The logarithm by which every number is off; NaN where nothing is measured."""
    return np.array(
        [float(scaled(k, figures.get(k, np.nan)) - scaled(k, targets()[k].value)) for k in keys], dtype=np.float64
    )


def distances(logs: Values) -> Values:
    """The distances of settings whose numbers are off by some logarithms, shape (settings, numbers)."""
    apart = np.abs(logs)
    return np.asarray(np.minimum(np.where(np.isfinite(apart), apart, OFF), OFF).mean(axis=-1), dtype=np.float64)


def distance(figures: Mapping[str, float], keys: Sequence[str]) -> float:
    """The distance of measured numbers; infinite if the setting has no workloads."""
    return float(distances(off(figures, keys))) if figures else float("inf")


def without(keys: Sequence[str], left_out: str) -> tuple[str, ...]:
    """The numbers that are not of a group."""
    return tuple(key for key in keys if group(key) != left_out)


LONGEST = 38
"""Most characters of a name, so that two panels stand next to each other."""
ALTERNATIVES = {"harpagon": "Harp", "piccolo": "Picc"}
"""Names of the papers' alternatives."""
SIGNS = {"%": "", "ratio": " (ratio)", "count": " (count)"}
"""Units, most of which are per cent."""


@cache
def _names() -> dict[str, dict[str, str]]:
    """Short names by their subject (`data/posterior/labels.json`).

    `figures` are names of numbers without an alternative, or without another of the same kind. `kinds` are properties
    of an alternative by the end of the number's key, longer ends first. `parameters` are those of `Setting`.
    """
    text = (data_dir() / "posterior" / "labels.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


def figure_label(name: str) -> str:
    """The short name of a number by PAPER:KEY; the key itself where there is none."""
    paper, _, key = name.partition(":")
    target = targets().get(name)
    sign = SIGNS[target.unit] if target else ""
    if key in _names()["figures"]:
        return _names()["figures"][key] + sign
    for end, words in _names()["kinds"].items():
        if key.endswith(f"_{end}"):
            return f"{ALTERNATIVES[paper]}-{key.removesuffix(f'_{end}')}: {words}{sign}"
    return key.replace("_", " ")


def parameter_label(name: str) -> str:
    """The short name of a parameter."""
    return _names()["parameters"][name]
