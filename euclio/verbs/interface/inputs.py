"""Instances and results as verbs are given them: objects, or paths of files, which errors then name."""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from euclio.core.errors import InputError
from euclio.core.families import DEFAULT_FAMILY, family_of, find_family
from euclio.core.family import Changes, Family
from euclio.core.lazy import late
from euclio.core.result import AnyResult, Result, WrittenResult
from euclio.files.boundary import at
from euclio.files.instance_files import load_instance
from euclio.files.result_files import load_result

pooled = late("euclio.problems.session.pool", "pooled")


class GivenInstance(NamedTuple):
    """An instance and where it is from.

    Attributes:
        file: its file; None if it was given as an object.
    """

    instance: Any
    file: str | None

    @property
    def family(self) -> Family:
        """The family of the instance."""
        return family_of(self.instance)


class Files(tuple[str, ...]):
    """Several files of a command line that are one instance: sessions that share their machines."""

    __slots__ = ()

    def __str__(self) -> str:
        return " + ".join(self)


class OneInstance(Action):
    """Stores the file of an argument, or several of them as `Files`."""

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: Any, option_string: str | None = None
    ) -> None:
        """Store what was given."""
        setattr(namespace, self.dest, Files(values) if len(values) > 1 else values[0])


def given_instance(given: Any) -> GivenInstance:
    """The instance that a verb is given: an object, the path of its file, or what was opened already.

    Several of these have to be sessions, and are the session in which they share their machines (`euclio pool`).

    Raises:
        InputError: the file cannot be read as an instance, or one of several is no session.
    """
    if isinstance(given, GivenInstance):
        return given
    if isinstance(given, list | tuple):
        return pooled_instance([given_instance(one) for one in given])
    return (
        GivenInstance(load_instance(given), str(given)) if isinstance(given, str | Path) else GivenInstance(given, None)
    )


def pooled_instance(given: Sequence[GivenInstance]) -> GivenInstance:
    """The session of several that share one pool of machines.

    Raises:
        InputError: one is no session, or they describe a machine type differently.
    """
    for one in given:
        if one.family.name != DEFAULT_FAMILY:
            own = find_family(DEFAULT_FAMILY).instances
            raise InputError(f"is one of {one.family.instances}; a pool is of {own}", file=one.file)
    named = [one.file for one in given if one.file is not None]
    file = str(Files(named)) if given and len(named) == len(given) else None
    with at("", file):
        return GivenInstance(pooled([one.instance for one in given]), file)


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
