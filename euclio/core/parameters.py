"""What families and verbs declare: parameters of verbs, and demands that not every solver covers."""

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

# Demands of instances and plan spaces that not every solver covers: the columns of the table of who covers what.


@dataclass(frozen=True, slots=True)
class Demand:
    """Something that an instance or a plan space may ask for, and that not every solver covers.

    Attributes:
        name: its word in `Solver.covers` and `Solver.lacks`.
        words: what is asked for, in words for people: "SOLVER does not cover ...".
        asked: instance and plan space in; whether they ask for it.
        assumed: whether a solver covers it unless it says in `Solver.lacks` that it does not; other demands are covered
            only by solvers that say so in `Solver.covers`.
        meets: names of the demands that it is the meeting of, where covering each of them is not enough.
        kept: why it is kept and not extended: no new solver or limit has to cover it; empty: it is extended.
        instead: field of the plan space and a value of it under which this is not asked for, which a refusal proposes
            where no solver covers it; None: there is none.
        named: instance and plan space in; what is asked for by its name, where it has one, for refusals.
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
        """What an instance and a plan space ask for, in words, with its name if it has one."""
        return self.words if self.named is None else f"{self.words} ({self.named(instance, space)})"


# Parameters of verbs: options of the command, and keywords of the function in Python.


def keyword_of(flag: str) -> str:
    """The keyword of an option: ``--time-limit`` is `time_limit`; a word of Python's own gets an underscore behind."""
    name = flag.removeprefix("--").replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


# How errors name options and verbs. The rooms do not know who called them: the command says that its user types, a verb
# that is called in Python says that its user does not, and an error is written in the words of the first of them.

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


def option_text(flag: str, *values: str | float, placeholder: str = "") -> str:
    """An option in an error: ``--arrivals gamma`` as it is typed, ``arrivals='gamma'`` as a keyword.

    Args:
        flag: as it is typed, such as ``--arrivals``.
        *values: the value that it is to have, or those of which it is to have one.
        placeholder: what stands for a value, such as ``FILE``.
    """
    given = joined(map(str if as_typed() else repr, values), "or") if values else placeholder
    name, sign = (flag, " ") if as_typed() else (keyword_of(flag), "=")
    return f"{name}{sign}{given}" if given else name


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


# What a verb is declared with.

NEEDED: Mapping[str, Any] = {"required": True}
"""Details of a parameter that cannot be left out."""


def as_given(value: Any) -> Any:
    """The value itself, as `Parameter.parse` of a text that is read later."""
    return value


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of verbs, declared where it belongs: with a verb, a family, an exporter or an importer.

    Attributes:
        flag: as it is typed, such as "--policy"; without dashes it is given by its place.
        field: the field that it sets: of a plan space, of changes, of a simulation, or of what an exporter is given.
        help: one line, or what makes it where it names what families offer; empty: the docstring of the verb says it.
        parse: reads the value from the text of the command, or from what a call gives. None without `choices`: the
            option stands alone.
        choices: the words allowed, which are values themselves; empty: what `parse` takes.
        metavar: placeholder of the value.
        value: value of the field where the option stands alone.
        reference: a name that points into a user's file (`euclio.core.own_solver`), and the folder that it is relative
            to (None: the current one) in; the value, which holds in every folder, out. None: no such name is taken.
        given: what a call in Python gives, and the instance, in, the value of the field out; raises an `InputError`.
            None: `parse` takes it.
        instead_of: keywords of the same verb that have no meaning next to it.
        missing: what to give, in words, where it cannot be left out; empty: it can.
        details: what `argparse` is told besides, such as ``{"nargs": "+"}``.
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
        """Refuse a placeholder of a value that nothing reads: the option would stand alone.

        Raises:
            TypeError: it has a `metavar`, and neither `parse` nor `choices`.
        """
        # Every call asks for the keywords of all options, so they are made once.
        object.__setattr__(self, "keyword", keyword_of(self.flag))
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
        title: its title.
        about: a line below the title.
        parameters: its parameters.
        also: further keywords of the same meaning, such as fields of plan spaces by their own names.
        exclusive: whether at most one of them may be given.
    """

    title: str
    about: str
    parameters: tuple[Parameter, ...]
    also: frozenset[str] = frozenset()
    exclusive: bool = False


Item = Parameter | Group | Callable[[], "Iterable[Parameter | Group]"]
"""What a verb is declared with; a function is asked only where the parameters of families are needed."""


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
