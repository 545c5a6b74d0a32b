"""Folders: of data files, of this user alone, and of what ends with a process; locks on files in them (ours)."""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import stat
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path

from euclio.core import system
from euclio.core.system import locked


def data_dir() -> Path:
    """The folder of data files: inside the installed package, else `data/` of the source tree.

    Raises:
        FileNotFoundError: there is neither.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_data", package.parent / "data"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"no data files next to {package}; install euclio again, or run it from its source tree")


PREFIX = "euclio-temporary-"
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
OWN = 0o700
"""The mode of a folder that its owner alone may look into."""


def is_private(path: Path) -> bool:
    """Whether this user and root alone decide what stands at a path, or would stand there once it is made.

    Each folder above it counts as well, and so does each link on the way: whoever can change one of them can put
    something else in the place. In a folder with the sticky bit, such as `/tmp`, others cannot. Where a system knows
    no owners by number, its own rights are relied on. A relative path is never private: anybody may have sent the
    current folder.
    """
    user = system.user()
    if not path.is_absolute():
        return False
    try:
        return user is None or _opened(path, {0, user}, sticky=False) is None
    except OSError:  # it cannot be looked at, leads to itself, or has a file above it
        return False


def why_not_private(path: Path) -> str:
    """Who else decides about an absolute path, and the remedy, in one line; empty: nobody does.

    It names the part of the way, or of what a link on the way leads to, that somebody else can change.
    """
    user = system.user()
    try:
        part = None if user is None else _opened(path, {0, user}, sticky=False)
        if part is None:
            return ""
        if part.lstat().st_uid not in {0, user}:
            return f"{part} belongs to somebody else; have NUMBA_CACHE_DIR name a folder of your own"
    except OSError as error:
        return f"{path} cannot be looked at ({error.strerror}); have NUMBA_CACHE_DIR name a folder of your own"
    return f"others can write into {part}; chmod go-w {shlex.quote(str(part))}"


def _opened(path: Path, owners: Collection[int], *, sticky: bool) -> Path | None:
    """The part of the way to a path that others can change; None: there is none."""
    with suppress(FileNotFoundError):
        path.stat()  # fails at a link that leads to itself
    for part in (path, *path.parents):
        try:
            found = part.lstat()
        except FileNotFoundError:  # this user makes it, if nobody else can where it is to stand
            continue
        if found.st_uid not in owners:
            return part
        enough = sticky or part != path
        if stat.S_ISLNK(found.st_mode):
            led = _opened(part.parent / part.readlink(), owners, sticky=enough)
            if led is not None:
                return led
        elif found.st_mode & OTHERS_WRITE and not (enough and found.st_mode & stat.S_ISVTX):
            return part
    return None


def make_private(folder: Path) -> None:
    """Make a folder and those above it that are missing, for this user alone, whatever mask of modes is set.

    Raises:
        OSError: it cannot be made.
    """
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(OWN, exist_ok=True)


def temporary() -> Path:
    """The folder among the temporary files of this process and of those that it forks.

    It is removed at the end of this process. If that is killed, the next one that asks for such a folder removes it: a
    lock on the folder tells that nobody uses it any more.

    Raises:
        OSError: there is no place for temporary files.
    """
    while not (found := _temporary(tempfile.gettempdir())).is_dir():  # somebody has tidied up
        _temporary.cache_clear()
    return found


@cache
def _temporary(inside: str) -> Path:
    for left in Path(inside).glob(f"{PREFIX}????????"):
        _remove_left(left)
    made = Path(tempfile.mkdtemp(prefix=PREFIX, dir=inside))
    if system.FOLDERS_ARE_FILES:
        with suppress(OSError):  # removed at once by another process: see `temporary`; or nothing can be locked there
            system.locked(os.open(made, os.O_RDONLY), shared=True)  # open as long as this process, and those it forks
    atexit.register(_remove, made, os.getpid())
    return made


def _remove_left(folder: Path) -> None:
    """Remove a folder that a killed process has left."""
    if not (system.FOLDERS_ARE_FILES and is_private(folder) and folder.is_dir() and not folder.is_symlink()):
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            if system.locked(descriptor):
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(descriptor)


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


INFINITY = float("inf")


@contextmanager
def exclusive(lock: Path, every_s: float, at_most_s: float = INFINITY) -> Iterator[None]:
    """Wait until no other process is inside with the same file; where nothing can be locked, nobody waits.

    The file is left where it is: who removes it lets in one that opened it before and one that makes it anew.

    Args:
        lock: the file, which is made with its folder.
        every_s: seconds between two looks.
        at_most_s: seconds of waiting after which it goes on all the same, as the other process may stand still.
    """
    until = time.monotonic() + at_most_s
    with ExitStack() as held:
        with suppress(OSError):
            make_private(lock.parent)
            file = held.enter_context(lock.open("ab"))
            while locked(file.fileno()) is False and time.monotonic() < until:
                time.sleep(every_s)
        yield
