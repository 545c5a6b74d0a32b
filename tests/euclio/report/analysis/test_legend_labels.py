"""Names in legends: none is left out, whatever it begins with."""

from matplotlib.figure import Figure

from euclio.core.figures import figure_style, legend_label, svg_text
from euclio.report.analysis.panels import short


def test_a_name_that_begins_with_an_underscore_is_in_the_legend():
    """Matplotlib takes such labels for its own."""
    with figure_style():
        figure = Figure()
        axes = figure.subplots()
        for name in ("_a", "__", "b", "$x$", "<i>"):
            axes.plot([0, 1], label=short(name))
        axes.legend()
        texts = [text.get_text().strip("\u200a") for text in axes.get_legend().get_texts()]
        drawn = svg_text(figure, "k", "label")
    assert texts == ["_a", "__", "b", "$x$", "<i>"]
    assert "<i>" not in drawn
    assert "$x$" in drawn


def test_other_labels_stay_as_they_are():
    assert legend_label("a_b") == "a_b"
