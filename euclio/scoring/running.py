"""Runs a candidate on an instance, in a confined process of its own that the supervisor watches and ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psutil

from euclio.core.errors import InputError, printable
from euclio.core.folders import temporary
from euclio.core.system import HARD_LIMITS, readable, soft
from euclio.core.words import full
from euclio.files.json_reading import parse_json
from euclio.supervision.keeper import Started, below_keeper
from euclio.supervision.limits import Cause, Watch

CHILD = Path(__file__).with_name("child.py")
ANSWER_BYTES = 1 << 17
"""Bytes of the longest answer that is read: far more than plans have, and little for the checker."""
START_S = 3.0
"""Seconds of wall time that a process may take next to its call, on a machine that does other work too."""
WALL = 3
"""Seconds of wall time per second of processor time: enough on a busy machine, and an end for a call that sleeps."""
ENDING_S = 0.3
SECONDS_OVER = "died of signal SIGXCPU"


@dataclass(frozen=True, slots=True)
class Limit:
    """Limits of a call.

    Attributes:
        seconds: processor time, in whole seconds.
        memory_mb: address space, in MiB.
    """

    seconds: int
    memory_mb: int = 1024


def run(program: str, instance: Mapping[str, object], limit: Limit) -> tuple[object, str]:
    """The plan of a candidate for an instance as plain data, with numbers as in files, or the reason for no plan.

    Args:
        program: the text of the candidate, which defines `solve(instance)`.
        instance: plain data.
        limit: limits of the call.

    Raises:
        InputError: this system cannot confine processes.
    """
    text, why = _answer({"program": program, "instance": instance}, limit)
    if why:
        return None, why
    try:
        answer = parse_json(text, file="the answer")
    except InputError as error:
        return None, printable(str(error))
    match answer:
        case {"plan": plan, **others} if not others:
            return plan, "" if plan is not None else "the program returns None; return a plan"
        case {"error": str(told)}:
            return None, printable(f"the program {told}"[:300])
    return None, "the answer is no plan"


@cache
def not_prevented() -> tuple[str, ...]:
    """The rights that candidates keep on this system, in words; empty if they are fully confined.

    Raises:
        InputError: this system cannot confine processes.
    """
    text, why = _answer({"program": None}, Limit(5))
    if why:
        raise InputError(f"candidates cannot be run here: the process {why}")
    return tuple(json.loads(text)["open"])


def _answer(request: Mapping[str, object], limit: Limit) -> tuple[str, str]:
    """The text that the process hands over, and the reason where there is none."""
    if not HARD_LIMITS:
        raise InputError(soft("a candidate's program cannot be confined; score it on Linux"))
    words = ["/usr/bin/env", "-i", "PYTHONHASHSEED=0", sys.executable, "-P", "-s", "-S", str(CHILD)]
    words += [str(limit.memory_mb), str(limit.seconds)]
    with tempfile.TemporaryDirectory(dir=temporary()) as empty, tempfile.TemporaryFile() as asked:
        asked.write(json.dumps(request).encode())
        asked.seek(0)
        process = psutil.Popen(
            below_keeper(words),
            stdin=asked,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=empty,
            env={"PYTHONPATH": os.pathsep.join(part or str(Path.cwd()) for part in sys.path)},
            start_new_session=True,
            bufsize=0,
        )
        started = Started(process)
        try:
            return _heard(started, process.stdout.fileno(), limit)
        finally:
            started.end()
            process.stdout.close()


def _heard(started: Started, output: int, limit: Limit) -> tuple[str, str]:
    """The output of a process until it ends, and the reason where it is no answer."""
    watch = Watch(started.process)
    watch.allow(START_S + WALL * limit.seconds, limit.memory_mb)
    heard = b""
    while (cause := watch.exceeded()) is None:
        if not readable(output, watch.patience_s):
            continue
        piece = os.read(output, 1 << 16)
        heard += piece
        if len(heard) > ANSWER_BYTES:
            return "", f"the answer has more than {ANSWER_BYTES >> 10} KiB"
        if not piece:
            break
    if cause is Cause.MEMORY:
        return "", f"takes more than {limit.memory_mb} MiB of memory"
    too_long = f"takes more than {full(limit.seconds)} s"
    if cause is not None:
        return "", too_long
    how = started.how_it_ended(ENDING_S)
    if how == SECONDS_OVER:
        return "", too_long
    if how != "exited with code 0":
        return "", f"the process {how or 'closed its output'} before it answered"
    return (heard.decode(errors="replace"), "") if heard else ("", "the process ends without an answer")
