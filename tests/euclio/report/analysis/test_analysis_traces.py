import numpy as np
import pandas as pd
import pytest
from result_frames import cluster_run, frame, run

from euclio.report.analysis import integral_table, integrals, with_references
from euclio.report.analysis.trace_figures import mean_gaps, relative_gap, trace_steps


def one_gap(found: float, reference: float) -> float:
    return float(relative_gap(np.array([found]), np.array([reference]))[0])


@pytest.mark.parametrize(
    ("found", "reference", "gap"),
    [(5.0, 4.0, 0.2), (0.0, 4.0, 1.0), (0.0, 0.0, 0.0), (-1.0, 4.0, 1.0), (np.nan, 4.0, 1.0), (np.inf, 4.0, 1.0)],
)
def test_relative_gap_is_berthold_s(found: float, reference: float, gap: float) -> None:
    assert one_gap(found, reference) == pytest.approx(gap)


def areas(*rows: dict[str, object], horizon_s: float | None = None) -> "pd.Series[float]":
    return integrals(frame(rows), horizon_s).iloc[0]


def test_primal_integral_of_two_incumbents() -> None:
    # 1 s without a plan, 2 s with 8 against 4 (gap 1/2), then optimal: 1 + 2 / 2 = 2.
    found = areas(run("a", value=4.0, wall_s=3.0, trace=[[1.0, 8.0, None]]))
    assert found.primal_s == pytest.approx(2.0)


def test_dual_integral_of_two_bounds() -> None:
    # No bound for 1 s, 3 against 4 (gap 1/4) for 2 s, then proven: 1 + 2 / 4.
    found = areas(run("a", value=4.0, bound=4.0, wall_s=3.0, trace=[[1.0, None, 3.0]]))
    assert found.dual_s == pytest.approx(1.5)


def test_primal_dual_integral_lies_between_the_incumbent_and_the_bound() -> None:
    # Nothing for 1 s, 6 against 3 (gap 1/2) for 2 s, then closed.
    found = areas(run("a", value=4.0, bound=4.0, wall_s=3.0, trace=[[1.0, 6.0, 3.0]]))
    assert found.primal_dual_s == pytest.approx(2.0)


def test_run_without_a_plan_has_the_whole_horizon_as_integral() -> None:
    found = integrals(frame([run("a"), run("b", value=4.0)])).set_index("label").loc["a"]
    assert found.primal_s == 10.0


def test_what_happens_after_the_horizon_does_not_count() -> None:
    assert areas(run("a", value=4.0, wall_s=3.0), horizon_s=2.0).primal_s == 2.0


def test_without_a_time_limit_the_longest_time_is_the_horizon() -> None:
    rows = [run("a", value=4.0, wall_s=1.0, time_limit_s=None), run("b", value=4.0, wall_s=7.0, time_limit_s=None)]
    assert set(integrals(frame(rows)).horizon_s) == {7.0}


def test_throughput_has_integrals() -> None:
    # 1 s without a plan, 1 s with half of the throughput.
    found = areas(cluster_run("a", value=4.0, wall_s=2.0, trace=[[1.0, 2.0, None]]))
    assert found.primal_s == pytest.approx(1.5)


@pytest.mark.parametrize("missing", [None, np.nan, []])
def test_trace_that_is_missing_is_the_end_alone(missing: object) -> None:
    steps = trace_steps(with_references(frame([run("a", value=4.0, trace=missing)])))
    assert steps.to_numpy().tolist()[0][:3] == [0.0, 1.0, 4.0]


def test_trace_as_arrays_reads_like_lists() -> None:
    trace = np.array([np.array([0.5, 8.0, np.nan])])
    listed, dense = (with_references(frame([run("a", value=4.0, trace=t)])) for t in ([[0.5, 8.0, None]], trace))
    pd.testing.assert_frame_equal(trace_steps(listed), trace_steps(dense))


def test_moment_after_the_end_of_the_run_counts_at_its_end() -> None:
    steps = trace_steps(with_references(frame([run("a", value=4.0, wall_s=1.0, trace=[[1.2, 8.0, None]])])))
    assert steps.time_s.tolist() == [1.0, 1.0]


def test_bound_of_a_refused_run_is_not_shown() -> None:
    steps = trace_steps(with_references(frame([run("a", status="error", bound=3.0)])))
    assert np.isnan(steps.bound[0])


def test_mean_gaps_fall_with_the_moments_of_the_traces() -> None:
    rows = [run("a", "i", 4.0, wall_s=3.0, trace=[[1.0, 8.0, None]]), run("a", "j", 4.0, bound=4.0, wall_s=2.0)]
    found = mean_gaps(with_references(frame(rows)), np.array([0.5, 1.0, 2.0, 3.0]))
    assert found.tolist() == [[1.0, 0.75, 0.25, 0.0], [1.0, 1.0, 0.5, 0.5]]


def test_table_of_integrals_has_the_best_solver_on_top() -> None:
    rows = [run("slow", value=4.0, bound=4.0, wall_s=5.0), run("fast", value=4.0, bound=4.0, wall_s=1.0)]
    assert list(integral_table(frame(rows)).label) == ["fast", "slow"]
