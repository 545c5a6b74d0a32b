"""What machine code is made of: a numeric function with the compiler's options, apart from how it is called."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast


class Source:
    """A numeric function that can be compiled; `euclio.core.compiled.Kernel` is one that can be called.

    Args:
        function: the function; its names may stand for numbers, tuples of them, functions of numpy and other kernels.
        options: options of numba's compiler.
        source: module and name of the function that is compiled in its place; None: itself.
    """

    def __init__(
        self, function: Callable[..., Any], options: dict[str, Any], source: tuple[str, str] | None = None
    ) -> None:
        functools.update_wrapper(cast(Any, self), function)
        self.name: str = function.__qualname__
        self.function = function
        self.options = options
        self.source = source

    @property
    def machine(self) -> Any:
        """Numba's dispatcher of it, which loads machine code or makes it."""
        raise NotImplementedError
