"""Programs below a keeper: they end as they do alone, and what they leave behind ends with them."""

from __future__ import annotations

import subprocess
import sys

import psutil
import pytest
from run_batches import is_alive, pid_in

from euclio.supervision.keeper import CANNOT_RUN, Started, below_keeper

DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        with open(sys.argv[1], "w") as file:
            file.write(str(os.getpid()))
        os.closerange(0, 256)
        time.sleep(1000)
    os._exit(0)
os.wait()
while not (os.path.exists(sys.argv[1]) and open(sys.argv[1]).read()):
    time.sleep(0.01)
"""


def run(*words, **options):
    return subprocess.run(below_keeper(list(words)), capture_output=True, text=True, check=False, **options)


@pytest.mark.parametrize(
    ("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -KILL $$", -9), ("kill -TERM $$", -15)]
)
def test_a_program_ends_as_it_does_alone(script, code):
    assert run("sh", "-c", script).returncode == code


def test_what_a_program_reads_and_says_goes_through():
    done = run("sh", "-c", "read x; echo $x; echo said >&2", input="word\n")
    assert (done.stdout, done.stderr) == ("word\n", "said\n")


def test_a_program_that_cannot_be_run_says_so():
    done = run("no-such-program")
    assert (done.returncode, done.stderr) == (CANNOT_RUN, "cannot be run: no such file or directory\n")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives a keeper what others leave behind")
@pytest.mark.parametrize("way", ["", "os._exit(3)", "os.kill(os.getpid(), 9)", "os.killpg(0, 9)"])
def test_a_daemon_ends_with_the_program(tmp_path, way):
    """It has its own session, no descriptors and no parent; the program may end its whole group."""
    run(sys.executable, "-c", f"{DAEMON}\n{way}", str(tmp_path / "pid"))
    assert not is_alive(pid_in(tmp_path / "pid"))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives a keeper what others leave behind")
def test_a_daemon_ends_where_the_program_is_killed(tmp_path):
    words = below_keeper([sys.executable, "-c", f"{DAEMON}\ntime.sleep(1000)", str(tmp_path / "pid")])
    running = Started(psutil.Popen(words, start_new_session=True))
    daemon = pid_in(tmp_path / "pid")
    running.end()
    assert not is_alive(daemon)
    assert running.has_ended()
