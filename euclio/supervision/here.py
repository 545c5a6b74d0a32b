"""Calls in this process, on systems where none can be started next to it and ended from outside.

Nothing is killed: a call ends when its function returns. Time limits are those that solvers keep themselves.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from typing import Any

from euclio.core.progress import say
from euclio.core.system import soft
from euclio.supervision.forked import Begun, Said

SOFT_LIMIT = "the time limit is the one that solvers keep themselves"


class CallsHere:
    """Makes calls as `ForkedProcess` does, but in this process: all is known here, and there is nothing to end.

    What a call prints goes to standard error.

    Args:
        known: as of `ForkedProcess`; not needed.
    """

    ended = False
    """Whether the process is gone, which it is not as long as anybody asks."""

    def __init__(self, known: Sequence[object]) -> None:
        self._warned = False

    def knows(self, thing: object) -> bool:
        """Whether calls may refer to an object."""
        return True

    def call(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        preparation_s: float,
        begun: Callable[[], None] = lambda: None,
        said: list[Any],
    ) -> Any:
        """What a function returns, called with a `Report` and then these arguments.

        Args:
            function: a function; before it says `Begun`, it is in preparation.
            arguments: what it is given.
            preparation_s: not kept here.
            begun: is called when the preparation is over.
            said: what the function has `Said` is added to it.

        Raises:
            BaseException: whatever the function raises.
        """
        with redirect_stdout(sys.stderr):

            def report(message: Begun | Said) -> None:
                if isinstance(message, Said):
                    said.append(message.value)
                    return
                begun()
                if message.limit_s is not None and not self._warned:
                    self._warned = True
                    say(soft(SOFT_LIMIT))

            return function(report, *arguments)

    def close(self) -> None:
        """Nothing is left to end."""
