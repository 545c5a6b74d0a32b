"""Blocks to one self-contained HTML page: sortable tables, light and dark, nothing loaded from outside.

`page.css` and the two scripts next to this file become parts of the page. Without scripts it reads the same, in the
system's theme and the order of the report.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import quote

from euclio.report.blocks import (
    Block,
    Code,
    Counts,
    Facts,
    Figure,
    Fold,
    Heading,
    KeyNumbers,
    Paragraph,
    Preformatted,
    Table,
    Tone,
)

LONG_TABLE = 12
"""Rows above which a table has a box to filter them by."""
WIDE_NUMBER = 16
"""Characters from which a number, such as an interval, may take two lines, so that texts beside it stay in sight."""
_KEPT = ",.;:/()!*=+@$ "
"""Characters that the address of data keeps as they are; the link is in double quotes."""
SHORT_TEXT, LONG_TEXT = 24, 60
"""Most characters of a cell on one line, and the number above which a cell gets room to wrap."""


def block_html(block: Block, name: str = "") -> str:
    """A block as HTML.

    Args:
        block: the block.
        name: anchor of a heading.
    """
    if isinstance(block, Heading):
        return f'<h{block.level} id="{name}">{escape(block.text)}</h{block.level}>'
    if isinstance(block, Paragraph):
        return f"<p>{escape(block.text)}</p>"
    if isinstance(block, Preformatted):
        return f"<pre>{escape(block.text)}</pre>"
    if isinstance(block, Figure):
        drawing = f'<div class="drawing">{block.svg}</div>'
        caption = f"<figcaption>{escape(block.caption)}{_download(block)}</figcaption>"
        return f'<figure id="{block.key}">{drawing}{caption}</figure>'
    if isinstance(block, Facts):
        return "<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in block.pairs) + "</dl>"
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, KeyNumbers):
        return _key_numbers(block)
    return _counts(block) if isinstance(block, Counts) else _fold(block)


def _download(block: Figure) -> str:
    """A link that saves the data of a figure, which the page holds; nothing if there are none."""
    if not block.data:
        return ""
    address = f"data:text/csv;charset=utf-8,{quote(block.data, safe=_KEPT)}"
    return f' <a download="{block.key}.csv" href="{address}">data (CSV)</a>'


def _key_numbers(block: KeyNumbers) -> str:
    parts = [
        f'<div class="key"><b>{escape(n.value)}</b><span>{escape(n.label)}</span>'
        + (f"<small>{escape(n.note)}</small>" if n.note else "")
        + "</div>"
        for n in block.numbers
    ]
    return f'<div class="keys">{"".join(parts)}</div>'


def _counts(block: Counts) -> str:
    """A bar with parts as wide as their counts, above a legend that names them."""
    bar = "".join(
        f'<i class="tone-{part.tone}" style="flex-grow:{part.n}" title="{escape(part.label)}: {part.n}">{part.n}</i>'
        for part in block.parts
        if part.n
    )
    legend = "".join(
        f"<li{'' if part.n else ' class=none'}>{_label(part.tone, str(part.n))} <span><b>{escape(part.label)}</b>"
        + (f" <small>{escape(part.note)}</small>" if part.note else "")
        + "</span></li>"
        for part in block.parts
    )
    return (
        f'<figure class="counts"><figcaption>{escape(block.caption)}</figcaption>'
        f'<div class="bar" aria-hidden="true">{bar}</div><ul>{legend}</ul></figure>'
    )


def _fold(block: Fold) -> str:
    counts = "".join(_label(c.tone, f"{c.n} {c.label}") for c in block.counts if c.n)
    inside = "\n".join(block_html(part) for part in block.blocks)
    key = f' id="{block.key}"' if block.key else ""
    return (
        f"<details{key}{'' if block.closed else ' open'}><summary><span>{escape(block.summary)}</span> "
        f'<span class="labels">{counts}</span></summary>\n{inside}\n</details>'
    )


def _label(tone: Tone, text: str) -> str:
    return f'<em class="label tone-{tone}">{escape(text)}</em>'


def _table(table: Table) -> str:
    sortable = len(table.rows) > 1
    heading = '<button type="button">{}</button>' if sortable else "{}"
    head = "".join(
        f'<th scope="col"{_class(table, k)}>{heading.format(escape(column))}</th>'
        for k, column in enumerate(table.columns)
    )
    behind = table.behind or ("",) * len(table.rows)
    rows = "\n".join(
        f"<tr{' class=marked' if i in table.marked else ''}>{_cells(table, row, behind[i])}</tr>"
        for i, row in enumerate(table.rows)
    )
    classes = " ".join(name for name, so in (("sortable", sortable), ("stacks", table.stacks)) if so)
    names = f' class="{classes}"' if classes else ""
    caption = f"<figcaption>{escape(table.caption)}</figcaption>" if table.caption else ""
    return (
        f"<figure>{caption}{_filter(table)}"
        f'<div class="scroll"><table{names}><thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div></figure>"
    )


def _cells(table: Table, row: Sequence[str], behind: str) -> str:
    """The cells of a row, the last of which opens the hidden text; in stacked rows each names its column."""
    tones = dict(table.tones)
    parts = []
    for k, text in enumerate(row):
        name = f' data-column="{escape(table.columns[k])}"' if table.stacks else ""
        content = _label(tones[text], text) if text in tones else _plain(text)
        if behind and k == len(row) - 1:
            opened = "".join(f"<p>{_unbroken(line)}</p>" for line in behind.splitlines())
            fold = f"<details><summary>{content}</summary>{opened}</details>"
            parts.append(f"<td class=fold{name}>{fold}</td>")
        else:
            parts.append(f"<td{_class(table, k, text)}{name}>{content}</td>")
    return "".join(parts)


def _plain(text: str) -> str:
    return f"<code>{escape(text)}</code>" if isinstance(text, Code) else escape(text)


def _unbroken(text: str) -> str:
    """Text without a line break between a number and its sign of per cent."""
    return escape(text).replace(" %", "&nbsp;%")


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


NOTHING_FROM_OUTSIDE = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""Content security policy: the browser itself refuses any external resource."""

THEME_SWITCH = (
    '<label class="theme" hidden>theme <select autocomplete="off">'
    "<option>system</option><option>light</option><option>dark</option></select></label>"
)


@dataclass(frozen=True, slots=True)
class Live:
    """The part of a page that a script of its own makes, above its blocks; without scripts only the blocks show.

    Attributes:
        html: the place of the script's output, and its data.
        css: styles of that output.
        script: an ES module.
    """

    html: str
    css: str
    script: str


def html_page(title: str, blocks: Sequence[Block], live: Live | None = None) -> str:
    """A complete HTML document.

    Args:
        title: title of the page.
        blocks: its content, in order; headings make the table of contents, which follows the opening blocks.
        live: the part that a script makes; None if there is none.
    """
    anchors = _anchors(blocks)
    links = [
        f'<li{" class=deeper" if b.level > 2 else ""}><a href="#{anchors[k]}">{escape(b.text)}</a></li>'
        for k, b in enumerate(blocks)
        if isinstance(b, Heading)
    ]
    parts = [block_html(b, anchors.get(k, "")) for k, b in enumerate(blocks)]
    first = _opening(blocks)
    contents = f"<nav><ul>{''.join(links)}</ul></nav>"
    body = "\n".join([*parts[:first], contents, *parts[first:]])
    css, script = "", ""
    if live is not None:
        body, css = f"{live.html}\n{body}", live.css
        script = f'<script type="module">\n{live.script}</script>\n'
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{NOTHING_FROM_OUTSIDE}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<script>\n{part('theme.js')}</script>\n"
        f"<style>\n{part('page.css')}{css}</style>\n</head>\n<body>\n<main>\n"
        f"<header><h1>{escape(title)}</h1>{THEME_SWITCH}</header>\n"
        f"{body}\n</main>\n<script>\n{part('page.js')}</script>\n{script}</body>\n</html>\n"
    )


def _opening(blocks: Sequence[Block]) -> int:
    """Number of opening blocks: key numbers, and the pictures that follow them."""
    if not blocks or not isinstance(blocks[0], KeyNumbers):
        return 0
    return next((k for k, block in enumerate(blocks) if not isinstance(block, KeyNumbers | Figure)), len(blocks))


@cache
def part(name: str) -> str:
    """A style or script that stands next to this file."""
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
