import math
from collections import Counter

import pandas as pd
import pytest

from euclio.core.words import with_unit
from euclio.report.analysis.statistics import Measured
from euclio.workloads.session.acceptance import BASELINES
from studies.agreement import Verdict
from studies.costs import costs, time_measures
from studies.harpagon.figures import optimal_share_map
from studies.harpagon.measures import ENUMERATION, QUANTIZED, REPRICED_RUN, optimality
from studies.modules import dispatch_latency, left, majority_configurations, module_figures
from studies.papers.costs import baselines, normalized
from studies.papers.harpagon import HARPAGON, comparisons, dummies
from studies.papers.modules import (
    GivenModule,
    dispatch,
    given_module,
    given_modules,
    less,
    more_than_two,
    remaining_budget,
)
from studies.papers.published import Published, published_figures
from studies.scorecard import Score, scorecard, tally

FIGURE = Published("key", 10.0, "%", "Harpagon §IV", "check", "something")


def runs(by_solver: dict[str, list[float]], **columns: object) -> pd.DataFrame:
    """Runs of some solvers on workloads w0, w1 and so on."""
    rows = [
        {
            "workload": f"w{k}",
            "solver": solver,
            "cost_per_h": cost,
            "rate_rps": 1.0 + k,
            "tightness": 0.1 * k,
            **columns,
        }
        for solver, values in by_solver.items()
        for k, cost in enumerate(values)
    ]
    return pd.DataFrame(rows)


def allocation(
    solver: str, position: int, throughput: float, machines: int, partial: float = 0.0, **more: float
) -> dict[str, object]:
    module = {"module_rate_rps": 198.0, "module_dummy_rps": 0.0, "module_latency_s": 1.0, "module_cost_per_h": 5.0}
    return {
        "workload": "traffic-1",
        "solver": solver,
        "module": "detector",
        "position": position,
        "hardware": "m",
        "batch": round(throughput),
        "concurrency": 1,
        "throughput_rps": throughput,
        "price_per_h": 1.0,
        "machines": machines,
        "partial_rps": partial,
        **module,
        **more,
    }


def table_2() -> pd.DataFrame:
    """Harpagon's Table II: S4 with dummies (5 machines), S3 without (4 + 1 + 0.3)."""
    return pd.DataFrame(
        [
            allocation("harpagon", 0, 40.0, 5, module_dummy_rps=2.0),
            allocation("harpagon:nd", 0, 40.0, 4, module_cost_per_h=5.3),
            allocation("harpagon:nd", 1, 32.0, 1, module_cost_per_h=5.3),
            allocation("harpagon:nd", 2, 20.0, 0, 6.0, module_cost_per_h=5.3),
        ]
    )


def test_normalized_cost_is_cost_over_harpagons() -> None:
    table = normalized(costs(runs({"harpagon": [2.0, 4.0], "nexus": [3.0, 4.0]})), HARPAGON)
    assert table["nexus"].tolist() == [1.5, 1.0]


def test_extra_cost_of_baselines_is_the_mean_ratio_less_one() -> None:
    own = {name: [2.0 + k, 2.0] for k, name in enumerate(BASELINES)}
    found = baselines(normalized(costs(runs({"harpagon": [1.0, 1.0], **own})), HARPAGON), HARPAGON)
    assert found["baseline_mean_extra_min"].value == pytest.approx(100)
    assert found["baseline_max_extra_max"].value == pytest.approx(400)
    assert found["harpagon_cheapest_share"].value == 100


def test_matching_within_a_millionth_is_optimal() -> None:
    hits, gap = optimality(runs({"harpagon": [1.0 + 5e-7, 1.2, 1.0], "split-bruteforce": [1.0, 1.0, math.nan]}))
    assert (hits.value, hits.n) == (50, 2)
    assert gap.value == pytest.approx(20)


def test_what_a_feature_saves_is_counted_where_it_saves() -> None:
    same = [1.0, 1.0, 1.0, 1.0]
    own = {"harpagon": same, "harpagon:2c": same, "harpagon:nnm": [1.25, 1.0, 0.9, 1.0], "harpagon:ncd": same}
    table = costs(runs({**own, "harpagon:q0.01": [0.9, 1.1, 1.1, 1.0]}))
    found = comparisons(normalized(table, HARPAGON))
    assert found["nnm_share"].value == 25
    assert found["nnm_cost_reduction"].value == pytest.approx(20)
    assert (found["q0.01_cheaper_share"].value, found["q0.01_dearer_share"].value) == (25, 50)
    assert found["2c_same_share"].value == 100


def test_residual_of_table_2_with_and_without_dummies() -> None:
    """Residual 38 req/s: 1 machine for 40 with dummies, 1.3 without, so (40/1)/(38/1.3) - 1 = 36.8 %; 2/38 dummies."""
    table = costs(runs({"harpagon": [5.0], "harpagon:nd": [5.3]}).assign(workload="traffic-1"))
    found = dummies(table, module_figures(table_2()))
    assert found["dummy_share"].value == 100
    assert found["dummy_throughput_gain"].value == pytest.approx(100 * (40 / (38 / 1.3) - 1))
    assert found["dummy_resources"].value == pytest.approx(100 * 2 / 38)
    assert found["dummy_cost_reduction"].value == pytest.approx(100 * (1 - 5 / 5.3))


def test_module_figures_count_partial_machines_as_used() -> None:
    modules = module_figures(table_2())
    assert modules.loc["harpagon:nd"].machines.tolist() == pytest.approx([5.3])
    assert modules.loc["harpagon:nd"].configurations.tolist() == [3]


def test_throughput_is_per_unit_of_money() -> None:
    given = GivenModule("traffic", "detector")
    assert less(module_figures(table_2()), "harpagon:nd", given).value == pytest.approx(100 * (1 - 5 / 5.3))


def test_given_modules_are_the_most_expensive_one_of_each_application() -> None:
    costs = {
        ("traffic-1", "detector"): 5.0,
        ("traffic-1", "face"): 7.0,
        ("pose-2", "keypoints"): 9.0,
        ("a-b-3", "x"): 1.0,
    }
    rows = [
        allocation("harpagon", 0, 40.0, 5, module_cost_per_h=cost) | {"workload": workload, "module": module}
        for (workload, module), cost in costs.items()
    ]
    figures = module_figures(pd.DataFrame(rows))
    found = given_modules(figures, HARPAGON, ("traffic", "caption", "a-b"))
    assert [str(one) for one in found] == ["traffic/face", "a-b/x"]
    assert given_module(figures, HARPAGON, "pose") == GivenModule("pose", "keypoints")
    assert math.isnan(less(figures, HARPAGON, given_module(figures, HARPAGON, "caption")).value)


def test_figure_7a_compares_the_configuration_of_the_most_expensive_module() -> None:
    """Batch 40 at concurrency 2 and 80 req/s per machine takes 1 s; 400 req/s: d + b/w = 1.1, 2d = 2, d + b/t = 1.5."""
    rows = [
        allocation("harpagon:2d", 0, 80.0, 5, module_rate_rps=400.0) | {"batch": 40, "concurrency": 2},
        allocation("harpagon:2d", 1, 20.0, 0, 6.0, module_rate_rps=400.0),
        allocation("harpagon:2d", 0, 20.0, 9, module_cost_per_h=1.0) | {"module": "face"},
    ]
    found = dispatch(majority_configurations(pd.DataFrame(rows), REPRICED_RUN))
    assert found["2d_latency_extra"].value == pytest.approx(100 * (2 / 1.1 - 1))
    assert found["dt_latency_extra"].value == pytest.approx(100 * (1.5 / 1.1 - 1))


def test_figure_7a_takes_the_configuration_that_carries_most_of_the_rate() -> None:
    """After one machine at 80 req/s the other 320 go to the second configuration: b/w is 40/320."""
    rows = [
        allocation("harpagon:2d", 0, 80.0, 1, module_rate_rps=400.0) | {"batch": 40, "concurrency": 2},
        allocation("harpagon:2d", 1, 40.0, 8, module_rate_rps=400.0) | {"batch": 40, "concurrency": 1},
        allocation("harpagon:2d", 0, 80.0, 0, 50.0, module_rate_rps=50.0) | {"batch": 40, "workload": "none-2"},
    ]
    found = dispatch(majority_configurations(pd.DataFrame(rows), REPRICED_RUN))
    # The second workload has no whole machine of its configuration and says nothing.
    assert found["2d_latency_extra"].value == pytest.approx(100 * (2 / 1.125 - 1))
    assert found["dt_latency_extra"].value == pytest.approx(100 * (2 / 1.125 - 1))


def test_more_than_two_configurations_are_counted_per_workload() -> None:
    modules = module_figures(table_2())
    assert more_than_two(modules, "harpagon:nd").value == 100
    assert more_than_two(modules, "harpagon").value == 0


def test_dispatch_latency_is_relative_to_throughput_cost_dispatch() -> None:
    plans = pd.DataFrame([allocation("harpagon:2d", 0, 40.0, 5, tc_latency_s=1.0, rr_latency_s=1.6)])
    assert dispatch_latency(plans, REPRICED_RUN, "rr_latency_s").value == pytest.approx(60)


def test_remaining_budget_leaves_out_workloads_without_any() -> None:
    table = runs({"harpagon": [1.0, 1.0], "harpagon:0re": [1.0, 1.0]}, slo_s=1.0)
    table["latency_s"] = [0.9, 1.0, 0.7, 0.7]
    assert remaining_budget(left(table), "harpagon:0re").tolist() == pytest.approx([3.0])


def test_time_cut_off_is_extrapolated_from_the_share() -> None:
    timings = pd.DataFrame(
        {
            "workload": "w",
            "solver": [HARPAGON, ENUMERATION, QUANTIZED],
            "wall_s": [0.1, 1.0, 0.2],
            "stat_share": [None, 0.5, None],
        }
    )
    assert time_measures(timings, HARPAGON, ENUMERATION, QUANTIZED)["brute_force_runtime_ratio"].value == pytest.approx(
        20
    )


def test_map_counts_every_workload_once() -> None:
    table = runs({"harpagon": [1.0] * 20, "exact": [1.0, 0.9] * 10})
    shares, sizes = optimal_share_map(table, "exact")
    assert sizes.to_numpy().sum() == 20
    assert shares.shape == (5, 5)


def test_a_value_inside_its_interval_is_not_shown_to_agree() -> None:
    assert Score(FIGURE, Measured(15.0, 9.0, 21.0)).agreement == Verdict.UNDECIDED
    assert Score(FIGURE, Measured(15.0, 12.0, 18.0)).agreement == Verdict.OFF
    assert Score(FIGURE, Measured(10.5)).agreement == Verdict.UNDECIDED
    assert Score(FIGURE, Measured(math.nan)).agreement == Verdict.UNDECIDED


def test_scorecard_needs_a_measure_for_every_published_figure() -> None:
    with pytest.raises(KeyError):
        scorecard([FIGURE], {}, {})


def test_half_of_the_published_figures_are_only_checked() -> None:
    figures = published_figures("harpagon")
    scores = [Score(figure, Measured(figure.value)) for figure in figures]
    counts = tally(scores)
    # One check more is an order in words.
    assert {role: all_ for role, (_, all_) in counts.items() if all_} == {"fit": 31, "check": 28, "doubtful": 1}
    assert Counter(f.role for f in figures) == {"fit": 31, "check": 28, "time": 5, "doubtful": 1}


@pytest.mark.parametrize(
    ("value", "unit", "text"), [(91.53, "%", "91.5 %"), (0.00123, "s", "1.23 ms"), (7012.4, "ratio", "7,012×")]
)
def test_numbers_are_written_with_their_unit(value: float, unit: str, text: str) -> None:
    assert with_unit(value, unit) == text
