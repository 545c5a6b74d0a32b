"""Results of experiments as data frames: one row per run (docs/formats/runs.md explains the columns)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from euclio.core.lazy import lazy_names

if TYPE_CHECKING:
    from euclio.experiments.results.loading import (
        VersionsDiffer,
        canonical,
        load,
        measured,
        merge,
        mixture,
        save,
        versions,
    )

__all__ = ["VersionsDiffer", "canonical", "load", "measured", "merge", "mixture", "save", "versions"]

# Data frames are slow to import.
__getattr__ = lazy_names(__name__, {"euclio.experiments.results.loading": __all__})
