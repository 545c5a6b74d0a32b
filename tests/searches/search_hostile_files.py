"""Files of others, each value in turn replaced by what an attacker would put there, through every verb that reads them.

Nothing that a file names is run; what comes out is an answer or one line of refusal.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any
from unittest.mock import patch

from euclio.cli import main
from euclio.experiments import runner
from euclio.verbs.interface.exit_codes import BAD_INPUT

from .hostile_files import ADDED, CANARY, MARK, NASTY, REMOVED, TWICE, at, changed, code, flipped, places, references
from .hostile_kinds import Kind, Verb, kinds
from .search import Found, Search

LATE_S = 60
"""Seconds after which a command that was given a small file is taken to hang."""
FLIPS = 12
"""Files with flipped bytes per seed."""
OF_SLOW = 4
"""How much of what is put in a place slow verbs are tried on."""
OF_OTHERS = 12
"""How much of what names no code is put into a place that holds a text, and how much that does into another one."""
SAMPLE = range(32)
"""Every kind of file as a whole, and some of their places."""


def look(seed: int) -> Found:
    """One place of one kind of file, with all that may be put there, and some files with flipped bytes."""
    kind, place = _places()[seed % len(_places())]
    draw = random.Random(f"hostile files {seed}")
    faults: list[str] = []
    cases = 0
    with TemporaryDirectory(prefix="hostile-") as name, chdir(name), _no_runs(), _importable(Path(name)):
        here = Path(name).resolve()
        canary = code(here, seed)
        version = hashlib.sha256(canary.encode()).hexdigest()[:16]
        for what, data, verbs in _files(kind, place, draw, here, version):
            for verb in verbs:
                _write(kind, data, canary)
                cases += 1
                fault = _fault(verb, here)
                if fault:
                    faults.append(f"{kind.name}, {what}: `euclio {' '.join(verb)}`: {fault}")
    return Found(cases, tuple(faults))


SEARCH = Search(
    "hostile-files",
    "no file has code run; what comes out is an answer or one line of refusal",
    "commands",
    look,
    SAMPLE,
    slow=True,
)


@cache
def _places() -> list[tuple[Kind, tuple[Any, ...]]]:
    """All places of all kinds: each kind as a whole first, then all others in an order that mixes them."""
    found = [(kind, place) for kind in kinds() for place in places(kind.value)]
    random.Random("places").shuffle(found)
    # A field that is read without a look shows where there is nothing at all, and seeds in their order come there late.
    return sorted(found, key=lambda own: own[1] != ())


def _files(
    kind: Kind, place: tuple[Any, ...], draw: random.Random, here: Path, version: str
) -> Iterator[tuple[str, bytes, tuple[Verb, ...]]]:
    """Files with something in the place, then files with flipped bytes; each with the verbs that read it."""
    texts, others = references(here, version), [*NASTY, REMOVED, TWICE, ADDED]
    if isinstance(at(kind.value, place), str):
        chosen = [*texts, *draw.sample(others, OF_OTHERS)]
    else:
        chosen = [*draw.sample(texts, OF_OTHERS), *others]
    slow = draw.sample(range(len(chosen)), OF_SLOW) if kind.slow else []
    where = ".".join(map(str, place)) or "all"
    for k, token in enumerate(chosen):
        verbs = (draw.choice(kind.slow),) if k in slow else ()
        text = changed(kind.value, place, token)
        try:
            data = kind.encode(text)
        except (
            ValueError,
            TypeError,
            OverflowError,
            RecursionError,
        ):  # no file of the kind can hold it, but a file can
            data = text.encode("utf-8", "surrogatepass")
        yield f"{where} = {token[:80]}", data, (*kind.verbs, *verbs)
    good = kind.encode(json.dumps(kind.value))
    for k in range(FLIPS):
        data = flipped(draw, good)
        yield (
            f"flipped bytes {data[:200]!r}",
            data,
            (*kind.verbs, *((draw.choice(kind.slow),) if kind.slow and k < 1 else ())),
        )


def _write(kind: Kind, data: bytes, canary: str) -> None:
    """The files of the kind, the changed one among them, and the canary; nothing else is left."""
    for path in Path().iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    Path(f"{CANARY}.py").write_text(canary)
    for name, own in {**kind.files, kind.target: data}.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(own)


def _fault(verb: Verb, here: Path) -> str:
    """What is wrong with what a command did; empty: nothing."""
    out, err = StringIO(), StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(err), _in_time():
            exit_code = main([*verb])
    except BaseException as error:
        return f"raised {type(error).__name__}: {error}"
    if (here / MARK).exists():
        return f"ran what the file names; it answered {exit_code}: {err.getvalue()}"
    if CANARY in sys.modules:
        del sys.modules[CANARY]
        return "imported what the file names"
    if "internal error" in err.getvalue() or "Traceback" in err.getvalue():
        return err.getvalue()
    # JSON is for programs, and says signs of other scripts as they are.
    shown = err.getvalue() if "--json" in verb else out.getvalue() + err.getvalue()
    odd = {sign for sign in shown if not (sign.isprintable() or sign == "\n")}
    if odd:
        return f"printed {sorted(odd)}"
    if exit_code not in range(5):
        return f"exit code {exit_code}"
    # That a file has rows which look mistaken is said of it in lines of its own, whatever else is refused.
    lines = [line for line in err.getvalue().splitlines() if not line.startswith("euclio: warning: ")]
    if exit_code == BAD_INPUT and (len(lines) != 1 or not lines[0].startswith("euclio: ") or out.getvalue()):
        return f"no single line: {out.getvalue()}{err.getvalue()}"
    return ""


@contextmanager
def _in_time() -> Iterator[None]:
    """Let a command that hangs raise."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"no answer after {LATE_S} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LATE_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Put the folder on the path of modules, so that the canary is run by whoever imports it by name."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path[:] = [entry for entry in sys.path if entry != str(folder)]


class _NoRuns:
    """A pool that makes no run: what an experiment names is looked up before."""

    def __enter__(self) -> _NoRuns:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, batches: object) -> Iterator[Any]:
        """No record."""
        return iter(())


@contextmanager
def _no_runs() -> Iterator[None]:
    with ExitStack() as patched:
        patched.enter_context(patch.object(runner, "pool_of", lambda *_: _NoRuns()))
        yield
