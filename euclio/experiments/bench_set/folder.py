"""Where the set's files are, and how they are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from euclio.core.families import families, family_of, find_family
from euclio.core.folders import data_dir
from euclio.core.result import WrittenResult
from euclio.experiments.bench_set.manifest import Entry
from euclio.files.instance_files import load_instance
from euclio.files.json_writing import compact
from euclio.files.result_files import load_result


def set_folder() -> Path:
    """The folder of the set that comes with euclio."""
    return data_dir() / "instances"


def rooms() -> list[str]:
    """The folders in it: one per family that it has instances of, and that of the best plans."""
    return [*(family.instances for family in families() if family.designs()), "best"]


def instance_path(folder: Path, entry: Entry) -> Path:
    """File of an instance."""
    return folder / find_family(entry.family).instances / f"{entry.name}.json"


def best_path(folder: Path, name: str) -> Path:
    """File of the best known result on an instance, as `euclio verify` reads it."""
    return folder / "best" / f"{name}.json"


def read_instance(folder: Path, entry: Entry) -> Any:
    """An instance of the set.

    Raises:
        InputError: naming the file, the field and the remedy.
    """
    return load_instance(instance_path(folder, entry))


def read_best(folder: Path, instance: Any) -> WrittenResult:
    """The best known result on an instance, not yet checked.

    Raises:
        InputError: naming the file, the field and the remedy.
    """
    return load_result(best_path(folder, instance.name), instance)


def instance_text(instance: Any) -> str:
    """The text of an instance's file in the set."""
    return compact(family_of(instance).to_text(instance))
