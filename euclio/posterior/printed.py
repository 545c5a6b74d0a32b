"""What print fixes of the papers' workloads, and the settings that keep to it.

Machines and their prices, speeds, applications and how many workloads have two and three modules are printed, or follow
from what is. A setting that keeps to them has these as they are, whatever its parameters say; the other parameters are
free as in the prior, and so are four readings that the stored draws do not vary.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from euclio.core.data_files import data_dir
from euclio.core.errors import InputError
from euclio.posterior.prior import NAMES, PRIORS, Choice, Range, Setting, Unit, of_values

SCHEMA = "euclio/as-printed/1"

GRID: Mapping[str, Mapping[int, int]] = {"harpagon": {2: 195, 3: 936}, "piccolo": {2: 195, 3: 468}}
"""Workloads with two and with three modules, by paper: 195 + 936 = 1131 and 195 + 468 = 663; 1131 - 663 = 468, and all
of them are multiples of 39. Piccolo §IV-C prints 94.36 % of those with two, which is 184/195 and no k/663."""
TWO, THREE = 3, 2
"""Applications with two modules, and with three."""
FIXED: Mapping[str, tuple[Any, str]] = {
    "speed_excess": (1.0, "V100 over P100: 1.11 and 1.21 in Scrooge's Table 2; of other networks as in our profiles"),
    "price_ratio": (3.06 / 2.07, "3.06 and 2.07 $/h: Scrooge's Table 2"),
    "actdet_modules": (3, "a brute force that takes 35.9 s (Harpagon §IV-B) rules out five"),
    "in_turn": (True, "so that all five applications are there"),
}
"""Parameters that are not free, beside the weight of three modules (`GRID`), with the value and the source of each."""

READINGS: Mapping[str, Choice] = {
    "one_rate": Choice((False, True)),
    "acceptance": Choice(("all", "own")),
    "one_dummies": Choice((False, True)),
}
"""Readings that the papers leave open and the stored draws do not vary."""
FREE: Mapping[str, Range | Choice] = {
    **{name: PRIORS[name] for name in NAMES if name not in (*FIXED, "three_weight")},
    "streams": Choice((1, 2, 3, 4)),
    **READINGS,
}
"""Parameters that are free; concurrency may be off, since Table III has no column of it."""


def as_printed(paper: str, places: Unit) -> Setting:
    """The setting of a paper at a point of the cube of `FREE`, shape (parameters,)."""
    return as_printed_of(
        paper, {name: own.value(float(u)) for (name, own), u in zip(FREE.items(), places, strict=True)}
    )


def printed_path(paper: str) -> Path:
    """Where the setting of a paper that keeps to print stands."""
    return data_dir() / "posterior" / f"{paper}-as-printed.json"


def printed_setting(paper: str) -> Setting:
    """The stored setting of a paper that keeps to print.

    Raises:
        InputError: there is none, or it is not one of this version's parameters.
    """
    path = printed_path(paper)
    try:
        return as_printed_of(paper, _stored(path)["setting"])
    except OSError:
        remedy = f"`python -m euclio.posterior {paper} --as-printed` searches it"
        raise InputError(f"there is no setting that keeps to print; {remedy}", file=str(path)) from None
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"is no setting of this version: {error!r}", file=str(path)) from None


def _stored(path: Path) -> dict[str, Any]:
    """What a file of such a setting says."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def finalists(paper: str) -> tuple[float, ...]:
    """Shares of optimal splits in per cent under each of the nearest settings that the search ended with."""
    return tuple(_stored(printed_path(paper))["optimal_share_of_finalists"])


def write_printed(paper: str, setting: Setting, how: Mapping[str, Any], path: Path) -> None:
    """Write a setting that keeps to print, with how it was found.

    Args:
        paper: the paper.
        setting: the setting.
        how: what is stored with it (`euclio.posterior.population.nearest_setting`).
        path: the file.
    """
    values = {name: getattr(setting, name) for name in FREE}
    entry = {"schema": SCHEMA, "paper": paper, **how, "setting": values}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entry, indent=1) + "\n", encoding="utf-8", newline="\n")


def as_printed_of(paper: str, values: Mapping[str, Any]) -> Setting:
    """The setting of a paper that keeps to print and has these values of the free parameters.

    Raises:
        KeyError: a parameter has no value.
    """
    fixed = {name: value for name, (value, _) in FIXED.items()}
    three_weight = (GRID[paper][3] / THREE) / (GRID[paper][2] / TWO)
    setting = of_values({**{name: values[name] for name in FREE}, **fixed, "three_weight": three_weight})
    return replace(setting, printed=True, **{name: values[name] for name in READINGS})


def places_of(setting: Setting) -> Unit:
    """The point of a setting in the cube of `FREE`, shape (parameters,)."""
    return np.array([own.place(getattr(setting, name)) for name, own in FREE.items()])
