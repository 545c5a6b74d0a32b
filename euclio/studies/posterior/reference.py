"""The reference setting: the one that studies run their solvers on, chosen from the stored draw."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from euclio.core.data_files import data_dir
from euclio.core.errors import InputError
from euclio.studies.posterior.prior import DEFAULTS, Setting, flat, nested
from euclio.studies.posterior.store import Stored

SCHEMA = "euclio/reference/1"
CHOSEN = (
    "The accepted setting nearest to the fitted figures of both papers, on workloads that it was not accepted by, "
    "among those with the readings of the solvers' own rows (in systems that the fitted figures depend on)."
)


def reference_path() -> Path:
    """Where the reference setting is stored."""
    return data_dir() / "posterior" / "reference.json"


def reference_setting() -> Setting:
    """The stored reference setting.

    Raises:
        InputError: there is none, or it is not one of this version's parameters.
    """
    path = reference_path()
    try:
        return nested(json.loads(path.read_text(encoding="utf-8"))["setting"])
    except OSError:
        raise InputError(
            "there is no reference setting; `python -m euclio.studies.posterior --out DRAWS --reference` writes it",
            file=str(path),
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"is no reference setting of this version: {error!r}", file=str(path)) from None


def chosen(stored: Stored) -> tuple[Setting, float]:
    """The reference setting of a stored draw and its distance.

    Raises:
        InputError: no accepted setting has the readings of the solvers' own rows.
    """
    distances = stored.accepted.distance_again
    known = [(float(d), n) for n, (d, s) in enumerate(zip(distances, stored.settings, strict=True)) if has_defaults(s)]
    if not known:
        raise InputError("no accepted setting has the readings of the solvers' own rows; draw more", field="draws")
    least, at = min(known)
    return stored.settings[at], least


def has_defaults(setting: Setting) -> bool:
    """Whether a setting reads all systems as the solvers' own rows do."""
    values = flat(setting)
    return all(values[name] == usual for name, usual in DEFAULTS.items())


def write_reference(stored: Stored, path: Path) -> Setting:
    """Choose the reference setting of a stored draw and write it.

    Args:
        stored: the draw.
        path: the file.

    Raises:
        InputError: no accepted setting has the readings of the solvers' own rows.
    """
    setting, distance = chosen(stored)
    entry: Mapping[str, Any] = {
        "schema": SCHEMA,
        "about": CHOSEN,
        "seed": stored.provenance["seed"],
        "draws": stored.provenance["draws"],
        "version": stored.provenance["version"],
        "distance": round(distance, 4),
        "setting": flat(setting),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(entry, indent=1) + "\n", encoding="utf-8")
    return setting
