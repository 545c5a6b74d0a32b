"""Declarations of families and verbs: parameters of verbs, and demands that not every solver covers."""

from __future__ import annotations

import dataclasses
import keyword
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from euclio.core.words import joined

# Demands of instances and plan spaces that not every solver covers: the columns of the coverage table.


@dataclass(frozen=True, slots=True)
class Demand:
    """A feature that an instance or a plan space may need and that not every solver covers.

    Attributes:
        name: its word in `Solver.covers` and `Solver.lacks`.
        words: the demand in words, for "SOLVER does not cover ...".
        asked: takes an instance and a plan space; returns whether they need it.
        assumed: whether every solver covers it except those that list it in `Solver.lacks`. Only solvers that list
            other demands in `Solver.covers` cover those.
        meets: names of the demands that it combines, where covering each of them alone is not enough.
        kept: the reason why no new solver or limit has to cover it; empty if they have to.
        instead: a field of the plan space and a value under which the demand vanishes; a refusal proposes it if no
            solver covers the demand. None if there is none.
        named: takes an instance and a plan space; returns the name of the demanded object, for refusals.
    """

    name: str
    words: str
    asked: Callable[[Any, Any], bool]
    assumed: bool = False
    meets: tuple[str, ...] = ()
    kept: str = ""
    instead: tuple[str, Any] | None = None
    named: Callable[[Any, Any], str] | None = None

    def words_on(self, instance: Any, space: Any) -> str:
        """The demand of an instance and a plan space in words, with the name of the demanded object if it has one."""
        return self.words if self.named is None else f"{self.words} ({self.named(instance, space)})"


# Parameters of verbs: options of the command, and keywords of the function in Python.


def keyword_of(flag: str) -> str:
    """The keyword of an option: ``--time-limit`` is `time_limit`; Python's reserved words get a trailing underscore."""
    name = flag.removeprefix("--").replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


# Spelling of options and verbs in errors. Other modules do not know their caller. The command declares that its user
# types options, a verb called in Python that its user does not. The outermost declaration decides.

_TYPED: ContextVar[bool | None] = ContextVar("as typed", default=None)


def as_typed() -> bool:
    """Whether errors name options as typed on the command line, which is the default."""
    return _TYPED.get() is not False


@contextmanager
def spelling(*, typed: bool) -> Iterator[None]:
    """Inside, errors name options as typed or as keywords; an outer declaration takes precedence."""
    before = _TYPED.get()
    token = _TYPED.set(typed if before is None else before)
    try:
        yield
    finally:
        _TYPED.reset(token)


def option_text(flag: str, *values: str | float, placeholder: str = "") -> str:
    """An option in an error: ``--arrivals gamma`` as it is typed, ``arrivals='gamma'`` as a keyword.

    Args:
        flag: as it is typed, such as ``--arrivals``.
        *values: its required value, or the values of which it must have one.
        placeholder: placeholder of a value, such as ``FILE``.
    """
    given = joined(map(str if as_typed() else repr, values), "or") if values else placeholder
    name, sign = (flag, " ") if as_typed() else (keyword_of(flag), "=")
    return f"{name}{sign}{given}" if given else name


def verb_text(name: str, flag: str = "") -> str:
    """A verb in an error, and an option of it: ```euclio what-if --rate```, or ```euclio.what_if()` with `rate```.

    Args:
        name: as it is typed; ``bench-set check`` is the function `check_bench_set`.
        flag: the option, such as ``--rate``; empty names none.
    """
    if as_typed():
        return f"`euclio {name} {flag}`" if flag else f"`euclio {name}`"
    verb = f"`euclio.{'_'.join(reversed(name.split())).replace('-', '_')}()`"
    return f"{verb} with `{keyword_of(flag)}`" if flag else verb


# The declaration of a verb.

NEEDED: Mapping[str, Any] = {"required": True}
"""Details of a parameter that cannot be left out."""


def as_given(value: Any) -> Any:
    """The value itself: a `Parameter.parse` for text that is read later."""
    return value


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of verbs; a verb, a family, an exporter or an importer declares it.

    Attributes:
        flag: the option as typed, such as "--policy"; without dashes it is a positional argument.
        field: the field that it sets, in a plan space, in changes, in a simulation or in an exporter's options; by
            default that of its keyword.
        help: one line, or a function that makes it from the families' offers; empty takes it from the verb's docstring.
        parse: reads the value from the command's text or from a call's argument. If both it and `choices` are absent,
            the option stands alone.
        choices: the allowed words, which are the values themselves; empty allows all that `parse` takes.
        metavar: placeholder of the value.
        value: value of the field where the option stands alone.
        reference: takes a name that points into a user's file (`euclio.core.own_solver`) and its base folder (None
            means the current one); returns a value that is valid in every folder. None if the parameter takes no such
            name.
        given: takes the argument of a Python call and the instance; returns the field's value or raises an
            `InputError`. None means that `parse` reads the argument.
        instead_of: keywords of the same verb that have no meaning next to it.
        missing: the missing argument in words, for a required parameter; empty if it is optional.
        details: further arguments for `argparse`, such as ``{"nargs": "+"}``.
        keyword: its name in Python.
    """

    flag: str
    field: str = ""
    help: str | Callable[[], str] = ""
    parse: Callable[[Any], Any] | None = None
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    value: Any = True
    reference: Callable[[str, Path | None], Any] | None = None
    given: Callable[[Any, Any], Any] | None = None
    instead_of: tuple[str, ...] = ()
    missing: str = ""
    details: Mapping[str, Any] = dataclasses.field(default_factory=dict, hash=False)
    keyword: str = dataclasses.field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse a placeholder without a reader of the value, because such an option would stand alone.

        Raises:
            TypeError: it has a `metavar`, and neither `parse` nor `choices`.
        """
        # Every call needs the keywords of all options, so they are made once.
        object.__setattr__(self, "keyword", keyword_of(self.flag))
        object.__setattr__(self, "field", self.field or self.keyword)
        if self.stands_alone and self.metavar is not None:
            raise TypeError(f"{self.flag} has a metavar and nothing that reads its value; give parse, such as str")

    @property
    def stands_alone(self) -> bool:
        """Whether it has no value, so that its keyword is true or false."""
        return self.flag.startswith("-") and self.parse is None and not self.choices


@dataclass(frozen=True, slots=True)
class Group:
    """Parameters that stand together in the help of a verb.

    Attributes:
        about: a line below the title.
        also: further keywords with the same meaning, such as the plan space's own field names.
        exclusive: whether at most one of them may be given.
    """

    title: str
    about: str
    parameters: tuple[Parameter, ...]
    also: frozenset[str] = frozenset()
    exclusive: bool = False


Item = Parameter | Group | Callable[[], "Iterable[Parameter | Group]"]
"""An item of a verb's declaration; a function is called only where the parameters of families are needed."""


def listed(items: Iterable[Item]) -> Iterator[Parameter | Group]:
    """Parameters and groups one by one, those of families included."""
    for item in items:
        if isinstance(item, Parameter | Group):
            yield item
        else:
            yield from item()


def keywords_of(items: Iterable[Item]) -> frozenset[str]:
    """The keywords that items stand for."""
    found: set[str] = set()
    for item in listed(items):
        if isinstance(item, Group):
            found.update((one.keyword for one in item.parameters), item.also)
        else:
            found.add(item.keyword)
    return frozenset(found)
