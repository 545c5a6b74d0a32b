"""Workers: processes that run a batch for each line they are sent, and answer a line when it is done.

The line says the batch size. Some lines are sent ahead, so that no worker waits for the next one. An answer `took
0.0123` gives the seconds that the batch took by the worker's own clock; other lines are timed from the answer before.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from euclio.core.errors import InputError
from euclio.core.system import readable
from euclio.core.words import full
from euclio.supervision.ending import ending, kill_all
from euclio.supervision.kept import kept

TOOK = re.compile(rb"took (\d{1,9}(?:\.\d{1,18})?)\s*")
FUNCTION = re.compile(r"(?P<file>.+\.py):(?P<name>\w+)")
NS_PER_S = 10**9
PIECE_BYTES = 1 << 16
AHEAD = 4
"""Batches that a worker knows of next to the one that it runs."""


def worker_words(words: Sequence[str]) -> list[str]:
    """The words of a worker's command: those given, or for `FILE.py:FUNCTION` those that run the function."""
    function = FUNCTION.fullmatch(words[0]) if len(words) == 1 else None
    if function is None:
        return list(words)
    # With -P the folder of worker.py does not come before the user's own modules.
    return [sys.executable, "-P", str(Path(__file__).with_name("worker.py")), function["file"], function["name"]]


class Worker:
    """A process that runs batches of one size.

    Args:
        words: its command.
        batch: inputs of a batch.
        time_out_s: seconds after which an answer is not waited for any longer.
        name: what errors call it.

    Raises:
        InputError: it cannot be started.
    """

    def __init__(self, words: Sequence[str], batch: int, time_out_s: float, name: str) -> None:
        self._batch, self._time_out_s, self._name = batch, time_out_s, name
        if shutil.which(words[0]) is None:
            reason = "permission denied" if Path(words[0]).is_file() else "no such file or directory"
            raise InputError(f"cannot be run: {reason}", field=name)
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115
        self._heard, self._lines, self._sent, self._answered = b"", 0, 0, 0
        self._answered_ns = time.perf_counter_ns()
        try:
            self._process = subprocess.Popen(
                kept(list(words)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                start_new_session=True,
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            self._complaints.close()
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(f"cannot be run: {reason.lower()}", field=name) from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout

    def run(self) -> int:
        """Wait for one batch; the nanoseconds that it took, of the first batch its preparation too if it is timed here.

        Raises:
            InputError: the worker ended, did not answer in time, or says more than a line for each batch.
        """
        while self._sent <= self._answered + AHEAD:
            self._send()
        before_ns = self._answered_ns
        line = self._line(time.perf_counter_ns() + int(self._time_out_s * NS_PER_S))
        self._answered, self._answered_ns = self._answered + 1, time.perf_counter_ns()
        took = TOOK.fullmatch(line)
        return max(1, round(float(took[1]) * NS_PER_S) if took else self._answered_ns - before_ns)

    def _send(self) -> None:
        try:
            self._input.write(f"{self._batch}\n".encode())
        except OSError:
            raise self._ended() from None
        self._sent += 1

    def close(self) -> None:
        """End the worker and all that it started."""
        with suppress(psutil.NoSuchProcess):
            kill_all(psutil.Process(self._process.pid))
        self._process.wait()
        for stream in (self._input, self._output, self._complaints):
            with suppress(OSError):  # a pipe that nobody reads any longer
                stream.close()

    def _line(self, deadline_ns: int) -> bytes:
        """The next line that the worker answers, by a time of the clock."""
        while b"\n" not in self._heard:
            left_s = (deadline_ns - time.perf_counter_ns()) / NS_PER_S
            if left_s <= 0 or not self._ready(left_s):
                message = f"does not answer within {full(self._time_out_s)} s; print a line for each line that is read"
                raise InputError(f"{message}, and flush it, or raise --time-out", field=self._name)
            if not self._hear():
                raise self._ended()
        line, _, self._heard = self._heard.partition(b"\n")
        return line

    def _ready(self, seconds: float) -> bool:
        """Whether the worker says something, or ends, within some seconds; `readable` says where they are not kept."""
        return readable(self._output.fileno(), seconds)

    def _hear(self) -> bool:
        """Take in what the worker has said; whether there was anything."""
        piece = os.read(self._output.fileno(), PIECE_BYTES)
        self._heard += piece
        self._lines += piece.count(b"\n")
        if self._lines > self._sent:
            raise InputError("prints more than a line for each batch; print one, when it is done", field=self._name)
        return bool(piece)

    def _ended(self) -> InputError:
        """What to say of a worker that is gone, with the last line of its complaints."""
        self._complaints.seek(0)
        lines = self._complaints.read().decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "it says nothing")
        try:
            how = ending(self._process.wait(timeout=1))
        except subprocess.TimeoutExpired:
            how = "closed its output"
        return InputError(f"{how} before it answered: {last}", field=self._name)
