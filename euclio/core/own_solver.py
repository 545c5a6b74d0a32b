"""A user's own solver without a package around it: a function, or one of a file, named ``path/to/file.py:function``.

The function takes the instance first. It may take the plan space (``space``) and the limits (``limits``) by name. It
returns a plan, None or an `Answer`. The annotation of its first parameter states the problem family; without one it
solves sessions. The default of ``space`` is the plan space that it searches; without one it searches the full space.
Instead of a function, the name may point to a `Solver` or to a design with `as_solver`, such as a row of Harpagon's
Table III.

Families find other objects in users' files the same way (`named_in_file`), such as dispatch policies.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeGuard, get_type_hints

from euclio.core.errors import InapplicableError, InputError, reason_of
from euclio.core.families import families, find_family
from euclio.core.family import Family
from euclio.core.references import expanded
from euclio.core.result import Answer
from euclio.core.solver import AnySolver, Limits, Solver, SolverLike
from euclio.core.system import read_bytes

MODULE = "own_solver_"
"""Prefix of the names of modules made from such files."""
PLAIN_NAMES = ("solve", "run")
"""Names of functions that a label leaves out, because the file's name suffices."""
BY_NAME = ("space", "limits")
"""Arguments that a function gets by name if it has parameters of these names."""


def load_solver(reference: str, folder: Path | None = None) -> AnySolver:
    """The solver that a name points to; the same one as long as the file stays the same.

    Args:
        reference: ``path/to/file.py:function``; it may also name an `euclio.core.registry.Solver` or an object with
            `as_solver`.
        folder: base folder of the path. None means the current folder.

    Returns:
        The solver, named by the reference; its version is a hash of the file.

    Raises:
        InputError: no such file or function, one that cannot be called as a solver, or an error in the file.
    """
    found, version, path = named_in_file(reference, folder, "function", _solves)
    try:
        return _solver(reference, path.resolve(), found, version)
    except InputError as error:
        raise error.in_file(str(path)) from error


def named_in_file(
    reference: str, folder: Path | None, what: str, fits: Callable[[Any], bool], version: str = ""
) -> tuple[Any, str, Path]:
    """The object of a name that points into a Python file: a solver, a system or a policy.

    Args:
        reference: ``path/to/file.py:NAME``.
        folder: base folder of the path. None means the current folder.
        what: kind of the wanted object, for messages.
        fits: whether a value of the file is of this kind.
        version: required hash of the file, checked before any of it runs; empty allows any.

    Returns:
        The value, the hash of the file that is its version, and the path of the file.

    Raises:
        InputError: no such file, another hash, no such name in it, or an error in the file.
    """
    file, _, name = reference.rpartition(":")
    named = expanded(file or name)
    path = named if folder is None else folder / named
    wanted = what if what == "function" else what.upper()
    try:
        source = read_bytes(path)
    except (OSError, ValueError) as error:
        reason = reason_of(error)
        raise InputError(f"cannot be read: {reason}; give FILE.py:{wanted}", file=str(path)) from None
    own_version = hashlib.sha256(source).hexdigest()[:16]
    if version not in ("", own_version):
        raise InputError(
            f"has changed: its hash was {version} when it was used, and is {own_version}; give the file as it was",
            file=str(path),
        )
    try:
        module = _module(path.resolve(), source)
    except InputError as error:
        raise error.in_file(str(path)) from error
    found = {
        key: value
        for key, value in vars(module).items()
        if not key.startswith("_")
        and fits(value)
        and not (inspect.isfunction(value) and value.__module__ != module.__name__)
    }
    if name in found and file:
        return found[name], own_version, path
    known = ", ".join(found) or "none is defined"
    message = f"has no {what} {name!r}; it has" if file else f"says no {what}; write {reference}:NAME with one of"
    raise InputError(f"{message}: {known}", file=str(path))


def solver_of(given: Any) -> AnySolver:
    """A function as a solver, named by the function; other callable objects are named by their class.

    Raises:
        InputError: it is no function, or one that cannot be called as a solver.
    """
    if _is_design(given):
        return given.as_solver()
    if not callable(given):
        raise InputError(f"is {given!r}; give the name of a solver, a `Solver` or a function", field="--solver")
    name = _name_of(given)
    return _of_function(given, name, name, None)


def name_elsewhere(given: SolverLike) -> str:
    """The name by which other processes find a solver; they get its name, not the object.

    Raises:
        InputError: a function that no module on disk has.
    """
    if isinstance(given, str | Solver):
        return given if isinstance(given, str) else given.name
    module, name = sys.modules.get(getattr(given, "__module__", "")), getattr(given, "__name__", "")
    file = getattr(module, "__file__", None)
    # Each of them would otherwise run the main file once more.
    if file is None or module is sys.modules["__main__"] or getattr(module, name, None) is not given:
        raise InputError(
            f"{_name_of(given)!r} is to run in other processes, which find a solver by its name; write the function "
            f"into a file of its own, and give FILE.py:{name if name.isidentifier() else 'NAME'}"
        )
    return f"{file}:{name}"


def _name_of(function: Callable[..., Any]) -> str:
    """The name of a function, with its module or class where the name says little; a lambda is named by its line."""
    if isinstance(function, partial):
        given = [*map(_word, function.args), *(f"{key}={_word(value)}" for key, value in function.keywords.items())]
        return f"{_name_of(function.func)}({', '.join(given)})"
    name = str(getattr(function, "__name__", type(function).__name__))
    if name == "<lambda>":
        return f"lambda:{function.__code__.co_firstlineno}"
    if name in PLAIN_NAMES:
        owner = getattr(function, "__self__", None)
        of = function.__module__.rpartition(".")[2] if owner is None else type(owner).__name__
        return name if of == "__main__" else f"{of}.{name}"
    return name


def _word(value: Any) -> str:
    """A value bound to a function, in about one word."""
    return str(value) if isinstance(value, str | int | float | Fraction) else type(value).__name__


def _plain(function: Any) -> Any:
    """The innermost function: it has the annotations and the documentation."""
    if isinstance(function, partial):
        return _plain(function.func)
    return function if inspect.isroutine(function) or isinstance(function, type) else type(function).__call__


class _MakesSolver(Protocol):
    """A design that is a solver in another form, such as a row of Harpagon's Table III."""

    def as_solver(self) -> AnySolver:
        """The solver of it."""


def _solves(value: Any) -> bool:
    """Whether a value of a file is a solver, or can be made one."""
    return isinstance(value, Solver) or inspect.isfunction(value) or _is_design(value)


def _is_design(value: Any) -> TypeGuard[_MakesSolver]:
    return not isinstance(value, type) and callable(getattr(value, "as_solver", None))


def _solver(reference: str, path: Path, found: Any, version: str) -> AnySolver:
    key = (reference, path, version)
    if key not in _made:
        _made[key] = _make_solver(reference, path, found, version)
    return _made[key]


_made: dict[tuple[str, Path, str], AnySolver] = {}
"""Solvers by reference, file and hash of the file, so that an unchanged file always gives the same solver."""


def _make_solver(reference: str, path: Path, found: Any, version: str) -> AnySolver:
    if _is_design(found):
        found = found.as_solver()
    if isinstance(found, Solver):
        return replace(found, name=reference, version=version)
    name = found.__name__
    label = path.stem if name in PLAIN_NAMES else f"{path.stem}:{name}"
    return replace(_of_function(found, reference, name, str(path)), label=label, version=version)


def _of_function(function: Callable[..., Any], name: str, own: str, file: str | None) -> AnySolver:
    """A function as a solver of this name; `own` and the file are for messages."""
    plain = _plain(function)
    parameters = _parameters(function, file, own)
    family = _family(plain, next(iter(parameters)), file, own)
    space = _own_space(parameters, family)
    run = _run(function, own, tuple(part for part in BY_NAME if part in parameters), space, family, file)
    summary = (inspect.getdoc(plain) or own).splitlines()[0]
    return Solver(name, "heuristic", summary, run, space, family=family.name)


@cache
def _module(path: Path, source: bytes) -> ModuleType:
    """The file as a module; its neighbours can be imported by it.

    It is compiled from its text, because Python's cached byte code may belong to an older text of the same second.
    """
    module = ModuleType(f"{MODULE}{hashlib.sha256(source).hexdigest()[:16]}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
    except SyntaxError as error:
        line = f" in line {error.lineno}" if error.filename == str(path) else ""
        raise InputError(f"is no valid Python: {error.msg}{line}", file=str(path)) from None
    except (Exception, SystemExit) as error:
        raise InputError(f"raises {_raised(error, path)} when it is imported", file=str(path)) from error
    return module


def blame(error: BaseException) -> str:
    """The exception of a user's own solver, in one line that names its file; empty if the error arose elsewhere."""
    files = {module.__file__ for name, module in sys.modules.items() if name.startswith(MODULE)}
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename in files:
            return f"{frame.filename}: raises {_raised(error, Path(frame.filename))}"
    return ""


def _raised(error: BaseException, path: Path) -> str:
    """An exception and the last line of the file in its traceback, in one line."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{text} (line {lines[-1]})" if lines else text


def _parameters(function: Callable[..., Any], file: str | None, name: str) -> Mapping[str, inspect.Parameter]:
    """Parameters by name, the instance first.

    Raises:
        InputError: the function cannot be called with an instance, a plan space and limits.
    """
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # C functions may lack a signature
        raise InputError("does not say what it takes; write a function around it", file=file, field=name) from None
    first, *others = parameters.values() or (None,)
    if first is None or first.kind not in (first.POSITIONAL_ONLY, first.POSITIONAL_OR_KEYWORD):
        raise InputError("takes no instance; its first parameter has to be one", file=file, field=name)
    for other in others:
        needed = other.default is other.empty and other.kind not in (other.VAR_POSITIONAL, other.VAR_KEYWORD)
        if (needed and other.name not in BY_NAME) or (other.name in BY_NAME and other.kind is other.POSITIONAL_ONLY):
            raise InputError(
                f"takes {other.name!r}, for which euclio has no value; after the instance it may take `space` and "
                "`limits`, by these names, and parameters with a default",
                file=file,
                field=name,
            )
    return parameters


def _family(function: Callable[..., Any], first: str, file: str | None, name: str) -> Family:
    """The family whose instances the first parameter is annotated with; sessions where it is not.

    Raises:
        InputError: it is annotated with something else.
    """
    try:
        hint = get_type_hints(function).get(first, Any)
    except Exception:  # names that exist for type checkers only
        hint = getattr(function, "__annotations__", {}).get(first, Any)
    for family in families():
        if hint is family.instance or str(hint).rpartition(".")[2] == family.instance.__name__:
            return family
    if hint is not Any and hint is not object:
        known = " or ".join(family.instance.__name__ for family in families())
        shown = getattr(hint, "__name__", hint)
        raise InputError(f"takes {first!r} as {shown}; annotate it as {known}", file=file, field=name)
    return find_family("session")


def _own_space(parameters: Mapping[str, inspect.Parameter], family: Family) -> Any:
    """The default of `space` where it is a plan space of the family, else the full one."""
    default = parameters["space"].default if "space" in parameters else None
    return default if isinstance(default, type(family.full_space)) else family.full_space


def _run(
    function: Callable[..., Any], name: str, wanted: tuple[str, ...], own: Any, family: Family, file: str | None
) -> Callable[[Any, Any, Limits[Any]], Answer[Any]]:
    """The function as the run of a solver."""

    def run(instance: Any, space: Any, limits: Limits[Any]) -> Answer[Any]:
        if "space" not in wanted and space != own:
            raise InapplicableError(f"{name} takes no plan space, so it plans in its own only")
        given = {"space": space, "limits": limits}
        answer = function(instance, **{part: given[part] for part in wanted})
        if answer is None:
            return Answer(None, "no plan", reason=f"{name} returned no plan")
        if isinstance(answer, family.plan):
            return Answer(answer, "done")
        if isinstance(answer, Answer):
            return answer
        got, wanted_kind = type(answer).__name__, family.plan.__name__
        raise InputError(f"returned a {got}; return a {wanted_kind}, an Answer or None", file=file, field=name)

    return run
