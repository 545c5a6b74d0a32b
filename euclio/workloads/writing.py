"""Write generated instances to files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from euclio.core.errors import InputError
from euclio.files import save_instance


class Named(Protocol):
    """An instance with a name."""

    @property
    def name(self) -> str:
        """Name of the instance."""


def write_instances(instances: Sequence[Named], out: Path) -> list[Path]:
    """Write instances into a folder, one file per name, or a single one into a file ending in .json.

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
        _make_folder(out)
        paths = [out / f"{instance.name}.json" for instance in instances]
    for instance, path in zip(instances, paths, strict=True):
        save_instance(instance, path)
    return paths


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InputError("is a file; name a folder, or a file ending in .json", file=str(path)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"cannot be made: {reason.lower()}; choose another folder", file=str(path)) from None
