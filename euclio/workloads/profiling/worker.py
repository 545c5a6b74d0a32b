"""The program that runs a user's function as a worker: `python worker.py FILE.py FUNCTION`.

It imports nothing of euclio, so that nothing runs next to the user's code. The function is given the batch size and
returns what runs one batch of it; loading a model and making inputs belong before that, and are not measured. Each line
that is read is a batch size; each one that is answered says `took`, and the seconds that the batch took. What the
user's code prints goes to standard error.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from pathlib import Path
from types import ModuleType


def main(file: str, name: str) -> None:
    """Answer every line of standard input with a batch's duration; the first line says the batch size of all."""
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="ascii", newline="\n")
    os.dup2(2, 1)
    path = Path(file).resolve()
    sys.path.insert(0, str(path.parent))
    function = getattr(_module(path), name, None)
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


def _module(path: Path) -> ModuleType:
    """The user's file as a module, under its own name, as its other files would import it."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main(*sys.argv[1:])
