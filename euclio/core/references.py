"""Names that point into a user's Python file, ``path/to/file.py:NAME``; what they stand for is found elsewhere."""

from __future__ import annotations

from pathlib import Path

ENDING = ".py"


def is_reference(name: str) -> bool:
    """Whether a name points into a file."""
    return name.endswith(ENDING) or name.rpartition(":")[0].endswith(ENDING)


def file_of(name: str) -> Path | None:
    """The file that a name points into; None: it points into none."""
    if not is_reference(name):
        return None
    file, _, own = name.rpartition(":")
    return Path(file or own).expanduser()
