"""Names that point into a user's Python file, ``path/to/file.py:NAME``; what they stand for is found elsewhere.

Only a command line or a call has such a name looked up. One that stands in a file is compared with what they say.
"""

from __future__ import annotations

from pathlib import Path

ENDING = ".py"
HASH = "@"
"""What divides a name from the hash that its file has to have, as in ``path/to/file.py:NAME@0123456789abcdef``."""


def is_reference(name: str) -> bool:
    """Whether a name points into a file."""
    return name.endswith(ENDING) or name.rpartition(":")[0].endswith(ENDING)


def file_of(name: str) -> Path | None:
    """The file that a name points into; None: it points into none."""
    if not is_reference(name):
        return None
    file, _, own = name.rpartition(":")
    return expanded(file or own)


def expanded(file: str) -> Path:
    """The path of a file; ``~`` stands for a home folder where there is one."""
    try:
        return Path(file).expanduser()
    except RuntimeError:  # nobody is called so
        return Path(file)


def own_name(name: str) -> tuple[str, str]:
    """What a name that points into a file says beyond the file: the name there, and the hash; empty: not said.

    A folder may have the sign of the hash in its name, so it is looked for behind the file.
    """
    own, _, version = name.rpartition(":")[2].partition(HASH)
    return own, version
