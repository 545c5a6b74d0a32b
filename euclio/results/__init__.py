"""Results of experiments as data frames: one row per run (`README.md` says what each column is)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from euclio.results.loading import load, merge, save
    from euclio.results.sameness import VersionsDiffer, canonical, mixture, versions

__all__ = ["VersionsDiffer", "canonical", "load", "merge", "mixture", "save", "versions"]

_HOME = {
    "load": "euclio.results.loading",
    "merge": "euclio.results.loading",
    "save": "euclio.results.loading",
    "VersionsDiffer": "euclio.results.sameness",
    "canonical": "euclio.results.sameness",
    "mixture": "euclio.results.sameness",
    "versions": "euclio.results.sameness",
}


def __getattr__(name: str) -> Any:
    """Imported at first use: data frames are slow to import."""
    if name not in _HOME:
        raise AttributeError(f"module 'euclio.results' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
