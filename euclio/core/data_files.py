"""Where the data files are."""

from __future__ import annotations

from pathlib import Path


def data_dir() -> Path:
    """The folder of data files: inside the installed package, else `data/` of the source tree.

    Raises:
        FileNotFoundError: there is neither.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_data", package.parent / "data"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"no data files next to {package}; install euclio again, or run it from its source tree")
