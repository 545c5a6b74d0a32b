"""The reference setting: the one that studies run their solvers on, chosen from the stored draw.

Studies run the solvers' own rows, which take one reading of every system. An accepted setting has readings of its own,
and hardly one in eighty has all of the solvers' own at once; to choose among those alone would be to choose by luck.
So that every accepted setting is a candidate, its loads, profiles and objectives are taken with the readings of the
solvers' own rows, and it is simulated again so. The nearest one under *these* readings is the reference.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from euclio.core.data_files import data_dir
from euclio.core.errors import InputError
from euclio.core.progress import progress_bar
from euclio.studies.posterior.distance import distance
from euclio.studies.posterior.drawing import seed_again
from euclio.studies.posterior.prior import DEFAULTS, PAPERS, Setting, flat, nested
from euclio.studies.posterior.references import Again, resimulate
from euclio.studies.posterior.store import FACT, Stored
from euclio.studies.posterior.targets import fitted, full

SCHEMA = "euclio/reference/1"
CHOSEN = (
    "Of all accepted settings, each taken with the readings of the solvers' own rows and simulated again, the nearest "
    "to the fitted figures of both papers."
)
ENOUGH = 0.25
"""Least share of a paper's candidates that count. Studies draw five times the workloads that a setting is chosen by,
and a setting that is given up below a sixth must not come near it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An accepted setting under the readings of the solvers' own rows.

    Attributes:
        place: its place among the accepted settings, from 0, nearest first.
        again: the setting with these readings, with the seed and the workloads of its repetition.
        accepted_distance: its distance on the repetition's workloads, with the readings that it was accepted with.
        distance: the same with the readings of the solvers' own rows; infinite: too few workloads.
    """

    place: int
    again: Again
    accepted_distance: float
    distance: float


def reference_path(paper: str = PAPERS[0]) -> Path:
    """Where the reference setting of a paper is stored; both share one."""
    return data_dir() / "posterior" / "reference.json"


def reference_setting(paper: str = PAPERS[0]) -> Setting:
    """The stored reference setting of a paper.

    Args:
        paper: "harpagon" or "piccolo".

    Raises:
        InputError: there is none, or it is not one of this version's parameters.
    """
    path = reference_path(paper)
    try:
        return nested(json.loads(path.read_text(encoding="utf-8"))["setting"])
    except OSError:
        raise InputError(
            "there is no reference setting; `python -m euclio.studies.posterior --out DRAWS --reference` writes it",
            file=str(path),
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"is no reference setting of this version: {error!r}", file=str(path)) from None


def has_defaults(setting: Setting) -> bool:
    """Whether a setting reads all systems as the solvers' own rows do."""
    values = flat(setting)
    return all(values[name] == usual for name, usual in DEFAULTS.items())


def with_defaults(setting: Setting) -> Setting:
    """A setting with the readings of the solvers' own rows, and everything else as it is."""
    return nested({**flat(setting), **DEFAULTS})


def chosen(stored: Stored, jobs: int = 1) -> Candidate:
    """The reference setting of a stored draw; the number of processes changes nothing.

    Every candidate is simulated with the seed of its own repetition: one that had these readings already has the same
    distance again. Chains that did not move repeat a setting, which is a candidate once.

    Args:
        stored: the draw.
        jobs: processes.

    Raises:
        InputError: no accepted setting has enough workloads under these readings.
    """
    asked = _asked(stored)
    noise = stored.provenance["noise"]
    found = []
    with _mapped(jobs) as mapped, progress_bar("accepted settings under the default readings", len(asked)) as advance:
        for (place, again), figures in zip(asked, mapped(resimulate, [again for _, again in asked]), strict=True):
            advance()
            now = distance(figures, noise, fitted()) if _enough(figures) else float("inf")
            found.append(Candidate(place, again, float(stored.accepted.distance_again.iloc[place]), now))
    best = min(found, key=lambda candidate: (candidate.distance, candidate.place))
    if not np.isfinite(best.distance):
        raise InputError("no accepted setting has workloads under the solvers' own readings; draw more", field="draws")
    return best


def _asked(stored: Stored) -> list[tuple[int, Again]]:
    """Place and repetition of every accepted setting that differs from those before it."""
    workloads = int(stored.provenance["workloads_again"][0])
    asked: list[tuple[int, Again]] = []
    seen = set()
    for place, setting in enumerate(map(with_defaults, stored.settings)):
        if setting not in seen:
            seen.add(setting)
            # Best splits and plans are of no interest here.
            none = dict.fromkeys(PAPERS, 0)
            asked.append((place, Again(setting, seed_again(stored.provenance["seed"], place), workloads, none, 0)))
    return asked


def _enough(figures: dict[str, float]) -> bool:
    """Whether a paper's study would find its workloads: every fourth candidate or more counts, in both papers."""
    return all(figures.get(FACT + full(paper, "accepted"), 0.0) >= ENOUGH for paper in PAPERS)


Mapped = Callable[[Callable[[Again], dict[str, float]], Sequence[Again]], Iterable[dict[str, float]]]
"""What simulates settings, in order, in this process or in others."""


@contextmanager
def _mapped(jobs: int) -> Iterator[Mapped]:
    if jobs <= 1:
        yield map
        return
    # Compiled code and its threads do not survive a fork.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield pool.map


def write_reference(stored: Stored, path: Path, jobs: int = 1) -> Setting:
    """Choose the reference setting of a stored draw and write it.

    Args:
        stored: the draw.
        path: the file.
        jobs: processes.

    Raises:
        InputError: no accepted setting has enough workloads under the readings of the solvers' own rows.
    """
    best = chosen(stored, jobs)
    row = stored.accepted.iloc[best.place]
    entry: dict[str, Any] = {
        "schema": SCHEMA,
        "about": CHOSEN,
        "seed": stored.provenance["seed"],
        "draws": stored.provenance["draws"],
        "version": stored.provenance["version"],
        "accepted": {"place": best.place + 1, "of": len(stored.accepted)},
        "draw": {name: int(row[name]) for name in ("round", "chain", "step")},
        "workloads": {"of_each_paper": best.again.workloads, "seed": best.again.seed},
        "distance": {
            "with_readings_as_accepted": round(best.accepted_distance, 4),
            "with_default_readings": round(best.distance, 4),
        },
        "setting": flat(best.again.setting),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entry, indent=1) + "\n", encoding="utf-8", newline="\n")
    return best.again.setting
