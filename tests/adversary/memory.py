"""A limit on memory: a solver that wants more raises a `MemoryError` of its own and takes nobody else down."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

MOST_BYTES = 6 << 30
"""Address space of a process; a worker with a solver library loaded has about 1 GiB."""


@contextmanager
def limited_memory(most: int = MOST_BYTES) -> Iterator[None]:
    """No more address space than this within the block."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    ceiling = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (ceiling, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
