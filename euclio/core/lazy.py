"""What is imported when it is first asked for, so that start-up stays fast.

Packages offer names so, and records hold functions so. This is the one mechanism for it; what it names by text, tests
look up.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any


def lazy_names(package: str, offered: Mapping[str, Iterable[str]]) -> Callable[[str], Any]:
    """A `__getattr__` for a package.

    Args:
        package: the package's name.
        offered: by module the names that the package offers of it; "OWN as NAME" where it has another name there.
    """
    home: dict[str, tuple[str, str]] = {}
    for module, names in offered.items():
        for own, _, name in (text.partition(" as ") for text in names):
            home[name or own] = module, own

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, own = home[name]
        found = getattr(import_module(module), own)
        # Kept where the name belongs: importing its module may have put a submodule of that name there.
        setattr(sys.modules[package], name, found)
        return found

    return get


def callable_package(package: str, module: str, name: str) -> None:
    """Let a package be called as a function whose name it has, so that it does not matter which of them is imported.

    Args:
        package: the package's name.
        module: the module of the function.
        name: the function.
    """
    function = late(module, name)

    class CallablePackage(ModuleType):
        """A package that is called as the function of its name."""

        def __call__(self, *arguments: Any, **options: Any) -> Any:
            return function(*arguments, **options)

        @property
        def __signature__(self) -> inspect.Signature:
            """The signature of the function."""
            return inspect.signature(getattr(import_module(module), name))

    sys.modules[package].__class__ = CallablePackage


@contextmanager
def imported_without(module: str) -> Iterator[None]:
    """Let imports inside take an installed module for imported, though it is not; it is imported when it is used.

    Where the module's package is not installed, or the module is imported already, nothing changes.
    """
    known = module in sys.modules or find_spec(module.partition(".")[0]) is None
    if not known:
        sys.modules[module] = ModuleType(module)
    try:
        yield
    finally:
        if not known:
            del sys.modules[module]


@contextmanager
def imported_as_missing(module: str) -> Iterator[None]:
    """Let imports inside find no such module, though it may be installed."""
    known = sys.modules.get(module)
    sys.modules[module] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if known is None:
            del sys.modules[module]
        else:
            sys.modules[module] = known


def late(module: str, name: str) -> Callable[..., Any]:
    """A function that is imported when it is called."""
    found = late_value(module, name)
    return lambda *arguments, **options: found()(*arguments, **options)


def late_value(module: str, name: str) -> Callable[[], Any]:
    """What gives a value that is imported when it is asked for."""
    return lambda: getattr(import_module(module), name)
