"""The problem families: those of this package by name, and those that other packages offer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from euclio.core.errors import InputError
from euclio.core.family import Checked, Family
from euclio.core.objective import Goal


def offered_in(group: str) -> Iterable[EntryPoint]:
    """The entry points of a group, such as ``euclio.solvers``, of all installed packages."""
    found: Iterable[EntryPoint] = _all().select(group=group)
    return found


@cache
def _all() -> Any:
    """All entry points, cached, because a small solve reads two groups and would read every package each time.

    Their class changed after Python 3.11; every class has `select`.
    """
    return entry_points()


HOMES = {
    "session": "euclio.problems.session.family",
    "pipeline": "euclio.problems.pipeline.family",
    "fragments": "euclio.problems.fragments.family",
    "day": "euclio.problems.day.family",
}
"""The module of each family of this package, which holds it as FAMILY: the one place where they are registered."""
GROUP = "euclio.families"
"""Entry points by which other packages offer families: NAME = "module:FAMILY"."""
DEFAULT_FAMILY = next(iter(HOMES))
"""Family of the solvers that state none."""


@cache
def find_family(name: str) -> Family:
    """The family of this name; raises an `InputError` if there is no such family."""
    known = homes()
    if name not in known:
        raise InputError(f"unknown problem family {name!r}; known: {', '.join(known)}")
    module, _, value = known[name].partition(":")
    found = getattr(import_module(module), value or "FAMILY")
    assert isinstance(found, Family)
    return found


@cache
def homes() -> dict[str, str]:
    """The module of each family, those of this package first."""
    offered = {entry.name: entry.value for entry in offered_in(GROUP)}
    return HOMES | {name: place for name, place in sorted(offered.items()) if name not in HOMES}


@cache
def families() -> tuple[Family, ...]:
    """All families, those of this package first."""
    return tuple(each_family())


def each_family() -> Iterator[Family]:
    """The families one by one, each imported when it is reached, so that a search imports only as many as it needs."""
    return (find_family(name) for name in homes())


_ASKED: ContextVar[tuple[str, ...] | None] = ContextVar("asked", default=None)


@contextmanager
def options_of(names: tuple[str, ...] | None) -> Iterator[None]:
    """Inside, verbs have the options of these families only. None means all families."""
    before = _ASKED.set(names)
    try:
        yield
    finally:
        _ASKED.reset(before)


def asked_families() -> tuple[Family, ...]:
    """The families whose options verbs have."""
    names = _ASKED.get()
    return families() if names is None else tuple(map(find_family, names))


def shown_goal(goal: Goal, instance: Any) -> Goal:
    """A goal for tables and figures of an instance, with the instance's currency if it states one."""
    return goal.priced_in(family_of(instance).currency(instance))


def family_of(instance: Any) -> Family:
    """The family of an instance; raises an `InputError` if it belongs to none."""
    for family in each_family():
        if isinstance(instance, family.instance):
            return family
    known = ", ".join(family.instance.__name__ for family in families())
    raise InputError(f"{type(instance).__name__} is no instance of a problem; give one of {known}")


def evaluate(instance: Any, plan: Any, space: Any = None) -> Checked:
    """Check and price a plan of any family.

    Args:
        instance: an instance of a registered family.
        plan: a plan of it.
        space: plan space that the plan has to lie in. None means the full one.

    Returns:
        The checker's answer.
    """
    family = family_of(instance)
    return family.evaluate(instance, plan, family.full_space if space is None else space)


def owner_in_words(option: str) -> str:
    """The instances that a plan-space option belongs to, such as " (of fleets)"; empty for sessions and others."""
    flag = f"--{option.replace('_', '-')}"
    owners = [family for family in families() if any(own.flag == flag for own in family.space_options)]
    return f" (of {owners[0].instances})" if owners and owners[0].name != DEFAULT_FAMILY else ""
