"""Blocks to one self-contained HTML page: sortable tables, light and dark, nothing loaded from outside.

`page.css` and the two scripts stand next to this file and are put into the page; without scripts it reads the same, in
the system's theme and the order of the report.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path

from euclio.report.blocks import Block, Facts, Figure, Heading, Paragraph, Preformatted, Table

LONG_TABLE = 12
"""Rows above which a table has a box to filter them by."""
WIDE_NUMBER = 16
"""Characters from which a number, such as an interval, may take two lines, so that texts next to it stay in sight."""
SHORT_TEXT, LONG_TEXT = 24, 60
"""Characters up to which a cell stays on one line, and above which it is given room to wrap in."""

NOTHING_FROM_OUTSIDE = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""Content security policy: the browser itself refuses any external resource."""

THEME_SWITCH = (
    '<label class="theme" hidden>theme <select autocomplete="off">'
    "<option>system</option><option>light</option><option>dark</option></select></label>"
)


def html_page(title: str, blocks: Sequence[Block]) -> str:
    """A complete HTML document.

    Args:
        title: title of the page.
        blocks: its content, in order; headings make the table of contents.
    """
    anchors = _anchors(blocks)
    links = [
        f'<li{" class=deeper" if b.level > 2 else ""}><a href="#{anchors[k]}">{escape(b.text)}</a></li>'
        for k, b in enumerate(blocks)
        if isinstance(b, Heading)
    ]
    body = "\n".join(_block(b, anchors.get(k, "")) for k, b in enumerate(blocks))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{NOTHING_FROM_OUTSIDE}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<script>\n{_part('theme.js')}</script>\n"
        f"<style>\n{_part('page.css')}</style>\n</head>\n<body>\n<main>\n"
        f"<header><h1>{escape(title)}</h1>{THEME_SWITCH}</header>\n<nav><ul>{''.join(links)}</ul></nav>\n"
        f"{body}\n</main>\n<script>\n{_part('page.js')}</script>\n</body>\n</html>\n"
    )


@cache
def _part(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def anchor(text: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _anchors(blocks: Sequence[Block]) -> dict[int, str]:
    """Anchor of each heading by its position; equal headings are numbered."""
    seen: Counter[str] = Counter()
    anchors: dict[int, str] = {}
    for k, block in enumerate(blocks):
        if isinstance(block, Heading):
            name = anchor(block.text)
            seen[name] += 1
            anchors[k] = name if seen[name] == 1 else f"{name}-{seen[name]}"
    return anchors


def _block(block: Block, name: str) -> str:
    if isinstance(block, Heading):
        return f'<h{block.level} id="{name}">{escape(block.text)}</h{block.level}>'
    if isinstance(block, Paragraph):
        return f"<p>{escape(block.text)}</p>"
    if isinstance(block, Preformatted):
        return f"<pre>{escape(block.text)}</pre>"
    if isinstance(block, Figure):
        drawing = f'<div class="drawing">{block.svg}</div>'
        return f'<figure id="{block.key}">{drawing}<figcaption>{escape(block.caption)}</figcaption></figure>'
    if isinstance(block, Facts):
        return "<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in block.pairs) + "</dl>"
    return _table(block)


def _table(table: Table) -> str:
    sortable = len(table.rows) > 1
    heading = '<button type="button">{}</button>' if sortable else "{}"
    head = "".join(
        f'<th scope="col"{_class(table, k)}>{heading.format(escape(column))}</th>'
        for k, column in enumerate(table.columns)
    )
    rows = "\n".join(
        f"<tr{' class=marked' if i in table.marked else ''}>"
        + "".join(f"<td{_class(table, k, text)}>{escape(text)}</td>" for k, text in enumerate(row))
        + "</tr>"
        for i, row in enumerate(table.rows)
    )
    return (
        f"<figure><figcaption>{escape(table.caption)}</figcaption>{_filter(table)}"
        f'<div class="scroll"><table{" class=sortable" if sortable else ""}><thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div></figure>"
    )


def _class(table: Table, column: int, text: str = "") -> str:
    if column in table.numeric:
        return ' class="number wrap"' if len(text) > WIDE_NUMBER else " class=number"
    if len(text) <= SHORT_TEXT:
        return ""
    return " class=long" if len(text) > LONG_TEXT else " class=wrap"


def _filter(table: Table) -> str:
    if len(table.rows) <= LONG_TABLE:
        return ""
    return '<label class="filter" hidden>filter rows <input type="search" autocomplete="off"> <output></output></label>'
