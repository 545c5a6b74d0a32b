"""The program that runs a user's function as a worker: `python worker.py FILE.py FUNCTION`.

It imports nothing of euclio, so that nothing runs next to the user's code. The function is given the batch size and
returns what runs one batch of it; loading a model and making inputs belong before that, and are not measured. Each line
that is read is a batch size; each one that is answered says `took`, and the seconds that the batch took. What the
user's code prints goes to standard error.
"""

from __future__ import annotations

import os
import runpy
import sys
import time
from pathlib import Path


def main(file: str, name: str) -> None:
    """Answer every line of standard input with a batch's duration; the first line says the batch size of all."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    sys.path.insert(0, str(Path(file).resolve().parent))
    function = runpy.run_path(file).get(name)
    if not callable(function):
        sys.exit(f"{file} has no function {name!r}")
    first = sys.stdin.readline()
    if not first:
        return
    run = function(int(first))
    if not callable(run):
        sys.exit(f"{name} returns a {type(run).__name__}; return a function that runs one batch")
    while True:
        began = time.perf_counter_ns()
        run()
        answers.write(f"took {(time.perf_counter_ns() - began) / 1e9:.9f}\n")
        if not sys.stdin.readline():
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
