"""Names that point into a user's Python file, ``path/to/file.py:NAME``; other modules look them up.

Only names from a command line or a call are looked up. A name in a file is compared with those.
"""

from __future__ import annotations

from pathlib import Path

ENDING = ".py"
HASH = "@"
"""Sign between a name and the required hash of its file, as in ``path/to/file.py:NAME@0123456789abcdef``."""


def is_reference(name: str) -> bool:
    """Whether a name points into a file."""
    return name.endswith(ENDING) or name.rpartition(":")[0].endswith(ENDING)


def file_of(name: str) -> Path | None:
    """The file that a name points into. None means that it points into no file."""
    if not is_reference(name):
        return None
    file, _, own = name.rpartition(":")
    return expanded(file or own)


def expanded(file: str) -> Path:
    """The path of a file; ``~`` stands for a home folder if there is one."""
    try:
        return Path(file).expanduser()
    except RuntimeError:  # there is no such user
        return Path(file)


def own_name(name: str) -> tuple[str, str]:
    """The name inside the file, and the hash, of a name that points into a file; each empty if missing.

    A folder's name may contain the sign of the hash, so only the part after the file is read.
    """
    own, _, version = name.rpartition(":")[2].partition(HASH)
    return own, version
