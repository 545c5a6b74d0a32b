"""Ratios, pairs, proofs, growth, heat maps and summaries by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from result_frames import cluster_run, frame, race, run

from euclio.core.errors import InputError
from euclio.report.analysis import (
    cells,
    growth,
    hardest_instances,
    paired_ratios,
    pairwise,
    performance_ratios,
    proven_shares,
    summary,
)
from euclio.report.analysis.growth import fitted_laws


def pair(table: pd.DataFrame, label: str, other: str) -> list[int]:
    row = table.set_index(["label", "other"]).loc[(label, other)]
    return [row.wins, row.ties, row.losses, row.both_failed]


def test_performance_ratio_of_a_failure_is_infinite() -> None:
    ratios = performance_ratios(frame([run("a", value=4.0), run("b")]))
    assert list(ratios.iloc[0]) == [1.0, math.inf]


def test_performance_ratio_of_a_solver_that_was_not_run_is_missing() -> None:
    rows = [run("a", "i", 4.0), run("b", "i", 4.0), run("a", "j", 4.0)]
    assert math.isnan(performance_ratios(frame(rows)).xs("j", level="instance_hash").b.iloc[0])


def test_performance_ratio_of_half_the_throughput_is_two() -> None:
    ratios = performance_ratios(frame([cluster_run("a", value=10.0), cluster_run("b", value=5.0)]))
    assert list(ratios.iloc[0]) == [1.0, 2.0]


def test_no_throughput_is_a_failure() -> None:
    ratios = performance_ratios(frame([cluster_run("a", value=10.0), cluster_run("b", value=0.0)]))
    assert ratios.b.iloc[0] == math.inf


def test_instances_that_nobody_solved_have_no_ratios() -> None:
    assert performance_ratios(frame([run("a"), run("b")])).empty


def test_ratios_of_proof_times_count_a_plan_without_proof_as_failure() -> None:
    rows = [run("a", value=4.0, bound=4.0, wall_s=2.0), run("b", value=4.0, wall_s=1.0)]
    assert list(performance_ratios(frame(rows), "proof_time").iloc[0]) == [1.0, math.inf]


def test_repeats_are_merged_by_their_median() -> None:
    rows = [run("a", value=4.0, wall_s=t, repeat=k) for k, t in enumerate([1.0, 9.0, 2.0])] + [run("b", value=4.0)]
    assert list(performance_ratios(frame(rows), "plan_time").iloc[0]) == [2.0, 1.0]


def test_times_of_zero_have_ratios() -> None:
    rows = [run("a", value=4.0, wall_s=0.0), run("b", value=4.0, wall_s=1e-3)]
    assert performance_ratios(frame(rows), "plan_time").b.iloc[0] == pytest.approx(1000)


def test_wins_ties_and_losses_add_up() -> None:
    values = {"i": (4.0, 5.0), "j": (4.0, 4.0), "k": (6.0, 5.0), "l": (None, None), "m": (4.0, None)}
    rows = [run(label, i, v) for i, both in values.items() for label, v in zip("ab", both, strict=True)]
    rows.append(run("c", "l", 1.0))
    assert pair(pairwise(frame(rows)), "a", "b") == [2, 1, 1, 1]


def test_difference_below_the_tolerance_is_a_tie() -> None:
    rows = [run("a", value=4.0), run("b", value=4.0 * (1 + 1e-10))]
    assert pair(pairwise(frame(rows)), "a", "b") == [0, 1, 0, 0]


def test_difference_above_the_tolerance_is_a_win() -> None:
    rows = [run("a", value=4.0), run("b", value=4.0 * (1 + 1e-8))]
    assert pair(pairwise(frame(rows)), "a", "b") == [1, 0, 0, 0]


def test_more_throughput_wins() -> None:
    rows = [cluster_run("a", value=5.0), cluster_run("b", value=4.0)]
    assert pair(pairwise(frame(rows)), "a", "b") == [1, 0, 0, 0]


def test_paired_ratio_is_the_mean_over_common_instances() -> None:
    rows = [run(label, i, v) for i, v1, v2 in (("i", 4.0, 5.0), ("j", 2.0, 3.5)) for label, v in (("a", v1), ("b", v2))]
    found = paired_ratios(frame([*rows, run("a", "k", 1.0), run("b", "k")]), "a").iloc[0]
    assert (found.ratio, found.instances, found.failed) == (pytest.approx((1.25 + 1.75) / 2), 2, 1)


def test_paired_ratio_of_times_is_geometric() -> None:
    times = {"i": (1.0, 4.0), "j": (4.0, 1.0)}
    rows = [run(label, i, 1.0, wall_s=t) for i, both in times.items() for label, t in zip("ab", both, strict=True)]
    assert paired_ratios(frame(rows), "a", "plan_time").ratio[0] == pytest.approx(1.0)


@pytest.mark.parametrize("interval", ["bca", "percentile"])
def test_paired_interval_of_equal_solvers_has_no_width(interval: str) -> None:
    rows = [run(label, f"i{k}", 3.0) for k in range(5) for label in "ab"]
    found = paired_ratios(frame(rows), "a", interval=interval).iloc[0]  # type: ignore[arg-type]
    assert (found.ratio, found.low, found.high) == (1.0, 1.0, 1.0)


def test_paired_interval_of_one_instance_is_the_ratio() -> None:
    found = paired_ratios(frame([run("a", value=2.0), run("b", value=3.0)]), "a").iloc[0]
    assert (found.low, found.high) == (1.5, 1.5)


def test_paired_interval_of_a_rare_failure_column_holds_its_ratio() -> None:
    rows = [run("a", f"i{k}", 1.0) for k in range(40)]
    rows += [run("b", f"i{k}", 1.0 + 0.1 * k if k < 2 else None) for k in range(40)]
    found = paired_ratios(frame(rows), "a").iloc[0]
    assert found.low <= found.ratio <= found.high


def test_paired_intervals_repeat_with_the_seed() -> None:
    results = race()
    pd.testing.assert_frame_equal(paired_ratios(results, "s00", seed=3), paired_ratios(results, "s00", seed=3))


def test_solvers_without_a_common_instance_have_no_ratio() -> None:
    found = paired_ratios(frame([run("a", value=2.0), run("b")]), "a").iloc[0]
    assert (found.instances, math.isnan(found.ratio)) == (0, True)


def test_unknown_baseline_is_named_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="no label 'z'; known: a"):
        paired_ratios(frame([run("a", value=2.0)]), "z")


def test_share_proven_counts_instances_of_which_a_plan_is_known() -> None:
    rows = [run("a", "i", 4.0, bound=4.0), run("a", "j", 4.0), run("a", "k", status="infeasible")]
    found = proven_shares(frame(rows)).iloc[0]
    assert (found.runs, found.proven, found.share_pct) == (2, 1, 50.0)


def test_power_law_is_recovered() -> None:
    sizes = np.array([1.0, 2.0, 4.0, 8.0])
    law = fitted_laws(sizes, 0.5 * sizes**2)[0]
    assert (law.kind, law.scale, law.rate, law.r2) == ("power", *map(pytest.approx, (0.5, 2.0, 1.0)))


def test_exponential_is_recovered() -> None:
    sizes = np.array([1.0, 2.0, 4.0, 8.0])
    law = fitted_laws(sizes, 0.5 * 1.5**sizes)[0]
    assert (law.kind, law.scale, law.rate, law.r2) == ("exponential", *map(pytest.approx, (0.5, 1.5, 1.0)))


def test_size_zero_leaves_the_exponential_alone() -> None:
    assert [law.kind for law in fitted_laws(np.array([0.0, 1.0, 2.0]), np.array([1.0, 2.0, 4.0]))] == ["exponential"]


def test_two_sizes_are_too_few_for_a_law() -> None:
    assert fitted_laws(np.array([1.0, 2.0, 2.0]), np.array([1.0, 2.0, 4.0])) == ()


def test_equal_times_do_not_grow() -> None:
    law = fitted_laws(np.array([1.0, 2.0, 3.0]), np.full(3, 0.2))[0]
    assert (law.scale, law.r2) == (pytest.approx(0.2), 1.0)


def test_runs_stopped_at_the_limit_are_left_out_of_growth() -> None:
    rows = [run("a", f"i{n}", 1.0, bound=1.0, wall_s=0.1 * n**2, size=float(n)) for n in (1, 2, 4)]
    rows += [run("a", "i8", 1.0, wall_s=10.2, size=8.0), run("a", "i9", wall_s=None, size=9.0), run("b", "i9", 1.0)]
    found = growth(frame(rows), "feature.modules").set_index("label").loc["a"]
    assert (found.runs, found.left_out, found.power_exponent) == (3, 2, pytest.approx(2.0))


def test_unknown_feature_is_named_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"no column 'feature\.height'; known sizes: feature\.modules"):
        growth(frame([run("a", value=1.0)]), "feature.height")


def test_size_in_words_is_refused() -> None:
    with pytest.raises(InputError, match=r"'option\.policy' holds texts"):
        growth(frame([run("a", value=1.0)]), "option.policy")


def test_cell_holds_the_mean_gap_of_its_runs_with_a_plan() -> None:
    rows = [run("a", "i", 4.0), run("a", "j", 5.0), run("a", "k"), *(run("b", name, 4.0) for name in "ijk")]
    found = cells(frame(rows), "label", "feature.modules").set_index("row").loc["a"]
    assert (found.value, found.runs, found.without_plan) == (pytest.approx(12.5), 3, 1)


def test_many_sizes_are_divided_into_groups_in_order() -> None:
    rows = [run("a", f"i{k}", 4.0, size=float(k)) for k in range(60)]
    found = cells(frame(rows), "label", "feature.modules", "proven")
    assert list(found.column.cat.categories) == ["0 to 9", "10 to 19", "20 to 29", "30 to 39", "40 to 49", "50 to 59"]


def test_option_that_is_left_out_is_a_group_of_its_own() -> None:
    rows = [run("a", value=4.0), run("b", value=4.0, options={"max_allocations": 2})]
    found = cells(frame(rows), "label", "option.max_allocations", "proven")
    assert sorted(found.column.astype(str)) == ["2", "unset"]


def test_option_of_another_family_makes_no_group() -> None:
    rows = [run("a", value=4.0, options={"max_allocations": 2}), cluster_run("c", value=4.0)]
    assert set(cells(frame(rows), "label", "option.max_allocations").family) == {"session"}


def test_heat_map_over_an_unknown_column_is_refused() -> None:
    with pytest.raises(InputError, match=r"columns: the results have no column 'feature\.height'"):
        cells(frame([run("a", value=4.0)]), "label", "feature.height")


def test_heat_map_over_too_many_names_is_refused() -> None:
    rows = [run("a", f"i{k}", 4.0) for k in range(50)]
    with pytest.raises(InputError, match="instance has 50 values"):
        cells(frame(rows), "label", "instance")


def test_summary_counts_by_status() -> None:
    rows = [run("a", "i", 4.0, bound=4.0), run("a", "j", 4.0), run("a", "k", status="error"), run("a", "l")]
    found = summary(frame(rows)).iloc[0]
    assert [found[s] for s in ("runs", "optimal", "feasible", "unknown", "error", "infeasible")] == [4, 1, 1, 1, 1, 0]


def test_summary_of_gaps_leaves_failures_out() -> None:
    rows = [run("a", "i", 4.0), run("b", "i", 5.0), run("a", "j", 4.0), run("b", "j")]
    found = summary(frame(rows)).set_index("label").loc["b"]
    assert (found.gap_mean_pct, found.gap_max_pct) == (pytest.approx(25.0), pytest.approx(25.0))


def test_summary_says_how_often_the_best_value_is_reached() -> None:
    rows = [run("a", "i", 4.0), run("b", "i", 5.0), run("a", "j", 4.0), run("b", "j", 4.0)]
    assert summary(frame(rows)).set_index("label").best_pct.to_dict() == {"a": 100.0, "b": 50.0}


def test_unproven_instance_is_harder_than_a_proven_one() -> None:
    rows = [run("a", "easy", 4.0, bound=4.0), run("a", "open", 4.0, bound=3.0), run("a", "blind", 4.0)]
    assert list(hardest_instances(frame(rows)).instance) == ["blind", "open", "easy"]


def test_proof_of_a_worse_plan_in_its_own_space_is_no_proof_of_the_instance() -> None:
    rows = [run("a", value=4.0), run("b", value=5.0, bound=5.0, options={"policy": "rr"})]
    assert hardest_instances(frame(rows)).with_proof[0] == 0


def test_hardest_instances_are_at_most_as_many_as_asked_for() -> None:
    assert len(hardest_instances(race(instances=8), 3)) == 3
