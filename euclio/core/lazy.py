"""Names that are imported at first use, so that start-up stays fast.

Packages offer names this way, and records hold functions. This is the only mechanism for it; tests look up the names
that are given as text.
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
        offered: by module, the names that the package offers from it; "OWN as NAME" renames one.
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
        # Stored in the package: importing the module may have put a submodule of that name there.
        setattr(sys.modules[package], name, found)
        return found

    return get


def callable_package(package: str, module: str, name: str) -> None:
    """Let a package be called like its function of the same name, so that either can be imported.

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
    """Inside, let imports treat an installed module as imported; its first use imports it.

    Nothing changes if the module's package is not installed, or the module is imported already.
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
    """Inside, let imports find no such module, even if it is installed."""
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
    """A function that imports a value when it is called."""
    return lambda: getattr(import_module(module), name)
