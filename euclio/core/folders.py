"""Folders of data files, private folders and temporary folders, and locks on files in them (ours)."""

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
from euclio.core.errors import InputError, reason_of
from euclio.core.system import locked


def data_dir() -> Path:
    """The folder of data files: inside the installed package, else `data/` of the source tree.

    Raises:
        FileNotFoundError: neither exists.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_data", package.parent / "data"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"no data files next to {package}; install euclio again, or run it from its source tree")


def made_folder(path: Path) -> Path:
    """A folder that a user names for files, made if it is missing; raises an `InputError` if it cannot be made."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = reason_of(error)
        raise InputError(f"cannot be a folder: {reason.lower()}; choose another one", file=str(path)) from None
    return path


PREFIX = "euclio-temporary-"
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
OWN = 0o700
"""The mode of a folder that its owner alone may look into."""


def is_private(path: Path) -> bool:
    """Whether only this user and root control the content of a path, or would once it exists.

    Each parent folder and each link on the way counts as well, because a user who can change one can replace the
    content. In a folder with the sticky bit, such as `/tmp`, others cannot. On a system without numeric owners, the
    system's own rights are trusted. A relative path is never private, since anyone may have sent the current folder.
    """
    user = system.user()
    if not path.is_absolute():
        return False
    try:
        return user is None or _opened(path, {0, user}, sticky=False) is None
    except OSError:  # it cannot be read, leads to itself, or has a file above it
        return False


def why_not_private(path: Path) -> str:
    """The other owner or writer of an absolute path, and the remedy, in one line; empty if it is private.

    It names the part of the path, or of a link's target on the way, that another user can change.
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
    """The part of a path that others can change. None means that there is none."""
    with suppress(FileNotFoundError):
        path.stat()  # fails at a link that leads to itself
    for part in (path, *path.parents):
        try:
            found = part.lstat()
        except FileNotFoundError:  # this user makes it, if no other user can where it is to stand
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
    """Make a folder and its missing parents with access for this user alone, under any umask.

    Raises:
        OSError: it cannot be made.
    """
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(OWN, exist_ok=True)


def temporary() -> Path:
    """The temporary folder of this process and of those that it forks.

    It is removed when this process ends. If this process is killed, the next one that needs such a folder removes it:
    the released lock on the folder shows that it is unused.

    Raises:
        OSError: there is no place for temporary files.
    """
    while not (found := _temporary(tempfile.gettempdir())).is_dir():  # a clean-up has removed it
        _temporary.cache_clear()
    return found


@cache
def _temporary(inside: str) -> Path:
    for left in Path(inside).glob(f"{PREFIX}????????"):
        _remove_left(left)
    made = Path(tempfile.mkdtemp(prefix=PREFIX, dir=inside))
    if system.FOLDERS_ARE_FILES:
        with suppress(OSError):  # another process removes it at once (see `temporary`), or locks do not work there
            system.locked(os.open(made, os.O_RDONLY), shared=True)  # open until this process and those it forks end
    atexit.register(_remove, made, os.getpid())
    return made


def _remove_left(folder: Path) -> None:
    """Remove a folder left by a killed process."""
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
    """Wait until no other process is inside with the same file; without locks it does not wait.

    The file stays: removing it would admit both a process that opened it before and one that creates it anew.

    Args:
        lock: the file, which is made with its folder.
        every_s: seconds between two looks.
        at_most_s: seconds of waiting after which it proceeds anyway, since the other process may hang.
    """
    until = time.monotonic() + at_most_s
    with ExitStack() as held:
        with suppress(OSError):
            make_private(lock.parent)
            file = held.enter_context(lock.open("ab"))
            while locked(file.fileno()) is False and time.monotonic() < until:
                time.sleep(every_s)
        yield
