"""`exact` on measured instances with known optima: are they all proven, equal, and fast enough?"""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from pathlib import Path

from euclio import load
from euclio.core.result import Result, Status
from euclio.core.words import duration
from euclio.problems.session import FULL_SPACE, DummyRule, PlanSpace
from tests.bench.measuring import Timed, bar, timed
from tests.bench.report import Line, Section, all_of, at_most, slowest

LIMIT_S = 60.0
TOLERANCE = 1e-6
SPACES = {
    "optimum": FULL_SPACE,
    "no_dummy": PlanSpace(dummy=DummyRule.NONE),
    "max_tuples_1": PlanSpace(max_allocations=1),
    "max_tuples_2": PlanSpace(max_allocations=2),
}
"""Columns of `sessions_expected.json` and the plan spaces that they are about."""


@dataclass(frozen=True, slots=True)
class InstanceSet:
    """A folder of sessions with their expected optima, and the targets for it.

    Attributes:
        name: the folder; the optima are in `NAME_expected.json` next to it.
        columns: expected figure in each entry, and the plan space it is about.
        median_s: target of the median time.
        worst_s: target of the worst time.
    """

    name: str
    columns: dict[str, PlanSpace]
    median_s: float
    worst_s: float


SETS = (
    InstanceSet("sessions", SPACES, 1e-3, 1.0),
    InstanceSet("sessions_large", {"cost": FULL_SPACE}, 20e-3, 2.0),
    InstanceSet("sessions_hard", {"cost": FULL_SPACE}, 0.2, 10.0),
)


def instances_speed(folder: Path) -> list[Section]:
    """One section per set of instances; a set that is absent is skipped with a sentence."""
    return [_measure(one, folder) for one in SETS]


def _measure(one: InstanceSet, folder: Path) -> Section:
    expected_file = folder / f"{one.name}_expected.json"
    if not (folder / one.name).is_dir() or not expected_file.is_file():
        return Section(one.name, notes=(f"Skipped: {folder / one.name} or its expected optima are not there.",))
    expected = json.loads(expected_file.read_text(encoding="utf-8"))
    files = [folder / one.name / f"{name}.json" for name in expected]
    runs: list[Timed] = []
    right: dict[str, int] = dict.fromkeys(one.columns, 0)
    with bar(one.name, len(files)) as advance:
        for file in files:
            session = load(file)
            for column, space in one.columns.items():
                run = timed(session, ["exact"], space=space, label=column, time_limit_s=LIMIT_S)["exact"]
                right[column] += _agrees(run.result, expected[file.stem][column])
                runs.append(run)
            advance()
    lines = [
        all_of(f"{column}: proven, within {TOLERANCE:g} of the expected", n, len(files)) for column, n in right.items()
    ]
    with_plan = [run.seconds for run in runs if run.result.status is not Status.INFEASIBLE]
    seconds = [run.seconds for run in runs]
    lines += [
        at_most("median", statistics.median(seconds), one.median_s),
        Line(f"median of the {len(with_plan)} with a plan", duration(statistics.median(with_plan))),
        Line("mean", duration(statistics.mean(seconds))),
        at_most("worst", max(seconds), one.worst_s),
    ]
    title = f"exact on {one.name} ({len(files)} instances × {len(one.columns)} plan spaces)"
    return Section(title, tuple(lines), slowest=slowest(runs), runs=tuple(runs))


def _agrees(result: Result, expected: float | None) -> bool:
    """Whether the answer is proven and equals the expected one; None: infeasible."""
    if expected is None:
        return result.status is Status.INFEASIBLE
    if result.status is not Status.OPTIMAL or result.cost is None:
        return False
    return abs(result.cost - expected) <= TOLERANCE * expected
