"""Kernels: numeric functions of one source, run interpreted or as machine code.

A kernel is interpreted first, because small work is done before machine code is even loaded. This process counts the
seconds of interpretation. After `WORTH_LOADING_S`, kernels load their machine code from disk. After `WORTH_MAKING_S`,
another process makes the machine code of the others, which is taken once it exists. A call under way then starts again,
compiled, with its original arguments. Both ways give the same numbers, to every digit.

Only `euclio.core.machine_code` imports numba, when machine code is used (ours; docs/compiled-code.md).
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
"""Options of numba's compiler. Division follows numpy: division by zero raises nothing, so that an infeasible latency
is infinite. The code releases Python's lock, so that other threads run, such as the one that shows progress. References
are counted; the option is explicit because a kernel without counting would pass that on to the kernels that it
calls."""

WORTH_LOADING_S = 1.0
"""Interpreted seconds after which machine code is loaded. They equal the time of importing numba, so at most half of
the time is lost."""
WORTH_MAKING_S = 2.0
"""Interpreted seconds after which missing machine code is made: from then on it is worth a second core."""
LOOK_EVERY_S = 0.5
"""Seconds between two checks whether machine code has been made."""
LOOK_EVERY_CALLS = 64
"""Kernels that an interpreted one calls between two checks of the clock."""

COPIED_ALWAYS_BYTES = 1 << 20
COPIED_AT_FIRST_BYTES = 1 << 28
FIRST_CALLS = 3
"""Arguments of up to the first size are copied at each interpreted call, larger ones only at a kernel's first calls.
Frequent calls on a large table are short and need no restart."""


class _KernelRuns:
    """The state of the kernels in this process.

    Attributes:
        spent_s: seconds in interpreted calls.
        interpreted: number of interpreted calls.
        mark: their number when the current run began.
        began: wall and processor seconds when the current run began, on the clocks of the process.
        deadline: `time.perf_counter` value at which the current run stops; infinite without a limit.
        kernels: all kernels that have been defined.
        compiled: those of them that run as machine code.
    """

    def __init__(self) -> None:
        self.spent_s = 0.0
        self.interpreted, self.mark = 0, 0
        self.began, self.deadline = (0.0, 0.0), INFINITY
        self.kernels: list[Kernel] = []
        self.compiled: set[Kernel] = set()


_state = _KernelRuns()
_wish = late("euclio.core.background_compiler", "wish")


class _Thread(threading.local):
    """The outermost interpreted call of this thread, if any, with its start and the number of kernels it has called."""

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
        """Run compiled if machine code was taken, else interpreted, as an outermost call or within another one."""
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
        """Numba's dispatcher of this kernel, which loads machine code or makes it; this imports numba."""
        from euclio.core.machine_code import made

        return made(self, self._released)

    @property
    def _numba_type_(self) -> Any:
        """Numba's type of this kernel when another one calls it."""
        return self.machine._numba_type_

    def _begin(self, arguments: tuple[Any, ...]) -> Any:
        """An outermost call of a kernel that has not taken machine code."""
        if current_way() is Way.COMPILED or (current_way() is Way.EITHER and self._can_take(arguments)):
            return self.take()(*arguments)
        return _WatchedCall(self, arguments).made()

    def take(self) -> Any:
        """Run compiled from now on, for all arguments with machine code at hand; returns the function to call."""
        self._taken = self.machine
        _state.compiled.add(self)
        return self._taken

    def _released(self) -> Kernel:
        """This kernel, interpreted again until the next check for machine code."""
        self._taken = None
        _state.compiled.discard(self)
        self.look_at = time.perf_counter() + LOOK_EVERY_S
        return self

    def _can_take(self, arguments: tuple[Any, ...]) -> bool:
        """Whether machine code is worth loading and at hand; requests missing code if that is worth it."""
        if _state.spent_s < WORTH_LOADING_S or time.perf_counter() < self.look_at:
            return False
        return self.is_at_hand(arguments, _state.spent_s)

    def is_at_hand(self, arguments: tuple[Any, ...], spent_s: float) -> bool:
        """Whether machine code for such arguments is on disk; checked at most every `LOOK_EVERY_S`."""
        self.look_at = time.perf_counter() + LOOK_EVERY_S
        if is_cached(self, arguments):
            if not _loads_in_time():
                return False
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
        """The result of the call, interpreted, or compiled from some moment on."""
        _thread.outermost = self
        try:
            # As in compiled code, a division by zero gives infinity or NaN without a warning.
            with np.errstate(all="ignore"):
                return self.kernel.function(*self.arguments)
        except _HandOver:
            _restore(self.arguments, self.copied)
        finally:
            _thread.outermost = None
            _state.spent_s += time.perf_counter() - self.began
        return self.kernel.take()(*self.arguments)

    def look(self) -> None:
        """Start again compiled if that is worth it and machine code is there.

        Raises:
            _HandOver: machine code is there.
        """
        now = time.perf_counter()
        if current_way() is not Way.EITHER or now < self.look_at:
            return
        self.look_at = now + LOOK_EVERY_S
        # It checks the original arguments: the call may have changed their numbers, but not their types.
        if self.kernel.is_at_hand(self.arguments, _state.spent_s + now - self.began) and self.copied is not None:
            raise _HandOver


def _size(value: Any) -> float:
    """Bytes of the arrays in an argument; infinite if some of its content cannot be restored."""
    if isinstance(value, np.ndarray):
        return float(value.nbytes)
    if isinstance(value, tuple):
        return sum(map(_size, value))
    return 0.0 if isinstance(value, int | float | np.generic | None) else INFINITY


def _copied(value: Any) -> Any:
    """An argument with copies of its arrays; a named tuple becomes a plain one."""
    if isinstance(value, np.ndarray):
        return value.copy()
    return tuple(map(_copied, value)) if isinstance(value, tuple) else value


def _restore(value: Any, copied: Any) -> None:
    """Restore the copied content of an argument's arrays."""
    if isinstance(value, np.ndarray):
        if value.flags.writeable:
            value[...] = copied
    elif isinstance(value, tuple):
        for part, own in zip(value, copied, strict=True):
            _restore(part, own)


def begin_run() -> None:
    """From now on, count how the kernels of a run are executed."""
    _state.mark = _state.interpreted


@contextmanager
def stopping_at(deadline: float) -> Iterator[None]:
    """Inside, load no machine code that is there only after a deadline, since nothing interrupts the loading.

    Args:
        deadline: `time.perf_counter` value; infinite without a limit.
    """
    before = _state.began, _state.deadline
    _state.began, _state.deadline = (time.perf_counter(), time.process_time()), deadline
    try:
        yield
    finally:
        _state.began, _state.deadline = before


def _loads_in_time() -> bool:
    """Whether machine code is there before the current run stops; on a busy machine it takes as much longer as the run.

    With numba in the process already, it takes no time worth counting.
    """
    if _state.deadline == INFINITY or _state.compiled:
        return True
    now, (wall, processor) = time.perf_counter(), _state.began
    own_s = max(time.process_time() - processor, 1e-3)
    return now + WORTH_LOADING_S * max(1.0, (now - wall) / own_s) <= _state.deadline


def how_kernels_ran() -> str:
    """How kernels have run since the run began: "interpreted", "compiled", "both", or "none" if none ran.

    If a run calls no kernel, but an earlier one in this process was compiled, the answer is "compiled" too.
    """
    ran = [Way.INTERPRETED.value] if _state.interpreted > _state.mark else []
    ran += [Way.COMPILED.value] if machine_code_in_use() else []
    return "both" if len(ran) > 1 else ran[0] if ran else "none"


def expect_work(seconds: float) -> None:
    """Load machine code that is at hand at once if so many interpreted seconds are ahead."""
    _state.spent_s = max(_state.spent_s, seconds)


def warms_up() -> bool:
    """Whether code is compiled before it is timed."""
    return current_way() is Way.COMPILED


def before_timing(compile_it: Callable[P, None]) -> Callable[P, None]:
    """Run the compiling function only where runs are timed, once per process for the same arguments."""
    once: Callable[P, None] = cast(Any, functools.cache(compile_it))

    @functools.wraps(compile_it)
    def asked(*args: P.args, **kwargs: P.kwargs) -> None:
        if warms_up():
            once(*args, **kwargs)

    return asked


def time_runs() -> None:
    """Have kernels compiled from now on, since their times will be compared; unless that is switched off."""
    if current_way() is Way.EITHER:
        use(Way.COMPILED)
        os.environ[VARIABLE] = Way.COMPILED.value  # for the processes that this one starts


def machine_code_in_use() -> bool:
    """Whether some kernels of this process are compiled."""
    return current_way() is Way.COMPILED or bool(_state.compiled)


def use(way: Way) -> None:
    """Run kernels in this way from now on, in this process."""
    set_way(way)
    _state.compiled.clear()
    for kernel in _state.kernels:
        kernel._taken, kernel.look_at = None, -INFINITY


@contextmanager
def using(way: Way) -> Iterator[None]:
    """Run kernels in this way inside."""
    before = current_way()
    use(way)
    try:
        yield
    finally:
        use(before)


@contextmanager
def as_they_are() -> Iterator[None]:
    """Inside, use the machine code that was taken already, but load and make none."""
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

    It is put into its caller and counts no references. Otherwise each call would pass every array with its shape and
    strides, and each use of an array would count references, which takes longer than the work itself.
    """
    return cast(Callable[P, R], Kernel(function, {**OPTIONS, "forceinline": True, "_nrt": False}))


def compiled_in_place(function: Callable[P, R]) -> Callable[P, R]:
    """Make a kernel of a long numeric function that reads and writes a tuple of many arrays, and makes none.

    Like `compiled_on_tables` it counts no references, which would take half of the time of short searches. It is
    called, because compiling it into its callers would take too long. It returns numbers only: its caller would treat a
    returned array's uncounted reference as counted.
    """
    return cast(Callable[P, R], Kernel(function, {**OPTIONS, "_nrt": False}))


def compiled_from(module: str, name: str) -> Callable[[F], F]:
    """Make a kernel of a function with another one as its compiled version, which may use words that only numba knows.

    Such words may need Python, so a call from Python keeps Python's lock; within another kernel that kernel decides.

    Args:
        module: module of the compiled version, which is imported with numba.
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
    """The factor by which a kernel does less work between two checks of the clock, because interpretation is slower."""
    return 32


@compiled
def is_past(deadline: float) -> bool:
    """Whether a deadline on `clock` has passed; an infinite one never has."""
    return deadline < INFINITY and clock() >= deadline


@compiled
def total_of(values: Any) -> float:
    """The sum of an array of floats, one after the other.

    `values.sum()` adds in pairs when interpreted, and one after the other when compiled.
    """
    found = 0.0
    for value in values:
        found += value
    return found
