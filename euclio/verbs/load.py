"""`load`: the instance in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar, overload

from euclio.core import families
from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.files.instance_files import load_instance
from euclio.verbs.interface.verb import verb

InstanceT = TypeVar("InstanceT")


@overload
def load(path: str | Path, *, strict: bool = False) -> Any: ...
@overload
def load(path: str | Path, kind: type[InstanceT], *, strict: bool = False) -> InstanceT: ...
@verb()
def load(path: str | Path, kind: type[Any] | None = None, *, strict: bool = False) -> Any:
    """The instance in a file.

    Args:
        path: the file.
        kind: the required type, such as `euclio.problems.session.Session`, which an editor then knows; None means any
            instance.
        strict: refuse doubted rows (docs/howto/doubts.md) instead of warning of them.

    Raises:
        InputError: naming the file, the field and the remedy; also for another kind of instance.
    """
    found = load_instance(path)
    if kind is not None and not isinstance(found, kind):
        asked = next((family.instances for family in families.families() if family.instance is kind), kind.__name__)
        raise InputError(f"is one of {family_of(found).instances}; {asked} are asked for", file=str(path))
    return found
