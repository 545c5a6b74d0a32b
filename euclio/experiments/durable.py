"""Files that are written atomically, also under a power cut."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from euclio.core.errors import UnwritableError, reason_of
from euclio.core.system import FOLDERS_ARE_FILES

UNFINISHED = ".unfinished"
"""Ending of the temporary name of a file that is being written."""


@contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """A stream whose bytes replace the file when it is closed.

    Raises:
        UnwritableError: it could not be written; the older file is unchanged.
    """
    temporary = path.with_name(path.name + UNFINISHED)
    try:
        with written(path), temporary.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        with written(path):
            temporary.replace(path)
            sync_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def removed(path: Path) -> None:
    """Remove a file for good; raises an `UnwritableError` if it could not be removed."""
    with written(path):
        path.unlink(missing_ok=True)
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to disk, where the system allows it."""
    if not FOLDERS_ARE_FILES:
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def written(path: Path) -> Iterator[None]:
    """Turn the system's errors on writing a file into one clear line."""
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> UnwritableError:
    """The error of a file that cannot be written."""
    reason = reason_of(error).lower()
    return UnwritableError(
        f"{path}: cannot be written: {reason}; what was finished before is kept: make room there and do the same again"
    )
