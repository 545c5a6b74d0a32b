"""Pages in a real browser: sorting, filtering, themes, printing, offline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Heard, chromium, opened

from euclio.report import Count, Counts, Figure, Fold, Heading, KeyNumber, KeyNumbers, Paragraph, Table, Tone, html_page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROWS = (
    ("solver-10", "1,200.5 s"),
    ("solver-9", "-3"),
    ("Solver-1", ""),
    ("", "900"),
    ("solver-2", "∞"),
    ("solver-3", "-"),
)
LONG = tuple((f"instance {k}", str(k)) for k in range(30))
DARK, LIGHT = "rgb(22, 24, 27)", "rgb(255, 255, 255)"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    columns = ("solver", "time")
    blocks = [
        Heading("One"),
        Paragraph("a" * 300),
        Table("short", columns, ROWS, frozenset({1})),
        Heading("One", 3),
        Table("long", columns, LONG, frozenset({1})),
        Table("single", columns, LONG[:1]),
        Table("wide", tuple(f"column{k}" for k in range(40)), (("value",) * 40,) * 2),
    ]
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(html_page("Page", blocks), encoding="utf-8")
    return path


@pytest.fixture
def page(browser: Any, file: Path) -> Iterator[Any]:
    with opened(browser, file) as (found, _):
        yield found


def column(page: Any, index: int, table: int = 0) -> list[str]:
    """Cells of a column that are shown, from the top."""
    rows = page.locator("table").nth(table).locator("tbody tr")
    cells = rows.evaluate_all(f"rows => rows.filter(r => !r.hidden).map(r => r.cells[{index}].textContent)")
    return [str(cell) for cell in cells]


def header(page: Any, index: int) -> Any:
    return page.locator("table").first.locator("th").nth(index)


def paper(page: Any) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_numbers_are_sorted_as_numbers_with_empty_cells_last(page: Any) -> None:
    header(page, 1).get_by_role("button").click()
    assert column(page, 1) == ["-3", "900", "1,200.5 s", "∞", "", "-"]


def test_second_click_sorts_downwards_with_empty_cells_still_last(page: Any) -> None:
    header(page, 1).get_by_role("button").click(click_count=2)
    assert column(page, 1) == ["∞", "1,200.5 s", "900", "-3", "", "-"]


def test_third_click_restores_the_order_of_the_report(page: Any) -> None:
    header(page, 1).get_by_role("button").click(click_count=3)
    assert column(page, 1) == [row[1] for row in ROWS]


def test_names_are_sorted_by_the_numbers_in_them(page: Any) -> None:
    header(page, 0).get_by_role("button").click()
    assert column(page, 0) == ["Solver-1", "solver-2", "solver-3", "solver-9", "solver-10", ""]


def test_sorting_by_keyboard(page: Any) -> None:
    header(page, 1).get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert column(page, 1)[0] == "-3"


def test_only_the_sorted_column_says_so_to_readers_of_the_screen(page: Any) -> None:
    header(page, 0).get_by_role("button").click()
    header(page, 1).get_by_role("button").click()
    assert [header(page, k).get_attribute("aria-sort") for k in (0, 1)] == [None, "ascending"]


def test_a_table_of_one_row_offers_no_sorting(page: Any) -> None:
    assert page.locator("table").nth(2).locator("button").count() == 0


def test_filter_leaves_rows_with_all_its_words(page: Any) -> None:
    page.get_by_role("searchbox").fill("INSTANCE 7")
    assert column(page, 0, 1) == ["instance 7", "instance 17", "instance 27"]


def test_filter_says_how_many_rows_are_left(page: Any) -> None:
    page.get_by_role("searchbox").fill("27")
    assert page.locator("output").text_content() == "1 of 30 rows"


def test_only_long_tables_have_a_filter(page: Any) -> None:
    assert page.get_by_role("searchbox").count() == 1


@pytest.mark.parametrize(("system", "colour"), [("light", LIGHT), ("dark", DARK)])
def test_page_follows_the_system(browser: Any, file: Path, system: str, colour: str) -> None:
    with opened(browser, file, theme=system) as (page, _):
        assert paper(page) == colour


@pytest.mark.parametrize(("chosen", "colour"), [("light", LIGHT), ("dark", DARK), ("system", LIGHT)])
def test_theme_switch(page: Any, chosen: str, colour: str) -> None:
    page.get_by_label("theme").select_option("dark")
    page.get_by_label("theme").select_option(chosen)
    assert paper(page) == colour


def reload_with_memory(page: Any) -> None:
    """Reload the page until it finds what was stored before.

    A reload may get a new process of the browser, and now and then (2 of 300 on a busy machine) Chromium hands such
    a process an empty store. A page without its store rightly shows the system's theme, which says nothing here.
    """
    for _ in range(10):
        page.reload()
        if page.evaluate("localStorage.getItem('euclio-theme')") is not None:
            return
    pytest.fail("the browser keeps nothing: ten reloads found an empty store")


def test_theme_is_remembered(page: Any) -> None:
    page.get_by_label("theme").select_option("dark")
    reload_with_memory(page)
    assert (paper(page), page.get_by_label("theme").input_value()) == (DARK, "dark")


def test_remembered_theme_stands_before_the_body_is_read(page: Any) -> None:
    page.get_by_label("theme").select_option("dark")
    page.add_init_script(
        "new MutationObserver((_, self) => { if (document.body) { self.disconnect();"
        " window.early = document.documentElement.dataset.theme } })"
        ".observe(document, { childList: true, subtree: true })"
    )
    reload_with_memory(page)
    assert page.evaluate("window.early") == "dark"


def test_print_is_light_and_leaves_the_controls_out(page: Any) -> None:
    page.get_by_label("theme").select_option("dark")
    page.emulate_media(media="print")
    assert (paper(page), page.get_by_label("theme").is_visible(), page.get_by_role("searchbox").is_visible()) == (
        LIGHT,
        False,
        False,
    )


@pytest.mark.parametrize("width", [380, 1200])
def test_page_is_no_wider_than_the_window(browser: Any, file: Path, width: int) -> None:
    with opened(browser, file, width=width) as (page, _):
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_nothing_is_asked_for_or_complained_of(browser: Any, file: Path) -> None:
    with opened(browser, file) as (page, heard):
        header(page, 1).get_by_role("button").click()
        page.get_by_label("theme").select_option("dark")
        page.wait_for_load_state("networkidle")
        assert heard == Heard()


def test_equal_headings_have_anchors_of_their_own(page: Any) -> None:
    assert page.locator("h2, h3").evaluate_all("all => all.map(h => h.id)") == ["one", "one-2"]


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with everything that a scorecard is made of."""
    parts = tuple(Count(f"{tone} and some more words", 3, tone, "a note of some length " * 4) for tone in Tone)
    columns = ("number", "published", "measured", "95 % interval", "consistent settings", "verdict")
    row = ("a number with a long name " * 3, "1,234.5 %", "1,200.0 %", "1,100.0 to 1,300.0 %", "1 to 9 %", "odd")
    reasons = ("behind " * 60,) * 3
    numeric = frozenset({1, 2, 3, 4})
    table = Table("", columns, (row,) * 3, numeric, tones=(("odd", Tone.BAD),), behind=reasons, stacks=True)
    numbers = tuple(KeyNumber("91.5 %", "of the workloads " * 4, "published " * 9) for _ in range(3))
    blocks = [KeyNumbers(numbers), Heading("Card"), Counts("All", parts), Fold("§IV-C, Fig. 6", (table,), parts)]
    path = tmp_path_factory.mktemp("card") / "card.html"
    path.write_text(html_page("Card", blocks), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def drawing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with a figure that is wider than a telephone, and a table that fits everywhere."""
    svg = '<svg viewBox="0 0 900 300" width="900" height="300"><rect width="900" height="300"/></svg>'
    blocks = [Figure("wide", svg, "A wide figure."), Table("small", ("a", "b"), (("1", "2"),) * 2)]
    path = tmp_path_factory.mktemp("drawing") / "drawing.html"
    path.write_text(html_page("Drawing", blocks), encoding="utf-8")
    return path


def becomes(page: Any, holds: Callable[[], bool]) -> bool:
    """Whether something holds within 10 s; the page's own rules forbid to wait inside of it."""
    for _ in range(200):
        if holds():
            return True
        page.wait_for_timeout(50)
    return False


@pytest.mark.parametrize("width", [400, 1200])
def test_a_figure_wider_than_the_window_says_that_it_scrolls(browser: Any, drawing: Path, width: int) -> None:
    """Half a picture that looks like a whole one would be misread, so what is cut off is announced."""
    with opened(browser, drawing, width=width) as (page, _):
        box = page.locator(".drawing")
        wider = box.evaluate("box => box.scrollWidth > box.clientWidth + 1")
        cue = box.evaluate("box => getComputedStyle(box, '::before').content")
        assert becomes(page, lambda: (box.get_attribute("tabindex") == "0") == wider)
        assert wider == (width == 400)
        assert ("scroll sideways" in cue) == wider
        assert box.get_attribute("aria-label") == ("scrolls sideways" if wider else None)
        assert page.locator(".scroll").get_attribute("tabindex") is None
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_wide_figure_is_scrolled_by_keys(browser: Any, drawing: Path) -> None:
    with opened(browser, drawing, width=400) as (page, _):
        box = page.locator(".drawing[tabindex]")
        box.focus()
        page.keyboard.press("ArrowRight")
        assert becomes(page, lambda: box.evaluate("box => box.scrollLeft") > 0)


@pytest.mark.parametrize("width", [400, 1200])
def test_a_scorecard_is_no_wider_than_the_window_folded_or_open(browser: Any, card: Path, width: int) -> None:
    with opened(browser, card, width=width) as (page, _):
        for _ in range(2):
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.locator(".scroll").evaluate("box => box.scrollWidth <= box.clientWidth + 1")
            page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true })")


def test_rows_stack_only_where_the_window_is_narrow(browser: Any, card: Path) -> None:
    for width, shown in ((400, False), (1200, True)):
        with opened(browser, card, width=width) as (page, _):
            page.locator("main > details > summary").click()
            assert page.locator("thead").is_visible() == shown
            name = page.locator("td").nth(1).evaluate("cell => getComputedStyle(cell, '::before').content")
            assert ("published" in name) != shown


def test_a_verdict_opens_its_reason(browser: Any, card: Path) -> None:
    with opened(browser, card) as (page, _):
        page.locator("main > details > summary").click()
        assert not page.locator("td.fold p").first.is_visible()
        page.locator("td.fold summary").first.click()
        assert page.locator("td.fold p").first.is_visible()
