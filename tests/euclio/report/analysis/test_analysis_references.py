import math

import pandas as pd
import pytest
from result_frames import cluster_run, frame, run

from euclio.report.analysis import contradictions, references, with_references
from euclio.report.analysis.references import space_text

RR = {"policy": "rr"}


def of(table: pd.DataFrame, label: str) -> "pd.Series[float]":
    return table.set_index("label").loc[label]


def test_gap_of_a_cost_is_its_extra_over_the_cheapest() -> None:
    table = with_references(frame([run("a", value=4.0), run("b", value=5.0)]))
    assert of(table, "b").gap == pytest.approx(0.25)


def test_gap_of_a_throughput_is_what_it_lacks_to_the_most() -> None:
    table = with_references(frame([cluster_run("a", value=4.0), cluster_run("b", value=5.0)]))
    assert of(table, "a").gap == pytest.approx(0.2)


def test_run_without_a_plan_has_no_gap() -> None:
    table = with_references(frame([run("a", value=4.0), run("b")]))
    assert math.isnan(of(table, "b").gap)


def test_refused_plan_is_no_reference() -> None:
    table = with_references(frame([run("a", value=4.0), run("b", value=1.0, status="error")]))
    assert of(table, "a").best == 4.0


def test_objectives_of_one_instance_are_kept_apart() -> None:
    rows = [cluster_run("a", value=100.0), cluster_run("a", value=3.0, objective="cost", maximised=False)]
    assert list(with_references(frame(rows)).best) == [100.0, 3.0]


def test_bound_of_another_plan_space_proves_nothing_about_the_instance() -> None:
    table = with_references(frame([run("a", value=4.0), run("b", value=5.0, bound=5.0, options=RR)]))
    assert math.isnan(of(table, "a").best_bound)


def test_plan_of_another_space_below_the_bound_leaves_the_best_value_unproven() -> None:
    free = {"dummy": "continuous"}
    table = with_references(frame([run("a", value=4.0, bound=4.0), run("b", value=3.0, options=free)]))
    assert not of(table, "a").best_proven


def test_space_gap_compares_within_the_plan_space() -> None:
    rows = [run("a", value=4.0), run("b", value=5.0, options=RR), run("c", value=6.0, options=RR)]
    assert of(with_references(frame(rows)), "c").space_gap == pytest.approx(0.2)


def test_best_value_is_proven_by_another_solver_of_the_full_space() -> None:
    table = with_references(frame([run("a", value=4.0), run("b", value=5.0, bound=4.0)]))
    assert of(table, "a").best_proven


def test_upper_bound_of_a_throughput_proves_it() -> None:
    table = with_references(frame([cluster_run("a", value=4.0), cluster_run("b", value=3.0, bound=4.0)]))
    assert of(table, "a").best_proven


def test_run_that_never_answered_took_its_hard_limit() -> None:
    table = with_references(frame([run("a", wall_s=None)]))
    assert of(table, "a").time_s == 30.0


def test_references_stay_those_of_all_runs_when_rows_are_picked() -> None:
    table = with_references(frame([run("a", value=4.0), run("b", value=5.0)]))
    picked = with_references(table[table.label == "b"])
    assert of(picked, "b").gap == pytest.approx(0.25)


def test_categories_measure_like_texts() -> None:
    plain = frame([run("a", value=4.0), run("b", value=5.0), run("b", "j")])
    columns = ["family", "objective", "instance", "instance_hash", "label", "status", "options"]
    dense = plain.astype(dict.fromkeys(columns, "category"))
    pd.testing.assert_frame_equal(
        with_references(plain), with_references(dense), check_dtype=False, check_categorical=False
    )


def test_given_frame_is_left_alone() -> None:
    given = frame([run("a", value=4.0)])
    with_references(given)
    assert "gap" not in given


def test_best_cost_of_zero_has_a_gap() -> None:
    table = with_references(frame([run("a", value=0.0), run("b", value=2.0)]))
    assert list(table.gap) == [0.0, 2.0]


def test_reference_names_all_who_found_it() -> None:
    rows = references(frame([run("b", value=4.0), run("a", value=4.0), run("c", value=5.0)]))
    assert (rows.found_by[0], rows.solvers[0]) == ("a, b", 3)


def test_reference_says_what_its_bound_leaves_open() -> None:
    rows = references(frame([run("a", value=4.0, bound=3.0)]))
    assert rows.open[0] == pytest.approx(0.25)


def test_beaten_bound_of_the_same_space_is_a_contradiction() -> None:
    rows = contradictions(frame([run("a", value=5.0, bound=5.0), run("b", value=4.0)]))
    assert list(rows[["label", "bound", "best", "found_by"]].iloc[0]) == ["a", 5.0, 4.0, "b"]


def test_beaten_upper_bound_is_a_contradiction() -> None:
    rows = contradictions(frame([cluster_run("a", value=4.0, bound=4.0), cluster_run("b", value=5.0)]))
    assert list(rows.label) == ["a"]


def test_bounds_of_different_spaces_contradict_nothing() -> None:
    rows = contradictions(frame([run("a", value=5.0, bound=5.0, options=RR), run("b", value=4.0)]))
    assert rows.empty


def test_plan_space_is_named_by_what_differs_from_the_full_one() -> None:
    assert space_text("session", {"policy": "rr", "hardware": ["A", "B"], "seed": 3}) == "policy=rr, hardware=A+B"


def test_plan_space_of_a_family_that_is_not_installed_names_its_options() -> None:
    assert space_text("of-nobody", {"group": 5, "seed": 1, "shared": True}) == "group=5, shared=yes"
