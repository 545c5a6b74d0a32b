"""Measures of Harpagon §IV-C about single modules: Figures 7, 8(b), 9 and 11, and how many configurations they use.

The paper says "given modules" without naming them. Ours are those that run the networks it names: SSD, PRNet and
OpenPose; the single one is SSD, the profile with most printed numbers; the three-module application is `traffic`.
Throughput is per unit of money: with two machine types, requests per machine would call a plan better for using
more expensive machines.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from euclio.analysis.statistics import Measured, mean, share
from euclio.studies.harpagon.frames import SAME, module_figures
from euclio.studies.harpagon.tasks import HARPAGON

THREE_MODULE_APPLICATION = ("traffic", ("detector", "vehicle", "face"))


@dataclass(frozen=True, slots=True)
class Given:
    """A module whose throughput is shown: application, module, and the network that it runs."""

    application: str
    module: str
    network: str


SSD = Given("traffic", "detector", "SSD")
GIVEN_MODULES = (SSD, Given("face", "keypoints", "PRNet"), Given("pose", "keypoints", "OpenPose"))


def dispatch_latency(allocations: pd.DataFrame, column: str) -> Measured:
    """Extra worst-case latency of Harp-2d's module plans under another dispatch, against throughput-cost dispatch."""
    plans = allocations[allocations.solver == "harpagon:2d"].drop_duplicates(["workload", "module"])
    return mean(plans[column] / plans.tc_latency_s - 1, 100)


def relative_throughput(modules: pd.DataFrame, run: str, given: Given, column: str = "ratio") -> pd.Series[float]:
    """A run's module figure over Harpagon's, on the workloads of the module's application.

    Args:
        modules: `module_figures`.
        run: name of the run.
        given: the module.
        column: "ratio" (requests per second per unit of money), "first" or "second" (throughput of a configuration).
    """
    both = []
    for name in (run, HARPAGON):
        one = modules.loc[name]
        one = one[one.index.get_level_values("workload").str.startswith(f"{given.application}-")]
        one = one[one.index.get_level_values("module") == given.module]
        both.append(one[column].droplevel("module"))
    return (both[0] / both[1]).dropna()


def less(modules: pd.DataFrame, run: str, given: Given = SSD, column: str = "ratio") -> Measured:
    """By how many per cent the figure lies below Harpagon's, on average."""
    return mean(1 - relative_throughput(modules, run, given, column), 100)


def module_measures(runs: pd.DataFrame, allocations: pd.DataFrame) -> dict[str, Measured]:
    """All measures of this module, by key of the published figure."""
    modules = module_figures(allocations)
    found = {
        "2d_latency_extra": dispatch_latency(allocations, "rr_latency_s"),
        "dt_latency_extra": dispatch_latency(allocations, "machine_rate_latency_s"),
    }
    for name in ("2d", "dt"):
        three = [less(modules, f"harpagon:{name}", given) for given in GIVEN_MODULES]
        found[f"{name}_throughput_less_min"] = min(three, key=lambda m: m.value)
        found[f"{name}_throughput_less_max"] = max(three, key=lambda m: m.value)
    found["1c_throughput_less"] = less(modules, "harpagon:1c", column="first")
    found["2c_second_throughput_less"] = less(modules, "harpagon:2c", column="second")
    for name in ("nb", "nhc", "nhe"):
        found[f"{name}_throughput_less"] = less(modules, f"harpagon:{name}")
    found["nhe_throughput_more_share"] = share(relative_throughput(modules, "harpagon:nhe", SSD) > 1 + SAME)
    most = modules.loc[HARPAGON].groupby(level="workload").configurations.max()
    found["more_than_two_share"] = share(most > 2)
    return found
