"""Drawing instances by kind and settings, whatever their family; populations, which have names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from euclio.core.lazy import lazy_names

if TYPE_CHECKING:
    from euclio.workloads.populations import identify, population

__all__ = ["identify", "population"]

__getattr__ = lazy_names(__name__, {"euclio.workloads.populations": __all__})
