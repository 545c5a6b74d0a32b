"""Instances as verbs are given them: an object, or the path of its file, which errors then name."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from euclio.core.families import family_of
from euclio.core.family import Changes, Family
from euclio.files.instance_files import load_instance


class Opened(NamedTuple):
    """An instance and where it is from.

    Attributes:
        instance: the instance.
        file: its file; None: it was given as an object.
    """

    instance: Any
    file: str | None

    @property
    def family(self) -> Family:
        """The family of the instance."""
        return family_of(self.instance)


def opened(given: Any) -> Opened:
    """The instance that a verb is given: an object, the path of its file, or what was opened already.

    Raises:
        InputError: the file cannot be read as an instance.
    """
    if isinstance(given, Opened):
        return given
    return Opened(load_instance(given), str(given)) if isinstance(given, str | Path) else Opened(given, None)


def changed_instance(instance: Any, changes: Changes | None) -> Any:
    """The instance that a result with changes is of."""
    return instance if changes is None else changes.applied_to(instance)
