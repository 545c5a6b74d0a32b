"""YAML out: plain data in block style with comments, in the part of YAML 1.2 that every parser reads alike."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from euclio.core.errors import printable

WIDTH = 120

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
"""Texts that need no quotes, unless they are words of YAML."""
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null"})
"""Texts that some parser reads as a truth value or as nothing, in any case of letters."""


@dataclass(frozen=True, slots=True)
class Remarked:
    """An item of a list with comments above it."""

    remarks: tuple[str, ...]
    item: Any


def yaml_text(value: Any, remarks: Iterable[str] = ()) -> str:
    """A document of mappings, lists, texts, numbers and truth values, with comments above it.

    Args:
        value: a mapping or a list, not empty; items of lists may be `Remarked`.
        remarks: the comments, a paragraph each.
    """
    return "".join(f"{line}\n" for line in (*comments(remarks), *_block(value)))


def comments(remarks: Iterable[str], indent: str = "") -> Iterator[str]:
    """Lines of comments, a paragraph for each remark; what could end a line early is written as an escape.

    Args:
        remarks: the paragraphs; one that begins with "- " is an item of a list.
        indent: what stands before each line.
    """
    for remark in remarks:
        yield from textwrap.wrap(
            printable(remark),
            WIDTH,
            initial_indent=f"{indent}# ",
            subsequent_indent=f"{indent}#   " if remark.startswith("- ") else f"{indent}# ",
            break_long_words=False,
            break_on_hyphens=False,
        )


def _block(value: Any, indent: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _entry(f"{indent}{_scalar(key)}:", entry, indent)
        return
    for item in value:
        if isinstance(item, Remarked):
            yield from comments(item.remarks, indent)
            item = item.item
        if _is_block(item):
            first, *rest = _block(item, f"{indent}  ")
            yield f"{indent}- {first.strip()}"
            yield from rest
        else:
            yield f"{indent}- {_scalar(item)}"


def _entry(head: str, value: Any, indent: str) -> Iterator[str]:
    if _is_block(value):
        yield head
        yield from _block(value, f"{indent}  ")
    else:
        yield f"{head} {_scalar(value)}"


def _is_block(value: Any) -> bool:
    return isinstance(value, Mapping | Sequence) and not isinstance(value, str) and bool(value)


def _scalar(value: Any) -> str:
    """Texts without need as they are, everything else as in JSON, which is a part of YAML."""
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)
