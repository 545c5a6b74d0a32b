"""A module of kernels in a folder of its own, and processes that use it with machine code of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCE = '''
"""Kernels that call each other."""
from typing import NamedTuple
import numpy as np
from euclio.core.compiled import compiled, is_past

STEP = 1.0

class Pair(NamedTuple):
    first: np.ndarray
    second: np.ndarray

@compiled
def leaf(x):
    return x + STEP

@compiled
def middle(x):
    return leaf(x) * 2.0

@compiled
def alone(x):
    return x - 1.0

@compiled
def scaled(x, times):
    return x * times

@compiled
def thrice(x, times):
    return scaled(x, 1) + scaled(x, 2) + scaled(x, times)

@compiled
def first_of(pair):
    return pair.first[0]

@compiled
def fill(values, rounds):
    """Long enough to be overtaken by machine code, and it writes into what it is given."""
    for k in range(rounds):
        values[k % values.size] += leaf(float(k)) / 3.0
        if is_past(np.inf):
            return -1.0
    return values[0]
'''

CALL_ALL = "a = [kernels.middle(1.0), kernels.alone(1.0)]; print(json.dumps(a))"
COMPILED = {"EUCLIO_KERNELS": "compiled"}


@dataclass(frozen=True, slots=True)
class KernelModule:
    """A module `kernels` in a folder, with machine code next to it."""

    folder: Path

    def write(self, *changes: tuple[str, str]) -> None:
        """Write the module, with pieces of its text changed."""
        text = SOURCE
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (self.folder / "kernels.py").write_text(text, encoding="utf-8")

    def run(self, code: str, **settings: str) -> Any:
        """What code prints as JSON that has imported the module, in a process of its own."""
        done = subprocess.run(
            [sys.executable, "-c", f"import json, sys, numpy as np, kernels\n{code}"],
            env=self.environment(**settings),
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    def environment(self, **settings: str) -> dict[str, str]:
        """The environment of such a process."""
        given = {name: value for name, value in os.environ.items() if not name.startswith(("EUCLIO_", "NUMBA_"))}
        path = os.pathsep.join(filter(None, [str(self.folder), given.get("PYTHONPATH", "")]))
        own = {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(self.folder / "machine"), "PYTHONDONTWRITEBYTECODE": "1"}
        return {**given, **own, **settings}

    def kept(self) -> set[str]:
        """The files of machine code of the module's functions, by their names without what they are hashed of."""
        return {path.name for path in (self.folder / "machine").rglob("*.machine") if path.parent.name == "kernels"}


def functions(files: set[str]) -> list[str]:
    """The functions that files hold machine code of, in order, each as often as it has a file."""
    return sorted(name.rpartition("-")[0] for name in files)
