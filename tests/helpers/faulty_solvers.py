"""Solvers that do what no solver should, for tests of worker processes; they behave while they are warmed up."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

from euclio.core.result import Answer
from euclio.problems.session import Allocation, ModulePlan, Plan, Session
from euclio.supervision.channel import HEADER, MAGIC

MIB = 1 << 20


def good(session: Session) -> Answer:
    """Every module on its first configuration."""
    plans = []
    for module in session.modules:
        c = module.profile[0]
        machines = module.rate_rps // c.throughput_rps
        plans.append(ModulePlan((Allocation(c, machines, module.rate_rps - machines * c.throughput_rps),)))
    return Answer(Plan(tuple(plans)), "done")


def faulty(misbehave: Callable[[Session], Any]) -> Callable[[Session], Any]:
    """A solver that misbehaves, except on the instance that it is warmed up with."""

    @wraps(misbehave)
    def solve(session: Session) -> Any:
        return good(session) if session.name == "warm-up" else misbehave(session)

    return solve


@faulty
def hang(session: Session) -> Answer:
    while True:
        pass


@faulty
def hang_in_compiled_code(session: Session) -> Answer:
    """Hang without ever letting go of Python's lock."""
    ctypes.PyDLL(None).sleep(1000)
    return good(session)


@faulty
def hang_ignoring_signals(session: Session) -> Answer:
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    return hang(session)


@faulty
def hang_with_a_child(session: Session) -> Answer:
    child = subprocess.Popen(["sleep", "1000"])
    Path(os.environ["FAULTS"], "child").write_text(str(child.pid))
    return hang(session)


@faulty
def hang_with_a_session(session: Session) -> Answer:
    """Hang next to a child that leaves the process group."""
    child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    Path(os.environ["FAULTS"], "session").write_text(str(child.pid))
    return hang(session)


def _daemon() -> None:
    """Start a process that leaves group, session and parent, and every descriptor, as daemons do."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            Path(os.environ["FAULTS"], "daemon").write_text(str(os.getpid()))
            os.closerange(0, 256)
            time.sleep(1000)
        os._exit(0)
    os.wait()
    while not Path(os.environ["FAULTS"], "daemon").exists():
        time.sleep(0.01)


@faulty
def leave_a_daemon_and_answer(session: Session) -> Answer:
    _daemon()
    return good(session)


@faulty
def leave_a_daemon_and_hang(session: Session) -> Answer:
    _daemon()
    return hang(session)


@faulty
def leave_a_daemon_and_exit(session: Session) -> Answer:
    """Nobody is there to ask for the daemon's parent when the process is to be killed."""
    _daemon()
    os._exit(7)


@faulty
def come_back_twice(session: Session) -> Answer:
    os.fork()
    return good(session)


@faulty
def fail_without_text(session: Session) -> Answer:
    class SilentError(Exception):
        def __str__(self) -> str:
            raise ValueError("no text")

    raise SilentError


@faulty
def fail_in_colour(session: Session) -> Answer:
    raise ValueError("\x1b[31mred")


@faulty
def say_much(session: Session) -> Answer:
    return Answer(None, "x" * 1000)


@faulty
def grow(session: Session) -> Answer:
    """Fill 4 GiB, not faster than a supervisor can look."""
    filled = []
    for _ in range(64):
        filled.append(b"x" * (64 * MIB))
        time.sleep(0.02)
    return good(session)


LEFT_BEHIND: list[bytes] = []


@faulty
def leave_behind(session: Session) -> Answer:
    """Keep 100 MiB for ever."""
    LEFT_BEHIND.append(b"x" * (100 * MIB))
    return good(session)


@faulty
def run_out_of_memory(session: Session) -> Answer:
    raise MemoryError


@faulty
def segfault(session: Session) -> Answer:
    ctypes.string_at(0)
    return good(session)


@faulty
def leave(session: Session) -> Answer:
    os._exit(3)


@faulty
def kill_itself(session: Session) -> Answer:
    os.kill(os.getpid(), signal.SIGKILL)
    return good(session)


@faulty
def wait_to_be_killed(session: Session) -> Answer:
    Path(os.environ["FAULTS"], "pid").write_text(str(os.getpid()))
    return hang(session)


@faulty
def wait_once(session: Session) -> Answer:
    """Wait to be killed; good where that has happened."""
    return good(session) if Path(os.environ["FAULTS"], "pid").exists() else wait_to_be_killed(session)


@faulty
def print_much(session: Session) -> Answer:
    print("printed in Python")
    os.write(1, b"written to the descriptor\n")
    subprocess.run(["echo", "said by a child"], check=True)
    return good(session)


@faulty
def claim_nan(session: Session) -> Answer:
    return replace(good(session), claimed=float("nan"))


@faulty
def bound_nan(session: Session) -> Answer:
    return replace(good(session), bound=float("nan"))


@faulty
def claim_text(session: Session) -> Answer:
    return replace(good(session), claimed="cheap")  # type: ignore[arg-type]


@faulty
def claim_too_little(session: Session) -> Answer:
    return replace(good(session), claimed=1.0)


@faulty
def plan_too_little(session: Session) -> Answer:
    plan = good(session).plan
    assert plan is not None
    return Answer(Plan((ModulePlan(()), *plan.modules[1:])), "done")


@faulty
def fail(session: Session) -> Answer:
    raise ValueError("first line\nsecond line")


@faulty
def quit_python(session: Session) -> Answer:
    raise SystemExit(3)


@faulty
def interrupt(session: Session) -> Answer:
    raise KeyboardInterrupt


@faulty
def answer_nonsense(session: Session) -> Answer:
    return Answer("a plan", "done")  # type: ignore[arg-type]


@faulty
def return_number(session: Session) -> int:
    return 42


@faulty
def change_the_instance(session: Session) -> Answer:
    object.__setattr__(session, "slo_s", session.slo_s * 1000)
    return good(session)


@faulty
def write_junk(session: Session) -> Answer:
    """Write what looks like the length of a message and its beginning to every descriptor, then hang."""
    write_everywhere(b"\x00\x00\x10\x00junk")
    return hang(session)


@faulty
def write_little_junk(session: Session) -> Answer:
    """Write two bytes to every descriptor, and answer."""
    write_everywhere(b"\xff\0")
    return good(session)


@faulty
def close_everything(session: Session) -> Answer:
    """Close every descriptor but the standard ones, then hang."""
    os.closerange(3, 4096)
    return hang(session)


@faulty
def write_a_message_that_never_ends(session: Session) -> Answer:
    """Pose as the worker, and begin a message of 1 GiB."""
    write_everywhere(HEADER.pack(MAGIC, 1 << 30, b"0" * 16))
    return hang(session)


def write_everywhere(data: bytes) -> None:
    """Write to all descriptors but the standard ones."""
    for descriptor in range(3, 4096):
        with suppress(OSError):
            os.write(descriptor, data)


def segfault_always(session: Session) -> Answer:
    ctypes.string_at(0)
    return good(session)


def hang_at_once(session: Session) -> Answer:
    """As `hang_always`; a slot remembers which solvers it warms up no more."""
    while True:
        pass


def hang_always(session: Session) -> Answer:
    while True:
        pass


def measure_code(session: Session, result: Any) -> list[dict[str, Any]]:
    """Rows that no message takes."""
    return [{"code": lambda: session}]
