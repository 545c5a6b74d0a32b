"""What measures are taken of: all systems' plans of some workloads, as plain columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True, slots=True)
class Plans:
    """Plans of some workloads, each named APPLICATION-NUMBER, by every system of a paper.

    Attributes:
        cost: money per hour, one row per workload and one column per system, like the next one.
        left_s: the objective less the latency end to end, in seconds.
        modules: one row per system, workload and module, indexed by these: `rate`, `dummy`, `cost` of the module and
            its `ratio`, requests per second that a unit of money per hour serves; `configurations` used; `first`,
            `first_machines`, `first_key` and `cost_of_first`: throughput, whole machines, name and unit price of the
            first one; `second`: throughput of the second one.
        majority: one row per workload whose plan with round-robin dispatch has a whole machine of the configuration
            that carries the most rate of its most expensive module: that configuration's `duration_s`, `batch` and
            `throughput_rps`, and `left_rps`, the rate that is left when it begins, dummies included.
        counted: what the systems count, laid out as `cost`, by name: `iterations` and `reassignments`.
        sizes: number of modules of each workload.
    """

    cost: pd.DataFrame
    left_s: pd.DataFrame
    modules: pd.DataFrame
    majority: pd.DataFrame
    counted: Mapping[str, pd.DataFrame]
    sizes: pd.Series[int]
