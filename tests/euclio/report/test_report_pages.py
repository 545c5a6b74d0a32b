import re

from matplotlib.figure import Figure as Drawing

from euclio.report import (
    Count,
    Counts,
    Facts,
    Figure,
    Fold,
    Heading,
    KeyNumber,
    KeyNumbers,
    Paragraph,
    Table,
    Tone,
    figure_style,
    html_page,
    markdown_page,
    svg_text,
)


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


COUNTS = Counts("Three", (Count("good ones", 2, Tone.GOOD, "they are good"), Count("bad ones", 0, Tone.BAD)))


def test_counts_are_a_bar_of_what_there_is_and_a_legend_of_everything() -> None:
    page = html_page("T", [COUNTS])
    assert page.count("flex-grow:") == 1
    assert '<em class="label tone-bad">0</em>' in page
    assert "- **2** good ones (they are good)\n- **0** bad ones" in markdown_page("T", [COUNTS])


def test_key_numbers_and_their_pictures_stand_above_the_contents() -> None:
    opening = [KeyNumbers((KeyNumber("91 %", "optimal", "published 92 %"),)), Figure("f", drawing("f"), "dots")]
    page = html_page("T", [*opening, Heading("One")])
    assert page.index("91 %") < page.index("<svg") < page.index("<nav>") < page.index('<h2 id="one">')
    assert "- **91 %** optimal (published 92 %)" in markdown_page("T", opening)


def test_contents_stand_first_where_no_number_opens_the_page() -> None:
    page = html_page("T", [Figure("f", drawing("f"), "dots"), Heading("One")])
    assert page.index("<nav>") < page.index("<svg")


def test_a_fold_shows_its_counts_and_is_a_heading_in_markdown() -> None:
    fold = Fold("§IV-B", (Paragraph("inside"),), COUNTS.parts)
    page = html_page("T", [fold])
    assert "<details><summary><span>§IV-B</span>" in page
    assert '<em class="label tone-good">2 good ones</em></span></summary>' in page
    assert "### §IV-B: 2 good ones\n\ninside" in markdown_page("T", [fold])


def test_what_is_behind_a_row_is_opened_by_its_last_cell() -> None:
    table = Table("", ("what", "verdict"), (("a", "agrees"), ("b", "odd")), behind=("5 % off\nmore", ""), stacks=True)
    page = html_page("T", [table])
    assert "<summary>agrees</summary><p>5&nbsp;% off</p><p>more</p></details></td>" in page
    assert '<td data-column="verdict">odd</td>' in page
    assert "| what | verdict | why |" in markdown_page("T", [table])
    assert "| a | agrees | 5 % off more |" in markdown_page("T", [table])


def test_words_with_a_tone_are_labels() -> None:
    table = Table("", ("verdict",), (("agrees",),), tones=(("agrees", Tone.GOOD),))
    assert '<td><em class="label tone-good">agrees</em></td>' in html_page("T", [table])
