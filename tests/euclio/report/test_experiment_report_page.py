"""The page of an experiment, as blocks and in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Heard, chromium, opened
from run_frames import run, runs, two_solvers

from euclio.report import Block, Figure, Heading, Paragraph, Table, html_page
from euclio.report.analysis.panels import goals
from euclio.report.analysis.references import with_references
from euclio.report.experiment.goal_section import headline, telling_sizes
from euclio.report.experiment.page import completeness, report_blocks

# Not in the quick tier: a browser.
pytestmark = pytest.mark.slow

INK = {"light": "rgb(28, 31, 35)", "dark": "rgb(232, 234, 237)"}
TRACE = [[0.01, 3.0, None], [0.05, 2.0, 1.0]]


@pytest.fixture(scope="module")
def several() -> list[Block]:
    """Two goals; the solver of one reports traces."""
    rows = [run(label=name, value=value) for name, value in (("exact", 2.0), ("fast", 2.5))]
    rows += [
        run("c", label, value, family="pipeline", objective="throughput", maximised=True, trace=trace)
        for label, value, trace in (("columns", 3.0, TRACE), ("dart-r", 2.0, []))
    ]
    return report_blocks(completeness(runs(*rows), {}))


@pytest.fixture(scope="module")
def file(several: list[Block], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(html_page("Experiment", several), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


def heuristic_alone() -> list[Block]:
    frame = two_solvers()
    return report_blocks(completeness(frame[frame.label == "fast"], {}))


def headings(blocks: list[Block], level: int) -> list[str]:
    return [block.text for block in blocks if isinstance(block, Heading) and block.level == level]


def keys(blocks: list[Block]) -> list[str]:
    return [block.key for block in blocks if isinstance(block, Figure)]


@pytest.mark.slow
def test_each_goal_has_a_section_of_its_own(several: list[Block]) -> None:
    goals = ["Clusters: throughput", "Sessions: cost"]
    last = ["Which proofs are certified?", "Runs without a plan"]
    assert headings(several, 2) == ["What was run", *goals, *last]


def test_a_single_goal_needs_no_section_of_its_own() -> None:
    assert headings(heuristic_alone(), 3) == []


def test_keys_of_figures_differ(several: list[Block]) -> None:
    assert len(set(keys(several))) == len(keys(several))


def test_traces_are_drawn_where_there_are_any(several: list[Block]) -> None:
    assert [key for key in keys(several) if key.endswith("trace")] == ["pipeline-throughput-trace"]


def test_same_results_are_the_same_page() -> None:
    assert html_page("x", heuristic_alone()) == html_page("x", heuristic_alone())


def test_headline_counts_plans_and_proofs_and_names_the_best() -> None:
    (part,) = goals(with_references(two_solvers()))
    assert headline(part) == (
        "6 sessions (cost): a plan is known for 6, and it is proven optimal for 6. The best known plan is found most "
        "often by exact (100.0 %), fast (50.0 %)."
    )


def test_sizes_that_do_not_vary_are_not_drawn() -> None:
    frame = with_references(two_solvers().assign(**{"feature.edges": 1.0}))
    assert telling_sizes(frame) == ["feature.modules"]


def test_without_any_plan_there_is_nothing_to_draw() -> None:
    frame = runs(run(value=None), run(label="fast", value=None, status="error", reason="ValueError: no"))
    blocks = report_blocks(completeness(frame, {}))
    assert (blocks[0], keys(blocks)) == (Paragraph("1 session (cost): no run found a plan."), [])


def test_a_bound_that_a_plan_beats_is_shown_first() -> None:
    frame = runs(run(value=2.0), run(label="other", value=1.0))
    first = report_blocks(completeness(frame, {}))[1:3]
    assert first[0] == Heading("Disagreements")
    assert isinstance(first[1], Table)
    assert first[1].rows == (("one", "full", "exact", "2", "1", "other"),)


@pytest.mark.browser
@pytest.mark.parametrize("width", [380, 1200])
def test_page_is_no_wider_than_the_window(browser: Any, file: Path, width: int) -> None:
    with opened(browser, file, width=width) as (page, _):
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.browser
def test_nothing_is_asked_for_or_complained_of(browser: Any, file: Path) -> None:
    with opened(browser, file) as (page, heard):
        page.wait_for_load_state("networkidle")
        assert heard == Heard()


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("theme", INK)
def test_figures_follow_the_theme(browser: Any, file: Path, theme: str) -> None:
    with opened(browser, file) as (page, _):
        page.get_by_label("theme").select_option(theme)
        fills = page.locator("svg text").evaluate_all("all => all.map(t => getComputedStyle(t).fill)")
        assert set(fills) & set(INK.values()) == {INK[theme]}
