"""What machine code tests had made that `euclio warm-up` had not: whoever runs such code waits for it, after all.

Kernels that tests call on their own are among it, and no fault. A solver or a search that is compiled once more is one:
its arguments come in types that no tiny instance has.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from euclio.core.code_cache import SUFFIX, places

LISTED = 30
"""Functions that are named."""


def kept() -> frozenset[Path]:
    """The files of machine code that are there."""
    return frozenset(file for place in places() for file in place.rglob(f"*{SUFFIX}"))


def line(before: frozenset[Path]) -> str:
    """What was made since then, by function, those of most lists of types first; empty: nothing.

    Args:
        before: `kept` at that time.
    """
    made = Counter(f"{file.parent.name}.{file.name.rpartition('-')[0]}" for file in kept() - before)
    if not made:
        return ""
    named = [f"{name} ({times})" if times > 1 else name for name, times in made.most_common(LISTED)]
    more = f" and {len(made) - LISTED} more" if len(made) > LISTED else ""
    return f"machine code made meanwhile, which warm-up had not: {', '.join(named)}{more}"
