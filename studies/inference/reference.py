"""The reference setting of a paper: the one that studies run their solvers on.

It is the accepted setting that is nearest on many workloads. Stored next to it are its numbers on further workloads
that no choice used, and the numbers of the other paper's systems under it: settings of one paper predict the other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.core.folders import data_dir
from studies.inference.population import GENERATIONS, WORKLOADS, seed_of
from studies.inference.prior import PAPERS, Setting, flat, other_paper, setting_of
from studies.inference.references import Again, resimulate
from studies.inference.store import Stored
from studies.inference.targets import distance, full

SCHEMA = "euclio/reference/3"
NEAREST = 8
"""Number of nearest accepted settings whose shares of optimal splits are shown next to that of the reference."""


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
    entry = reference_entry(paper)
    try:
        return setting_of(paper, entry["setting"], **entry["readings"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"is no reference setting of this version: {error!r}", file=str(reference_path(paper))
        ) from None


def reference_entry(paper: str) -> dict[str, Any]:
    """The stored entry of the reference setting of a paper.

    Raises:
        InputError: there is none, or it is no JSON.
    """
    path = reference_path(paper)
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        remedy = f"`python -m studies.inference {paper} --generations {GENERATIONS[paper]}` searches and writes it"
        raise InputError(f"there is no reference setting; {remedy}", file=str(path)) from None
    except ValueError as error:
        raise InputError(f"is no reference setting of this version: {error!r}", file=str(path)) from None
    return found


def nearest_shares(paper: str) -> tuple[float, ...]:
    """Shares of optimal splits in per cent under each of the nearest accepted settings of a paper."""
    return tuple(reference_entry(paper)["optimal_share_of_nearest"])


def write_reference(stored: Stored, path: Path) -> Setting:
    """Take the nearest accepted setting, judge it on further workloads and write it.

    Args:
        stored: the search.
        path: the file.
    """
    search, setting = stored.provenance["search"], stored.settings[0]
    small = min(1.0, search["workloads"] / WORKLOADS)
    numbers = resimulate(Again.of(stored.paper, setting, seed_of(search["seed"], stored.paper, "judged"), small))
    shares = stored.accepted[full(stored.paper, "optimal_share")].head(NEAREST)
    entry: dict[str, Any] = {
        "schema": SCHEMA,
        "paper": stored.paper,
        "version": stored.provenance["version"],
        "search": search,
        "draws": stored.provenance["draws"],
        "distance": {
            "choosing": round(float(stored.accepted.distance_again.iloc[0]), 4),
            "judging": round(distance(numbers, stored.keys), 4),
        },
        "optimal_share_of_nearest": [round(float(one), 4) for one in shares],
        "numbers": numbers,
        "numbers_of_the_other_paper": _crossed(stored.paper, setting, search["seed"], small),
        "readings": search["readings"],
        "setting": flat(setting),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entry, indent=1) + "\n", encoding="utf-8", newline="\n")
    return setting


def _crossed(paper: str, setting: Setting, seed: int, small: float) -> Mapping[str, float]:
    """Numbers of the other paper's systems under a setting chosen without that paper's numbers."""
    other = other_paper(paper)
    # The other paper's weights of applications and readings of its systems are its own.
    theirs = setting_of(other, flat(setting))
    again = Again.of(other, theirs, seed_of(seed, paper, other, "judged"), small)
    return {key: value for key, value in resimulate(again).items() if key.startswith(full(other, ""))}
