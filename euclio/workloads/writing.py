"""Write generated instances to files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from euclio.errors import InputError


class Named(Protocol):
    """An instance with a name."""

    @property
    def name(self) -> str:
        """Name of the instance."""


InstanceT = TypeVar("InstanceT", bound=Named)


def write_instances(instances: Sequence[InstanceT], out: Path, save: Callable[[InstanceT, Path], None]) -> list[Path]:
    """Write instances into a folder, one file per name, or a single one into a file with a name ending in .json.

    Returns:
        The files written.

    Raises:
        InputError: several instances for one file, or nothing can be written there.
    """
    if out.suffix == ".json":
        if len(instances) > 1:
            raise InputError(f"{len(instances)} instances do not fit in one file; name a folder", field="out")
        paths = [out]
    else:
        out.mkdir(parents=True, exist_ok=True)
        paths = [out / f"{instance.name}.json" for instance in instances]
    for instance, path in zip(instances, paths, strict=True):
        save(instance, path)
    return paths
