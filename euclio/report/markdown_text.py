"""Texts in Markdown: what they say is what is shown, whatever signs stand in them (CommonMark, and GitHub's tables)."""

from __future__ import annotations

import re

from euclio.report.blocks import Code

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
"""What makes a line a heading, a quotation, an item of a list, or the line above it a heading."""
_CLOSE = re.compile(r"(?:^|(?<=\s))#(?=#*\s*$)")
_AS_ENTITY = {"<": "&lt;", "&": "&amp;"}


def inline(text: str) -> str:
    """A text whose signs mean nothing but themselves, where it stands within a line."""
    return _SIGNS.sub(lambda found: _AS_ENTITY.get(found[0]) or f"\\{found[0]}", text)


def heading(text: str) -> str:
    """A text whose signs mean nothing but themselves, in a line that is a heading, which number signs may close."""
    return _CLOSE.sub(r"\\\g<0>", inline(text))


def paragraph(text: str) -> str:
    """A text whose signs mean nothing but themselves, where it begins a line."""
    return _BEGIN.sub(r"\1\\\2", inline(text))


def table_cell(text: str) -> str:
    """A text in one line of a table, where a bar would end its cell."""
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
