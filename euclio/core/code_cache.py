"""Cache of the machine code of kernels: one file per function and types, named by a hash of all that it reaches.

A changed function therefore has only itself and its callers compiled again, and two checkouts share equal functions.
All this is computed without numba (ours; docs/architecture.md).
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from enum import Enum
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from euclio.core.folders import is_private, temporary, why_not_private
from euclio.core.system import cpu_lines
from euclio.core.ways import Source, is_set

SUFFIX = ".machine"
LOCK = ".machine-lock"
"""End of the name of the file that a process locks while it makes a `SUFFIX` of the same name."""
FORMAT = 2
"""Number of what a file holds and how; it goes up when that changes, as other versions read the folder too."""
HAS_DOCSTRING = 0x4000000
"""Flag of functions with a docstring, from Python 3.14 on."""
SPARE = "EUCLIO_SPARE_FOLDER"
"""Variable of the environment that tells processes which this one starts of its temporary folder."""
SWITCHES = frozenset({"NUMBA_BOUNDSCHECK"})
NO_SETTINGS = frozenset({"NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT", "NUMBA_NUM_THREADS"})
"""Numba's variables of the environment that leave machine code as it is."""


def folder() -> Path | None:
    """The folder of machine code for this Python, numba, llvmlite and numpy. None means that there is none.

    It is `NUMBA_CACHE_DIR` if set, else `euclio` in `XDG_CACHE_HOME` or in the home folder's `.cache`. A path that is
    not absolute counts as not set. A folder that others can change is not used, as their machine code would be run.
    """
    place = _named()
    return place if place and is_private(place) else None


def where_kept() -> str:
    """The folder of machine code, or the reason why there is none and the remedy, in one line."""
    place = _named()
    if place is None:
        return "no folder: there is no home folder; set HOME, or NUMBA_CACHE_DIR, to an absolute path"
    why = why_not_private(place)
    return f"no folder: {why}" if why else str(place)


def _named() -> Path | None:
    """The folder that the environment names, without a check of its owners. None means that it names none."""
    given = _absolute("NUMBA_CACHE_DIR")
    own = given or _absolute("XDG_CACHE_HOME")
    with suppress(RuntimeError):  # a user without a home folder
        own = own or Path.home() / ".cache"
    if own is None or not own.is_absolute():  # an invalid home folder
        return None
    return (own if given else own / "euclio") / _made_with()


def _absolute(variable: str) -> Path | None:
    path = Path(os.environ.get(variable, ""))
    return path if path.is_absolute() else None


def ensure_room() -> None:
    """Find a writable folder before processes are forked that are to share it.

    If there is no proper folder, or it is read-only, as in a container, a temporary folder is added that ends with this
    process. Machine code in the proper folder is still used. Processes that this one starts use the same temporary
    folder.
    """
    own = folder()
    if not is_spare() and not (own and _can_be_written(own)):
        with suppress(OSError):
            os.environ[SPARE] = str(temporary() / "kernels")


def _can_be_written(place: Path) -> bool:
    while not place.exists() and place != place.parent:
        place = place.parent
    return place.is_dir() and os.access(place, os.W_OK | os.X_OK)


def is_spare() -> bool:
    """Whether new machine code is kept in a temporary folder."""
    return SPARE in os.environ


def places() -> list[Path]:
    """The folders of machine code in the order of lookup; the last one, if any, is the one to write to."""
    own, spare = folder(), _absolute(SPARE)
    return [*filter(None, [own]), *([spare / _made_with()] if spare and is_private(spare) else [])]


def at_hand(files: Iterable[Path]) -> list[Path]:
    """The existing files of machine code that are safe to load: no other user can have written them."""
    return [file for file in files if file.is_file() and is_private(file)]


@cache
def _made_with() -> str:
    """Versions that machine code depends on."""
    names = [f"py{sys.version_info.major}{sys.version_info.minor}{getattr(sys, 'abiflags', '')}"]
    for name in ("numba", "llvmlite", "numpy"):
        with suppress(PackageNotFoundError):
            names.append(f"{name}{version(name)}")
    return "-".join(names)


@cache
def _machine() -> str:
    """The processor, and the settings of the compiler."""
    texts = [platform.system(), platform.machine(), platform.processor()]
    texts += sorted({line for line in cpu_lines() if line.startswith(("model name", "flags", "Features", "CPU part"))})
    names = sorted(name for name in os.environ if name.startswith("NUMBA_") and name not in NO_SETTINGS)
    texts += [f"{name}={os.environ[name]}" for name in names if name not in SWITCHES or is_set(name)]
    return "\n".join(texts)


def is_cached(kernel: Source, arguments: Iterable[Any]) -> bool:
    """Whether machine code of a kernel for arguments of these types is on disk."""
    ensure_room()
    description = described(tuple(arguments))
    return description is not None and bool(at_hand(paths(kernel, description)))


def paths(kernel: Source, description: Any) -> list[Path]:
    """The possible files of a kernel's machine code for arguments of the described types, in the order of `places`."""
    key = hashlib.sha256(f"{FORMAT}\n{digest(kernel)}\n{description!r}\n{_machine()}".encode()).hexdigest()[:32]
    name = kernel.name.replace("<", "").replace(">", "")
    return [place / kernel.__module__ / f"{name}-{key}{SUFFIX}" for place in places()]


def described(value: Any) -> Any:
    """The type of an argument of machine code, as plain data. None means that only numba knows it."""
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject or value.dtype.fields is not None or not value.flags.aligned:
            return None
        layout = "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "A"
        return ["array", value.dtype.name, value.ndim, layout, value.flags.writeable]
    if isinstance(value, tuple):
        parts = [described(part) for part in value]
        if None in parts:
            return None
        if type(value) is tuple:
            return ["tuple", *parts]
        fields = getattr(type(value), "_fields", None)
        return None if fields is None else ["named", *named(type(value)), *parts]
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, np.generic):
        return value.dtype.name
    if type(value) in {int, float}:
        return "int64" if isinstance(value, int) else "float64"
    return "none" if value is None else None


def named(kind: type[Any]) -> list[Any]:
    """The fields that tell a named tuple from others: machine code finds its parts by position."""
    return [kind.__module__, kind.__qualname__, list(kind._fields)]


@cache
def digest(kernel: Source) -> str:
    """Hash of a kernel and of all that its machine code depends on: other functions, and the values of names."""
    hashed = hashlib.sha256()
    for text in _reached(kernel):
        hashed.update(text.encode() + b"\0")
    return hashed.hexdigest()[:32]


def _reached(kernel: Source) -> Iterator[str]:
    """Texts for a kernel and everything that it reaches, each once and in an order that depends on nothing else."""
    seen, waiting = {id(kernel)}, deque([kernel])
    while waiting:
        now = waiting.popleft()
        yield f"{now.__module__}.{now.name} {sorted(now.options.items())!r}"
        if now.source is not None:
            yield _file_hash(now.source[0])
            continue
        values = dict(_values_of(now.function))
        yield from _code_texts(now.function.__code__, now.function.__doc__)
        for name in sorted(values):
            value = values[name]
            yield f"{name}={_text(value)}"
            if isinstance(value, Source) and id(value) not in seen:
                seen.add(id(value))
                waiting.append(value)


def _values_of(function: Any) -> Iterator[tuple[str, Any]]:
    """The names that a function looks up outside of itself, with their values."""
    names = _names(function.__code__)
    found = {name: function.__globals__[name] for name in names & function.__globals__.keys()}
    if function.__closure__:
        cells = zip(function.__code__.co_freevars, function.__closure__, strict=True)
        found |= {name: cell.cell_contents for name, cell in cells}
    for name, value in found.items():
        yield name, value
        # The values of numpy's names follow from its version, which is part of the folder's name.
        if isinstance(value, ModuleType) and value is not np:
            yield from ((f"{name}.{own}", getattr(value, own)) for own in names if hasattr(value, own))


def _names(code: CodeType) -> set[str]:
    inner = (part for part in code.co_consts if isinstance(part, CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _code_texts(code: CodeType, doc: str | None) -> Iterator[str]:
    """The content of a function, without its place in the file and its docstring."""
    yield repr((code.co_code, code.co_names, code.co_varnames, code.co_argcount, code.co_flags & ~HAS_DOCSTRING))
    has_doc = doc is not None and code.co_consts[:1] == (doc,)
    # Most versions of Python store None in place of a missing docstring.
    for value in (None, *code.co_consts[1:]) if has_doc else code.co_consts:
        if isinstance(value, CodeType):
            yield from _code_texts(value, None)
        else:
            yield f"{type(value).__name__} {value!r}"


def _text(value: Any) -> str:
    """The part of a name's value that machine code depends on."""
    if isinstance(value, Source):
        return f"{value.__module__}.{value.name}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, Enum):
        return f"{type(value).__qualname__}.{value.name}={value.value!r}"
    if isinstance(value, type):
        members = list(value) if issubclass(value, Enum) else getattr(value, "_fields", ())
        return f"{value.__module__}.{value.__qualname__} {[*map(_member, members)]}"
    if isinstance(value, tuple):
        return f"{type(value).__qualname__}({', '.join(map(_text, value))})"
    if isinstance(value, FunctionType):
        return f"{value.__module__}.{value.__qualname__}"
    return f"{type(value).__name__} {value!r}" if isinstance(value, int | float | str | None) else type(value).__name__


def _member(value: Any) -> str:
    return f"{value.name}={value.value!r}" if isinstance(value, Enum) else str(value)


@cache
def _file_hash(module: str) -> str:
    """Hash of a module's file, computed without importing it."""
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return hashlib.sha256(Path(spec.origin).read_bytes()).hexdigest()
