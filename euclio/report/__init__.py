"""Reports: self-contained HTML pages and Markdown from the same blocks, with inlined SVG figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from euclio.core.lazy import callable_package, lazy_names

if TYPE_CHECKING:
    from euclio.core.figures import INK, MUTED, PALETTE, figure_style, svg_text
    from euclio.report.blocks import (
        Block,
        Code,
        Count,
        Counts,
        Facts,
        Figure,
        Fold,
        Heading,
        KeyNumber,
        KeyNumbers,
        Paragraph,
        Preformatted,
        Table,
        Tone,
    )
    from euclio.report.html import html_page
    from euclio.report.markdown import markdown_page

__all__ = [
    "INK",
    "MUTED",
    "PALETTE",
    "Block",
    "Code",
    "Count",
    "Counts",
    "Facts",
    "Figure",
    "Fold",
    "Heading",
    "KeyNumber",
    "KeyNumbers",
    "Paragraph",
    "Preformatted",
    "Table",
    "Tone",
    "figure_style",
    "html_page",
    "markdown_page",
    "svg_text",
]

# Figures are slow to import.
__getattr__ = lazy_names(
    __name__,
    {
        "euclio.core.figures": ["INK", "MUTED", "PALETTE", "figure_style", "svg_text"],
        "euclio.report.blocks": [
            "Block",
            "Code",
            "Count",
            "Counts",
            "Facts",
            "Figure",
            "Fold",
            "Heading",
            "KeyNumber",
            "KeyNumbers",
            "Paragraph",
            "Preformatted",
            "Table",
            "Tone",
        ],
        "euclio.report.html": ["html_page"],
        "euclio.report.markdown": ["markdown_page"],
    },
)

# `euclio.report` is this room and a verb.
callable_package(__name__, "euclio.verbs.report", "report")
