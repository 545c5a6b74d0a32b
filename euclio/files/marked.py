"""Parts of a text file that a command writes: what stands between two marks is put in anew, the rest stays (ours)."""

from __future__ import annotations

from pathlib import Path

from euclio.core.errors import InputError
from euclio.files.json_writing import write_text


def put_between(path: Path, name: str, part: str) -> None:
    """Write a part of a Markdown file between `<!-- name -->` and `<!-- /name -->`, each on a line of its own.

    Args:
        path: the file.
        name: name of the marks.
        part: what is to stand between them.

    Raises:
        InputError: the file cannot be read, or has not each mark once and in this order.
    """
    begin, end = f"<!-- {name} -->\n", f"\n<!-- /{name} -->"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        raise InputError(f"{path} cannot be read as text; name a Markdown file", field="page") from None
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) + len(begin) > text.index(end) + 1:
        raise InputError(
            f"{path} has no place for {name}; give it the lines {begin.strip()} and {end.strip()}", field="page"
        )
    # Where nothing stands between the marks, the line end of the one is that before the other.
    before, after = text[: text.index(begin)], text[text.index(end) + len(end) :]
    # Without empty lines around it a table would be part of the comment.
    write_text(f"{before}{begin}\n{part.strip()}\n{end}{after}", path)
