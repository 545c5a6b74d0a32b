"""Blocks to Markdown; drawings stay in the HTML page."""

from __future__ import annotations

from collections.abc import Sequence

from euclio.report.blocks import (
    Block,
    Count,
    Counts,
    Facts,
    Figure,
    Fold,
    Heading,
    KeyNumbers,
    Paragraph,
    Preformatted,
    Table,
)
from euclio.report.markdown_text import fenced, heading, inline, paragraph, table_cell


def markdown_page(title: str, blocks: Sequence[Block]) -> str:
    """A Markdown document; of figures only titles and captions stay."""
    parts = [f"# {heading(title)}", *(_block(block) for block in blocks)]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {heading(block.text)}"
    if isinstance(block, Paragraph):
        return paragraph(block.text)
    if isinstance(block, Preformatted):
        return fenced(block.text)
    if isinstance(block, Figure):
        return f"*Figure: {inline(_sentence(block.title) + block.caption)}*"
    if isinstance(block, Facts):
        return "\n".join(f"- **{inline(name)}**: {inline(fact)}" for name, fact in block.pairs)
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, KeyNumbers):
        return "\n".join(_item(f"**{inline(n.value)}** {inline(n.label)}", inline(n.note)) for n in block.numbers)
    if isinstance(block, Counts):
        return "\n".join(
            [
                paragraph(block.caption),
                "",
                *(_item(f"**{c.n}** {inline(c.label)}", inline(c.note)) for c in block.parts),
            ]
        )
    return _fold(block)


def _item(text: str, note: str) -> str:
    """A line of a list, its note in brackets."""
    return f"- {text}" + (f" ({note})" if note else "")


def _fold(block: Fold) -> str:
    """What a fold holds, below its line as a heading: Markdown hides nothing."""
    counts = count_text(block.counts)
    title = f"### {heading(block.summary + (f': {counts}' if counts else ''))}"
    return "\n\n".join([title, *(_block(part) for part in block.blocks)])


def count_text(counts: Sequence[Count]) -> str:
    """Counts in words, those that are not 0."""
    return ", ".join(f"{c.n} {c.label}" for c in counts if c.n)


def _sentence(title: str) -> str:
    """A title as a sentence before another one."""
    return "" if not title else f"{title} " if title.endswith(("?", ".", "!")) else f"{title}. "


def _table(table: Table) -> str:
    """A table; what stands behind its rows is its last column."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(map(table_cell, cells)) + " |"

    columns, rows = table.columns, table.rows
    if table.behind:
        columns = (*columns, "why")
        rows = tuple((*row, text) for row, text in zip(rows, table.behind, strict=True))
    rule = ["---:" if k in table.numeric else "---" for k in range(len(columns))]
    return "\n".join(
        [*([paragraph(table.caption), ""] if table.caption else []), line(columns), line(rule), *map(line, rows)]
    )
