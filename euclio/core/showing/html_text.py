"""Texts of any signs as HTML."""

from __future__ import annotations

from html import escape


def html_text(text: str) -> str:
    """A text as HTML, its signs that cannot be seen replaced: names come from files of others."""
    return escape("".join(sign if sign.isprintable() or sign == "\u00a0" else "\ufffd" for sign in text))
