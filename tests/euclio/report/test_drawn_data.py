"""The data of a figure: what is drawn, read back from its panels, and offered by its page."""

from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from euclio.report import html_page
from euclio.report.analysis.charts import bars, distribution
from euclio.report.analysis.heat_map import draw_cells
from euclio.report.analysis.statistics import Measured
from euclio.report.drawings import drawn


@drawn("two", "Two panels?", panels=2)
def two(axes, values):
    """A bar with an interval and a published mark, and a distribution."""
    bars(axes[0], {"nexus": Measured(-1.5, -2.0, -1.0)}, {"nexus": 1.25}, "cost (%)")
    distribution(axes[1], {"ours": values}, "ratio")
    return "Seen."


def rows(figure):
    """The rows of a figure's data below the heading."""
    return [line.split(",") for line in figure.data.splitlines()[1:]]


def test_data_hold_bars_intervals_and_published_marks_by_name():
    found = rows(two(pd.Series([1.0, 2.0])))
    assert ["1", "axis", "", "", "cost (%)", ""] in found
    assert ["1", "bar", "", "nexus", "-1.5", "0.0"] in found
    assert [row[4] for row in found if row[:4] == ["1", "line", "", "nexus"]] == ["-2.0", "-1.0"]
    assert {row[4] for row in found if row[1] == "band"} == {"1.25"}


def test_data_of_a_distribution_are_its_steps_by_series():
    """Where many values are alike the step has one row, its end; else a thousand rows would say one thing."""
    found = rows(two(pd.Series([1.0, 1.0, 1.0, 2.0])))
    assert [row[4:] for row in found if row[:3] == ["2", "line", "ours"]][-2:] == [["1.0", "75.0"], ["2.0", "100.0"]]


def test_data_of_cells_are_their_texts_by_row_and_column():
    values = pd.DataFrame([[1.0]], index=["low"], columns=["fast"])

    @drawn("cells", "Where?")
    def cells(axes):
        draw_cells(axes[0], values, values.map("{:.0f} %".format))
        return ""

    assert ["1", "text", "1 %", '"fast', ' low"', "0.5", "0.5"] in rows(cells())


def test_the_page_offers_the_data_without_a_network():
    """In the page itself, so that a page that is passed on has them too."""
    figure = two(pd.Series([1.0, 2.0]))
    page = html_page("A page", [figure])
    start = '<a download="two.csv" href="data:text/csv;charset=utf-8,'
    assert unquote(page.partition(start)[2].partition('"')[0]) == figure.data


@pytest.mark.filterwarnings("error")
def test_a_distribution_without_values_has_no_legend_and_warns_of_nothing():
    """With one workload some series are empty: matplotlib warned a user of a legend without artists."""
    axes = Figure().subplots()
    distribution(axes, {"none": pd.Series([np.nan, np.nan])}, "gap (%)")
    assert axes.get_legend() is None
