"""All systems of Harpagon §IV on a workload, by the compiled heuristics, without sessions, plans and the checker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from euclio.core.lazy import late, late_value
from euclio.session import PlanSpace, Session
from euclio.session.arrays import Floats, SessionArrays
from euclio.session.dispatch import path_times
from euclio.studies.posterior.generator import Workload
from euclio.studies.posterior.prior import Setting

_rows = late_value("heuristics.session.systems", "SYSTEMS")
_splitters = late_value("heuristics.session.systems", "Splitter")
_planner = cache(late_value("heuristics.session.solver", "plan_arrays"))
_generator_of = late("heuristics.session.dummy_generator", "generator_of")
_choices = late("heuristics.session.solver", "hardware_choices")

EVEN = {"rr": "rr-even", "machine-rate": "machine-rate-even"}
"""What a policy is where the machines of an allocation take equal rates."""

FIRST_ASKED = ("inferline", "clipper", "harpagon:1c", "harpagon:2c", "harpagon:nd", "harpagon:nb", "scrooge")
"""Systems that refuse most and answer soonest: a workload that one of them refuses is not asked further."""
LAST_ASKED = ("harpagon:q0.1", "nexus", "harpagon:q0.01")
"""Systems whose dynamic programs take longest."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a system made of a workload.

    Attributes:
        arrays: the workload within the system's plan space, on the hardware that it chose.
        machines: whole machines per configuration, shape (configurations,).
        partial_at: configuration of each module's partial machine, -1: none, shape (modules,), like the next ones.
        partial: rate of the partial machine in requests per second.
        dummy: dummy rate in requests per second.
        latency: worst-case latency in seconds.
        module_cost: cost per hour.
        cost: cost per hour of the plan.
        stats: what was counted: `iterations`, `reassignments`.
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
class Row:
    """A system as a setting reads it.

    Attributes:
        system: its row of components.
        spaces: the plan spaces that it tries, one after the other: one, or one per hardware type.
    """

    system: Any
    spaces: tuple[PlanSpace, ...]


def systems_of(setting: Setting, template: Session) -> dict[str, Row]:
    """The rows of Table III and of the ablations as a setting reads them, by name, in the order of asking.

    Args:
        setting: the setting.
        template: a session with the hardware of its workloads.
    """
    rows = {}
    for row in _rows():
        read = _as_read(row, setting)
        rows[row.name] = Row(read, tuple(_choices(template, read.narrow(template, read.space))))
    between = [name for name in rows if name not in (*FIRST_ASKED, *LAST_ASKED)]
    return {name: rows[name] for name in (*FIRST_ASKED, *between, *LAST_ASKED)}


def _as_read(row: Any, setting: Setting) -> Any:
    """A row under the setting's readings."""
    if setting.round_robin == "even" and row.dispatch.name in EVEN:
        row = replace(row, dispatch=PlanSpace(policy=EVEN[row.dispatch.name]).policy)  # type: ignore[arg-type]
    if row.name == "scrooge":
        row = replace(row, splitter=_splitters()(setting.scrooge_split))
    if row.name == "harpagon:2c":
        # As the system itself has them, or as its ablation without dummies does.
        rules = {one.name: one.dummy for one in _rows()}
        row = replace(row, dummy=rules["harpagon" if setting.two_dummies else "harpagon:nd"])
    return row


def run(row: Row, workload: Workload) -> Outcome | None:
    """Plan a workload as a row does; None: no plan.

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
            best = Outcome(
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


def run_all(rows: Mapping[str, Row], workload: Workload) -> tuple[dict[str, Outcome], str]:
    """Plan a workload by every row.

    Returns:
        The outcomes by name, and the first row without a plan, after which none was asked; empty: all have one.
    """
    found: dict[str, Outcome] = {}
    for name, row in rows.items():
        outcome = run(row, workload)
        if outcome is None:
            return {}, name
        found[name] = outcome
    return found, ""
