"""Piccolo's measures on small frames of runs, and its worked numbers."""

import math

import pandas as pd
import pytest

from euclio.core.registry import solvers
from studies.costs import costs
from studies.modules import sizes
from studies.papers.costs import normalized, per_module
from studies.papers.piccolo import PICCOLO, by_modules, shares, throughput_split
from studies.piccolo.example import TABLE_I, example_blocks, one_module
from studies.piccolo.experiment import SYSTEMS
from studies.piccolo.measures import (
    PLAN_OPTIMUM,
    SPLIT_OPTIMUM,
    optimality_measures,
    plan_optimum,
    settled,
    split_optimum,
)

PROVEN = ["optimal", "optimal", "feasible", "optimal"]


def runs(by_solver: dict[str, list[float]], **columns: object) -> pd.DataFrame:
    """Runs of some solvers on workloads w0, w1 and so on; `columns` are given by workload."""
    rows = [
        {
            "workload": f"w{k}",
            "solver": solver,
            "cost_per_h": cost,
            "status": PROVEN[k % 4] if solver == PLAN_OPTIMUM else "feasible",
            "split_sample": True,
            **{name: values[k] for name, values in columns.items()},
        }
        for solver, values in by_solver.items()
        for k, cost in enumerate(values)
    ]
    return pd.DataFrame(rows)


REFERENCES = {
    "piccolo": [1.0, 1.2, 1.0, 1.0],
    PLAN_OPTIMUM: [1.0, 1.0, 1.0, 0.9],
    SPLIT_OPTIMUM: [math.nan, 1.1, 1.0, math.nan],
}


def test_every_alternative_and_baseline_is_a_solver():
    assert len(SYSTEMS) == 1 + 4 + 13
    assert set(SYSTEMS) <= set(solvers())


def test_only_a_proven_plan_optimum_is_one():
    assert plan_optimum(runs(REFERENCES)).isna().tolist() == [False, False, True, False]


def test_where_piccolo_costs_the_proven_optimum_no_split_is_searched():
    assert settled(runs(REFERENCES)).tolist() == [True, False, False, False]
    assert split_optimum(runs(REFERENCES)).iloc[:3].tolist() == [1.0, 1.1, 1.0]
    assert math.isnan(split_optimum(runs(REFERENCES)).iloc[3])


def test_workloads_outside_the_sample_have_no_split_optimum():
    """Else the settled ones, of which Piccolo misses none, would be too many."""
    table = runs(REFERENCES, split_sample=[False, True, True, True])
    found = optimality_measures(table)
    assert (found["optimal_share"].value, found["optimal_share"].n) == (50, 2)
    assert found["optimal_gap_max"].value == pytest.approx(100 * (1.2 / 1.1 - 1))


def test_a_brute_force_that_was_stopped_is_no_reference():
    table = runs(REFERENCES)
    table["stat_share"] = [
        0.5 if (w, s) == ("w1", SPLIT_OPTIMUM) else None for w, s in zip(table.workload, table.solver, strict=True)
    ]
    assert split_optimum(table).isna().tolist() == [False, True, False, True]


def test_throughput_splitting_is_measured_by_the_number_of_modules():
    table = runs({"piccolo": [1.0] * 4, "piccolo:tb": [1.0, 1.02, 1.4, 1.7]}, modules=[2, 2, 3, 5])
    parts = by_modules(normalized(costs(table), PICCOLO), sizes(table))
    assert [len(part) for part in parts] == [2, 2]
    found = {key: measured.value for key, measured in throughput_split(*parts).items()}
    assert found == pytest.approx(
        {
            "tb_two_modules_same_share": 50,
            "tb_two_modules_max_extra": 2,
            "tb_three_modules_more_expensive_share": 100,
            "tb_three_modules_min_extra": 40,
            "tb_three_modules_max_extra": 70,
        }
    )


def test_extra_cost_per_module_is_the_slope_over_sizes():
    """Extra costs 0, 10, 20 and 60 % on 2, 2, 3 and 5 modules: sizes less their mean, 3, are -1, -1, 0 and 2.

    So the slope is (0 - 10 + 0 + 120)/6 = 18.3 points per module.
    """
    index = pd.Index(["w0", "w1", "w2", "w3"])
    found = per_module(pd.Series([1.0, 1.1, 1.2, 1.6], index), pd.Series([2, 2, 3, 5], index))
    assert found.value == pytest.approx(110 / 6)
    assert found.measured().value == pytest.approx(110 / 6)


def test_extra_cost_per_module_of_two_sizes_is_the_difference_of_their_means():
    index = pd.Index(["w0", "w1", "w2"])
    found = per_module(pd.Series([1.0, 1.2, 1.5], index), pd.Series([2, 2, 3], index))
    assert found.value == pytest.approx(40)


def test_extra_cost_per_module_of_one_size_is_not_known():
    index = pd.Index(["w0", "w1"])
    assert math.isnan(per_module(pd.Series([1.0, 1.2], index), pd.Series([2, 2], index)).value)


def test_shares_of_equal_cheaper_and_more_expensive_workloads():
    same = [1.0] * 4
    table = {"piccolo": same, "piccolo:1bpc": [1.0, 1.1, 1.1, 1.1], "piccolo:2bpc": same, "piccolo:nd": same}
    found = shares(normalized(costs(runs({**table, "piccolo:q0.01": [0.9, 1.1, 1.1, 1.0]})), PICCOLO))
    assert found["1bpc_same_share"].value == 25
    assert (found["q0.01_cheaper_share"].value, found["q0.01_more_expensive_share"].value) == (25, 50)


def test_worked_numbers_come_out_but_for_the_erratum():
    (table,) = [block for block in example_blocks() if hasattr(block, "rows")]
    off = [row for row in table.rows if row[1] and float(row[1]) != float(row[2])]
    assert [(what, printed, computed) for what, printed, computed, _ in off] == [
        ("Table II, strategy 3", "4.67", "5.00")
    ]
    assert table.marked == {table.rows.index(off[0])}


@pytest.mark.parametrize("name", TABLE_I)
def test_throughputs_of_table_i_are_batch_over_duration(name):
    printed = {"M_1": (50, 80, 100), "M_2": (16, 25, 30), "M_3": (12, 20, 25)}[name]
    profile = one_module(name, 10, 9).modules[0].profile
    assert tuple(round(float(c.throughput_rps)) for c in profile) == printed
