"""Objects show themselves: a short line, HTML that is the terminal's table, a frame, a figure on axes."""

from __future__ import annotations

import importlib
import pkgutil
import time
from dataclasses import is_dataclass, replace
from xml.etree import ElementTree

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from shown_objects import EVIL, objects, small_session

import euclio
from euclio import solve
from euclio.core.figures import DESIGN, HEURISTIC, UNSPLIT
from euclio.core.fitted_table import Label, table_of
from euclio.core.showing import MOST_CHARACTERS, PLACES, Framed, Head, Plotted, Shown, View, line_of
from euclio.core.showing.html import MOST_ROWS, view_html
from euclio.core.tables import to_text
from euclio.problems.session import Hardware, Module, Session

HELD_BY_OTHERS = frozenset({"Shown", "Framed", "Plotted"})
"""Classes that others are made of."""
ANSWERS = ("Certificate", "Comparison", "Curve", "Evaluation", "Explanation", "Plan", "Result", "Simulation", "Status")
"""Endings of the names of classes whose objects a user is given."""
INNER = frozenset(
    {
        # Parts of what shows itself.
        "ModuleEvaluation", "ModelEvaluation", "PipelineEvaluation", "SetEvaluation", "StageEvaluation", "ModulePlan",
        "NamedPlan", "StepPlan", "_Curve",
        # Of figures, of studies and of the inside of solvers.
        "Curve", "SystemResult", "ServerResult",
    }
)  # fmt: skip


FIGURES = (
    "comparison", "decomposition", "what-if", "costs of changes", "costs by SLO", "simulation",
    "simulation of a cluster", "simulation of a fleet", "day", "comparison of a day",
)  # fmt: skip
"""Objects with a figure."""


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    return objects(tmp_path_factory.mktemp("shown"), name=EVIL)


def html(thing):
    found = thing._repr_html_()
    assert found is not None, f"{type(thing).__name__} has no HTML"
    return found


def texts(markup):
    return " ".join(ElementTree.fromstring(markup).itertext())


def test_lines_are_short_and_in_one_line(shown):
    """A cell that ends in an object should not be pages: 200 characters, no fraction, no line break."""
    for what, thing in shown.items():
        line = repr(thing)
        assert len(line) <= MOST_CHARACTERS, what
        assert line.isprintable(), what
        assert "Fraction(" not in line, what


def test_html_is_well_formed_and_names_stay_text(shown):
    """Names come from files of others: one called `<b>` must not become HTML, and the page around stays whole."""
    for what, thing in shown.items():
        found = html(thing)
        ElementTree.fromstring(found)
        assert EVIL not in found, what
        assert "<script" not in found, what
        assert "Fraction(" not in found, what


def test_html_takes_nothing_from_elsewhere(shown):
    """A notebook is read without a network, and its own styles are left alone."""
    for what, thing in shown.items():
        found = html(thing)
        assert "http" not in found, what
        style = found.partition("<style>")[2].partition("</style>")[0]
        rules = [line.split("{")[0] for line in style.splitlines() if "{" in line]
        assert all(part.strip().startswith(".euclio-view") for rule in rules for part in rule.split(",")), what


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("result", ("optimal", "cost", "bound")),
        ("result of a heuristic", ("feasible", "cost")),
        ("result without a plan", ("infeasible", "no plan")),
        ("evaluation", ("accepted", "cost")),
        ("comparison", ("optimal", "cost", "proven")),
        ("decomposition", ("least mean gap", "design")),
        ("what-if", ("optimal", "cost", "proven")),
        ("costs of changes", ("optimal", "cost", "without a limit")),
        ("difference", ("cost", "->")),
        ("explanation", ("infeasible", "feasible from an SLO of")),
        ("certificate", ("certified", "claim by exact", "prover")),
        ("written result", ("optimal", "cost", "not checked")),
        ("simulation", ("answered within the SLO", "req/s")),
        ("result of a cluster", ("optimal", "throughput", "bound")),
        ("result of a fleet", ("optimal", "GPU share", "bound")),
        ("result of a day", ("optimal", "cost", "bound")),
        ("comparison of a day", ("optimal", "cost", "proven")),
        ("status of an experiment", ("35 of 40 runs", "missing")),
    ],
)
def test_status_cost_and_proof_come_first(shown, what, said):
    """They stand in the head, before any table."""
    head = ElementTree.fromstring(html(shown[what])).find("div")
    assert head is not None
    assert head.get("class") == "head"
    everything = texts(html(shown[what]))
    assert all(word in everything for word in said)
    assert said[0] in " ".join(head.itertext()), "the outcome is said first"


def test_html_has_the_table_that_the_terminal_prints(shown):
    """One source for both: every number of the terminal's table stands in the cell."""
    from euclio.problems.session.table import plan_table

    result = shown["result"]
    printed = to_text(plan_table(result.of_instance, result), width=200)
    found = texts(html(result)).split()
    assert set(printed.split()) - {"─" * n for n in range(300)} <= {*found, f"{EVIL}:", "optimal,"}


def test_a_sessions_modules_are_drawn():
    """Boxes and edges of the DAG; names in it are text."""
    found = html(small_session("drawn", EVIL))
    assert found.count("<rect") == 2
    assert found.count('class="edge"') == 1


def test_a_large_session_is_not_drawn_and_its_table_ends():
    """Ten thousand boxes would stop a notebook."""
    profile = small_session().modules[0].profile
    modules = [Module(f"m{k}", 1, profile) for k in range(1000)]
    found = html(Session("large", 1, [Hardware("V100", 1), Hardware("P100", 1)], modules))
    assert "<svg" not in found
    assert found.count("<tr>") <= 3 * MOST_ROWS
    assert "800 more modules" in found


def test_bars_have_the_figures_colours(shown):
    """The colours of a comparison's HTML are those of its figure, which its legend is read by."""
    style = html(shown["comparison"])
    for part, colour in (("design", DESIGN), ("heuristic", HEURISTIC), ("unsplit", UNSPLIT)):
        assert f".euclio-view .{part} {{ background: {colour}; }}" in style
    assert 'class="bar"' in style


def test_long_tables_are_cut():
    """More rows than a notebook carries are counted instead."""
    table = table_of(([str(k)] for k in range(MOST_ROWS + 7)), [Label("a")])
    found = view_html(Head("many"), "", table)
    assert found.count("<td>") == MOST_ROWS
    assert "and 7 more rows" in found


def test_control_characters_are_replaced():
    """They are no part of well-formed pages."""
    found = view_html(Head("a\x1b[31m\u202eb"), "", "x\x07y")
    ElementTree.fromstring(found)
    assert "\x1b" not in found
    assert "\u202e" not in found


def test_showing_never_fails():
    """An object that is not complete, as debuggers see it, still has a line; HTML falls back to that."""
    broken = Session.__new__(Session)
    assert repr(broken) == "<Session>"
    assert broken._repr_html_() is None
    assert line_of(3, lambda: View(lambda thing: thing.missing)) == "<int>"


def test_showing_solves_nothing(shown, monkeypatch):
    """Showing uses known values only."""
    from euclio.core import solving

    monkeypatch.setattr(solving.PreparedRun, "answer", None)
    for thing in shown.values():
        repr(thing)
        html(thing)


@pytest.mark.slow
def test_showing_is_quick(shown):
    """Below 50 ms each, once what tables need is imported; means over instances take pandas longer."""
    for what, thing in shown.items():
        took = []
        for _ in range(4):
            begin = time.perf_counter()
            repr(thing)
            html(thing)
            took.append(time.perf_counter() - begin)
        assert min(took) < (0.5 if what == "decomposition" else 0.05), what


def test_tables_are_frames(shown):
    """Numbers are floats, which pandas can sum up, and costs are called `cost`, bounds `bound`, gaps `gap`."""
    for what, thing in shown.items():
        if isinstance(thing, Framed) or hasattr(thing, "frame"):
            if what == "outcome of an experiment":
                continue
            found = thing.frame()
            assert isinstance(found, pd.DataFrame), what
            assert len(found) or what == "difference", what
            assert not any("Fraction" in str(type(value)) for value in found.to_numpy().ravel()), what
            assert not {"cost_per_h", "bound_per_h"} & set(found.columns) or what == "decomposition", what
    assert {"cost", "bound", "gap"} <= set(shown["comparison"].frame().columns)
    result = shown["result"]
    assert result.frame().cost.sum() == pytest.approx(result.cost)
    assert result.evaluation.cost == result.cost
    assert list(result.frame().module.unique()) == [EVIL, "classify"]


def test_a_result_without_a_plan_has_a_frame(shown):
    """One row that says so."""
    found = shown["result without a plan"].frame()
    assert list(found.status) == ["infeasible"]


@pytest.mark.fifth("what")
@pytest.mark.parametrize("what", FIGURES)
def test_figures_are_drawn_on_given_axes(shown, what):
    """They compose: the axes that are given are drawn on and given back, and say what is on them."""
    first, second = Figure().subplots(1, 2)
    assert shown[what].plot(ax=second) is second
    assert second.has_data()
    assert second.get_xlabel() or second.get_ylabel()
    assert not first.has_data()


def test_the_fonts_that_a_caller_has_set_are_kept(shown):
    """A paper's figure has the fonts of the paper."""
    with mpl.rc_context({"font.family": ["serif"]}):
        axes = shown["comparison"].plot(ax=Figure().subplots())
    assert axes.xaxis.label.get_fontfamily() == ["serif"]


@pytest.mark.parametrize("what", FIGURES)
def test_legends_cover_no_text_in_the_column_of_a_paper(shown, what):
    """At 3.3 x 2 inches no tick, axis label or note lies under the legend."""
    figure = Figure(figsize=(3.3, 2), layout="constrained")
    axes = shown[what].plot(ax=figure.subplots())
    figure.draw_without_rendering()
    legend = axes.get_legend()
    own = set() if legend is None else set(legend.findobj(Text))
    texts = [text for text in axes.findobj(Text) if text.get_visible() and text.get_text() and text not in own]
    assert (
        legend is None
        or [text.get_text() for text in texts if text.get_window_extent().overlaps(legend.get_window_extent())] == []
    )


@pytest.mark.parametrize("what", FIGURES)
def test_given_axes_keep_their_title(shown, what):
    """The caption of a paper says what a figure is of: no title is set, and one that is there stays."""
    bare, named = Figure().subplots(1, 2)
    named.set_title("mine", loc="center", fontsize=7)
    for axes in (bare, named):
        shown[what].plot(ax=axes)
    assert [bare.get_title(loc=place) for place in PLACES] == ["", "", ""]
    assert [named.get_title(loc=place) for place in PLACES] == ["", "mine", ""]
    assert named.title.get_fontsize() == 7


@pytest.mark.parametrize("what", FIGURES)
def test_the_sizes_that_a_caller_has_set_are_kept(shown, what):
    """Labels, ticks and legend in the sizes of `rcParams`; all other texts follow `font.size`."""
    sizes = {"font.size": 20, "axes.labelsize": 5, "xtick.labelsize": 6, "ytick.labelsize": 7, "legend.fontsize": 4}
    with mpl.rc_context(sizes):
        axes = shown[what].plot(ax=Figure().subplots())
    axes.figure.draw_without_rendering()
    assert axes.xaxis.label.get_fontsize() == axes.yaxis.label.get_fontsize() == 5
    assert {text.get_fontsize() for text in axes.get_xticklabels()} == {6}
    assert {text.get_fontsize() for text in axes.get_yticklabels()} == {7}
    assert all(text.get_fontsize() > 10 for text in axes.texts)
    legend = axes.get_legend()
    assert legend is None or {text.get_fontsize() for text in legend.get_texts()} == {4}


def test_a_figure_of_its_own_is_one_of_pyplot(shown):
    """A notebook shows it on white, with dark ink in every theme."""
    with mpl.rc_context({"backend": "agg"}):
        from matplotlib import pyplot

        axes = shown["comparison"].plot()
        assert axes.figure.number in pyplot.get_fignums()
        assert mpl.colors.to_hex(axes.figure.get_facecolor()) == "#ffffff"
        pyplot.close(axes.figure)


def test_the_gap_of_a_result_is_what_the_bound_leaves_open(shown):
    """None where there is no plan or no bound, 0 where the bound meets the value."""
    assert shown["result"].gap == pytest.approx(0, abs=1e-9)
    assert shown["result of a heuristic"].gap is None
    assert replace(shown["result"], bound=shown["result"].cost / 2).gap == pytest.approx(0.5)
    assert shown["result without a plan"].gap is None


def test_a_result_holds_its_instance_but_is_not_compared_by_it():
    """Tables need it; the same run on a copy is the same result."""
    session = small_session()
    result = solve(session, "harpagon")
    assert result.of_instance is session
    assert replace(result, of_instance=None) == result
    assert "of_instance" not in repr(result)


ROOMS = ("core", "experiments", "files", "problems", "proving", "questions", "serving")
"""Where answers are made; studies and pages show theirs by themselves."""


def classes():
    """All classes of the rooms in which answers are made."""
    for module in pkgutil.walk_packages(euclio.__path__, "euclio."):
        if module.name.split(".")[1] not in ROOMS or module.name.endswith("__main__"):
            continue
        loaded = importlib.import_module(module.name)
        for thing in vars(loaded).values():
            if isinstance(thing, type) and thing.__module__ == module.name:
                yield thing


def test_no_class_of_answers_is_without_both():
    """Every kind of answer needs a view: plans, results, evaluations, comparisons, simulations and so on."""
    found = [c for c in classes() if is_dataclass(c) and c.__name__.endswith(ANSWERS) and c.__name__ not in INNER]
    lacking = [f"{c.__module__}.{c.__name__}" for c in found if not issubclass(c, Shown)]
    assert not lacking


def test_every_view_is_there():
    """Views are named by text; a name that is wrong would be seen as an object without a table only."""
    found = [c for c in classes() if issubclass(c, Shown) and c.__name__ not in HELD_BY_OTHERS]
    assert len(found) > 20
    for own in found:
        view = own._view()
        assert isinstance(view, View), own
        assert not issubclass(own, Framed) or view.rows is not None, own
        assert not issubclass(own, Plotted) or view.draw is not None, own
