import warnings
from collections.abc import Callable
from functools import cache

import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from result_frames import cluster_run, frame, race, run

from euclio.core.errors import InputError
from euclio.report import figure_style, svg_text
from euclio.report.analysis import (
    cactus,
    convergence_figure,
    gap_ecdf,
    growth_figure,
    heat_map,
    paired_figure,
    pairwise_figure,
    performance_profile,
    proven_figure,
    trace_figure,
)
from euclio.report.analysis.panels import cumulative, percent_axis, ratio_axis, short, styles, time_axis

FIGURES: dict[str, Callable[[pd.DataFrame], Figure]] = {
    "gap_ecdf": gap_ecdf,
    "gap_ecdf_space": lambda f: gap_ecdf(f, "space"),
    "profile_value": performance_profile,
    "profile_proof": lambda f: performance_profile(f, "proof_time"),
    "cactus": cactus,
    "proven": proven_figure,
    "growth": lambda f: growth_figure(f, "feature.modules"),
    "trace": trace_figure,
    "convergence": convergence_figure,
    "heat_map": lambda f: heat_map(f, "label", "feature.modules"),
    "heat_map_time": lambda f: heat_map(f, "label", "feature.modules", "time_s"),
    "pairwise": pairwise_figure,
    "paired": lambda f: paired_figure(f, "s00"),
    "paired_time": lambda f: paired_figure(f, "s00", "plan_time"),
}

FRAMES: dict[str, Callable[[], pd.DataFrame]] = {
    "one_instance": lambda: race(instances=1),
    "one_solver": lambda: race(solvers=1),
    "both_families": lambda: pd.concat([race(), frame([cluster_run("s00", value=4.0), cluster_run("c", value=5.0)])]),
    "all_equal": lambda: frame([run(label, f"i{k}", 2.0) for k in range(4) for label in ("s00", "s01")]),
    "sparse": lambda: race(6).sample(frac=0.5, random_state=1),
}


def texts(drawing: Figure) -> str:
    return " | ".join(text.get_text() for axes in drawing.axes for text in axes.texts)


@cache
def of_race(figure: str) -> Figure:
    return FIGURES[figure](race())


@pytest.mark.fifth("figure")
@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("results", FRAMES)
def test_figure_is_made_without_a_warning(figure: str, results: str) -> None:
    given = FRAMES[results]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert FIGURES[figure](given).axes


@pytest.mark.fifth("figure")
@pytest.mark.parametrize("figure", FIGURES)
def test_twenty_six_solvers_leave_room_for_the_panels(figure: str) -> None:
    drawing = FIGURES[figure](race(solvers=26, instances=3))
    drawing.draw_without_rendering()
    assert min(axes.get_position().width for axes in drawing.axes) > 0.3


@pytest.mark.fifth("figure")
@pytest.mark.parametrize("figure", FIGURES)
def test_legends_cover_no_text_in_the_column_of_a_paper(figure: str) -> None:
    """At 3.3 x 2 inches: no tick, axis label, title or number of a panel lies under a legend."""
    drawing = FIGURES[figure](race(solvers=4, instances=6))
    drawing.set_size_inches(3.3, 2)
    canvas = FigureCanvasAgg(drawing)
    canvas.draw()
    legends = [legend for axes in drawing.axes if (legend := axes.get_legend()) is not None]
    own = {id(text) for legend in legends for text in legend.findobj(Text)}
    shown = [text for text in drawing.findobj(Text) if text.get_visible() and id(text) not in own]
    texts = [text.get_text() for text in shown if isinstance(text, Text) for legend in legends
             if text.get_text() and text.get_window_extent().overlaps(legend.get_window_extent())]  # fmt: skip
    assert texts == []


@pytest.mark.fifth("figure")
@pytest.mark.parametrize("figure", FIGURES)
def test_title_is_the_question(figure: str) -> None:
    assert "?" in of_race(figure)._suptitle.get_text()  # type: ignore[attr-defined]


@pytest.mark.parametrize("figure", FIGURES)
def test_panels_have_axis_labels(figure: str) -> None:
    panels = of_race(figure).axes
    assert all(panel.get_xlabel() for panel in panels)


@pytest.mark.fifth("figure")
@pytest.mark.parametrize("figure", FIGURES)
def test_failure_of_all_runs_is_said(figure: str) -> None:
    assert texts(FIGURES[figure](frame([run(label, f"i{k}") for k in range(3) for label in ("s00", "s01")])))


@pytest.mark.fifth("figure")
@pytest.mark.parametrize("figure", [name for name in FIGURES if not name.startswith("paired")])
def test_empty_results_are_said(figure: str) -> None:
    assert texts(FIGURES[figure](race().iloc[:0])) == "there are no runs"


@pytest.mark.fifth("figure")
@pytest.mark.parametrize("figure", ["gap_ecdf", "trace", "pairwise"])
def test_same_results_are_the_same_bytes(figure: str) -> None:
    def svg() -> str:
        with figure_style():
            return svg_text(FIGURES[figure](race()), "f", "figure")

    assert svg() == svg()


def test_families_have_rows_of_panels() -> None:
    titles = [axes.get_title(loc="left") for axes in gap_ecdf(FRAMES["both_families"]()).axes]
    assert titles == ["pipeline: throughput", "session: cost"]


def test_legend_says_how_often_a_solver_failed() -> None:
    results = frame([run("a", "i", 4.0), run("b", "i", 4.0), run("a", "j", 4.0), run("b", "j")])
    legend = gap_ecdf(results).axes[0].get_legend()
    assert legend is not None
    assert "b (failed: 1 of 2)" in [text.get_text() for text in legend.get_texts()]


def test_trace_of_an_unknown_instance_is_refused() -> None:
    with pytest.raises(InputError, match="no instance 'nowhere'"):
        trace_figure(race(), "nowhere")


def test_trace_is_that_of_the_instance_with_the_longest_ones() -> None:
    long = [[0.1 * k, 9.0 - k, None] for k in range(5)]
    results = frame([run("a", "short", 4.0, trace=long[:1]), run("a", "long", 4.0, trace=long)])
    assert trace_figure(results).axes[0].get_title(loc="left") == "long"


def test_thirty_solvers_look_different() -> None:
    looks = styles([f"s{k}" for k in range(30)])
    assert len({(look.color, look.marker) for look in looks.values()}) == 30


def test_long_label_keeps_both_ends() -> None:
    assert short("path/to/the/folder/of/my_solver.py:my_function") == "path/to/the/folde…r.py:my_function"


def test_cumulative_shares_count_failures() -> None:
    places, shares = cumulative(pd.Series([2.0, 1.0]).to_numpy(), 4)
    assert (places.tolist(), shares.tolist()) == ([1.0, 1.0, 2.0], [0.0, 25.0, 50.0])


@pytest.mark.parametrize(
    ("low", "high"), [(1e-6, 1e4), (0.001, 0.002), (0.0003, 0.011), (0.9, 1.1), (1.0, 3600.0), (5.0, 5.0), (0.03, 3.0)]
)
def test_axis_of_times_has_between_three_and_nine_ticks(low: float, high: float) -> None:
    axes = Figure().subplots()
    time_axis(axes, pd.Series([low, high]).to_numpy())
    assert 3 <= len(axes.get_xticks()) <= 9


@pytest.mark.parametrize("largest", [1.0, 1.001, 1.3, 2.0, 7.0, 60.0, 1e5])
def test_axis_of_ratios_starts_at_one(largest: float) -> None:
    axes = Figure().subplots()
    ratio_axis(axes, largest)
    assert axes.get_xticks()[0] == 1.0


def test_axis_of_gaps_over_decades_is_logarithmic_beyond_zero() -> None:
    axes = Figure().subplots()
    percent_axis(axes, pd.Series([0.0, 0.01, 100.0]).to_numpy())
    assert axes.get_xscale() == "symlog"
