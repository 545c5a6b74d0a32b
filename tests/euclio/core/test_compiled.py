"""Compiled code: where bounds are checked an index behind the end raises, and its machine code is kept apart."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Three ways to an element, as kernels have them: directly, through a function put into its caller, and as a write.
SCRIPT = """
import numpy as np
from euclio.core.compiled import compiled, compiled_on_tables
from euclio.core.ways import is_set

BOUNDS_CHECKED = is_set("NUMBA_BOUNDSCHECK")

@compiled
def read(table, k):
    return table[k]

@compiled_on_tables
def inner(tables, k):
    tables[0][k, 0] += 1

@compiled_on_tables
def outer(tables, k):
    for _ in range(2):
        inner(tables, k)
    return 0

for function, given in ((read, np.zeros(5)), (outer, (np.zeros((5, 2)), np.zeros(1)))):
    function(given, 4)
    try:
        function(given, 5 if BOUNDS_CHECKED else 4)
        print("silence")
    except IndexError:
        print("raised")
"""


def run(file: Path, **settings: str) -> list[str]:
    """What the script prints in a process that keeps its machine code next to it."""
    environment = {
        **os.environ,
        "EUCLIO_KERNELS": "compiled",
        "NUMBA_CACHE_DIR": str(file.parent / "cache"),
        **settings,
    }
    found = subprocess.run([sys.executable, file], env=environment, capture_output=True, text=True, check=True)
    return found.stdout.split()


@pytest.mark.slow
def test_an_index_behind_the_end_raises_where_bounds_are_checked(tmp_path: Path) -> None:
    """Also where code that does not check was kept before: numba tells the two apart by nothing but their folder."""
    file = tmp_path / "kernels.py"
    file.write_text(SCRIPT, encoding="utf-8")
    assert run(file, NUMBA_BOUNDSCHECK="0") == ["silence", "silence"]
    assert run(file, NUMBA_BOUNDSCHECK="1") == ["raised", "raised"]
    assert run(file, NUMBA_BOUNDSCHECK="1") == ["raised", "raised"]
