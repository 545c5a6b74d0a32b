"""Single modules (Harpagon §IV-C): Figures 7, 8(b), 9 and 11, configurations, residual workload, what splits leave.

The three-module application is `traffic`; what is a given module is said in `euclio.studies.modules`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from euclio.analysis.statistics import Measured, mean, share
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.studies.modules import (
    ROUND_ROBIN,
    Given,
    given_module,
    given_modules,
    less,
    majority_latency,
    module_figures,
    more_than_two,
    relative_throughput,
    remaining_measures,
)
from euclio.studies.sessions import by_solver

HARPAGON = "harpagon"
NO_DUMMIES = "harpagon:nd"
REPRICED_RUN = f"{HARPAGON}:{ROUND_ROBIN}"
"""Its plans are priced under each dispatch (Harpagon §IV-C, Fig. 7(a))."""
THREE_GIVEN = ("traffic", "face", "pose")
"""Applications whose most expensive modules are the three given ones of Figure 7(b)."""
THREE_MODULE_APPLICATION = ("traffic", ("detector", "vehicle", "face"))


def module_measures(allocations: pd.DataFrame, application: str) -> dict[str, Measured]:
    """Measures of single modules, by key of the published figure.

    Args:
        allocations: rows of `euclio.studies.modules.allocation_rows`.
        application: whose most expensive module is the given one.
    """
    modules = module_figures(allocations)
    found = {
        "2d_latency_extra": majority_latency(allocations, REPRICED_RUN, "rr"),
        "dt_latency_extra": majority_latency(allocations, REPRICED_RUN, "machine-rate"),
        # The dummy generator leaves hardly any plan with three configurations (docs/findings/two-features.md).
        "more_than_two_share": more_than_two(modules, NO_DUMMIES),
    }
    return found | throughput_measures(
        modules, given_modules(modules, HARPAGON, THREE_GIVEN), given_module(modules, HARPAGON, application)
    )


def throughput_measures(modules: pd.DataFrame, given: Sequence[Given], one: Given) -> dict[str, Measured]:
    """Throughput of given modules below Harpagon's, by key; `one` is the module where the paper gives a single one."""
    found = {}
    for name in ("2d", "dt"):
        three = [less(modules, f"harpagon:{name}", each) for each in given] or [Measured(float("nan"))]
        found[f"{name}_throughput_less_min"] = min(three, key=lambda m: m.value)
        found[f"{name}_throughput_less_max"] = max(three, key=lambda m: m.value)
    found["1c_throughput_less"] = less(modules, "harpagon:1c", one, "first")
    found["2c_second_throughput_less"] = second_configuration(modules, one)
    for name in ("nb", "nhc", "nhe"):
        found[f"{name}_throughput_less"] = less(modules, f"harpagon:{name}", one)
    found["nhe_throughput_more_share"] = share(
        relative_throughput(modules, "harpagon:nhe", one) > 1 + OPTIMALITY_TOLERANCE
    )
    return found


def second_configuration(modules: pd.DataFrame, given: Given) -> Measured:
    """Throughput of Harp-2c's second configuration of a module below that of plans of any number of them (Fig. 8(b)).

    Those are Harp-nd's: the dummy generator leaves hardly any second configuration that a third one follows
    (docs/findings/two-features.md).
    """
    return less(modules, "harpagon:2c", given, "second", NO_DUMMIES)


def dummy_measures(runs: pd.DataFrame, allocations: pd.DataFrame) -> dict[str, Measured]:
    """How often dummies are used, and what they do to residual workload and cost where they are.

    Residual workload: what the whole machines of the first configuration leave over, as many of them as the plans
    with and without dummies share. Its throughput is per unit of money; extra resources are the dummies' share of it.
    """
    table = by_solver(runs, "cost_per_h")
    modules = module_figures(allocations)
    with_dummies = modules.loc[HARPAGON]
    used = pd.DataFrame(with_dummies[with_dummies.dummy > 0])
    workloads = pd.Index(used.index.get_level_values("workload").unique())
    residual = _residuals(used, pd.DataFrame(modules.loc[NO_DUMMIES]).reindex(used.index))
    saved = 1 - table.loc[workloads, HARPAGON] / table.loc[workloads, NO_DUMMIES]
    return {
        "dummy_share": share(pd.Series(table.index.isin(workloads), index=table.index)),
        "dummy_throughput_gain": mean(residual.gain, 100),
        "dummy_resources": mean(residual.extra, 100),
        "dummy_cost_reduction": mean(saved, 100),
    }


def _residuals(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """Per module: gain in throughput of the residual from plan b to plan a, and dummies over residual workload."""
    shared = np.where(a.first_key == b.first_key, np.minimum(a.first_machines, b.first_machines), 0)
    rate = a.rate - shared * a["first"]
    price = (a.cost_of_first, b.cost_of_first)
    cost_a, cost_b = a.cost - shared * price[0], b.cost - shared * price[1]
    kept = (rate > 1e-9 * a.rate) & (cost_a > 0) & (cost_b > 0)
    gain = ((rate + a.dummy) / cost_a) / (rate / cost_b) - 1
    return pd.DataFrame({"gain": gain[kept], "extra": (a.dummy / rate)[kept]})


def residual_measures(runs: pd.DataFrame, allocations: pd.DataFrame) -> dict[str, Measured]:
    """Measures of residual workload and split, by key of the published figure."""
    found = dummy_measures(runs, allocations) | remaining_measures(runs, HARPAGON)
    found["reassigned_share"] = share(by_solver(runs, "stat_reassignments")[HARPAGON] > 0)
    iterations = by_solver(runs, "stat_iterations")
    found["harpagon_iterations"] = mean(iterations[HARPAGON])
    found["tb_iterations"] = mean(iterations["harpagon:tb"])
    return found
