"""Texts over several lines: broken between words, long words at their signs, and never inside a number (ours)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.text import Text

_NUMBER = re.compile(r"(?:(?<!\w)[+-])?\d[\d.,]*(?:e[+-]?\d+)?(?:\u00a0?%)?", re.IGNORECASE)
_SIGNS = frozenset("-_/\\.,:;=+|)]}>&")
"""Signs behind which a long word is broken first."""


def longest_number(texts: Iterable[str]) -> int:
    """Columns that the longest number in some texts takes."""
    return max((cell_len(found) for text in texts for found in _NUMBER.findall(text)), default=1)


def longest_line(texts: Iterable[str]) -> int:
    """Columns that the longest line of some texts takes."""
    return max((cell_len(line) for text in texts for line in text.splitlines()), default=1)


def longest_word(texts: Iterable[str]) -> int:
    """Columns that the longest word of some texts takes."""
    return max((cell_len(word) for text in texts for word in text.split(" ")), default=1)


def folded(text: Text, width: int) -> Text:
    """The text in lines of so many columns at most; a number that is longer has a longer line."""
    lines = [piece for line in text.split("\n", allow_blank=True) for piece in _pieces(line, width)]
    return Text("\n").join(lines or [Text()])


def _pieces(line: Text, width: int) -> Iterator[Text]:
    while cell_len(line.plain) > width:
        place = _place(line.plain, width)
        if place >= len(line.plain):
            break
        first, rest = line.divide([place])
        first.rstrip()
        yield first
        # The space at which a line is broken stands at the beginning of neither.
        line = rest[len(rest.plain) - len(rest.plain.lstrip(" ")) :] if rest.plain.strip(" ") else Text()
    yield line


def _place(line: str, width: int) -> int:
    """How many characters of a line that is too long stand in the first of its pieces."""
    most = 0
    taken = 0
    for sign in line:
        taken += cell_len(sign)
        if taken > width:
            break
        most += 1
    inside = {place for found in _NUMBER.finditer(line) for place in range(found.start() + 1, found.end())}
    space = line.rfind(" ", 1, most + 1)
    if space > 0 and line[:space].strip():
        return space
    places = [place for place in range(max(1, most), 0, -1) if place not in inside]
    behind_sign = [place for place in places if line[place - 1] in _SIGNS]
    if behind_sign or places:
        return (behind_sign or places)[0]
    return next((place for place in range(most + 1, len(line)) if place not in inside), len(line))
