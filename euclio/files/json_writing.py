"""JSON out: fractions as exact decimal text, one row of scalars to a line."""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from errno import ENXIO
from fractions import Fraction
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError, reason_of
from euclio.core.numbers import decimal_text
from euclio.core.system import BINARY, NOT_BLOCKING, make_blocking

WIDTH = 120

READER_PATIENCE_S = 3.0
"""How long a pipe that is written to is waited for until a program reads it."""
LOOK_EVERY_S = 0.02

_SCALARS = (Fraction, str, int, float, bool, type(None))
_encoded = json.JSONEncoder(ensure_ascii=False).encode
"""As `json.dumps`, which makes such an encoder for every text."""
_SPACES = re.compile(r'("(?:[^"\\]|\\.)*")|(\n)\s*|\s+')


def json_text(value: Any, indent: str = "") -> str:
    """JSON text of plain data and fractions.

    A fraction is written as its decimal text, a float that is not finite as null. What fits on a line stands on one.
    """
    if type(value) in _SCALARS:  # most parts are such, and asking what else they might be takes longer
        return _scalar(value)
    if isinstance(value, Mapping):
        items, brackets = [f"{_scalar(str(k))}: {json_text(v, indent + ' ')}" for k, v in value.items()], "{}"
    elif isinstance(value, Sequence) and not isinstance(value, str):
        items, brackets = [json_text(v, indent + " ") for v in value], "[]"
    else:
        return _scalar(value)
    line = brackets[0] + ", ".join(items) + brackets[1]
    if "\n" not in line and len(line) + len(indent) <= WIDTH:
        return line
    body = f",\n{indent} ".join(items)
    return f"{brackets[0]}\n{indent} {body}\n{indent}{brackets[1]}"


def compact(text: str) -> str:
    """A JSON text without indentation and spaces; lines stay."""
    return _SPACES.sub(lambda found: found[1] or found[2] or "", text)


def one_line(text: str) -> str:
    """A JSON text without any white space between its parts."""
    return _SPACES.sub(lambda found: found[1] or "", text)


def write_text(text: str, path: str | Path) -> None:
    """Write a text file.

    Raises:
        InputError: it cannot be written.
    """
    try:
        data = text.encode("utf-8")
    except ValueError as error:
        raise _unwritable(path, error) from None
    write_bytes(data, path)


def write_bytes(data: bytes, path: str | Path) -> None:
    """Write a file.

    Raises:
        InputError: it cannot be written.
    """
    try:
        target = Path(path)
        if target.is_fifo():
            _write_to_pipe(data, target)
        else:
            target.write_bytes(data)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None


def check_writable(path: str | Path) -> None:
    """Refuse a path that cannot be written, before long work is done for it.

    Raises:
        InputError: its folder does not exist, or the file cannot be opened for writing.
    """
    target = Path(path)
    try:
        existed = target.exists()
        if target.is_fifo():
            return  # opening it would end its reader, or wait for one
        with target.open("ab"):
            pass
        if not existed:
            target.unlink()
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None


def _write_to_pipe(data: bytes, path: Path) -> None:
    """Write to a named pipe, once a program reads it.

    Raises:
        OSError: none did for `READER_PATIENCE_S`.
    """
    until = time.monotonic() + READER_PATIENCE_S
    while True:
        try:
            descriptor = os.open(path, os.O_WRONLY | NOT_BLOCKING | BINARY)
            break
        except OSError as error:
            if error.errno != ENXIO:
                raise
            if time.monotonic() > until:
                raise OSError(ENXIO, f"no program reads the pipe for {READER_PATIENCE_S:g} s") from None
            time.sleep(LOOK_EVERY_S)
    make_blocking(descriptor)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)


def _unwritable(path: str | Path, error: Exception) -> InputError:
    reason = reason_of(error)
    return InputError(f"cannot be written: {reason.lower()}; choose another path", file=str(path))


def _scalar(value: Any) -> str:
    if isinstance(value, Fraction):
        return decimal_text(value)
    if not isinstance(value, str | int | float | None):
        value = _plain_scalar(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "null"
    return _encoded(value)


def _plain_scalar(value: Any) -> Any:
    """A number of another library, such as the counters of a user's solver, as Python's own."""
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value.item() if hasattr(value, "item") else value


def check_outputs(outputs: Mapping[str, str | Path | None], inputs: Iterable[str | Path | None]) -> None:
    """Refuse files that cannot be written, that the command reads, or that it would write twice.

    A file is the same under another name too: through a symbolic or a hard link, or by another way to its folder.

    Args:
        outputs: files to be written, by the option that names them; None if not asked for.
        inputs: files that are read, and folders whose files are; None if there is none.

    Raises:
        InputError: naming the option and the file.
    """
    asked = {option: Path(path) for option, path in outputs.items() if path is not None}
    read = [Path(path) for path in inputs if path is not None]
    taken: dict[str, Path] = {}
    for option, path in asked.items():
        if any(_same(path, file) for given in read for file in _files(given, path)):
            message = "is read by this command, and would be lost; choose another file"
            raise InputError(message, file=str(path), field=option)
        for other, file in taken.items():
            if _same(path, file):
                raise InputError(f"is the file of {other} too; choose another one", file=str(path), field=option)
        taken[option] = path
    for path in asked.values():
        check_writable(path)


def _files(path: Path, output: Path) -> Iterator[Path]:
    """The file, or all files in the folder that an output could be: none where that is not there yet."""
    try:
        if path.is_dir():
            yield from path.rglob("*") if output.exists() else ()
        else:
            yield path
    except (OSError, ValueError):  # what cannot be read is refused where it is read
        return


def _same(path: Path, other: Path) -> bool:
    """Whether two paths lead to one file that keeps what is written; devices such as /dev/null do not."""
    try:
        if path.exists() and other.exists():
            return path.is_file() and path.samefile(other)
        return path.resolve() == other.resolve()
    except (OSError, ValueError, RuntimeError):  # a loop of links; refused where it is opened
        return False
