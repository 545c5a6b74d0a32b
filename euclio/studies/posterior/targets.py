"""The published figures that settings are held against, fitted ones and checked ones apart."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

from euclio.core.data_files import data_dir

PAPER = "harpagon"
REUSED = ("nb_mean_extra", "nhc_mean_extra", "nhe_mean_extra")
"""Figures that Piccolo §IV-C prints to the digit for other workloads; they are held against nothing."""
TIMES = ("_runtime", "_runtime_ratio")
"""How the keys of run times end: they say something about machines and languages, nothing about workloads."""
REFERENCES = ("optimal_share", "optimal_gap_max")
"""What needs the best split of every workload, which only settings that were accepted are asked for."""


@dataclass(frozen=True, slots=True)
class Target:
    """A published figure.

    Attributes:
        key: its key.
        value: as printed.
        unit: its unit.
        fitted: whether settings are chosen by it; else it is only ever compared.
        what: what it is.
    """

    key: str
    value: float
    unit: str
    fitted: bool
    what: str


@cache
def targets() -> dict[str, Target]:
    """Every figure that settings are held against, by key, in the order of the paper."""
    text = (data_dir() / "published" / f"{PAPER}.json").read_text(encoding="utf-8")
    return {
        f["key"]: Target(f["key"], float(f["value"]), f["unit"], f["role"] == "fit", f["what"])
        for f in json.loads(text)["figures"]
        if f["role"] in ("fit", "check") and f["key"] not in REUSED and not f["key"].endswith(TIMES)
    }


def fitted() -> tuple[str, ...]:
    """Keys of the figures that settings are chosen by."""
    return tuple(key for key, target in targets().items() if target.fitted)


def checked() -> tuple[str, ...]:
    """Keys of the figures that are only compared, those of the references among them."""
    return tuple(key for key, target in targets().items() if not target.fitted)
