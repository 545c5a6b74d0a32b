"""What is done about measured rows that are doubted: a warning for each, or a refusal where that is asked for.

Every way in which measurements come in ends here: instances that are read from files, and the imports and measurements
that make them. Where ``--strict`` is given (in Python ``strict=True``), the first doubted row is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.parameters import option_text
from euclio.core.progress import say
from euclio.core.words import counted

MOST_SAID = 5
"""Doubted rows that are said; of more only how many."""

_strict: ContextVar[bool] = ContextVar("strict", default=False)


@contextmanager
def strictly(strict: bool) -> Iterator[None]:
    """Refuse doubted rows inside, if that is asked for; what a caller around it has asked for stays."""
    token = _strict.set(strict or _strict.get())
    try:
        yield
    finally:
        _strict.reset(token)


def tell_doubts(file: str | None, lines: Sequence[str]) -> None:
    """Warn of rows that are doubted, or refuse them.

    Args:
        file: the file that they stand in; None if none is known.
        lines: one for each row.

    Raises:
        InputError: there are some, and `strictly` holds; has the first.
    """
    if not lines:
        return
    where = f"{file}: " if file else ""
    if _strict.get():
        more = f" ({counted(len(lines) - 1, 'more row')} like it)" if len(lines) > 1 else ""
        remedy = f"measure it again, or correct it, or leave out {option_text('--strict')}"
        raise InputError(f"{lines[0]}{more}; {remedy}", file=file)
    for line in lines[:MOST_SAID]:
        say(f"warning: {where}{line}")
    if len(lines) > MOST_SAID:
        say(f"warning: {where}{counted(len(lines) - MOST_SAID, 'more row')} like these")


def doubted(instance: Any, file: str | None) -> Any:
    """The instance of a file, with a word on the rows of it that are doubted.

    Raises:
        InputError: there are some, and `strictly` holds.
    """
    tell_doubts(file, family_of(instance).doubts(instance))
    return instance
