"""Settings of the adversarial tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .memory import limited_memory


@pytest.fixture(autouse=True)
def _limited_memory() -> Iterator[None]:
    """Nothing small needs much memory."""
    with limited_memory():
        yield
