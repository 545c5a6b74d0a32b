"""Lines on standard error."""

from __future__ import annotations

import sys

from euclio.core.errors import printable


def say(message: str) -> None:
    """Say something in one line on standard error; what a terminal would obey is written as escapes."""
    print("euclio:", printable(message), file=sys.stderr, flush=True)
