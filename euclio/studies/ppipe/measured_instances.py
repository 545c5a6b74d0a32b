"""Clusters with measured blocks in files: every system next to the published plans and the best known values."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.files import load_cluster
from euclio.studies.ppipe.systems import DART, LITERAL, MANY, NP, PPIPE, SYSTEMS, plan_row
from euclio.studies.rows import Row

BESIDE = Path("../shared/instances/pipelines")
"""Where they are looked for unless a folder is named."""
PLANNED = (NP, DART, PPIPE, MANY, LITERAL)
REFERENCES = {
    "no_partitioning": "published_np",
    "dart_r": "published_dart",
    "reference_gurobi": "gurobi",
    "found": "known",
}
"""Values in the file of expectations, and their columns here."""


def instance_files(folder: Path | None) -> list[Path]:
    """The files of a folder; None: of the default one, and none where that is absent.

    Raises:
        InputError: the named folder holds no instance.
    """
    chosen = BESIDE if folder is None else folder
    files = sorted(chosen.glob("*.json"))
    if folder is not None and not files:
        raise InputError("holds no instance files (*.json); name a folder of clusters", file=str(folder))
    return files


def of_several_models(files: Sequence[Path]) -> list[Path]:
    """The instances that serve several models together, as Figure 6 does."""
    return [file for file in files if len(load_cluster(file).models) > 1]


def instance_rows(files: Sequence[Path], advance: Callable[[int], None]) -> list[Row]:
    """One row per instance and system, planned one after the other, because times are measured."""
    rows = []
    for file in files:
        cluster = load_cluster(file)
        known = _expected(file.parent).get(file.stem, {})
        beside = {column: known.get(name) for name, column in REFERENCES.items()}
        for label in PLANNED:
            head = {"case": file.stem, "models": len(cluster.models), **beside}
            rows.append({**head, **plan_row(cluster, label, SYSTEMS[label].plan(cluster))})
            advance(1)
    return rows


def _expected(folder: Path) -> dict[str, Any]:
    """Published and best known values, from the file next to the folder; empty where there is none."""
    file = folder.parent / f"{folder.name}_expected.json"
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}
