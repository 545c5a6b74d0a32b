"""Blocks to one self-contained HTML page: sortable tables, light and dark, nothing loaded from outside.

`page.css` and the two scripts stand next to this file and are put into the page; without scripts it reads the same, in
the system's theme and the order of the report.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

from euclio.report.blocks import Block, Figure, Heading, KeyNumbers
from euclio.report.html_blocks import block_html

NOTHING_FROM_OUTSIDE = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""Content security policy: the browser itself refuses any external resource."""

THEME_SWITCH = (
    '<label class="theme" hidden>theme <select autocomplete="off">'
    "<option>system</option><option>light</option><option>dark</option></select></label>"
)


@dataclass(frozen=True, slots=True)
class Live:
    """What a script of its own makes of a page, above its blocks, which alone are there without scripts.

    Attributes:
        html: where the script works, and its data.
        css: styles of what it makes.
        script: an ES module.
    """

    html: str
    css: str
    script: str


def html_page(title: str, blocks: Sequence[Block], live: Live | None = None) -> str:
    """A complete HTML document.

    Args:
        title: title of the page.
        blocks: its content, in order; headings make the table of contents, which stands below what opens the page.
        live: what a script makes of it; None: nothing.
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
    """How many blocks open the page: key numbers, and the pictures that follow them."""
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
