"""The table of what tests take: one row per function, the longest first."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from durations import ROWS, table


def reports(name: str, cpu_s: float, slow: bool = False) -> list[SimpleNamespace]:
    """What pytest reports of a test: set-up, call and what is after it."""
    parts = {"setup": 0.0, "call": cpu_s, "teardown": 0.0}
    return [SimpleNamespace(nodeid=name, when=w, cpu_s=s, duration=2 * s, slow=slow) for w, s in parts.items()]


def test_cases_are_added_up_by_function_and_the_longest_come_first() -> None:
    """Two cases of 1 s and 2 s are a row of 3 s, above a slow one of 2.5 s."""
    own = [*reports("tests/a.py::t[1]", 1), *reports("tests/a.py::t[2]", 2), *reports("tests/b.py::u", 2.5, slow=True)]
    lines = table(own).splitlines()
    assert "3 tests took 6 s of processors; functions with slow cases" in lines[2]
    assert lines[-2:] == ["| 3.0 | 6.0 | 2 |  | `a.py::t` |", "| 2.5 | 5.0 | 1 | 1 | `b.py::u` |"]


@pytest.mark.parametrize("number", [ROWS, ROWS + 5])
def test_there_are_so_many_rows_at_most(number: int) -> None:
    """The page stays one that is read."""
    own = [report for k in range(number) for report in reports(f"tests/a.py::t{k}", k)]
    assert table(own).count("`a.py::") == ROWS
