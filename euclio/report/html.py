"""Blocks to one self-contained HTML page: no scripts, no external resources, light and dark by the reader's setting."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from euclio.report.blocks import Block, Figure, Heading, Paragraph, Preformatted, Table

STYLE = """
:root { color-scheme: light dark; --ink: #1c1f23; --muted: #656b73; --line: #d9dce0; --paper: #ffffff;
  --mark: #fff4d6; --code: #f4f5f7; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --muted: #9aa1a9; --line: #3a3f45; --paper: #16181b;
  --mark: #3a3217; --code: #202327; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; padding-top: .75rem; border-top: 1px solid var(--line); }
p { max-width: 48rem; }
nav ul { columns: 2 20rem; padding-left: 1.2rem; margin: 0; }
a { color: inherit; }
.scroll { overflow-x: auto; margin: 1rem 0 1.5rem; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; line-height: 1.4; }
caption, figcaption { text-align: left; color: var(--muted); font-size: .9rem; }
caption { padding-bottom: .5rem; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { border-bottom-width: 2px; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.marked td { background: var(--mark); }
pre { background: var(--code); padding: .9rem 1rem; overflow-x: auto; font-size: .85rem; line-height: 1.45; }
figure { margin: 1.25rem 0 1.75rem; }
figure svg { width: 100%; height: auto; display: block; }
@media print { h2, figure, tr { break-inside: avoid; } }
"""


def html_page(title: str, blocks: Sequence[Block]) -> str:
    """A complete HTML document.

    Args:
        title: title of the page.
        blocks: its content, in order; headings make the table of contents.
    """
    headings = [b.text for b in blocks if isinstance(b, Heading)]
    contents = "".join(f'<li><a href="#{anchor(h)}">{escape(h)}</a></li>' for h in headings)
    body = "\n".join(_block(b) for b in blocks)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(title)}</h1>\n<nav><ul>{contents}</ul></nav>\n{body}\n</main>\n</body>\n</html>\n"
    )


def anchor(text: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f'<h2 id="{anchor(block.text)}">{escape(block.text)}</h2>'
    if isinstance(block, Paragraph):
        return f"<p>{escape(block.text)}</p>"
    if isinstance(block, Preformatted):
        return f"<pre>{escape(block.text)}</pre>"
    if isinstance(block, Figure):
        return f'<figure id="{block.key}">{block.svg}<figcaption>{escape(block.caption)}</figcaption></figure>'
    return _table(block)


def _table(table: Table) -> str:
    def cell(tag: str, k: int, text: str) -> str:
        style = ' class="number"' if k in table.numeric else ""
        return f"<{tag}{style}>{escape(text)}</{tag}>"

    head = "".join(cell("th", k, column) for k, column in enumerate(table.columns))
    rows = "\n".join(
        f"<tr{' class=marked' if i in table.marked else ''}>"
        + "".join(cell("td", k, text) for k, text in enumerate(row))
        + "</tr>"
        for i, row in enumerate(table.rows)
    )
    return (
        f'<div class="scroll"><table><caption>{escape(table.caption)}</caption>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )
