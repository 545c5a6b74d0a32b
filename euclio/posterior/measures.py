"""What both papers measure of a setting's workloads: costs against the own system, dispatch, throughput, latency left.

The measures are those of `euclio.studies.harpagon`, on outcomes of compiled systems instead of a frame of checked runs,
and without intervals. Where that study and the papers' words allow more than one reading, it is said here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.posterior.generator import Workload
from euclio.posterior.systems import Outcome
from euclio.session.arrays import Floats
from euclio.session.workloads.acceptance import BASELINES

LEAST_REMAINING_S = 1e-6
"""A remaining budget below a microsecond counts as none: a ratio to it says nothing."""

Outcomes = Mapping[str, Outcome]


@dataclass(frozen=True, slots=True)
class Solved:
    """A workload and what every system made of it, by name."""

    workload: Workload
    outcomes: Outcomes


def extras(solved: Sequence[Solved], own: str) -> dict[str, Floats]:
    """Cost over that of the paper's own system less 1, of every system, one number per workload."""
    cost = {name: np.array([s.outcomes[name].cost for s in solved]) for name in solved[0].outcomes}
    return {name: values / cost[own] - 1 for name, values in cost.items()}


def per_cent(values: Floats | NDArray[np.bool_]) -> float:
    """The mean in per cent of what is finite; NaN: nothing is."""
    kept = values[np.isfinite(values)]
    return 100 * float(kept.mean()) if kept.size else float("nan")


def same_share(extra: Floats) -> float:
    """Share of workloads with no other cost, in per cent."""
    return per_cent(np.abs(extra) <= OPTIMALITY_TOLERANCE)


def cheaper_share(extra: Floats) -> float:
    """Share of workloads with a lower cost, in per cent."""
    return per_cent(extra < -OPTIMALITY_TOLERANCE)


def more_expensive_share(extra: Floats) -> float:
    """Share of workloads with a higher cost, in per cent."""
    return per_cent(extra > OPTIMALITY_TOLERANCE)


def baselines(extra: Mapping[str, Floats], own: str) -> dict[str, float]:
    """Extra costs of the four baselines, and how often none of them is cheaper than the paper's own system."""
    means = [per_cent(extra[name]) for name in BASELINES]
    tops = [100 * float(extra[name].max()) for name in BASELINES]
    least = np.min([extra[name] for name in BASELINES], axis=0)
    return {
        "baseline_mean_extra_min": min(means),
        "baseline_mean_extra_max": max(means),
        "baseline_max_extra_min": min(tops),
        "baseline_max_extra_max": max(tops),
        f"{own}_cheapest_share": per_cent(least >= -OPTIMALITY_TOLERANCE),
    }


def extra_costs(extra: Mapping[str, Floats], own: str) -> dict[str, float]:
    """Mean and largest extra cost of every alternative of a paper's own system."""
    found: dict[str, float] = {}
    for name, values in extra.items():
        if name.startswith(f"{own}:"):
            label = name.removeprefix(f"{own}:")
            found[f"{label}_mean_extra"] = per_cent(values)
            found[f"{label}_max_extra"] = 100 * float(values.max())
    return found


def dispatch(solved: Sequence[Solved], run: str) -> dict[str, float]:
    """Latency of -2d's majority configuration under each dispatch, over throughput-cost dispatch.

    That is Harpagon's Figure 7(a) and Piccolo's Figure 8. The configuration is the one that carries the most rate of
    the workload's most expensive module; a whole machine of it takes 2d, d + b/t or d + b/w, where w is the rate that
    is left when it begins. Without one there is a single machine, which every dispatch gives the same requests: such a
    workload says nothing.

    Args:
        solved: the workloads.
        run: name of the system with round robin.
    """
    rows = np.array([_dispatched(s.outcomes[run]) for s in solved])
    return {"2d_latency_extra": per_cent(rows[:, 0]), "dt_latency_extra": per_cent(rows[:, 1])}


def _dispatched(plan: Outcome) -> tuple[float, float]:
    """Extra latency of round robin and of dispatch at machine rate on the majority configuration; NaN: no machine."""
    s, m = plan.arrays, int(np.argmax(plan.module_cost))
    rows = slice(int(s.first[m]), int(s.first[m + 1]))
    carried = plan.machines[rows] * s.throughput[rows]
    if plan.partial_at[m] >= 0:
        carried[plan.partial_at[m] - rows.start] += plan.partial[m]
    at = int(np.argmax(carried))
    k = rows.start + at
    if plan.machines[k] == 0:
        return float("nan"), float("nan")
    left = s.rate[m] + plan.dummy[m] - carried[:at].sum()
    shared = s.duration[k] + s.batch[k] / left
    return 2 * s.duration[k] / shared - 1, (s.duration[k] + s.batch[k] / s.throughput[k]) / shared - 1


def costliest(solved: Sequence[Solved], own: str) -> int:
    """The module of an application on which the own system spends most over its workloads; 0 where there is none."""
    if not solved:
        return 0
    return int(np.argmax(np.sum([s.outcomes[own].module_cost for s in solved], axis=0)))


def throughput_ratio(solved: Sequence[Solved], run: str, own: str, m: int) -> Floats:
    """A system's requests per unit of money at module m over the own system's: the inverse of the ratio of costs."""
    return np.array([s.outcomes[own].module_cost[m] / s.outcomes[run].module_cost[m] for s in solved])


def used(plan: Outcome, m: int) -> list[int]:
    """The configurations of module m that a plan uses, in rank order."""
    rows = range(int(plan.arrays.first[m]), int(plan.arrays.first[m + 1]))
    return [k for k in rows if plan.machines[k] > 0 or plan.partial_at[m] == k]


def more_than_two_share(solved: Sequence[Solved], run: str) -> float:
    """Share of workloads on which some module of a run's plan has more than two configurations, in per cent."""
    most = [max(len(used(s.outcomes[run], m)) for m in range(s.workload.rate_rps.size)) for s in solved]
    return per_cent(np.array(most) > 2)


def remaining(solved: Sequence[Solved], own: str) -> dict[str, float]:
    """Latency left by -0re and -1re over what the own system leaves, where it leaves any: mean and maximum."""
    left_own = np.array([s.outcomes[own].left_s for s in solved])
    some = left_own > LEAST_REMAINING_S
    found = {}
    for name in ("0re", "1re"):
        left = np.array([s.outcomes[f"{own}:{name}"].left_s for s in solved])
        ratio = left[some] / left_own[some]
        found[f"{name}_remaining_budget"] = float(ratio.mean()) if ratio.size else float("nan")
        found[f"{name}_remaining_budget_max"] = float(ratio.max()) if ratio.size else float("nan")
    return found
