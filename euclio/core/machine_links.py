"""Long kernels are called where their machine code is; short ones are put into that of each caller.

Numba puts the code of all that a function calls into that of the function, and so on upward: a long kernel would be
optimised and written once more for every kernel above it, which took half of all compiling. A long one is called by
its name instead, which follows from its source and the types of its arguments, so that the file of a caller and that of
the kernel fit together whichever process made them (ours; docs/architecture.md).
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any, NamedTuple

from euclio.core.kernel_source import Source

LONG = 400
"""Instructions from which on a kernel is long: several times of what is put into a caller in any case, so that no loop
gets a call that it would not have had."""


class Link(NamedTuple):
    """A long kernel for one list of types, as the files of its callers name it.

    Attributes:
        symbol: its name in machine code.
        module: its module in Python.
        name: its name there.
        types: numba's types of its arguments.
    """

    symbol: str
    module: str
    name: str
    types: tuple[Any, ...]


_links: dict[str, Link] = {}
"""Long kernels that are in this process, by their names in machine code."""


def call_by_name(kernel: Source, result: Any) -> None:
    """Have a kernel's callers call it by its name if it is long, from now on; of a short one they get the code.

    Args:
        kernel: the kernel.
        result: numba's result of compiling it, before anything calls it.
    """
    if not _is_long(kernel, result):
        return
    library = result.library
    # Releases of numba that keep this elsewhere put all code into callers, as they do by themselves.
    with suppress(AttributeError):
        # What a caller is linked with: nothing, as it has declared what it calls.
        library._shared_module = library._codegen.create_library(library.name)._final_module
        note(Link(result.fndesc.mangled_name, kernel.__module__, kernel.name, tuple(result.signature.args)))


def _is_long(kernel: Source, result: Any) -> bool:
    found = getattr(sys.modules.get(kernel.__module__), kernel.name, None)
    if found is not kernel or kernel.options.get("forceinline"):
        return False
    blocks = result.library.get_function(result.fndesc.mangled_name).blocks
    return sum(sum(1 for _ in block.instructions) for block in blocks) >= LONG


def note(link: Link) -> None:
    """A long kernel is in this process."""
    _links[link.symbol] = link


def tell_names(fndesc: Any, target: Any) -> None:
    """Tell numba the names in the machine code of a long kernel that is about to be loaded.

    It takes them from what callers are linked with, which is empty, and gives no address of a name it was not told.

    Args:
        fndesc: numba's names of the function.
        target: numba's target.
    """
    target.codegen()._engine._defined_symbols.update(
        (fndesc.mangled_name, fndesc.llvm_cpython_wrapper_name, fndesc.llvm_cfunc_wrapper_name, fndesc.env_name)
    )


def own_link(result: Any) -> Link | None:
    """How callers name what has been compiled; None: they get its code."""
    return _links.get(result.fndesc.mangled_name)


def calls(result: Any) -> list[Link]:
    """The long kernels that machine code just made calls by name."""
    own = result.fndesc.mangled_name
    functions = result.library._final_module.functions
    names = sorted(function.name for function in functions if function.is_declaration and function.name in _links)
    return [_links[name] for name in names if name != own]


def is_there(link: Link) -> bool:
    """Have the machine code of a long kernel in this process, loaded or made; whether it has the name that is called.

    A name that is called and is not there would end the process, so this is asked before a caller is loaded.
    """
    if link.symbol not in _links:
        # Whose caller is about to be loaded: the caller's module has imported it.
        kernel = getattr(sys.modules[link.module], link.name)
        kernel.machine.compile(link.types)
    return link.symbol in _links
