import re

from matplotlib.figure import Figure as Drawing

from euclio.report import Facts, Figure, Heading, Paragraph, Table, figure_style, html_page, markdown_page, svg_text


def drawing(key: str) -> str:
    with figure_style():
        figure = Drawing(figsize=(2, 1))
        figure.subplots().plot([0, 1], [0, 1])
        return svg_text(figure, key, "a line")


def test_the_same_figure_is_the_same_text() -> None:
    assert drawing("a") == drawing("a")


def test_ids_of_two_figures_differ() -> None:
    def ids(text: str) -> set[str]:
        return {part.split('"')[0] for part in text.split(' id="')[1:]}

    assert ids(drawing("a")).isdisjoint(ids(drawing("b")))


def test_text_and_axes_take_the_colours_of_the_page() -> None:
    assert "var(--ink)" in drawing("a")


def test_page_is_self_contained() -> None:
    page = html_page("Title", [Heading("One & two"), Figure("f", drawing("f"), "a line")])
    for outside in ("<script ", "<link", "src=", "@import", 'href="http'):
        assert outside not in page


def test_contents_link_to_headings() -> None:
    page = html_page("Title", [Heading("One & two")])
    assert '<a href="#one-two">One &amp; two</a>' in page


def test_label_of_a_figure_is_escaped() -> None:
    with figure_style():
        text = svg_text(Drawing(figsize=(1, 1)), "a", 'under 5 % of "best"')
    assert 'aria-label="under 5 % of &quot;best&quot;"' in text


def test_text_is_escaped() -> None:
    page = html_page("a < b", [Paragraph("<b>"), Table("<c>", ("<d>",), (("<e>",),))])
    for tag in ("<b>", "<c>", "<d>", "<e>"):
        assert tag not in page


def test_markdown_table_aligns_numbers_and_escapes_bars() -> None:
    text = markdown_page("T", [Table("caption", ("what", "n"), (("a|b", "1"),), frozenset({1}))])
    assert "| --- | ---: |" in text
    assert "a\\|b" in text


def test_markdown_names_figures() -> None:
    assert markdown_page("T", [Figure("f", "<svg/>", "Lower is better.", "How far?")]).endswith(
        "*Figure: How far? Lower is better.*\n"
    )


def test_markdown_ends_titles_of_figures() -> None:
    assert "*Figure: Who wins? By plan. Read it so.*" in markdown_page(
        "T", [Figure("f", "<svg/>", "Read it so.", "Who wins? By plan")]
    )


def test_facts_are_a_list_in_markdown() -> None:
    assert "- **runs**: 3" in markdown_page("T", [Facts((("runs", "3"),))])


def test_names_are_no_formulas() -> None:
    with figure_style():
        figure = Drawing(figsize=(2, 1))
        figure.subplots().set_title("a$\\foo{$b")
        assert "a$\\foo{$b" in svg_text(figure, "a", "a title")


def test_coordinates_are_hundredths_of_a_point() -> None:
    assert not re.search(r' d="[^"]*\.\d{3}', drawing("a"))
