"""The stored search of a paper: every setting with its numbers, and the kept ones on more workloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from euclio.core.errors import InputError
from euclio.core.folders import data_dir
from euclio.experiments.results.tables import load, save
from studies.inference.prior import NAMES, Setting, from_unit
from studies.inference.simulation import DIGITS
from studies.inference.targets import distances, fitted, of_paper, off

PLACE, FACT = "place.", "fact."
"""Beginnings of the columns of parameters (places in the cube) and of facts."""
SCALE = 10**DIGITS
"""Places are stored as whole numbers, in parts of this one."""
PRIOR = 0
"""The wave of random settings; later ones are generations."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A search.

    Attributes:
        draws: one row per simulated setting: run, wave, group of numbers that it is not compared with, place in its
            wave, distance, places, numbers, facts. Some random ones also have the numbers that need the best split, on
            more workloads.
        accepted: one row per setting that a population ended with, nearest first: run, distance, places, numbers of
            many workloads, `distance_again` on those.
        provenance: paper, version, search, parameters, number of draws.
    """

    draws: pd.DataFrame
    accepted: pd.DataFrame
    provenance: dict[str, Any]

    @property
    def paper(self) -> str:
        """The paper that the search is of."""
        return str(self.provenance["paper"])

    @property
    def keys(self) -> tuple[str, ...]:
        """The numbers that settings are compared with."""
        return of_paper(fitted(), self.paper)

    @property
    def settings(self) -> list[Setting]:
        """The accepted settings, nearest first."""
        places = self.accepted[[PLACE + name for name in NAMES]].to_numpy(dtype=np.float64)
        return [from_unit(self.paper, row, **self.provenance["search"]["readings"]) for row in places]

    @property
    def prior(self) -> pd.DataFrame:
        """The random settings that have workloads."""
        kept: pd.DataFrame = self.draws[(self.draws.wave == PRIOR) & np.isfinite(self.draws.distance)]
        return kept

    def nearest(self, keys: Sequence[str]) -> pd.DataFrame:
        """The settings nearest to some numbers, as many of each run as were accepted, with `distance` from these."""
        own = self.draws[np.isfinite(self.draws.distance)]
        logs = np.array([off(row, keys) for row in own[list(keys)].to_dict("records")])
        found = own.assign(distance=distances(logs)).sort_values("distance", kind="stable")
        kept: pd.DataFrame = found.groupby("run").head(int(self.provenance["search"]["size"]))
        return kept


def stored_of(
    draws: Sequence[Mapping[str, Any]], accepted: Sequence[Mapping[str, Any]], made_with: dict[str, Any]
) -> Stored:
    """A search from its rows, with the accepted settings ordered by their distance on many workloads."""
    frames = (pd.DataFrame.from_records(list(draws)), pd.DataFrame.from_records(list(accepted)))
    nearest_first = frames[1].sort_values("distance_again", kind="stable").reset_index(drop=True)
    return Stored(frames[0], nearest_first, made_with)


def stored_path(paper: str) -> Path:
    """Path of a paper's search that is kept with the code."""
    return data_dir() / "posterior" / f"{paper}.parquet"


def stored_draw(paper: str) -> Stored:
    """The search of a paper that is kept with the code."""
    return load_stored(stored_path(paper))


def paths(out: Path) -> tuple[Path, Path]:
    """Files of draws and accepted settings."""
    return out, out.with_name(f"{out.stem}-accepted{out.suffix}")


def save_stored(stored: Stored, out: Path) -> None:
    """Write a search: places as whole numbers, numbers in single precision, which keeps all their digits."""
    for path, frame in zip(paths(out), (stored.draws, stored.accepted), strict=True):
        places = {str(c): (frame[c] * SCALE).round().astype(np.uint16) for c in frame if str(c).startswith(PLACE)}
        whole = frame.assign(**places)
        figures = {c: np.float32 for c in whole if whole[c].dtype == np.float64}
        save(whole.astype(figures), path, stored.provenance)


def load_stored(out: Path) -> Stored:
    """Read a search.

    Args:
        out: the file of the draws.

    Raises:
        InputError: it is not one of this version's parameters.
    """
    (draws, provenance), (accepted, _) = (load(path) for path in paths(out))
    known = {name for name in map(str, draws) if name.startswith(PLACE)}
    if "search" not in provenance or known != {PLACE + name for name in NAMES}:
        raise InputError("is no search of this version's parameters; search anew", file=str(out))
    return Stored(_with_places(draws), _with_places(accepted), provenance)


def _with_places(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame as read, its places from 0 to 1 again."""
    return frame.assign(**{str(c): frame[c] / SCALE for c in frame if str(c).startswith(PLACE)})


def accepted_settings(paper: str, count: int, *, stored: Stored | None = None) -> tuple[Setting, ...]:
    """Some of a paper's accepted settings, evenly spaced from the nearest to the farthest; the same ones each time.

    Args:
        paper: "harpagon" or "piccolo".
        count: how many.
        stored: the search; None means the one that is kept with the code.

    Raises:
        InputError: fewer have been accepted.
    """
    found = list(dict.fromkeys((stored or stored_draw(paper)).settings))
    if len(found) < count:
        raise InputError(f"{count} settings are asked for, {len(found)} are accepted; ask for fewer", field="count")
    return tuple(found[n] for n in np.linspace(0, len(found) - 1, count).round().astype(int))
