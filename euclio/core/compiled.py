"""Kernels: numeric functions of one source, interpreted, or as machine code where that is at hand or worth making.

Small work is done interpreted before machine code is even loaded, so a kernel is interpreted first. What has been
interpreted in this process is counted; after `WORTH_LOADING_S` kernels whose machine code is kept on disk take it, and
after `WORTH_MAKING_S` machine code of the others is made in another process, and taken once it is there. A call that is
under way then begins again, compiled, with its arguments as they were. Both ways give the same numbers, every digit.

Numba is imported by `euclio.core.machine_code`, and only where machine code is used (ours; docs/compiled-code.md).
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from euclio.core.code_cache import is_cached
from euclio.core.lazy import late
from euclio.core.ways import VARIABLE, Source, Way, current_way, set_way

INFINITY = float("inf")
P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "_nrt": True}
"""Options of numba's compiler. Division follows numpy: no exception on zero, so that an infeasible latency is infinite.
Python's lock is let go, so that other threads go on: one says after two seconds what is taking long. References are
counted, which is said since a kernel that does not count them would hand that on to those that it calls."""

WORTH_LOADING_S = 1.0
"""Interpreted seconds after which machine code is loaded: as long as numba takes to be imported, so that whoever
interprets a little more or a little less than that loses at most half."""
WORTH_MAKING_S = 2.0
"""Interpreted seconds after which machine code is made that is not at hand: from then on a second core is worth it."""
LOOK_EVERY_S = 0.5
"""How often it is looked whether machine code has been made meanwhile."""
LOOK_EVERY_CALLS = 64
"""Kernels that an interpreted one calls between two looks at the clock."""

COPIED_ALWAYS_BYTES = 1 << 20
COPIED_AT_FIRST_BYTES = 1 << 28
FIRST_CALLS = 3
"""Arguments of up to the first size are copied at each interpreted call, larger ones at a kernel's first calls only: a
call on a large table that is made often is short, and need not begin again."""


class _KernelRuns:
    """What is known of the kernels in this process.

    Attributes:
        spent_s: seconds in calls that were interpreted.
        interpreted: calls that were interpreted.
        mark: how many they were when the run began that is under way.
        kernels: all kernels that have been defined.
        compiled: those of them that run as machine code; each solve asks whether there is one.
    """

    def __init__(self) -> None:
        self.spent_s = 0.0
        self.interpreted, self.mark = 0, 0
        self.kernels: list[Kernel] = []
        self.compiled: set[Kernel] = set()


_state = _KernelRuns()
_wish = late("euclio.core.background_compiler", "wish")


class _Thread(threading.local):
    """The call that this thread interprets, if any: with its start, and how many kernels it has called."""

    outermost: _WatchedCall | None = None


_thread = _Thread()


class _HandOver(BaseException):
    """The outermost call has machine code now."""


class Kernel(Source):
    """A numeric function that is interpreted, or run as machine code; arguments as of `Source`."""

    def __init__(
        self, function: Callable[..., Any], options: dict[str, Any], source: tuple[str, str] | None = None
    ) -> None:
        super().__init__(function, options, source)
        self.calls = 0
        self.look_at = -INFINITY
        self._taken: Any = None
        _state.kernels.append(self)

    def __call__(self, *arguments: Any) -> Any:
        """Run compiled if machine code was taken, else interpreted, as a call of its own or within another one."""
        taken = self._taken
        if taken is not None:
            return taken(*arguments)
        call = _thread.outermost
        if call is not None:
            call.kernels += 1
            if not call.kernels % LOOK_EVERY_CALLS:
                call.look()
            return self.function(*arguments)
        return self._begin(arguments)

    def __reduce__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<kernel {self.__module__}.{self.name}>"

    @functools.cached_property
    def machine(self) -> Any:
        """Numba's dispatcher of this kernel, which loads machine code or makes it; numba is imported here."""
        from euclio.core.machine_code import made

        return made(self, self._released)

    @property
    def _numba_type_(self) -> Any:
        """What numba takes a kernel for that another one calls."""
        return self.machine._numba_type_

    def _begin(self, arguments: tuple[Any, ...]) -> Any:
        """An outermost call of a kernel that has not taken machine code."""
        if current_way() is Way.COMPILED or (current_way() is Way.EITHER and self._can_take(arguments)):
            return self.take()(*arguments)
        return _WatchedCall(self, arguments).made()

    def take(self) -> Any:
        """Run compiled from now on, for all arguments whose machine code is at hand; gives what is called then."""
        self._taken = self.machine
        _state.compiled.add(self)
        return self._taken

    def _released(self) -> Kernel:
        """Itself, which runs interpreted again until it is next looked for machine code."""
        self._taken = None
        _state.compiled.discard(self)
        self.look_at = time.perf_counter() + LOOK_EVERY_S
        return self

    def _can_take(self, arguments: tuple[Any, ...]) -> bool:
        """Whether machine code is worth loading and at hand; what is not is wished for when that is worth it."""
        if _state.spent_s < WORTH_LOADING_S or time.perf_counter() < self.look_at:
            return False
        return self.is_at_hand(arguments, _state.spent_s)

    def is_at_hand(self, arguments: tuple[Any, ...], spent_s: float) -> bool:
        """Whether machine code for such arguments is on disk; asked at most every `LOOK_EVERY_S`."""
        self.look_at = time.perf_counter() + LOOK_EVERY_S
        if is_cached(self, arguments):
            self.look_at = -INFINITY  # a call that cannot begin again leaves it to the next one
            return True
        if spent_s >= WORTH_MAKING_S:
            _wish(self, arguments)
        return False


class _WatchedCall:
    """One outermost call that is interpreted."""

    def __init__(self, kernel: Kernel, arguments: tuple[Any, ...]) -> None:
        self.kernel = kernel
        self.arguments = arguments
        self.kernels = 0
        self.began = time.perf_counter()
        self.look_at = self.began + max(0.0, WORTH_LOADING_S - _state.spent_s)
        kernel.calls += 1
        _state.interpreted += 1
        self.copied: tuple[Any, ...] | None = None
        if current_way() is Way.EITHER:
            most = COPIED_AT_FIRST_BYTES if kernel.calls <= FIRST_CALLS else COPIED_ALWAYS_BYTES
            self.copied = _copied(arguments) if _size(arguments) <= most else None

    def made(self) -> Any:
        """What the call returns, interpreted, or compiled from some moment on."""
        _thread.outermost = self
        try:
            # As in compiled code, a division by zero is infinite or no number, and says nothing.
            with np.errstate(all="ignore"):
                return self.kernel.function(*self.arguments)
        except _HandOver:
            _restore(self.arguments, self.copied)
        finally:
            _thread.outermost = None
            _state.spent_s += time.perf_counter() - self.began
        return self.kernel.take()(*self.arguments)

    def look(self) -> None:
        """Begin again compiled if that is worth it and machine code is there.

        Raises:
            _HandOver: it is.
        """
        now = time.perf_counter()
        if current_way() is not Way.EITHER or now < self.look_at:
            return
        self.look_at = now + LOOK_EVERY_S
        # It is asked with the arguments as they were: the call may have changed their numbers, but not their types.
        if self.kernel.is_at_hand(self.arguments, _state.spent_s + now - self.began) and self.copied is not None:
            raise _HandOver


def _size(value: Any) -> float:
    """Bytes of the arrays in an argument; infinite where it holds what cannot be put back as it was."""
    if isinstance(value, np.ndarray):
        return float(value.nbytes)
    if isinstance(value, tuple):
        return sum(map(_size, value))
    return 0.0 if isinstance(value, int | float | np.generic | None) else INFINITY


def _copied(value: Any) -> Any:
    """An argument with arrays of its own; of a named tuple a plain one."""
    if isinstance(value, np.ndarray):
        return value.copy()
    return tuple(map(_copied, value)) if isinstance(value, tuple) else value


def _restore(value: Any, copied: Any) -> None:
    """Write into an argument's arrays what they held when they were copied."""
    if isinstance(value, np.ndarray):
        if value.flags.writeable:
            value[...] = copied
    elif isinstance(value, tuple):
        for part, own in zip(value, copied, strict=True):
            _restore(part, own)


def begin_run() -> None:
    """From now on it is counted how the kernels of a run are run."""
    _state.mark = _state.interpreted


def how_kernels_ran() -> str:
    """How kernels have run since the run began: "interpreted", "compiled", "both", or "none" where none ran.

    Where a run calls no kernel, but one before it in this process was compiled, that is "compiled" too.
    """
    ran = [Way.INTERPRETED.value] if _state.interpreted > _state.mark else []
    ran += [Way.COMPILED.value] if machine_code_in_use() else []
    return "both" if len(ran) > 1 else ran[0] if ran else "none"


def expect_work(seconds: float) -> None:
    """Machine code that is at hand is loaded at once where so many interpreted seconds are ahead."""
    _state.spent_s = max(_state.spent_s, seconds)


def warms_up() -> bool:
    """Whether what is going to be timed is compiled before."""
    return current_way() is Way.COMPILED


def before_timing(compile_it: Callable[P, None]) -> Callable[P, None]:
    """Have what compiles run where runs are timed, once for each arguments in a process, and nowhere else."""
    once: Callable[P, None] = cast(Any, functools.cache(compile_it))

    @functools.wraps(compile_it)
    def asked(*args: P.args, **kwargs: P.kwargs) -> None:
        if warms_up():
            once(*args, **kwargs)

    return asked


def time_runs() -> None:
    """Have kernels compiled from now on, since their times are going to be compared; unless that is switched off."""
    if current_way() is Way.EITHER:
        use(Way.COMPILED)
        os.environ[VARIABLE] = Way.COMPILED.value  # for the processes that this one starts


def machine_code_in_use() -> bool:
    """Whether kernels of this process are compiled, all or some."""
    return current_way() is Way.COMPILED or bool(_state.compiled)


def use(way: Way) -> None:
    """Have kernels run in a way from now on, in this process."""
    set_way(way)
    _state.compiled.clear()
    for kernel in _state.kernels:
        kernel._taken, kernel.look_at = None, -INFINITY


@contextmanager
def using(way: Way) -> Iterator[None]:
    """Have kernels run in a way inside."""
    before = current_way()
    use(way)
    try:
        yield
    finally:
        use(before)


@contextmanager
def as_they_are() -> Iterator[None]:
    """Have kernels run inside as they do already: machine code that was taken is used, none is loaded or made."""
    before = current_way()
    set_way(Way.INTERPRETED)
    try:
        yield
    finally:
        set_way(before)


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Make a numeric function a kernel; its machine code is kept on disk between processes."""
    return cast(Callable[P, R], Kernel(function, dict(OPTIONS)))


def compiled_on_tables(function: Callable[P, R]) -> Callable[P, R]:
    """Make a kernel of a numeric function that reads and writes a tuple of many arrays, and makes none.

    Without counted references and put into its caller: each call would otherwise hand over every array with its shape
    and strides, and each use of one would count its references, which takes longer than the work itself.
    """
    return cast(Callable[P, R], Kernel(function, {**OPTIONS, "forceinline": True, "_nrt": False}))


def compiled_in_place(function: Callable[P, R]) -> Callable[P, R]:
    """Make a kernel of a numeric function that reads and writes a tuple of many arrays, makes none, and is long.

    As `compiled_on_tables` without counted references, which would take half of the time of short searches; but called,
    since its callers would take too long to compile with it inside. It returns numbers only: of an array its caller
    would take a reference for counted that is not.
    """
    return cast(Callable[P, R], Kernel(function, {**OPTIONS, "_nrt": False}))


def compiled_from(module: str, name: str) -> Callable[[F], F]:
    """Make a kernel of a function of which another one is compiled, since numba needs words there that Python has not.

    Such words may need Python, so its lock is not let go in a call from Python; within another kernel that one decides.

    Args:
        module: module of what is compiled, which is imported with numba.
        name: its name there.
    """

    def made(function: F) -> F:
        return cast(F, Kernel(function, {**OPTIONS, "nogil": False}, (module, name)))

    return made


@compiled_from("euclio.core.machine_code", "clock")
def clock() -> float:
    """Seconds on the clock that limits use."""
    return time.perf_counter()


@compiled_from("euclio.core.machine_code", "hurry")
def hurry() -> int:
    """By how much less work a kernel does between two looks at the clock: it takes that much longer interpreted."""
    return 32


@compiled
def is_past(deadline: float) -> bool:
    """Whether a deadline on `clock` has passed; an infinite one is not looked up."""
    return deadline < INFINITY and clock() >= deadline


@compiled
def total_of(values: Any) -> float:
    """The sum of an array of floats, one after the other.

    `values.sum()` adds in pairs where it is interpreted, and one after the other where it is compiled.
    """
    found = 0.0
    for value in values:
        found += value
    return found
