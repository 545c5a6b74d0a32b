"""Blocks to Markdown; drawings stay in the HTML page."""

from __future__ import annotations

from collections.abc import Sequence

from euclio.report.blocks import Block, Facts, Figure, Heading, Paragraph, Preformatted, Table


def markdown_page(title: str, blocks: Sequence[Block]) -> str:
    """A Markdown document; of figures only titles and captions stay."""
    parts = [f"# {title}", *(_block(block) for block in blocks)]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {block.text}"
    if isinstance(block, Paragraph):
        return block.text
    if isinstance(block, Preformatted):
        return f"```text\n{block.text}\n```"
    if isinstance(block, Figure):
        return f"*Figure: {_sentence(block.title)}{block.caption}*"
    if isinstance(block, Facts):
        return "\n".join(f"- **{name}**: {fact}" for name, fact in block.pairs)
    return _table(block)


def _sentence(title: str) -> str:
    """A title as a sentence before another one."""
    return "" if not title else f"{title} " if title.endswith(("?", ".", "!")) else f"{title}. "


def _table(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    rule = ["---:" if k in table.numeric else "---" for k in range(len(table.columns))]
    return "\n".join([table.caption, "", line(table.columns), line(rule), *(line(row) for row in table.rows)])
