"""Machine code of kernels, made by numba.

No other module imports numba, and this module is imported only when it is needed.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
import uuid
import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from euclio.core.code_cache import LOCK, at_hand, digest, ensure_room, named, paths
from euclio.core.folders import exclusive, make_private
from euclio.core.lazy import imported_as_missing, imported_without
from euclio.core.ways import Source, Way, current_way

__all__ = ["BOUNDS_CHECKED", "c_function", "made", "make", "numba"]


# Callers call long kernels by name; the code of short kernels is copied into each caller.
#
# Numba copies the code of every called function into the caller, and so on upward. A long kernel would be optimised and
# written again for every kernel above it, which took half of all compiling time. A long kernel is therefore called by
# its name, which follows from its source and the types of its arguments. The files of caller and kernel thus fit
# together even if different processes made them (ours; docs/architecture.md).

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
    """From now on, have callers call a kernel by its name if it is long; they copy the code of a short one.

    Args:
        kernel: the kernel.
        result: numba's result of compiling it, before anything calls it.
    """
    if not _is_long(kernel, result):
        return
    library = result.library
    # Other releases of numba store this elsewhere. With those, numba copies all code into callers, as it does by
    # default.
    with suppress(AttributeError):
        # Nothing is linked into a caller, which has declared what it calls.
        library._shared_module = library._codegen.create_library(library.name)._final_module
        note(Link(result.fndesc.mangled_name, kernel.__module__, kernel.name, tuple(result.signature.args)))


def _is_long(kernel: Source, result: Any) -> bool:
    found = getattr(sys.modules.get(kernel.__module__), kernel.name, None)
    if found is not kernel or kernel.options.get("forceinline"):
        return False
    blocks = result.library.get_function(result.fndesc.mangled_name).blocks
    return sum(sum(1 for _ in block.instructions) for block in blocks) >= LONG


def note(link: Link) -> None:
    """Record that a long kernel is in this process."""
    _links[link.symbol] = link


def tell_names(fndesc: Any, target: Any) -> None:
    """Tell numba the names in the machine code of a long kernel that is about to be loaded.

    Numba takes the names from the libraries that callers are linked with, which are empty here. It gives no address for
    a name that it was not told.

    Args:
        fndesc: numba's names of the function.
        target: numba's target.
    """
    target.codegen()._engine._defined_symbols.update(
        (fndesc.mangled_name, fndesc.llvm_cpython_wrapper_name, fndesc.llvm_cfunc_wrapper_name, fndesc.env_name)
    )


def own_link(result: Any) -> Link | None:
    """The link by which callers name the compiled function; None means that they copy its code."""
    return _links.get(result.fndesc.mangled_name)


def calls(result: Any) -> list[Link]:
    """The long kernels that newly made machine code calls by name."""
    own = result.fndesc.mangled_name
    functions = result.library._final_module.functions
    names = sorted(function.name for function in functions if function.is_declaration and function.name in _links)
    return [_links[name] for name in names if name != own]


def is_there(link: Link) -> bool:
    """Load or make the machine code of a long kernel; whether it has the name that callers use.

    Calling a missing name would end the process, so this is checked before a caller is loaded.
    """
    if link.symbol not in _links:
        # Its caller is about to be loaded, so the caller's module has imported it.
        kernel = getattr(sys.modules[link.module], link.name)
        kernel.machine.compile(link.types)
    return link.symbol in _links


with imported_as_missing("yaml"):
    # Numba would read settings from the current folder, among them a cache folder and modules to import. Code in a
    # folder sent by another person would then run. Numba's messages about such a file are not meant for users.
    warnings.filterwarnings("ignore", message="A Numba config file is found")
    import numba
    import numba.extending
    from numba.core import bytecode, compiler, serialize, sigutils, types, untyped_passes
    from numba.core.ccallback import CFunc

with imported_without("scipy.linalg.cython_blas"):
    # Numba imports it only to check that it exists, when it makes its array functions; this costs every command 0.2 s.
    import numba.np.arraymath


BOUNDS_CHECKED = bool(numba.config.BOUNDSCHECK)  # type: ignore[attr-defined]
"""Whether an index beyond the end of an array raises an `IndexError` (NUMBA_BOUNDSCHECK=1); otherwise it is
unchecked."""

LOOK_EVERY_S = 0.02
MOST_WAITED_S = 300.0
"""How long one process waits at most for what another one makes: that may stand still."""
DIGITS = 12
"""Digits of a kernel's hash, in base 16, that its name in machine code ends with."""

# Numba has no type annotations.
_typeof: Any = numba.typeof
_normalized: Any = sigutils.normalize_signature
_rebuilt: Any = compiler.CompileResult._rebuild
_dumps: Any = serialize.dumps
_compiler: Any = compiler.Compiler
_identity: Any = bytecode.FunctionIdentity.from_function
_extract: Any = untyped_passes.ExtractByteCode
_tuple: Any = types.BaseTuple
_unliteral: Any = types.unliteral
_named_tuple: Any = types.BaseNamedTuple

# Elsewhere kernels may be interpreted because numba is switched off. An explicit request for machine code overrides it.
numba.config.DISABLE_JIT = 0  # type: ignore[attr-defined]


def made(kernel: Source, released: Callable[[], Any]) -> Any:
    """A dispatcher of numba for a kernel, whose machine code is kept where `euclio.core.code_cache` says.

    Args:
        kernel: the kernel.
        released: gives the interpreter of the kernel. It is called if machine code for the types of a call is not on
            disk and not all kernels are to be compiled.
    """
    function = kernel.function
    if kernel.source is not None:
        function = getattr(import_module(kernel.source[0]), kernel.source[1])
    dispatcher = numba.njit(**kernel.options, pipeline_class=named_by_source(kernel))(function)
    dispatcher._cache = kept = _Kept(kernel)
    dispatcher.compile = kept.one_at_a_time(dispatcher.compile)
    make = dispatcher._compile_for_args

    def load_or_make(*arguments: Any, **named_ones: Any) -> Any:
        """Numba calls this for types without machine code; gives the function to call."""
        if current_way() is not Way.COMPILED:
            found = description_of(tuple(map(dispatcher.typeof_pyval, arguments)))
            if not at_hand(paths(kernel, found)):
                return released()
        return make(*arguments, **named_ones)

    dispatcher._compile_for_args = load_or_make
    template_for = dispatcher.get_call_template

    def template_of_types(arguments: Any, named_ones: Any) -> Any:
        """The template for calls by other kernels: equal for 1 and 2, which numba would compile separately."""
        return template_for(tuple(map(_unliteral, arguments)), {k: _unliteral(v) for k, v in named_ones.items()})

    dispatcher.get_call_template = template_of_types
    return dispatcher


def named_by_source(kernel: Source) -> type[Any]:
    """Numba's compiler, but a hash of the kernel instead of a counter tells functions of one name apart.

    So the machine code of a kernel has the same name in every process (`euclio.core.machine_code`).
    """
    number = int(digest(kernel)[:DIGITS], 16)

    class Named(_compiler):  # type: ignore[misc]
        """Compiles one kernel."""

        def compile_extra(self, function: Any) -> Any:
            identity = _identity(function)
            identity.unique_id, identity.unique_name = number, f"{identity.func_qualname}${number}"
            self.state.func_id = identity
            _extract().run_pass(self.state)
            self.state.lifted, self.state.lifted_from = (), None
            return self._compile_bytecode()

    return Named


def make(dispatcher: Any, description: Any) -> None:
    """Make machine code of a dispatcher's kernel, and of those that it calls, for arguments of the described types."""
    dispatcher.compile(tuple(_typeof(_example(part)) for part in description[1:]))


def _example(description: Any) -> Any:
    """A value of the type that `euclio.core.code_cache.described` described."""
    match description:
        case "bool":
            return True
        case "none":
            return None
        case str(name):
            return np.dtype(name).type(0)
        case ["array", name, int(ndim), layout, writeable]:
            array: Any = np.zeros((4,) * ndim, name, order="F" if layout == "F" else "C")
            # Every other element of each axis: neither order.
            array = array[(slice(None, None, 2),) * ndim] if layout == "A" else array
            array.flags.writeable = writeable
            return array
        case ["tuple", *parts]:
            return tuple(map(_example, parts))
        case ["named", module, name, _, *parts]:
            kind = import_module(module)
            for part in name.split("."):
                kind = getattr(kind, part)
            return kind(*map(_example, parts))  # type: ignore[operator]
    raise ValueError(f"no description of a type: {description!r}")


def description_of(argument_types: tuple[Any, ...]) -> Any:
    """Numba's types described as `euclio.core.code_cache.described` describes values of them; others by their names."""
    return ["tuple", *map(_described, argument_types)]


def _described(kind: Any) -> Any:
    if isinstance(kind, types.Array) and kind.aligned and not isinstance(kind.dtype, types.Record):
        return ["array", str(kind.dtype), kind.ndim, kind.layout, kind.mutable]
    if isinstance(kind, _named_tuple):
        return ["named", *named(kind.instance_class), *map(_described, kind.types)]
    if isinstance(kind, _tuple):
        return ["tuple", *map(_described, kind.types)]
    return str(kind)


class _Kept:
    """Numba's cache of one function, with files of our own.

    A file holds a function for one list of types, with the short kernels that it calls. Long kernels have files of
    their own (`euclio.core.machine_code`). A file is renamed into place at once, so no process reads a partial file. If
    a file cannot be read or written, machine code is made and kept for this process.
    """

    def __init__(self, kernel: Source) -> None:
        self._kernel = kernel
        self.cache_path = ""

    def _paths(self, signature: Any) -> list[Path]:
        return paths(self._kernel, description_of(_normalized(signature)[0]))

    def one_at_a_time(self, compile_it: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Make other processes wait that would make the same machine code, and then find it."""

        def compiled(signature: Any) -> Any:
            files = self._paths(signature)
            if not files or at_hand(files):
                return compile_it(signature)
            # No process waits for a waiting process, since kernels do not call each other in a circle.
            lock = files[-1].with_suffix(LOCK)
            with exclusive(lock, LOOK_EVERY_S, MOST_WAITED_S):
                found = compile_it(signature)
            if at_hand(files[-1:]):  # later and waiting processes find it
                with suppress(OSError):  # some systems cannot remove a file that another process has open
                    lock.unlink()
            return found

        return compiled

    def load_overload(self, signature: Any, target: Any) -> Any:
        """A compiled function from its file, after the functions that it calls; None means that no file can be read."""
        target.refresh()
        for file in at_hand(self._paths(signature)):
            with suppress(Exception):  # a damaged file, or one of another version, can raise any exception
                payload, own, called = pickle.loads(file.read_bytes())
                if not all(map(is_there, called)):
                    continue
                if own is not None:
                    tell_names(payload[1], target)
                found = _rebuilt(target, *payload)
                if own is not None:
                    note(own)
                with suppress(OSError):
                    os.utime(file)  # it is in use: see `euclio.core.warm_up.prune`
                return found
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write a compiled function into its file."""
        if result.library.has_dynamic_globals or any(not loop.can_cache for loop in result.lifted):
            return
        called = calls(result)
        call_by_name(self._kernel, result)
        ensure_room()
        files = self._paths(signature)
        if not files:
            return
        file = files[-1]
        partly = file.with_name(f"{file.name}.{uuid.uuid4().hex[:8]}")
        with suppress(OSError):
            make_private(file.parent)
            try:
                partly.touch(0o600, exist_ok=False)
                partly.write_bytes(_dumps((result._reduce(), own_link(result), called)))
                partly.replace(file)
            finally:
                partly.unlink(missing_ok=True)

    def flush(self) -> None:
        """Remove nothing: the file's name is a hash of its content's source."""


def c_function(function: Callable[..., float], numbers: int) -> Any:
    """A C function of several doubles that returns one, compiled from Python; it is cached like kernels are."""
    kernel = Source(function, {"error_model": "numpy", "cfunc": True})
    signature = numba.float64(*[numba.float64] * numbers)
    found: Any = CFunc(function, _normalized(signature), {}, {"error_model": "numpy"})
    found._cache = _Kept(kernel)
    found.compile()
    return found


# The compiled part of `euclio.core.compiled`: the clock, which asks Python, and its hurry.


def clock() -> float:
    """As `euclio.core.compiled.clock`, in machine code."""
    with numba.objmode(seconds="float64"):
        seconds = time.perf_counter()
    return seconds


def hurry() -> int:
    """As `euclio.core.compiled.hurry`, in machine code."""
    return 1
