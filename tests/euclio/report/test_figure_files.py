"""Figures in files of their own."""

from __future__ import annotations

import re

import pytest
from matplotlib.figure import Figure

from euclio.report.figure_files import save_figure


def drawn(height):
    figure = Figure()
    axes = figure.subplots()
    axes.plot([0, 1], [0, height])
    axes.set_ylim(0, 2)
    axes.set_title("0.12345678")
    return figure


def test_an_svg_has_coordinates_in_hundredths(tmp_path):
    """Digits behind them differ from run to run; what is text or a scale keeps all of its own."""
    save_figure(drawn(1), tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    paths = re.findall(r' d="[^"]+"', text)
    assert paths
    assert not any(re.search(r"\d\.\d{3}", path) for path in paths)
    assert "0.12345678" in text


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_same_figure_is_the_same_bytes(tmp_path, ending):
    """The second one is higher by what a sum in another order may be, where a millionth is rounded the other way."""
    for name, height in (("a", 1.0), ("b", 1.0 + 2**-52)):
        save_figure(drawn(height), tmp_path / f"{name}.{ending}")
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()
