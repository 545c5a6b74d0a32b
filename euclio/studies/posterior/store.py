"""The stored draw: every setting with its figures, the accepted ones again, the halves of the cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from euclio.core.data_files import data_dir
from euclio.studies.posterior.distance import distance
from euclio.studies.posterior.prior import NAMES, Setting, from_unit
from euclio.studies.posterior.sampler import DIGITS, Member, Record
from euclio.studies.posterior.targets import fitted, targets
from euclio.studies.store import load, save

PLACE, FACT = "place.", "fact."
"""Beginnings of the columns of parameters (places in the cube) and of facts."""
SCALE = 10**DIGITS
"""Places are stored as whole numbers, in parts of this one."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A draw.

    Attributes:
        draws: one row per setting: round, chain, step, accepted, distance, places, figures, facts.
        accepted: one row per accepted setting, nearest first: distance, places, figures of many workloads, and the
            distance of those.
        halves: one row per setting accepted by a half of the figures.
        provenance: seed, version, number of draws, noise.
    """

    draws: pd.DataFrame
    accepted: pd.DataFrame
    halves: pd.DataFrame
    provenance: dict[str, Any]

    @property
    def settings(self) -> list[Setting]:
        """The accepted settings, nearest first."""
        return settings_of(self.accepted)

    @property
    def best(self) -> Setting:
        """The accepted setting whose fitted figures are nearest on the many workloads that it was not chosen by."""
        return self.settings[int(self.accepted.distance_again.argmin())]

    @property
    def prior(self) -> pd.DataFrame:
        """The draws from the prior that have workloads."""
        kept: pd.DataFrame = self.draws[(self.draws["round"] == 0) & np.isfinite(self.draws.distance)]
        return kept


def settings_of(frame: pd.DataFrame) -> list[Setting]:
    """The settings of a frame's rows."""
    return [from_unit(row) for row in frame[[PLACE + name for name in NAMES]].to_numpy(dtype=np.float64)]


def _places(unit: Sequence[float]) -> dict[str, float]:
    return {PLACE + name: u for name, u in zip(NAMES, unit, strict=True)}


def draws_frame(records: Sequence[Record], noise: Mapping[str, float]) -> pd.DataFrame:
    """One row per record, with its distance over all fitted figures; steps that were not accepted without figures."""
    rows = [
        {
            "round": r.round,
            "chain": r.chain,
            "step": r.step,
            "accepted": r.accepted,
            "distance": distance(r.figures, noise, fitted()),
            **_places(r.unit),
            **{key: r.figures.get(key, np.nan) for key in targets() if r.accepted},
            **{FACT + name: value for name, value in r.facts.items()},
        }
        for r in records
    ]
    return pd.DataFrame.from_records(rows)


def accepted_frame(
    members: Sequence[Member], again: Sequence[Mapping[str, float]], noise: Mapping[str, float]
) -> pd.DataFrame:
    """One row per member; figures are those of the repetition."""
    return pd.DataFrame.from_records(
        [
            {**_member(member), "distance_again": distance(found, noise, fitted()), **found}
            for member, found in zip(members, again, strict=True)
        ]
    )


def half_frame(half: int, members: Sequence[Member]) -> pd.DataFrame:
    """One row per member of a half's population; figures are those that it was accepted by."""
    return pd.DataFrame.from_records([{"half": half, **_member(m), **m.record.figures} for m in members])


def _member(member: Member) -> dict[str, float]:
    """Distance and place of a member."""
    r = member.record
    return {"distance": member.distance, "round": r.round, "chain": r.chain, "step": r.step, **_places(r.unit)}


def stored_path() -> Path:
    """Where the draw that is kept with the code stands; the others stand next to it."""
    return data_dir() / "posterior" / "draws.parquet"


def paths(out: Path) -> tuple[Path, Path, Path]:
    """Files of draws, accepted settings and halves."""
    return out, out.with_name(f"{out.stem}-accepted{out.suffix}"), out.with_name(f"{out.stem}-halves{out.suffix}")


def save_stored(stored: Stored, out: Path) -> None:
    """Write a draw: places as whole numbers, figures in single precision, which holds all digits that they have."""
    for path, frame in zip(paths(out), (stored.draws, stored.accepted, stored.halves), strict=True):
        places = {str(c): (frame[c] * SCALE).round().astype(np.uint16) for c in frame if str(c).startswith(PLACE)}
        whole = frame.assign(**places)
        figures = {c: np.float32 for c in whole if whole[c].dtype == np.float64}
        save(whole.astype(figures), path, stored.provenance)


def load_stored(out: Path) -> Stored:
    """Read a draw.

    Args:
        out: the file of the draws.
    """
    (draws, provenance), (accepted, _), (halves, _) = (load(path) for path in paths(out))
    return Stored(_with_places(draws), _with_places(accepted), _with_places(halves), provenance)


def _with_places(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame as read, its places from 0 to 1 again."""
    return frame.assign(**{str(c): frame[c] / SCALE for c in frame if str(c).startswith(PLACE)})
