"""Code that an experiment names: it is run only where the call, or the command line, names its file as well.

An experiment may be somebody else's, and looking up one solver of it runs the file that the solver stands in.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from euclio.core.errors import InputError
from euclio.core.families import families
from euclio.core.references import expanded, file_of
from euclio.core.solver import Option

FLAG = "--code"


class Named(NamedTuple):
    """A place of an experiment that names code.

    Attributes:
        field: the place.
        text: what stands there.
        path: the file that it points into.
    """

    field: str
    text: str
    path: Path


def named_by(place: str, name: str, options: Mapping[str, Any], folder: Path) -> Iterator[Named]:
    """The code that a solver of an experiment names: itself, the solver it starts from, a policy.

    Args:
        place: where the solver stands in the experiment.
        name: its name.
        options: its options, as they stand in the file.
        folder: what their paths are relative to.
    """
    for field, value in [("name", name), *options.items()]:
        if field not in ("name", *_fields()):
            continue
        # The solver to start from is looked up as the command line has it.
        base = Path() if field == Option.WARM_START else folder
        for text in value if isinstance(value, list) else [value]:
            file = file_of(text) if isinstance(text, str) else None
            if file is not None:
                yield Named(f"{place}.{field}", text, base / file)


def check_code(named: Collection[Named], code: Collection[str | Path]) -> None:
    """Refuse code that an experiment names and the call does not, before any of it is run.

    Args:
        named: what the experiment names.
        code: the files that the call names, relative to the current folder.

    Raises:
        InputError: naming the first place, and all files.
    """
    allowed = {_resolved(expanded(str(file))) for file in code}
    missing = [one for one in named if _resolved(one.path) not in allowed]
    if missing:
        files = dict.fromkeys(_shown(one.path) for one in missing)
        raise InputError(
            f"names code ({ascii(missing[0].text[:120])[1:-1]}), and what a file names is not run; if you trust it, "
            f"name it yourself: {FLAG} {shlex.quote(','.join(files))}",
            field=missing[0].field,
        )


def _fields() -> set[str]:
    """Options of solvers, of any family, that may name code."""
    spaces = (option for family in families() for option in family.space_options)
    return {Option.WARM_START.value, *(option.field for option in spaces if option.reference is not None)}


def _resolved(path: Path) -> str:
    """A path without links; one that no file can have stands for itself."""
    try:
        return str(path.resolve())
    except (OSError, RuntimeError, ValueError):
        return str(path)


def _shown(path: Path) -> str:
    """A path as it is named on a command line here, the shorter way."""
    return min(os.path.relpath(path), str(path.absolute()), key=len)
