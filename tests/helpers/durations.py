"""The durations of tests as a table: `make durations` writes `tests/durations.md`.

Seconds are processor times of a test and of its ended child processes, set-up included. Unlike elapsed time they are
the same on a busy machine as on an idle one.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from dataclasses import dataclass

import pytest
from tiers import is_slow

ROWS = 30


@dataclass(slots=True)
class Taken:
    """The time of all cases of a test function."""

    cases: int = 0
    cpu_s: float = 0.0
    wall_s: float = 0.0
    slow: int = 0


class Clock:
    """Gives each report the processors' seconds since the report before it, as `cpu_s`."""

    def __init__(self) -> None:
        self._before = _cpu_s()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Note what a set-up, a call or what is after it took, and whether its test is slow."""
        report = yield
        now = _cpu_s()
        report.cpu_s, report.slow = now - self._before, is_slow(item)
        self._before = now
        return report


def _cpu_s() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def table(reports: Iterable[pytest.TestReport]) -> str:
    """The test functions that take longest, in Markdown, after the sums of both tiers."""
    functions: dict[str, Taken] = {}
    for report in reports:
        taken = functions.setdefault(report.nodeid.partition("[")[0], Taken())
        taken.cases += report.when == "setup"
        taken.slow += report.slow and report.when == "setup"
        taken.cpu_s += report.cpu_s
        taken.wall_s += report.duration
    slow = [own for own in functions.values() if own.slow]
    longest = sorted(functions.items(), key=lambda item: item[1].cpu_s, reverse=True)[:ROWS]
    return "\n".join(
        [
            "# Where the time of the tests goes",
            "",
            f"{sum(own.cases for own in functions.values()):,} tests took {_sum(functions.values()):.0f} s of "
            f"processors; functions with slow cases, which `make test` leaves out, {_sum(slow):.0f} s of them. "
            f"The {ROWS} that take longest; written by `make durations`. Seconds of processors include those of "
            "processes that a test starts; those that passed are on the machine of that run.",
            "",
            "| s of processors | s passed | cases | slow | test |",
            "|---:|---:|---:|---:|---|",
            *(
                f"| {own.cpu_s:.1f} | {own.wall_s:.1f} | {own.cases} | {own.slow or ''} | `{name[len('tests/') :]}` |"
                for name, own in longest
            ),
            "",
        ]
    )


def _sum(several: Iterable[Taken]) -> float:
    return sum(own.cpu_s for own in several)
