"""How errors name options and verbs: as they are typed, or as a call in Python has them.

The rooms do not know who called them. The command says that its user types, a verb that is called in Python says that
its user does not, and an error is written in the words of the first of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from euclio.core.parameters import keyword_of

_TYPED: ContextVar[bool | None] = ContextVar("as typed", default=None)


def as_typed() -> bool:
    """Whether errors name options as they are typed; so they do where nobody has said anything."""
    return _TYPED.get() is not False


@contextmanager
def spelling(*, typed: bool) -> Iterator[None]:
    """Inside, errors name options as they are typed, or as keywords, unless a caller further out has said."""
    before = _TYPED.get()
    token = _TYPED.set(typed if before is None else before)
    try:
        yield
    finally:
        _TYPED.reset(token)


def option_text(flag: str, value: str | float = "", *, placeholder: str = "") -> str:
    """An option in an error: ``--arrivals gamma`` as it is typed, ``arrivals='gamma'`` as a keyword.

    Args:
        flag: as it is typed, such as ``--arrivals``.
        value: the value that it is to have; empty: none is named.
        placeholder: what stands for a value, such as ``FILE``.
    """
    if as_typed():
        return " ".join(part for part in (flag, str(value), placeholder) if part)
    given = placeholder or (repr(value) if value != "" else "")
    return f"{keyword_of(flag)}={given}" if given else keyword_of(flag)


def verb_text(name: str, flag: str = "") -> str:
    """A verb in an error, and an option of it: ```euclio what-if --rate```, or ```euclio.what_if()` with `rate```.

    Args:
        name: as it is typed; ``bench-set check`` is the function `check_bench_set`.
        flag: the option, such as ``--rate``; empty: none is named.
    """
    if as_typed():
        return f"`euclio {name} {flag}`" if flag else f"`euclio {name}`"
    verb = f"`euclio.{'_'.join(reversed(name.split())).replace('-', '_')}()`"
    return f"{verb} with `{keyword_of(flag)}`" if flag else verb
