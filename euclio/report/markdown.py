"""Blocks to Markdown; drawings stay in the HTML page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from euclio.report.blocks import (
    Block,
    Code,
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

# Texts in Markdown, which shows every sign of them as it is (CommonMark, and GitHub's tables).

_SIGNS = re.compile(
    r"""
      <(?=[A-Za-z/!?]|[^\s<>]+@)                  # a tag, a comment, a link, an address of mail
    | &(?=\#?[A-Za-z0-9]+;)
    | \\(?=[!-/:-@\[-`{-~]|$)                     # it would take the next sign's meaning, or break the line
    | `
    | (?<!\s)\*|\*(?!\s)                          # emphasis; between two spaces it is none,
    | (?<![A-Za-z0-9])_|_(?![A-Za-z0-9])          # nor within a word
    | ~(?=~)|(?<=~)~
    | \](?=[(\[:])                                # a link
    | \$(?=\S)|(?<=\S)\$                          # a formula, to GitHub
    """,
    re.VERBOSE | re.MULTILINE,
)
_BEGIN = re.compile(r"^[ \t]*(\d{0,9})([#>=]|[-+*](?=\s|$)|-(?=-)|(?<=\d)[.)](?=\s|$))", re.MULTILINE)
"""Beginnings that make a line a heading, a quotation or an item of a list, or the line above it a heading."""
_CLOSE = re.compile(r"(?:^|(?<=\s))#(?=#*\s*$)")
_AS_ENTITY = {"<": "&lt;", "&": "&amp;"}


def inline(text: str) -> str:
    """A text within a line, with its signs escaped."""
    return _SIGNS.sub(lambda found: _AS_ENTITY.get(found[0]) or f"\\{found[0]}", text)


def heading(text: str) -> str:
    """A text in a heading, with its signs escaped; number signs could close the heading."""
    return _CLOSE.sub(r"\\\g<0>", inline(text))


def paragraph(text: str) -> str:
    """A text at the start of a line, with its signs escaped."""
    return _BEGIN.sub(r"\1\\\2", inline(text))


def table_cell(text: str) -> str:
    """A text in one line of a table, in which a bar would end its cell."""
    line = " ".join(text.splitlines())
    return (code(line) if isinstance(text, Code) else inline(line)).replace("|", "\\|")


def code(text: str) -> str:
    """A text in a fixed-width font; nothing in it has a meaning."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") or fence != "`" else ""
    return f"{fence}{space}{text}{space}{fence}"


def fenced(text: str) -> str:
    """A block of text whose lines and columns matter."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}"


def markdown_page(title: str, blocks: Sequence[Block]) -> str:
    """A Markdown document; figures become titles and captions."""
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
    """The content of a fold, below its line as a heading, since Markdown hides nothing."""
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
    """A table; the hidden texts of its rows become the last column."""

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
