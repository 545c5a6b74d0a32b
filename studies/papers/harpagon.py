"""Measures of Harpagon's evaluation (§IV-B and §IV-C), by key of its published numbers; costs of references apart.

The three-module application is `traffic`; `studies.papers.modules` explains given modules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.report.analysis.statistics import Sample, mean, share
from studies.papers.costs import baselines, cheaper, extras, more_expensive, normalized, per_module, same
from studies.papers.modules import (
    GivenModule,
    Plans,
    dispatch,
    given_module,
    given_modules,
    less,
    more_than_two,
    relative_throughput,
    remaining,
    rows_of,
)

HARPAGON = "harpagon"
NO_DUMMIES = "harpagon:nd"
THREE_GIVEN = ("traffic", "face", "pose")
"""Applications of which the most expensive modules are the three given ones of Figure 7(b)."""


def figures(plans: Plans, application: str, variants: Iterable[str]) -> dict[str, Sample]:
    """All of them.

    Args:
        plans: the plans.
        application: the application of which the most expensive module is the given one of Figures 8(b) and 9.
        variants: Harpagon's variants with extra costs to measure, by their names without the prefix.
    """
    ratio, modules = normalized(plans.cost, HARPAGON), plans.modules
    return {
        **baselines(ratio, HARPAGON),
        **extras(ratio, HARPAGON, variants),
        **comparisons(ratio),
        **dispatch(plans.majority),
        **throughputs(
            modules, given_modules(modules, HARPAGON, THREE_GIVEN), given_module(modules, HARPAGON, application)
        ),
        **dummies(plans.cost, modules),
        **remaining(plans.left_s, HARPAGON),
        # The dummy generator leaves hardly any plan with three configurations (docs/findings/two-features.md).
        "more_than_two_share": more_than_two(modules, NO_DUMMIES),
        "reassigned_share": Sample(plans.counted["reassignments"][HARPAGON] > 0, share),
        "harpagon_iterations": Sample(plans.counted["iterations"][HARPAGON], mean, 1.0),
        "tb_iterations": Sample(plans.counted["iterations"]["harpagon:tb"], mean, 1.0),
        "tb_extra_per_module": per_module(ratio["harpagon:tb"], plans.sizes),
    }


def comparisons(ratio: pd.DataFrame) -> dict[str, Sample]:
    """Shares of workloads on which an ablation costs the same, less or more, and the saving where a feature saves."""
    found = {
        "2c_same_share": same(ratio["harpagon:2c"]),
        "q0.01_cheaper_share": cheaper(ratio["harpagon:q0.01"]),
        "q0.01_dearer_share": more_expensive(ratio["harpagon:q0.01"]),
    }
    for name in ("nnm", "ncd"):
        without = ratio[f"harpagon:{name}"].dropna()
        helped = without > 1 + OPTIMALITY_TOLERANCE
        found[f"{name}_share"] = Sample(helped, share)
        found[f"{name}_cost_reduction"] = Sample(1 - 1 / without[helped], mean)
    return found


def throughputs(modules: pd.DataFrame, given: Sequence[GivenModule], one: GivenModule) -> dict[str, Sample]:
    """Throughput of given modules below Harpagon's, by key; `one` is the module if the paper gives a single one."""
    found: dict[str, Sample] = {}
    for name in ("2d", "dt"):
        three = [less(modules, f"harpagon:{name}", each) for each in given] or [Sample(np.zeros(0), mean)]
        found[f"{name}_throughput_less_min"] = min(three, key=lambda m: m.value)
        found[f"{name}_throughput_less_max"] = max(three, key=lambda m: m.value)
    for name in ("nb", "nhc", "nhe"):
        found[f"{name}_throughput_less"] = less(modules, f"harpagon:{name}", one)
    found["nhe_throughput_more_share"] = Sample(
        relative_throughput(modules, "harpagon:nhe", one) > 1 + OPTIMALITY_TOLERANCE, share
    )
    found["1c_throughput_less"] = less(modules, "harpagon:1c", one, "first")
    found["2c_second_throughput_less"] = second_configuration(modules, one)
    return found


def second_configuration(modules: pd.DataFrame, given: GivenModule) -> Sample:
    """Throughput of Harp-2c's second configuration of a module below that of plans of any number of them (Fig. 8(b)).

    Those are Harp-nd's: the dummy generator leaves hardly any second configuration that a third one follows
    (docs/findings/two-features.md).
    """
    return less(modules, "harpagon:2c", given, "second", NO_DUMMIES)


def dummies(cost: pd.DataFrame, modules: pd.DataFrame) -> dict[str, Sample]:
    """The share of plans with dummies, and the effect of dummies on residual workload and cost.

    The residual workload is the remainder after the whole machines of the first configuration that the plans with and
    without dummies share. Its throughput is per unit of money; extra resources are the dummies' share of it.
    """
    with_dummies = rows_of(modules, HARPAGON)
    used = pd.DataFrame(with_dummies[with_dummies.dummy > 0])
    workloads = pd.Index(used.index.get_level_values("workload").unique())
    residual = _residuals(used, rows_of(modules, NO_DUMMIES).reindex(used.index))
    saved = 1 - cost.loc[workloads, HARPAGON] / cost.loc[workloads, NO_DUMMIES]
    return {
        "dummy_share": Sample(pd.Series(cost.index.isin(workloads), index=cost.index), share),
        "dummy_throughput_gain": Sample(residual.gain, mean),
        "dummy_resources": Sample(residual.extra, mean),
        "dummy_cost_reduction": Sample(saved, mean),
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
