"""Tables of results: one row per solver, and the hardest instances."""

from __future__ import annotations

import numpy as np
import pandas as pd

from euclio.core.result import Status
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.report.analysis.references import PROBLEM, references, with_references
from euclio.report.analysis.statistics import shifted_geometric_mean


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per family, objective and label, the least mean gap first.

    Returns:
        Columns: family, objective, label, runs, and the number of runs with each status. best_pct and proven_pct are
        shares of the runs on instances with a known plan: those that reach the best known value, and those with a
        proof. gap_mean_pct, gap_median_pct, gap_p95_pct and gap_max_pct are distances to the best known value over the
        runs with a plan. time_sgm_s is the shifted geometric mean (shift 1 s), time_max_s the maximum; a run that never
        answered counts with its hard limit.
    """
    table = with_references(frame)
    keys = ["family", "objective", "label"]
    grouped = table.groupby(keys, observed=True)
    rows = pd.DataFrame({"runs": grouped.size()})
    counts = table.groupby([*keys, "status"], observed=True).size().unstack(fill_value=0)
    for status in Status:
        rows[status.value] = counts[status.value].astype(int) if status.value in counts else 0
    known = table[table.best.notna()]
    reached = known.assign(reached=known.has_plan & (known.gap <= OPTIMALITY_TOLERANCE)).groupby(keys, observed=True)
    rows["best_pct"] = 100.0 * reached.reached.mean()
    rows["proven_pct"] = 100.0 * reached.proven.mean()
    gaps = 100.0 * grouped.gap.agg(["mean", "median", _p95, "max"])
    rows[["gap_mean_pct", "gap_median_pct", "gap_p95_pct", "gap_max_pct"]] = gaps.to_numpy()
    rows["time_sgm_s"] = grouped.time_s.agg(shifted_geometric_mean)
    rows["time_max_s"] = grouped.time_s.max()
    ordered = rows.reset_index().astype(dict.fromkeys(keys, object))
    return ordered.sort_values(["family", "objective", "gap_mean_pct", "label"]).reset_index(drop=True)


def _p95(values: pd.Series[float]) -> float:
    kept = values.dropna()
    return float(np.quantile(kept, 0.95)) if len(kept) else float("nan")


def hardest_instances(frame: pd.DataFrame, count: int = 20) -> pd.DataFrame:
    """The hardest instances: fewest solvers with a proof, then the largest open gap, then the latest first proof.

    Args:
        frame: results; instances of which no plan is known are left out.
        count: how many instances of each family and objective.

    Returns:
        Columns: family, objective, instance, best, open_pct, solvers, with_plan, with_proof, first_proof_s,
        first_proof_by, gap_median_pct. open_pct is the distance of the best bound in per cent of the best value,
        missing without a bound. with_plan and with_proof count solvers; a proof counts if its plan is as good as the
        best known one. gap_median_pct is over the runs with a plan.
    """
    table = with_references(frame)
    table = table[table.best.notna()]
    grouped = table.groupby(PROBLEM, observed=True)
    proofs = table[table.proven & (table.gap <= OPTIMALITY_TOLERANCE)].sort_values(["time_s", "label"], kind="stable")
    first = proofs.drop_duplicates(PROBLEM).set_index(PROBLEM)
    rows = pd.DataFrame({"instance": grouped.instance.first()})
    rows["solvers"] = grouped.label.nunique()
    rows["with_plan"] = _solvers(table[table.has_plan], rows.index)
    rows["with_proof"] = _solvers(proofs, rows.index)
    rows["first_proof_s"] = first.time_s.reindex(rows.index)
    rows["first_proof_by"] = first.label.reindex(rows.index)
    rows["gap_median_pct"] = 100.0 * grouped.gap.median()
    known = references(table).set_index(["family", "objective", "instance"])
    merged = rows.reset_index().join(known[["best", "open", "best_proven"]], on=["family", "objective", "instance"])
    merged["open_pct"] = (100.0 * merged.open).where(~merged.best_proven, 0.0)
    ranked = merged.assign(unbounded=merged.open.isna(), unproven=merged.first_proof_s.isna()).sort_values(
        ["family", "objective", "with_proof", "unbounded", "open_pct", "first_proof_s", "gap_median_pct", "instance"],
        ascending=[True, True, True, False, False, False, False, True],
    )
    columns = ["family", "objective", "instance", "best", "open_pct", "solvers", "with_plan", "with_proof"]
    columns += ["first_proof_s", "first_proof_by", "gap_median_pct"]
    hardest = ranked.groupby(["family", "objective"], observed=True).head(count)
    return hardest[columns].reset_index(drop=True)


def _solvers(runs: pd.DataFrame, index: pd.Index) -> pd.Series[int]:
    """Number of solvers with such a run, by problem."""
    found = runs.groupby(PROBLEM, observed=True).label.nunique()
    return found.reindex(index).fillna(0).astype(int)
