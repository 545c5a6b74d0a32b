"""The reference setting of a paper: the one that studies run their solvers on, chosen from the stored draw.

Studies run the solvers' own rows, which take one reading of every system. An accepted setting has readings of its own;
to choose among those with the default ones alone would be to choose by luck. So every accepted setting is taken with
the readings of the solvers' own rows and simulated again, and the nearest one under *these* readings is the reference.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from euclio.core.data_files import data_dir
from euclio.core.errors import InputError
from euclio.posterior.prior import DEFAULTS, PAPERS, Setting, flat, of_values

if TYPE_CHECKING:
    from euclio.posterior.store import Stored

SCHEMA = "euclio/reference/2"
CHOSEN = (
    "Of all accepted settings, each taken with the readings of the solvers' own rows and simulated again, the nearest "
    "to the paper's fitted numbers."
)
DEFAULT_WORKLOADS = 60
"""Workloads of an accepted setting with the readings of the solvers' own rows."""
ENOUGH = 0.25
"""Least share of the candidates that count. Studies draw five times the workloads that a setting is chosen by, and a
setting that is given up below a sixth must not come near it."""


def reference_path(paper: str) -> Path:
    """Where the reference setting of a paper is stored."""
    return data_dir() / "posterior" / f"{paper}-reference.json"


def reference_setting(paper: str = PAPERS[0]) -> Setting:
    """The stored reference setting of a paper.

    Args:
        paper: "harpagon" or "piccolo".

    Raises:
        InputError: there is none, or it is not one of this version's parameters.
    """
    path = reference_path(paper)
    try:
        return of_values(json.loads(path.read_text(encoding="utf-8"))["setting"])
    except OSError:
        raise InputError(
            f"there is no reference setting; `python -m euclio.posterior {paper} --reference` writes it",
            file=str(path),
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"is no reference setting of this version: {error!r}", file=str(path)) from None


def has_defaults(paper: str, setting: Setting) -> bool:
    """Whether a setting reads all systems of a paper as the solvers' own rows do."""
    return all(getattr(setting, name) == usual for name, usual in DEFAULTS[paper].items())


def with_defaults(paper: str, setting: Setting) -> Setting:
    """A setting with the readings of the solvers' own rows, and everything else as it is."""
    return of_values({**flat(setting), **DEFAULTS[paper]})


def chosen(stored: Stored) -> int:
    """The row of the accepted settings that is the reference: the nearest under the default readings.

    Raises:
        InputError: no accepted setting has enough workloads under these readings.
    """
    frame = stored.accepted
    apart = np.where(frame.accepted_default >= ENOUGH, frame.distance_default, np.inf)
    best = int(np.argmin(apart))
    if not np.isfinite(apart[best]):
        raise InputError("no accepted setting has workloads under the solvers' own readings; draw more", field="draws")
    return best


def write_reference(stored: Stored, path: Path) -> Setting:
    """Choose the reference setting of a stored draw and write it.

    Args:
        stored: the draw.
        path: the file.

    Raises:
        InputError: no accepted setting has enough workloads under the readings of the solvers' own rows.
    """
    best = chosen(stored)
    row = stored.accepted.iloc[best]
    setting = with_defaults(stored.paper, stored.settings[best])
    entry: dict[str, Any] = {
        "schema": SCHEMA,
        "about": CHOSEN,
        "paper": stored.paper,
        "seed": stored.provenance["seed"],
        "draws": stored.provenance["draws"],
        "version": stored.provenance["version"],
        "accepted": {"place": best + 1, "of": len(stored.accepted)},
        "draw": {name: int(row[name]) for name in ("run", "wave", "place")},
        "distance": {
            "with_readings_as_accepted": round(float(row.distance_again), 4),
            "with_default_readings": round(float(row.distance_default), 4),
        },
        "setting": flat(setting),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entry, indent=1) + "\n", encoding="utf-8", newline="\n")
    return setting
