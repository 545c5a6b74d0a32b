"""Designs: what the instances of the benchmark set are to be like; each family declares its own (ours)."""

from __future__ import annotations

from typing import Any, Protocol


class Design(Protocol):
    """What an instance of the set is to be like: a frozen dataclass, whose fields stand in the manifest."""

    @property
    def name(self) -> str:
        """Name of the instance."""

    @property
    def space(self) -> Any:
        """Plan space to solve it in."""

    def make(self, seed: int) -> Any:
        """The instance; the same seed gives the same one."""
