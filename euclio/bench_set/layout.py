"""How the set's JSON files are laid out: small, and still line by line."""

from __future__ import annotations

import re

_SPACES = re.compile(r'("(?:[^"\\]|\\.)*")|(\n)\s*|\s+')


def compact(text: str) -> str:
    """A JSON text without indentation and spaces; lines stay."""
    return _SPACES.sub(lambda found: found[1] or found[2] or "", text)


def one_line(text: str) -> str:
    """A JSON text without any white space between its parts."""
    return _SPACES.sub(lambda found: found[1] or "", text)
