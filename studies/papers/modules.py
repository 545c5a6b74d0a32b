"""Single modules of plans (Harpagon §IV-C, Piccolo §IV-C): throughput, configurations, dispatch, remaining latency.

The papers say "given modules" without naming them. Ours are an application's most expensive modules in the plans of the
paper's own system. Throughput is per unit of money. With two machine types, throughput per machine would favour plans
with more expensive machines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from euclio.report.analysis.statistics import Sample, largest, mean, share

ROUND_ROBIN = "2d"
"""Name of either paper's variant with round-robin dispatch."""
LEAST_REMAINING_S = 1e-6
"""A remaining budget below a microsecond counts as none, since a ratio to it has no meaning."""


def own_system(run: str) -> str:
    """The system of a variant's run, such as "harpagon" of "harpagon:nb"."""
    return run.partition(":")[0]


def variant(run: str) -> str:
    """The name of a run after its system, such as "nb" of "harpagon:nb"; empty means the system itself."""
    return run.partition(":")[2]


@dataclass(frozen=True, slots=True)
class GivenModule:
    """A module for a figure of throughput, by application and name."""

    application: str
    module: str

    def __str__(self) -> str:
        """Its name in figures."""
        return f"{self.application}/{self.module}"


def rows_of(modules: pd.DataFrame, run: str) -> pd.DataFrame:
    """The rows of a run, by workload and module; none if it has no plan on any workload.

    Args:
        modules: see `Plans.modules`.
        run: name of the run.
    """
    return pd.DataFrame(modules.loc[run] if run in modules.index else modules.iloc[:0].droplevel(0))


def given_modules(modules: pd.DataFrame, own: str, applications: Iterable[str]) -> list[GivenModule]:
    """Each application's most expensive module over a system's workloads; applications without a workload have none.

    Args:
        modules: see `Plans.modules`.
        own: the paper's own system.
        applications: names of the applications.
    """
    cost = rows_of(modules, own).cost
    application = cost.index.get_level_values("workload").str.rpartition("-").get_level_values(0)
    spent = cost.groupby([application, cost.index.get_level_values("module")]).sum()
    known = set(application)
    return [GivenModule(name, str(spent.loc[name].idxmax())) for name in applications if name in known]


def given_module(modules: pd.DataFrame, own: str, application: str) -> GivenModule:
    """A system's most expensive module of an application; it has no name if there is no workload."""
    return next(iter(given_modules(modules, own, [application])), GivenModule(application, ""))


def relative_throughput(
    modules: pd.DataFrame, run: str, given: GivenModule, column: str = "ratio", against: str = ""
) -> pd.Series[float]:
    """A variant's module number over its own system's, on the workloads of the module's application.

    Args:
        modules: see `Plans.modules`.
        run: name of the run, such as "harpagon:nb".
        given: the module.
        column: "ratio" (requests per second per unit of money), "first" or "second" (throughput of a configuration).
        against: the run to compare with; empty means its own system's.
    """
    both: list[pd.Series[float]] = []
    for name in (run, against or own_system(run)):
        one = rows_of(modules, name)[column]
        one = one[one.index.get_level_values("module") == given.module].droplevel("module")
        both.append(one[one.index.str.startswith(f"{given.application}-")])
    return (both[0] / both[1]).dropna()


def less(modules: pd.DataFrame, run: str, given: GivenModule, column: str = "ratio", against: str = "") -> Sample:
    """Mean per cent by which the number lies below the own system's, or another run's."""
    return Sample(1 - relative_throughput(modules, run, given, column, against), mean)


def more_than_two(modules: pd.DataFrame, run: str) -> Sample:
    """Share of workloads with more than two configurations of some module in a run's plan."""
    return Sample(rows_of(modules, run).configurations.groupby(level="workload").max().dropna() > 2, share)


def dispatch(majority: pd.DataFrame) -> dict[str, Sample]:
    """Extra worst-case latency of the majority configurations under each other dispatch (Figures 7(a) and 8).

    The figures compare the same configuration under each dispatch: d + b/w with all the remaining rate, 2d, or d + b/t.
    Module plans would compare their partial machines, which take d + b/f under every dispatch.

    Args:
        majority: see `Plans.majority`.
    """
    c = majority
    shared = c.duration_s + c.batch / c.left_rps
    return {
        "2d_latency_extra": Sample(2 * c.duration_s / shared - 1, mean),
        "dt_latency_extra": Sample((c.duration_s + c.batch / c.throughput_rps) / shared - 1, mean),
    }


def remaining_budget(left: pd.DataFrame, run: str) -> pd.Series[float]:
    """Remaining latency budget of a variant over its own system's, if that has any.

    Args:
        left: see `Plans.left_s`.
        run: name of the run.
    """
    own = own_system(run)
    some = left[own] > LEAST_REMAINING_S
    return left.loc[some, run] / left.loc[some, own]


def remaining(left: pd.DataFrame, own: str) -> dict[str, Sample]:
    """Mean and maximum of the remaining budget without reassignment and with one, over that of the own system."""
    found = {}
    for name in ("0re", "1re"):
        ratio = remaining_budget(left, f"{own}:{name}")
        found[f"{name}_remaining_budget"] = Sample(ratio, mean, 1.0)
        found[f"{name}_remaining_budget_max"] = Sample(ratio, largest, 1.0)
    return found


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
        majority: the configuration that carries the most rate of a workload's most expensive module: its `duration_s`,
            `batch` and `throughput_rps`, and `left_rps`, the remaining rate when it begins, dummies included. A
            workload has a row if its plan with round-robin dispatch has a whole machine of it.
        counted: the systems' counters, laid out as `cost`, by name: `iterations` and `reassignments`.
        sizes: number of modules of each workload.
    """

    cost: pd.DataFrame
    left_s: pd.DataFrame
    modules: pd.DataFrame
    majority: pd.DataFrame
    counted: Mapping[str, pd.DataFrame]
    sizes: pd.Series[int]
