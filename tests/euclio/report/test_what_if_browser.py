"""The what-if page and the widget in a real browser: sliders by keyboard, what is shown, narrow windows, offline."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Heard, chromium, opened
from tiny_sessions import tiny_session

from euclio.questions.sweep.grid import Swept
from euclio.questions.sweep.question import question, sweep
from euclio.report.what_if.page import page as page_text
from euclio.report.what_if.parts import KnownPlans, notebook_style, script

pytestmark = [pytest.mark.browser, pytest.mark.slow]

GRID: dict[str, Any] = {
    "rates": [5, 10, 20],
    "slos": ["0.1", "0.9", 1],
    "prices": {"V100": ["1.5", 3]},
    "stock": {"V100": [1, None]},
}
DARK, LIGHT = "rgb(22, 24, 27)", "rgb(255, 255, 255)"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def found() -> Swept:
    return sweep(tiny_session(), **GRID)


@pytest.fixture(scope="module")
def file(found: Swept, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("what-if") / "page.html"
    path.write_text(page_text(found), encoding="utf-8")
    return path


@pytest.fixture
def page(browser: Any, file: Path) -> Iterator[Any]:
    with opened(browser, file) as (one, _):
        yield one


def slider(page: Any, label: str) -> Any:
    return page.get_by_label(label, exact=True)


def costs(page: Any) -> list[str]:
    """The costs in large letters, by way of charging."""
    return [str(text) for text in page.locator(".keys b").all_text_contents()]


def said(found: Swept, *place: int) -> list[str]:
    """What the solver says of a place, as the page writes it."""
    points = [found.points[place, way] for way in found.question.chargings]
    return ["no plan" if point.result.value is None else point.cost_in_words() for point in points]


def test_it_opens_at_the_sessions_own_values(page: Any, found: Swept) -> None:
    assert [page.locator(".axis .value").nth(k).text_content() for k in range(4)] == [
        "10 req/s",
        "1 s",
        "1.5 per hour",
        "no limit",
    ]
    assert costs(page) == said(found, 1, 2, 0, 1)


def test_every_place_is_reached_by_keyboard_and_shows_what_the_solver_said(page: Any, found: Swept) -> None:
    """Arrows along three axes, and the end keys: after each, both costs are those of the place."""
    slider(page, "rate").focus()
    place = [1, 2, 0, 1]
    for key, axis, k in [
        ("ArrowRight", 0, 2),
        ("Tab", 0, 2),
        ("ArrowLeft", 1, 1),
        ("Home", 1, 0),
        ("End", 1, 2),
        ("Tab", 1, 2),
        ("End", 2, 1),
        ("Tab", 2, 1),
        ("Home", 3, 0),
    ]:
        page.keyboard.press(key)
        place[axis] = k
        assert costs(page) == said(found, *place), key


def test_sliders_say_their_values_to_readers_of_the_screen(page: Any) -> None:
    slider(page, "SLO").press("Home")
    assert slider(page, "SLO").get_attribute("aria-valuetext") == "0.1 s"
    assert page.locator("[role=status]").text_content().startswith("charged by share: ")
    assert page.locator("input[type=range]").count() == 4


def test_where_there_is_no_plan_it_says_why_and_marks_the_curve(page: Any, found: Swept) -> None:
    """20 req/s within 0.1 s on one V100: neither way of charging has a plan, which crosses on the curve show."""
    slider(page, "rate").press("End")
    slider(page, "stock of V100").press("Home")
    slider(page, "SLO").press("Home")
    assert costs(page) == said(found, 2, 0, 0, 0) == ["no plan", "no plan"]
    assert "more than the SLO of 0.1 s" in page.locator(".limits").text_content()
    assert page.locator("svg path.none").count() >= 2


def test_bars_have_the_machines_of_the_plan(page: Any, found: Swept) -> None:
    slider(page, "rate").press("End")
    point = found.points[(2, 2, 0, 1), found.question.chargings[1]]
    row = page.locator(".type").filter(has_text="V100")
    assert f"{float(point.machines['V100']):.4g} whole" in row.text_content()


def test_the_curve_is_of_the_axis_that_was_moved_last_and_rings_the_current_point(page: Any) -> None:
    slider(page, "price of V100").press("End")
    assert page.locator("svg .title").first.text_content() == "price of V100 (per hour)"
    ring = page.locator("svg circle.ring").first.bounding_box()
    dots = page.locator("svg circle.dot.way-0").all()
    boxes = [dot.bounding_box() for dot in dots]
    assert ring["x"] + ring["width"] / 2 == pytest.approx(max(box["x"] + box["width"] / 2 for box in boxes), abs=0.5)


def test_a_point_of_the_curve_moves_the_slider(page: Any, found: Swept) -> None:
    slider(page, "rate").press("End")
    page.locator("svg circle.dot.way-1").first.click()
    assert costs(page) == said(found, 0, 2, 0, 1)


def test_the_button_goes_back(page: Any, found: Swept) -> None:
    slider(page, "rate").press("End")
    page.get_by_role("button", name="back to the file").click()
    assert costs(page) == said(found, 1, 2, 0, 1)


@pytest.mark.parametrize("width", [400, 1200])
def test_page_is_no_wider_than_the_window(browser: Any, file: Path, width: int) -> None:
    with opened(browser, file, width=width) as (page, _):
        slider(page, "SLO").press("Home")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("theme", "colour"), [("light", LIGHT), ("dark", DARK)])
def test_it_follows_the_system(browser: Any, file: Path, theme: str, colour: str) -> None:
    with opened(browser, file, theme=theme) as (page, _):
        assert page.evaluate("getComputedStyle(document.querySelector('.what-if')).backgroundColor") == colour


def test_nothing_is_asked_for_or_complained_of(browser: Any, file: Path) -> None:
    with opened(browser, file) as (page, heard):
        slider(page, "rate").press("End")
        page.wait_for_load_state("networkidle")
        assert heard == Heard()


def test_one_point_is_shown_without_sliders(browser: Any, tmp_path: Path) -> None:
    """Every value given once leaves nothing to move, and a page that still says what the plan costs."""
    alone = sweep(tiny_session(), rates=[10], slos=[1], prices={"V100": [1]}, stock={"V100": [9]})
    path = tmp_path / "page.html"
    path.write_text(page_text(alone), encoding="utf-8")
    with opened(browser, path) as (page, heard):
        assert costs(page) == said(alone)
        assert (page.locator(".what-if input").count(), heard) == (0, Heard())


def test_without_scripts_the_table_stands_alone(browser: Any, file: Path, found: Swept) -> None:
    with opened(browser, file, scripts=False) as (page, _):
        assert not page.locator("#what-if").is_visible()
        assert page.get_by_text("the table below has all points").is_visible()
        assert page.locator("tbody tr").count() == len(found.points) // 2


def test_print_keeps_the_values_and_leaves_the_controls_out(page: Any) -> None:
    page.emulate_media(media="print")
    visible = [page.locator(one).first.is_visible() for one in (".axis .value", ".keys b", "svg", ".axis input")]
    assert [*visible, page.get_by_role("button", name="back").is_visible()] == [True, True, True, False, False]


def test_controls_keep_their_keys_in_a_notebook(page: Any) -> None:
    """JupyterLab takes arrow keys for its own shortcuts but from what has this mark, on the control itself."""
    controls = page.locator(".what-if :is(input, select, button)")
    marked = page.locator(".what-if :is(input, select, button)[data-lm-suppress-shortcuts]")
    assert controls.count() == marked.count() == 6


@pytest.fixture
def notebook(browser: Any, tmp_path: Path) -> Iterator[tuple[Any, KnownPlans, list[str]]]:
    """The widget's script with its kernel's side, and a model between them as anywidget makes one."""
    known, calls = KnownPlans(Swept(question(tiny_session(), **GRID))), []

    def solved(place: list[int]) -> Any:
        calls.append(",".join(map(str, place)))
        return known.points(tuple(place))

    start = known.swept.question.start
    state = {"grid": known.grid(), "live": True, "points": {",".join(map(str, start)): known.points(start)}}
    model = """
    const heard = {};
    const state = STATE;
    const model = { get: (name) => state[name], set: (name, value) => { state[name] = value; },
      on: (name, told) => { heard[name] = told; }, off() {},
      save_changes: async () => { const asked = state.asked; const points = await window.solved(asked.place);
        state.answer = { ...asked, points }; heard["change:answer"](); } };
    window.begin = () => render({ model, el: document.getElementById("here") });
    """.replace("STATE", json.dumps(state))
    path = tmp_path / "notebook.html"
    path.write_text(
        f'<!DOCTYPE html><html><head><meta charset="utf-8"><style>{notebook_style()}</style></head>'
        f'<body><div id="here"></div><script type="module">{script()}{model}</script></body></html>',
        encoding="utf-8",
    )
    with opened(browser, path) as (page, heard):
        page.expose_function("solved", solved)
        page.evaluate("window.begin()")
        yield page, known, calls
        assert heard.console == []


def test_a_widget_solves_what_a_slider_rests_at(notebook: Any, found: Swept) -> None:
    """A place that is not known is asked for, and shown once the kernel answers."""
    page, _, calls = notebook
    slider(page, "price of V100").press("End")
    slider(page, "rate").press("End")
    page.wait_for_function("!document.querySelector('.what-if').hasAttribute('data-waits')")
    assert costs(page) == said(found, 2, 2, 1, 1)
    assert "2,2,1,1" in calls


def test_a_widget_asks_once_for_each_place_and_comes_to_rest(notebook: Any) -> None:
    """Neighbours and the curve follow the own point one by one; what is known is not asked for again."""
    page, known, calls = notebook
    slider(page, "rate").press("End")
    page.wait_for_function("document.querySelectorAll('svg circle.dot, svg path.none').length >= 6")
    page.wait_for_timeout(600)
    assert len(calls) == len(set(calls))
    assert len(calls) < known.swept.question.plans // 2


def test_a_widget_does_not_ask_for_what_is_passed_quickly(notebook: Any) -> None:
    """Keys that follow at once leave no time to ask for the places between, but for those near where it began."""
    page, _, calls = notebook
    slider(page, "SLO").focus()
    page.evaluate(
        "() => { const box = document.querySelectorAll('input[type=range]')[1];"
        " for (const k of [1, 0]) { box.value = k; box.dispatchEvent(new Event('input')); } }"
    )
    page.wait_for_function("!document.querySelector('.what-if').hasAttribute('data-waits')")
    assert calls[0] == "1,0,0,1"
