"""Results as verbs are given them: of `solve`, as they were read, or the path of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from euclio.core.result import AnyResult, Result, WrittenResult
from euclio.files.result_files import load_result
from euclio.verbs.opened import Opened, changed_instance


class Read(NamedTuple):
    """A result and where it is from.

    Attributes:
        result: the result, as if it stood in a file.
        file: its file; None: it was given as an object.
    """

    result: WrittenResult
    file: str | None


def read_result(given: AnyResult | WrittenResult | str | Path | Read, of: Opened, policy: Any = None) -> Read:
    """The result that a verb is given.

    Args:
        given: a result of `euclio.solve`, one that was read, or the path of its file.
        of: the instance, as it was given to the solver; of a read result its changes are known already.
        policy: the user's own policy that the result was made under, where it is read from a file.

    Raises:
        InputError: the file cannot be read as a result of this instance.
    """
    if isinstance(given, Read):
        return given
    if isinstance(given, str | Path):
        return Read(load_result(given, of.instance, policy=policy), str(given))
    if isinstance(given, Result):
        from euclio.proving.certifying import written

        return Read(written(changed_instance(of.instance, given.changes), given), None)
    return Read(given, None)
