"""Machine code made in the background, by a process that compiles the kernels that this one interprets for long.

It reads kernels and types from its standard input, one request per line. It outlives the requesting process, so that
the next one finds the machine code. It sends no answer, so no process waits for it (ours; docs/architecture.md).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from euclio.core.code_cache import described, is_spare, places
from euclio.core.folders import exclusive
from euclio.core.system import own_session, step_back
from euclio.core.system import tell as tell_pipe
from euclio.core.ways import VARIABLE, Source, Way

TURN_S = 1.0
"""Seconds between a background process's checks for its turn: one at a time makes machine code for all."""
LOCK = "making.lock"
MOST_STARTS = 3
"""Maximum number of starts by one process, in case it is killed."""


class _BackgroundCompiler:
    """What this process knows of the one that compiles for it."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.starts = 0
        self.told: set[str] = set()
        self.hand_on: Callable[[str], None] = tell


def wish(kernel: Source, arguments: Iterable[Any]) -> None:
    """Request machine code of a kernel for arguments of these types, if another process can import the kernel."""
    description = described(tuple(arguments))
    if description is not None and kernel.__module__ != "__main__":
        _compiler.hand_on(json.dumps([kernel.__module__, kernel.name, description]))


def hand_wishes_to(hand_on: Callable[[str], None]) -> None:
    """Let another process handle requests: this one's supervisor, which ends all processes that this one starts."""
    _compiler.hand_on = hand_on


def tell(line: str) -> None:
    """Send one request to the background process, and start it if needed; a request that cannot be sent is dropped."""
    if _compiler.process is None or _compiler.process.poll() is not None:
        if _compiler.starts == MOST_STARTS or not sys.executable:
            return
        _compiler.starts += 1
        _compiler.told.clear()
        with suppress(OSError):
            _compiler.process = _started()
    if line in _compiler.told or _compiler.process is None or _compiler.process.stdin is None:
        return
    if tell_pipe(_compiler.process.stdin.fileno(), f"{line}\n".encode()):  # else the next check sends it
        _compiler.told.add(line)


def _started() -> subprocess.Popen[bytes]:
    """A process that finds the same modules as this one, and has a session of its own.

    If machine code is kept in a folder that ends with this process, so does that process: it ends with its input.
    """
    # "" is the current folder. It comes last: it has kernels of a notebook's user, and hides no other module.
    folders = [*filter(None, sys.path), *([str(Path.cwd())] if "" in sys.path else [])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders), VARIABLE: Way.COMPILED.value}
    command = [sys.executable, "-P", "-m", "euclio.core.background_compiler", *(["--until-eof"] if is_spare() else [])]
    return subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=own_session(),
    )


_compiler = _BackgroundCompiler()


def main() -> None:
    """Make the machine code that standard input requests until it ends; errors are left to later callers."""
    step_back()
    if "--until-eof" in sys.argv[1:]:
        _end_with_input()
    kept_in = places()
    if not kept_in:  # no process would find the code
        return
    with exclusive(kept_in[-1] / LOCK, TURN_S):
        from euclio.core.machine_code import make

        for line in _lines():
            with suppress(Exception):
                module, name, description = json.loads(line)
                kernel = getattr(import_module(module), name)
                if isinstance(kernel, Source):
                    make(kernel.machine, description)


def _lines() -> Iterable[str]:
    return iter(sys.stdin.readline, "")


def _end_with_input() -> None:
    """End this process when its input ends, also while it compiles: a thread reads ahead and feeds a pipe."""
    own, hand_on = os.pipe()
    given = os.dup(0)
    os.dup2(own, 0)

    def pass_on() -> None:
        while data := os.read(given, 1 << 16):
            os.write(hand_on, data)
        os._exit(0)

    threading.Thread(target=pass_on, daemon=True).start()


if __name__ == "__main__":
    main()
