"""All systems of a paper on a workload, by the compiled heuristics, without sessions, plans and the checker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from euclio.core.errors import InapplicableError
from euclio.core.lazy import late, late_value
from euclio.problems.session import PlanSpace, Session
from euclio.problems.session.arrays import Floats, SessionArrays
from euclio.problems.session.latency.dispatch import path_times
from studies.inference.generator import DrawnWorkload
from studies.inference.prior import Setting

_harpagon = late_value("heuristics.session.systems", "SYSTEMS")
_baselines = late_value("heuristics.session.systems", "BASELINES")
_literal = late_value("heuristics.session.systems", "LITERAL")
_piccolo = late_value("heuristics.session.systems", "PICCOLO_SYSTEMS")
_planner = cache(late_value("heuristics.session.solver", "plan_arrays"))
_generator_of = late("heuristics.session.dummy_generator", "generator_of")
_choices = late("heuristics.session.solver", "hardware_choices")

FIRST_ASKED = {
    "harpagon": ("inferline", "clipper", "harpagon:1c", "harpagon:nd", "harpagon:q0.1", "scrooge", "harpagon:2c"),
    "piccolo": ("inferline", "clipper", "piccolo:nd", "piccolo:q0.1", "scrooge"),
}
"""Fast systems that refuse most; once one of them refuses a workload, no other system is asked."""
LAST_ASKED = {"harpagon": ("nexus", "harpagon:q0.01"), "piccolo": ("nexus", "piccolo:q0.01")}
"""Systems whose dynamic programs take longest."""


@dataclass(frozen=True, slots=True)
class SystemOutcome:
    """The outcome of a system on a workload.

    Attributes:
        arrays: the workload within the system's plan space, on the hardware that it chose.
        machines: whole machines per configuration, shape (configurations,).
        partial_at: configuration of each module's partial machine, -1 without one, shape (modules,), as the next.
        partial: rate of the partial machine in requests per second.
        dummy: dummy rate in requests per second.
        latency: worst-case latency in seconds.
        module_cost: cost per hour.
        cost: cost per hour of the plan.
        stats: the counters `iterations` and `reassignments`.
    """

    arrays: SessionArrays
    machines: Any
    partial_at: Any
    partial: Floats
    dummy: Floats
    latency: Floats
    module_cost: Floats
    cost: float
    stats: Mapping[str, float]

    @property
    def left_s(self) -> float:
        """The objective less the latency end to end, in seconds."""
        scratch = np.zeros(self.latency.size)
        return self.arrays.slo - path_times(self.arrays, self.latency, scratch, np.zeros(scratch.size))


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system under a setting's readings.

    Attributes:
        system: its row of components.
        spaces: the plan spaces that it tries, one after the other: one, or one per hardware type.
    """

    system: Any
    spaces: tuple[PlanSpace, ...]


def systems_of(paper: str, setting: Setting, template: Session) -> dict[str, SystemRow]:
    """A paper's systems under a setting's readings, by the name of the system each stands for, in asking order.

    Args:
        paper: the paper.
        setting: the setting.
        template: a session with the hardware of its workloads.
    """
    rows = {
        name: SystemRow(read, tuple(_choices(template, read.narrow(template, read.space))))
        for name, read in _read(paper, setting).items()
    }
    first, last = FIRST_ASKED[paper], LAST_ASKED[paper]
    between = [name for name in rows if name not in (*first, *last)]
    return {name: rows[name] for name in (*first, *between, *last)}


def _read(paper: str, setting: Setting) -> dict[str, Any]:
    """The rows of a paper's systems under a setting's readings, by the name of the system that each stands for."""
    literal = _literal()
    usual = _harpagon() if paper == "harpagon" else (*_piccolo(), *_baselines())
    replaced = _read_literally(paper, setting)
    rows = {row.name: literal[row.name] if row.name in replaced else row for row in usual}
    if paper == "harpagon" and setting.one_dummies:
        rows["harpagon:1c"] = replace(rows["harpagon:1c"], dummy=rows["harpagon"].dummy)
    if paper == "piccolo":
        first = setting.reassign_first
        rows["piccolo:1re"] = replace(rows["piccolo:1re"], reassign_first=first)
        if setting.few_filled:
            few = ("piccolo:1bpc", "piccolo:2bpc")
            rows |= {name: replace(rows[name], dummy=rows["piccolo"].dummy) for name in few}
    return rows


def _read_literally(paper: str, setting: Setting) -> set[str]:
    """Names of the rows that a setting reads literally.

    The reading of round robin applies to systems of one allocation alone. Nexus, -2d and -dt may have more; no printed
    number tells the readings apart there (docs/model/readings.md).
    """
    found = {"inferline", "clipper"} if setting.round_robin == "literal" else set()
    # Piccolo credits Scrooge with its own MILP (§IV-A), whose rule is the default row's.
    if paper == "harpagon":
        usual = {
            "scrooge": setting.own_scrooge,
            "harpagon:2c": not setting.two_dummies,
            "harpagon:1re": setting.reassign_first,
        }
        found |= {name for name, as_usual in usual.items() if not as_usual}
    return found


def run(row: SystemRow, workload: DrawnWorkload) -> SystemOutcome | None:
    """Plan a workload by a row; None means no plan.

    Raises:
        InapplicableError: a quantized splitter meets too many steps.
    """
    plan, best = _planner(), None
    for space in row.spaces:
        arrays = workload.arrays(space)
        if (arrays.first[1:] == arrays.first[:-1]).any():
            continue
        schedule, cost, stats = plan(row.system, arrays, _generator_of(space.dummy))
        # Strictly cheaper: ties keep the hardware that is listed first.
        if np.isfinite(cost) and (best is None or cost < best.cost):
            best = SystemOutcome(
                arrays,
                schedule.machines,
                schedule.partial_at,
                schedule.partial,
                schedule.dummy,
                schedule.latency,
                schedule.cost,
                float(cost),
                stats,
            )
    return best


def run_all(
    rows: Mapping[str, SystemRow], workload: DrawnWorkload, needed: Sequence[str] = ()
) -> tuple[dict[str, SystemOutcome | None], str]:
    """Plan a workload by every row.

    Args:
        rows: the rows.
        workload: the workload.
        needed: names of those that have to have a plan.

    Raises:
        InapplicableError: a needed quantized splitter meets too many steps.

    Returns:
        The outcomes by name, None without a plan, and the name of the first needed row without a plan, after which no
        row was asked. The name is empty if all needed rows have a plan.
    """
    found: dict[str, SystemOutcome | None] = {}
    # The needed rows are asked first.
    for name in sorted(rows, key=lambda n: n not in needed):
        try:
            found[name] = run(rows[name], workload)
        except InapplicableError:
            if name in needed:
                raise
            found[name] = None
        if found[name] is None and name in needed:
            return {}, name
    return found, ""
