"""Names that a package offers and that are imported when they are first asked for, so that start-up stays fast."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, home: Mapping[str, str]) -> Callable[[str], Any]:
    """A `__getattr__` for a package.

    Args:
        package: the package's name.
        home: for each name that it offers the module that has it; MODULE:NAME where it has another name there.
    """

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, own_name = home[name].partition(":")
        found = getattr(import_module(module), own_name or name)
        # Kept where the name belongs: importing its module may have put a submodule of that name there.
        setattr(sys.modules[package], name, found)
        return found

    return get
