"""Which folders are this user's alone, and what a killed process leaves among the temporary files."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from euclio.core import code_cache as keeping
from euclio.core import folders as own_folders
from euclio.core import system
from euclio.core.folders import PREFIX, is_private, make_private

OTHER = 12345
"""Number of a user who is somebody else."""

pytestmark = pytest.mark.skipif(system.user() is None, reason="this system has no modes that keep others out")


@pytest.fixture
def own(tmp_path):
    """A private folder with a private file, `own/a/file`."""
    make_private(tmp_path / "own" / "a")
    (tmp_path / "own" / "a" / "file").touch(0o600)
    return tmp_path / "own"


def test_a_folder_that_is_made_private_is(own):
    """Also with a mask that would let everybody write into it: the folders between were made by the mask."""
    before = os.umask(0)
    try:
        make_private(own / "b" / "c")
    finally:
        os.umask(before)
    assert is_private(own / "b" / "c")
    assert is_private(own / "a" / "file")
    assert (own / "b").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("part", [".", "a", "a/file"])
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_whoever_can_change_a_part_of_the_way_can_plant_there(own, part, mode):
    """The folder above, the folder and the file, for a group and for all: each lets somebody else write code."""
    (own / part).chmod(mode)
    assert not is_private(own / "a" / "file")


@pytest.mark.parametrize("part", [".", "a", "a/file"])
@pytest.mark.parametrize("mode", [0o720, 0o702])
def test_a_way_that_others_can_change_is_said_with_what_repairs_it(own, part, mode):
    """`~/.cache` made under mask 002: nothing was kept, warming up took a minute each time, and no line said why."""
    (own / part).chmod(mode)
    why, _, remedy = own_folders.why_not_private(own / "a" / "file").partition("; ")
    assert why == f"others can write into {own / part}"
    subprocess.run(remedy, shell=True, check=True)
    assert own_folders.why_not_private(own / "a" / "file") == ""


def test_a_folder_for_machine_code_is_named_or_what_keeps_it_from_being_one(own, monkeypatch):
    """As `euclio versions` and `euclio warm-up` say it."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(own))
    assert keeping.where_kept() == str(keeping.folder())
    own.chmod(0o770)
    assert keeping.where_kept() == f"no folder: others can write into {own}; chmod go-w {own}"


def test_others_cannot_replace_what_stands_in_a_sticky_folder(own):
    """As in `/tmp`: a folder there may be kept in, but machine code straight in it may not, as all can add to it."""
    own.chmod(0o1777)
    assert is_private(own / "a")
    assert not is_private(own)


def test_no_relative_path_is_private(own, monkeypatch):
    """A current folder that somebody sent has machine code of theirs in it."""
    monkeypatch.chdir(own)
    assert not is_private(Path("a"))


def test_a_link_is_as_private_as_the_way_that_it_leads(own):
    """To a private folder it is; over a folder that all can write, or back to itself, it is not."""
    (own / "good").symlink_to(own / "a")
    make_private(own / "shared" / "inner")
    (own / "bad").symlink_to("shared/inner")
    (own / "loop").symlink_to(own / "loop")
    assert is_private(own / "good" / "file")
    assert is_private(own / "bad")
    (own / "shared").chmod(0o777)
    assert not is_private(own / "bad")
    assert not is_private(own / "loop" / "file")


def test_what_belongs_to_somebody_else_is_not_private(own, monkeypatch):
    """All of it belongs to this user, who now is another one."""
    monkeypatch.setattr(system, "user", lambda: OTHER)
    assert is_private(own / "a") == (os.geteuid() == 0)  # what root owns is root's to decide, whoever asks
    if os.geteuid() == 0:
        os.chown(own / "a", OTHER + 1, -1)
        assert not is_private(own / "a" / "file")


@pytest.mark.parametrize("home", [None, "", ".", "nowhere/at/all"])
def test_machine_code_is_never_kept_in_the_current_folder(own, home, monkeypatch):
    """Without a home folder, and a user that the system does not know, it was read from `./euclio`."""
    monkeypatch.chdir(own)
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", keeping.SPARE):
        monkeypatch.setenv(name, "euclio")
    if home is None:
        monkeypatch.delenv("HOME", raising=False)
        monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError))
    else:
        monkeypatch.setenv("HOME", home)
    assert all(place.is_absolute() and not place.is_relative_to(own) for place in keeping.places())
    assert keeping.folder() or "set HOME, or NUMBA_CACHE_DIR, to an absolute path" in keeping.where_kept()


def test_a_folder_that_others_can_write_is_passed_over_for_a_temporary_one(own, monkeypatch):
    """What stands in it is not looked at, and what is made goes into a folder that is private."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(own))
    monkeypatch.setenv(keeping.SPARE, "set and taken away, so that what is set in the test goes with it")
    monkeypatch.delenv(keeping.SPARE)
    assert [place.parent for place in keeping.places()] == [own]
    own.chmod(0o777)
    assert keeping.places() == []
    keeping.ensure_room()
    (place,) = keeping.places()
    assert place.is_relative_to(own_folders.temporary())


HOLD = """
import time
from pathlib import Path
from euclio.core.folders import temporary
from euclio.supervision.process import forked
process = forked()
(temporary() / "own").mkdir()
print(temporary(), flush=True)
time.sleep(60)
"""


def test_what_a_killed_process_left_is_removed_by_the_next_and_what_is_in_use_is_not(tmp_path):
    """Two have a folder and a forked process each; one is killed: who needs a folder next removes that one alone."""
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    processes = [
        subprocess.Popen([sys.executable, "-c", HOLD], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    killed, alive = (Path(process.stdout.readline().strip()) for process in processes)
    processes[0].kill()
    processes[0].wait()
    assert killed.is_dir()
    (tmp_path / "euclio-results").mkdir()
    (tmp_path / f"{PREFIX}notes").mkdir()
    patience = time.monotonic() + 10
    while killed.exists() and time.monotonic() < patience:  # the process that it had forked ends a moment later
        own_folders._temporary.__wrapped__(str(tmp_path))
    assert not killed.exists()
    assert alive.is_dir()
    assert (tmp_path / "euclio-results").is_dir()
    assert (tmp_path / f"{PREFIX}notes").is_dir()
    processes[1].kill()
    processes[1].wait()
