"""Why measured figures differ from the published ones, as far as the runs can say; shown only where they do."""

from __future__ import annotations

import pandas as pd

from euclio.studies.scrooge.measures import SAME, by_solver, drawn_as, ratio, wall
from euclio.studies.scrooge.tasks import BRUTE_FORCE, FIVE_APPLICATIONS, GREEDY, MILP, OWN_SESSIONS, on_types


def reasons(runs: pd.DataFrame) -> dict[str, str]:
    """One sentence or two per published figure for which the data hold a reason."""
    own = drawn_as(runs, OWN_SESSIONS)
    runs = drawn_as(runs, FIVE_APPLICATIONS)
    return {
        "milp_same_share": (
            f"{_fallback(runs)} By application: {_by_application(runs, MILP)}; on sessions as in §4.2: "
            f"{_by_application(own, MILP)}."
        ),
        "milp_extra_max": f"{_spread(runs, MILP, 1.03)} {_worst(runs)}",
        "greedy_same_share": (
            "The rule counts requests gained per second of latency, not money saved, so modules that serve many "
            "requests per unit of money take the latency first, where there is little to save. By application: "
            f"{_by_application(runs, GREEDY)}; on sessions as in §4.2: {_by_application(own, GREEDY)}."
        ),
        "greedy_extra_max": _spread(runs, GREEDY, 1.05),
        "milp_time_max": _times(runs, MILP),
        "milp_time_max_30": _times(runs, on_types(MILP)),
        "bruteforce_time_max": (
            "Ours leaves a vector of machines where a plan found before costs no more and is no slower than anything "
            f"it can become: it visits {runs[runs.solver == BRUTE_FORCE].stat_vectors.median():.0f} vectors per "
            "decision (median). The paper does not describe its brute force."
        ),
    }


def fell_back(runs: pd.DataFrame) -> pd.Series[bool]:
    """On which workloads the second step was infeasible and the greedy search took over."""
    found: pd.Series[bool] = by_solver(runs, "stat_greedy_fallback")[MILP].eq(1.0)
    return found


def _fallback(runs: pd.DataFrame) -> str:
    over, greedy = ratio(runs, MILP), fell_back(runs)
    hit = over <= 1 + SAME
    apart = greedy[over.index]
    return (
        f"The second step was infeasible on {int(apart.sum())} of {len(over)} workloads; after the greedy search "
        f"{_percent(hit[apart])} of those cost the same, of the others {_percent(hit[~apart])}: there the first step "
        "spends latency that the partial allocations then lack."
    )


def _worst(runs: pd.DataFrame) -> str:
    over = ratio(runs, MILP)
    name = str(over.idxmax())
    return f"The largest is {name}'s" + (", after the greedy search." if fell_back(runs)[name] else ".")


def _spread(runs: pd.DataFrame, solver: str, limit: float) -> str:
    over = ratio(runs, solver)
    return (
        f"{_percent(over <= limit)} of the workloads are within {100 * (limit - 1):.0f} %; mean "
        f"{100 * (over.mean() - 1):.2f} %, 95 % of them below {100 * (over.quantile(0.95) - 1):.1f} %."
    )


def _times(runs: pd.DataFrame, solver: str) -> str:
    seconds = wall(runs, solver) * 1000
    cpu = 1000 * runs[runs.solver == solver].cpu_s
    modules = runs[runs.solver == solver].set_index("workload").modules
    by = ", ".join(f"{n} modules {values.max():.0f} ms" for n, values in seconds.groupby(modules))
    return (
        f"Median {seconds.median():.0f} ms, 95 % within {seconds.quantile(0.95):.0f} ms. Longest by size: {by}. "
        f"Processor time, the check included: median {cpu.median():.0f} ms, longest {cpu.max():.0f} ms. The paper "
        "solves with Gurobi and does not state its machine."
    )


def _by_application(runs: pd.DataFrame, solver: str) -> str:
    over = ratio(runs, solver)
    application = runs.drop_duplicates("workload").set_index("workload").application[over.index]
    hits = (over <= 1 + SAME).groupby(application).agg(["mean", "size"])
    return ", ".join(f"{name} {100 * row['mean']:.0f} % of {row['size']:.0f}" for name, row in hits.iterrows())


def _percent(hits: pd.Series[bool]) -> str:
    return f"{100 * float(hits.mean()):.0f} %" if len(hits) else "none"
