"""The stored draw of a paper: every setting with its numbers, and the accepted ones again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from euclio.core.data_files import data_dir
from euclio.core.errors import InputError
from euclio.posterior.distance import Measure, off
from euclio.posterior.prior import NAMES, Setting, from_unit
from euclio.posterior.references import REFERENCE_KEYS
from euclio.posterior.simulated import CONTROL, DIGITS, PRIOR, Record
from euclio.posterior.targets import fitted, full, of_paper, targets
from euclio.results.tables import load, save

PLACE, FACT = "place.", "fact."
"""Beginnings of the columns of parameters (places in the cube) and of facts."""
SCALE = 10**DIGITS
"""Places are stored as whole numbers, in parts of this one."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A draw.

    Attributes:
        draws: one row per simulated setting: run, wave, what it was screened for, rank, distance, places, numbers,
            facts; of some draws from the prior also what needs the best split, on more workloads.
        accepted: one row per accepted setting, nearest first: run, distance, places, numbers of many workloads,
            `distance_again` on those, `distance_default` with the readings of the solvers' own rows.
        provenance: paper, seed, version, number of draws, plan, noise, discrepancy, screening.
    """

    draws: pd.DataFrame
    accepted: pd.DataFrame
    provenance: dict[str, Any]

    @property
    def paper(self) -> str:
        """The paper that the draw is of."""
        return str(self.provenance["paper"])

    @property
    def measure(self) -> Measure:
        """What its distances are measured by."""
        keys = of_paper(fitted(), self.paper)
        return Measure(keys, self.provenance["noise"], self.provenance["discrepancy"])

    @property
    def settings(self) -> list[Setting]:
        """The accepted settings, nearest first."""
        return settings_of(self.accepted)

    @property
    def prior(self) -> pd.DataFrame:
        """The draws from the prior that have workloads."""
        kept: pd.DataFrame = self.draws[(self.draws.wave == PRIOR) & np.isfinite(self.draws.distance)]
        return kept

    def nearest(self, measure: Measure) -> pd.DataFrame:
        """The settings that another measure would accept, as many of each run as were accepted, with `distance`."""
        own = self.draws[(self.draws.wave != CONTROL) & np.isfinite(self.draws.distance)]
        logs = np.array([off(row, measure.keys) for row in own[list(measure.keys)].to_dict("records")])
        found = own.assign(distance=measure.distances(logs)).sort_values("distance", kind="stable")
        kept: pd.DataFrame = found.groupby("run").head(int(self.provenance["plan"]["accepted"]))
        return kept


def settings_of(frame: pd.DataFrame) -> list[Setting]:
    """The settings of a frame's rows."""
    return [from_unit(row) for row in frame[[PLACE + name for name in NAMES]].to_numpy(dtype=np.float64)]


def nearest(records: Sequence[Record], measure: Measure, count: int) -> list[Record]:
    """So many records, nearest first; controls, which were drawn to be far, do not count."""
    known = [r for r in records if r.figures and r.wave != CONTROL]
    return sorted(known, key=lambda r: measure.distance(r.figures))[:count]


def _row(record: Record, measure: Measure) -> dict[str, Any]:
    """Where a record comes from, how far it is, and its place."""
    return {
        "run": record.run,
        "wave": record.wave,
        "wanted": record.wanted,
        "place": record.place,
        "rank": record.rank,
        "ancestor_wave": record.ancestor[0],
        "ancestor_place": record.ancestor[1],
        "distance": measure.distance(record.figures),
        **{PLACE + name: u for name, u in zip(NAMES, record.unit, strict=True)},
    }


def draws_frame(
    records: Sequence[Record], measure: Measure, again: Sequence[Record] = (), known: Sequence[Mapping[str, float]] = ()
) -> pd.DataFrame:
    """One row per record.

    Args:
        records: the records.
        measure: what the distance is measured by.
        again: those of them that were simulated again on more workloads, with the best split.
        known: what came out, of which only what needs the best split is kept.
    """
    more = {
        (r.run, r.wave, r.place): {k: v for k, v in found.items() if k.partition(":")[2] in REFERENCE_KEYS}
        for r, found in zip(again, known, strict=True)
    }
    rows = [
        {
            **_row(r, measure),
            **{key: r.figures[key] for key in targets() if key in r.figures},
            **more.get((r.run, r.wave, r.place), {}),
            **{FACT + name: value for name, value in r.facts.items()},
        }
        for r in records
    ]
    return pd.DataFrame.from_records(rows)


def accepted_frame(
    records: Sequence[Record],
    again: Sequence[Mapping[str, float]],
    usual: Sequence[Mapping[str, float]],
    measure: Measure,
) -> pd.DataFrame:
    """One row per accepted setting, nearest first; numbers are those of its repetition.

    Args:
        records: accepted settings.
        again: their numbers on more workloads.
        usual: the same with the readings of the solvers' own rows, on workloads of another seed.
        measure: what distances are measured by.
    """
    rows = []
    for r, found, default in zip(records, again, usual, strict=True):
        paper = next(iter(r.figures)).partition(":")[0]
        rows.append(
            {
                **_row(r, measure),
                "distance_again": measure.distance(found),
                "distance_default": measure.distance(default),
                "accepted_default": default.get(FACT + full(paper, "accepted"), 0.0),
                **found,
            }
        )
    frame = pd.DataFrame.from_records(rows)
    return frame.sort_values("distance", kind="stable").reset_index(drop=True)


def stored_path(paper: str) -> Path:
    """Where the draw of a paper that is kept with the code stands."""
    return data_dir() / "posterior" / f"{paper}.parquet"


def stored_draw(paper: str) -> Stored:
    """The draw of a paper that is kept with the code."""
    return load_stored(stored_path(paper))


def paths(out: Path) -> tuple[Path, Path]:
    """Files of draws and accepted settings."""
    return out, out.with_name(f"{out.stem}-accepted{out.suffix}")


def save_stored(stored: Stored, out: Path) -> None:
    """Write a draw: places as whole numbers, numbers in single precision, which holds all digits that they have."""
    for path, frame in zip(paths(out), (stored.draws, stored.accepted), strict=True):
        places = {str(c): (frame[c] * SCALE).round().astype(np.uint16) for c in frame if str(c).startswith(PLACE)}
        whole = frame.assign(**places)
        figures = {c: np.float32 for c in whole if whole[c].dtype == np.float64}
        save(whole.astype(figures), path, stored.provenance)


def load_stored(out: Path) -> Stored:
    """Read a draw.

    Args:
        out: the file of the draws.

    Raises:
        InputError: it is not one of this version's parameters.
    """
    (draws, provenance), (accepted, _) = (load(path) for path in paths(out))
    if "paper" not in provenance or any(PLACE + name not in draws for name in NAMES):
        raise InputError("is no draw of this version's parameters; draw it anew", file=str(out))
    return Stored(_with_places(draws), _with_places(accepted), provenance)


def _with_places(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame as read, its places from 0 to 1 again."""
    return frame.assign(**{str(c): frame[c] / SCALE for c in frame if str(c).startswith(PLACE)})
