"""Answers that a tool keeps in a file between its runs, a line of JSON each, so that no long search is made twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def known_answers(path: Path | None) -> list[Any]:
    """What a file holds; nothing where there is none."""
    if path is None or not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def keep_answers(path: Path | None, *answers: Any) -> None:
    """Add answers to a file, if one is named."""
    if path is not None:
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.writelines(json.dumps(answer) + "\n" for answer in answers)
