"""Compiled code: bounds are checked where asked for, and what does not count references hands on no array."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from places import ROOT

from euclio.core.compiled import (
    WORTH_LOADING_S,
    Kernel,
    _loads_in_time,
    _state,
    compiled,
    compiled_in_place,
    stopping_at,
    using,
)
from euclio.core.ways import Way
from euclio.problems.session.arrays import Floats, Ints

PACKAGES = ("bruteforce", "euclio", "formulations", "heuristics")

# Ways to an element, as kernels have them: directly, through a function put into its caller or called, and as a write.
SCRIPT = """
import numpy as np
from euclio.core.compiled import compiled, compiled_in_place, compiled_on_tables
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

@compiled_in_place
def called(tables, k):
    inner(tables, k)
    return 0

tables = (np.zeros((5, 2)), np.zeros(1))
for function, given in ((read, np.zeros(5)), (outer, tables), (called, tables)):
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
    assert run(file, NUMBA_BOUNDSCHECK="0") == ["silence"] * 3
    assert run(file, NUMBA_BOUNDSCHECK="1") == ["raised"] * 3
    assert run(file, NUMBA_BOUNDSCHECK="1") == ["raised"] * 3


class Sum(NamedTuple):
    """What a kernel below returns."""

    total: float
    most: int


@compiled_in_place
def _add_up(tables: tuple[Floats, Ints], k: int) -> Sum:
    """Write into the first array, and add it up by another kernel that makes one."""
    values, numbers = tables
    values[k:] = 1.0
    return Sum(_total_of_a_copy(values), numbers[: k + 1].reshape((1, k + 1))[0, k])


@compiled
def _total_of_a_copy(values: Floats) -> float:
    return float(values.copy().sum())


@compiled
def _made_and_added_up(k: int) -> tuple[Floats, Sum]:
    values = np.zeros(k + 3)
    return values, _add_up((values, np.arange(k + 3)), k)


@pytest.mark.slow
@pytest.mark.parametrize("way", [Way.INTERPRETED, Way.COMPILED])
def test_what_works_in_place_leaves_its_callers_arrays_alive(way: Way) -> None:
    """Neither the kernel without counted references nor the one that it calls lets go of an array of its caller."""
    with using(way):
        kept = [_made_and_added_up(k) for k in range(50)]
    for k, (values, found) in enumerate(kept):
        assert (values.sum(), found.total, found.most) == (3.0, 3.0, k)


def uncounted() -> Iterator[Kernel]:
    """The kernels of the project that are compiled without counted references."""
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            if "euclio.core.compiled import" in file.read_text(encoding="utf-8"):
                import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
    for kernel in _state.kernels:
        if kernel.__module__.split(".")[0] in PACKAGES and not kernel.options["_nrt"]:
            yield kernel


def is_of_numbers(kind: Any) -> bool:
    """Whether values of a kind are numbers, nothing, or tuples of those."""
    if get_origin(kind) is tuple:
        return all(map(is_of_numbers, get_args(kind)))
    if isinstance(kind, type) and issubclass(kind, tuple):
        return all(map(is_of_numbers, get_type_hints(kind).values()))
    return kind in (bool, int, float, type(None))


def test_what_counts_no_references_returns_no_array() -> None:
    """Its caller would let go of a reference that was never counted: memory would be given away while it is used."""
    kernels = list(uncounted())
    assert len(kernels) > 100
    found = {k: get_type_hints(k.function).get("return", Any) for k in kernels}
    assert [kernel for kernel, kind in found.items() if not is_of_numbers(kind)] == []
    assert not is_of_numbers(tuple[int, Floats])
    assert is_of_numbers(Sum)


@pytest.mark.parametrize(("processor_s", "left_s", "loads"), [(4.0, 1.1, True), (4.0, 0.9, False), (1.0, 3.0, False)])
def test_machine_code_that_comes_after_the_limit_is_not_loaded(
    monkeypatch: pytest.MonkeyPatch, processor_s: float, left_s: float, loads: bool
) -> None:
    """A run is 4 s old. It had a processor all the time, or a quarter of it, so that loading takes 1 s or 4 s."""
    assert WORTH_LOADING_S == 1.0
    monkeypatch.setattr(_state, "compiled", set())
    clocks = {"perf_counter": 100.0, "process_time": 50.0}
    for name in clocks:
        monkeypatch.setattr(time, name, lambda name=name: clocks[name])
    with stopping_at(104.0 + left_s):
        clocks.update(perf_counter=104.0, process_time=50.0 + processor_s)
        assert _loads_in_time() is loads
    assert _loads_in_time()
