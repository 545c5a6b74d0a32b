"""Notebooks as pages, with their stored outputs; pictures stand in the page, so that it needs no network."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BLANK_LINES = re.compile(r"\n\s*\n")


def notebook_pages() -> dict[str, str]:
    """Notebooks by their path in the tree, with the path of the page that each becomes."""
    found = sorted((ROOT / "notebooks").glob("*.ipynb"))
    return {path.relative_to(ROOT).as_posix(): f"notebooks/{path.stem}.md" for path in found}


def as_markdown(path: Path) -> str:
    """A notebook as Markdown: code in fences, tables as HTML, pictures within the text."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join(part for cell in cells for part in _parts(cell)) + "\n"


def _parts(cell: dict[str, Any]) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    return [f"```python\n{source}\n```", *filter(None, map(_output, cell["outputs"]))]


def _output(output: dict[str, Any]) -> str:
    """The richest form of an output."""
    data = {kind: "".join(text) for kind, text in output.get("data", {}).items()}
    if "image/png" in data:
        picture = "".join(data["image/png"].split())
        return f'<p><img alt="What the cell above draws" src="data:image/png;base64,{picture}"></p>'
    if "text/html" in data:
        # An empty line would end the block of HTML.
        return f'<div class="output">{BLANK_LINES.sub(chr(10), data["text/html"])}</div>'
    text = "".join(output.get("text", "")) or data.get("text/plain", "")
    lines = html.escape(text.rstrip()).replace("\n\n", "\n&#8203;\n")
    return f'<pre class="output">{lines}</pre>' if lines else ""
