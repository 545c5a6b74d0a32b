"""Measures of a setting's workloads: outcomes of compiled systems as the plain columns that measures are taken of.

The measures are those of the papers' studies (`studies.papers`), without intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from euclio.problems.session.arrays import Floats, Ints
from studies.inference.generator import DrawnWorkload
from studies.inference.systems import SystemOutcome
from studies.papers import harpagon, piccolo
from studies.papers.modules import ROUND_ROBIN, Plans, own_system, variant

FIGURES = {harpagon.HARPAGON: harpagon.figures, piccolo.PICCOLO: piccolo.figures}
"""The measures of a paper's workloads."""
IN_DETAIL = {
    harpagon.HARPAGON: ("", "nd", "1c", "2c", "2d", "dt", "nb", "nhc", "nhe"),
    piccolo.PICCOLO: ("", "nd", "np", "nb", "nh"),
}
"""Systems whose single modules are measured, by the end of their names."""

Outcomes = Mapping[str, SystemOutcome | None]


@dataclass(frozen=True, slots=True)
class SolvedWorkload:
    """A workload and every system's outcome, by name; None means no plan."""

    workload: DrawnWorkload
    outcomes: Outcomes

    def of(self, paper: str) -> SystemOutcome:
        """The outcome of a paper's own system, which always has a plan."""
        own = self.outcomes[paper]
        assert own is not None
        return own


def measures(paper: str, solved: Sequence[SolvedWorkload], given: str) -> dict[str, float]:
    """All measures, by key of the paper's numbers and in their units; NaN if there is nothing to measure.

    Args:
        paper: the paper.
        solved: its workloads.
        given: application whose most expensive module is the given one.
    """
    plans = plans_of(paper, solved)
    variants = [variant(name) for name in solved[0].outcomes if own_system(name) == paper and variant(name)]
    return {key: sample.value for key, sample in FIGURES[paper](plans, given, variants).items()}


def plans_of(paper: str, solved: Sequence[SolvedWorkload]) -> Plans:
    """The columns of a paper's workloads."""
    names = [f"{s.workload.application}-{n}" for n, s in enumerate(solved)]
    index = pd.Index(names, name="workload")
    systems = list(solved[0].outcomes)
    detailed = [name for name in systems if own_system(name) == paper and variant(name) in IN_DETAIL[paper]]
    left = (paper, f"{paper}:0re", f"{paper}:1re")
    majority = (_majority(plan) for s in solved if (plan := s.outcomes[f"{paper}:{ROUND_ROBIN}"]) is not None)
    return Plans(
        pd.DataFrame({name: [_number(s, name, "cost") for s in solved] for name in systems}, index),
        pd.DataFrame({name: [_number(s, name, "left_s") for s in solved] for name in left}, index),
        _modules(detailed, names, solved),
        pd.DataFrame.from_records([row for row in majority if row], columns=_MAJORITY),
        {count: _counted(solved, index, count) for count in ("iterations", "reassignments")},
        pd.Series([s.workload.rate_rps.size for s in solved], index),
    )


def _counted(solved: Sequence[SolvedWorkload], index: pd.Index[str], count: str) -> pd.DataFrame:
    """The counters of the systems that count."""
    plans = {name: [s.outcomes[name] for s in solved] for name in solved[0].outcomes}
    some = {name: own for name, own in plans.items() if all(plan is None or count in plan.stats for plan in own)}
    return pd.DataFrame(
        {name: [np.nan if plan is None else plan.stats[count] for plan in own] for name, own in some.items()}, index
    )


def _number(solved: SolvedWorkload, name: str, what: str) -> float:
    """A number of a system's plan; NaN if it has none."""
    plan = solved.outcomes[name]
    return float("nan") if plan is None else float(getattr(plan, what))


def _modules(systems: Sequence[str], names: Sequence[str], solved: Sequence[SolvedWorkload]) -> pd.DataFrame:
    """Numbers of single modules of some systems' plans (`Plans.modules`)."""
    plans = [
        (system, name, s.workload.template.modules, s.outcomes[system])
        for system in systems
        for name, s in zip(names, solved, strict=True)
    ]
    index = pd.MultiIndex.from_tuples(
        [(system, name, module.name) for system, name, modules, _ in plans for module in modules],
        names=["solver", "workload", "module"],
    )
    there = [(system, name, m.name) for system, name, modules, plan in plans if plan is not None for m in modules]
    rows = [_rows(plan) for _, _, _, plan in plans if plan is not None]
    found = pd.DataFrame({column: np.concatenate([row[column] for row in rows]) for column in rows[0]})
    # NaN where a system has no plan.
    return found.set_index(pd.MultiIndex.from_tuples(there, names=index.names)).reindex(index)


def _rows(plan: SystemOutcome) -> dict[str, Floats | Ints]:
    """The columns of one plan's modules; the configurations' places in rank order are their names.

    Plan spaces whose configurations are compared by name all contain the whole profile.
    """
    s = plan.arrays
    used = plan.machines > 0
    used[plan.partial_at[plan.partial_at >= 0]] = True
    places = np.flatnonzero(used)
    starts = np.searchsorted(places, s.first)
    first, counts = places[starts[:-1]], np.diff(starts)
    has_second = counts > 1
    second = np.full(counts.size, np.nan)
    second[has_second] = s.throughput[places[starts[:-1][has_second] + 1]]
    return {
        "rate": s.rate,
        "dummy": plan.dummy,
        "cost": plan.module_cost,
        "ratio": s.rate / plan.module_cost,
        "configurations": counts,
        "first": s.throughput[first],
        "first_machines": plan.machines[first],
        "first_key": first,
        "cost_of_first": s.price[first],
        "second": second,
    }


_MAJORITY = ("duration_s", "batch", "throughput_rps", "left_rps")


def _majority(plan: SystemOutcome) -> tuple[float, ...]:
    """The configuration with the most rate of the most expensive module (`Plans.majority`); empty if there is none."""
    s, m = plan.arrays, int(np.argmax(plan.module_cost))
    rows = slice(int(s.first[m]), int(s.first[m + 1]))
    carried = plan.machines[rows] * s.throughput[rows]
    if plan.partial_at[m] >= 0:
        carried[plan.partial_at[m] - rows.start] += plan.partial[m]
    at = int(np.argmax(carried))
    k = rows.start + at
    if plan.machines[k] == 0:
        return ()
    return s.duration[k], s.batch[k], s.throughput[k], s.rate[m] + plan.dummy[m] - carried[:at].sum()
