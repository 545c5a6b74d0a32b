"""Instances and results as verbs are given them: objects, or paths of files, which errors then name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.family import Changes, Family
from euclio.core.result import AnyResult, Result, WrittenResult
from euclio.files.instance_files import load_instance
from euclio.files.result_files import load_result


class GivenInstance(NamedTuple):
    """An instance and where it is from.

    Attributes:
        instance: the instance.
        file: its file; None if it was given as an object.
    """

    instance: Any
    file: str | None

    @property
    def family(self) -> Family:
        """The family of the instance."""
        return family_of(self.instance)


def given_instance(given: Any) -> GivenInstance:
    """The instance that a verb is given: an object, the path of its file, or what was opened already.

    Raises:
        InputError: the file cannot be read as an instance.
    """
    if isinstance(given, GivenInstance):
        return given
    return (
        GivenInstance(load_instance(given), str(given)) if isinstance(given, str | Path) else GivenInstance(given, None)
    )


def given_instances(given: Any) -> list[GivenInstance]:
    """The instances that a verb is given: one or many, as objects, files, or folders of files in the order of names.

    Raises:
        InputError: a file cannot be read, or a folder has none.
    """
    if isinstance(given, str | Path) and Path(given).is_dir():
        inside = sorted(Path(given).glob("*.json"))
        if not inside:
            raise InputError("the folder has no file that ends in .json; name another one", file=str(given))
        return [given_instance(file) for file in inside]
    if isinstance(given, str | Path | GivenInstance) or not isinstance(given, Iterable):
        return [given_instance(given)]
    return [found for one in given for found in given_instances(one)]


def changed_instance(instance: Any, changes: Changes | None) -> Any:
    """The instance that a result with changes is of."""
    return instance if changes is None else changes.applied_to(instance)


class GivenResult(NamedTuple):
    """A result and where it is from.

    Attributes:
        result: the result, as if it stood in a file.
        file: its file; None if it was given as an object.
    """

    result: WrittenResult
    file: str | None


def given_result(
    given: AnyResult | WrittenResult | str | Path | GivenResult, of: GivenInstance, policy: Any = None
) -> GivenResult:
    """The result that a verb is given.

    Args:
        given: a result of `euclio.solve`, one that was read, or the path of its file.
        of: the instance, as it was given to the solver; of a read result its changes are known already.
        policy: the user's own policy that the result was made under, where it is read from a file.

    Raises:
        InputError: the file cannot be read as a result of this instance.
    """
    if isinstance(given, GivenResult):
        return given
    if isinstance(given, str | Path):
        return GivenResult(load_result(given, of.instance, policy=policy), str(given))
    if isinstance(given, Result):
        from euclio.proving.certifying import written

        return GivenResult(written(changed_instance(of.instance, given.changes), given), None)
    if not isinstance(given, WrittenResult):
        kind = type(given).__name__
        raise InputError(f"is of type {kind}; give a result of `euclio.solve`, or the path of its file", field="result")
    return GivenResult(given, None)
