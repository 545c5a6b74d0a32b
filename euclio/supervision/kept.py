"""A program below a keeper: `python -m euclio.supervision.kept PARENT WORDS...` runs the words and ends with them.

What the program leaves behind, in whatever session, is ended with it (`euclio.supervision.ending`).
"""

from __future__ import annotations

import os
import signal
import sys

from euclio.core.system import HARD_LIMITS
from euclio.supervision.ending import settle

CANNOT_RUN = 127


def kept(words: list[str]) -> list[str]:
    """The words of a program, run below a keeper whose parent is this process; as they are where there are none."""
    if not HARD_LIMITS:
        return words
    return [sys.executable, "-P", "-m", "euclio.supervision.kept", str(os.getpid()), *words]


def main() -> None:
    """Become the keeper of a program that is given by its words."""
    parent, *words = sys.argv[1:]
    settle(int(parent))
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        os.execvp(words[0], words)
    except OSError as error:
        print(f"cannot be run: {(error.strerror or str(error)).lower()}", file=sys.stderr, flush=True)
        os._exit(CANNOT_RUN)


if __name__ == "__main__":
    main()
