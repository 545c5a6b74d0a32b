"""Questions that are put in a process of their own, in which kernels are interpreted, so that bounds are checked.

It is the source that is compiled elsewhere, and nothing has to be compiled once more with checks in it. Each process of
a search keeps one next to it, gives it seeds and reads what it found; that process refuses to begin if
an index behind the end of an array does not raise there. One that dies, as memory that was written out of bounds makes
processes do, is a fault of its seed, and the next seed gets a new one.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path

from .search import Found

ROOT = Path(__file__).parents[2]
HELPERS = ROOT / "tests" / "helpers"
READY = "bounds are checked"
PACKAGE = "tests.searches"
"""This package as the process finds it from the root of the tree; pytest knows it by a shorter name."""


def in_checked_process(module: str) -> Callable[[int], Found]:
    """What looks at a seed by the `look` of a module of this folder, where bounds are checked."""

    def look(seed: int) -> Found:
        process = _process(module)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(f"{seed}\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            _process.cache_clear()
            return Found(1, (f"the process with bounds checked died: exit code {process.wait()}",))
        found = json.loads(answer)
        return Found(found["cases"], tuple(found["faults"]), found["undecided"])

    return look


@cache
def _process(module: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "EUCLIO_KERNELS": "interpreted"}
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(ROOT), str(HELPERS), *filter(None, [environment.get("PYTHONPATH")])]
    )
    process = subprocess.Popen(
        [sys.executable, "-m", f"{PACKAGE}.bounds_checked", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=ROOT,
    )
    assert process.stdout is not None
    first = process.stdout.readline().strip()
    if first != READY:
        raise RuntimeError(f"the process that was to check bounds does not: {first or process.wait()}")
    atexit.register(process.kill)
    return process


def _bounds_are_checked() -> bool:
    """Whether reading behind the end raises, in kernels of all kinds."""
    import numpy as np

    from euclio.core.compiled import compiled, compiled_in_place, compiled_on_tables

    def read(table: np.ndarray, place: int) -> int:
        return table[place]

    for compile_it in (compiled, compiled_on_tables, compiled_in_place):
        function = compile_it(read)
        function(np.zeros(3, np.int64), 2)
        try:
            function(np.zeros(3, np.int64), 3)
        except IndexError:
            continue
        return False
    return True


def main() -> None:
    """Answer seeds with what was found, line by line."""
    look = importlib.import_module(f"{PACKAGE}.{sys.argv[1]}").look
    if not _bounds_are_checked():
        print("an index behind the end of an array did not raise", flush=True)
        raise SystemExit(1)
    answers = sys.stdout
    sys.stdout = sys.stderr
    print(READY, file=answers, flush=True)
    for line in sys.stdin:
        try:
            found = look(int(line))
        except Exception as error:
            found = Found(1, (f"{type(error).__name__}: {error}",))
        print(json.dumps(asdict(found)), file=answers, flush=True)


if __name__ == "__main__":
    main()
