"""Names of the signals that processes die of."""

from __future__ import annotations

import signal


def signal_name(number: int) -> str:
    """The name of a signal, such as "SIGSEGV"; its number where it has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
