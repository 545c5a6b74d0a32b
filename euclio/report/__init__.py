"""Reports: self-contained HTML pages and Markdown from the same blocks, with inlined SVG figures."""

from euclio.core.figures import INK, MUTED, PALETTE, figure_style, svg_text
from euclio.report.blocks import Block, Facts, Figure, Heading, Paragraph, Preformatted, Table
from euclio.report.html import html_page
from euclio.report.markdown import markdown_page

__all__ = [
    "INK",
    "MUTED",
    "PALETTE",
    "Block",
    "Facts",
    "Figure",
    "Heading",
    "Paragraph",
    "Preformatted",
    "Table",
    "figure_style",
    "html_page",
    "markdown_page",
    "svg_text",
]
