"""Who waits for more than two seconds is told what for, once, and by nobody's worker."""

import os
import subprocess
import sys
import threading
import time

import pytest

from euclio.core import progress
from euclio.core.progress import counted_bar, in_turn, progress_bar, told, waiting

# Not in the quick tier: bars in processes of their own.
pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(progress, "AFTER_S", 0.02)
    monkeypatch.delenv(progress.QUIET, raising=False)


def long():
    time.sleep(0.2)


def test_what_takes_long_is_said_once_and_what_does_not_is_not(capfd):
    with waiting("outer"):
        long()
        with waiting("inner"), progress_bar("steps", 3):
            long()
    with waiting("quick"):
        pass
    assert capfd.readouterr() == ("", "euclio: outer …\n")


def test_what_is_inside_may_take_the_turn_of_what_knows_no_more(capfd):
    """And gives it back: the command says that it is at work where nothing else is shown."""
    with waiting("at work", weak=True):
        with waiting("solving"):
            long()
        long()
    assert capfd.readouterr().err == "euclio: solving …\neuclio: at work …\n"


def test_something_else_that_goes_on_is_said_if_it_takes_long_too(capfd):
    with waiting("preparing") as turn_to:
        turn_to("not prepared")
        long()
        turn_to("solving")
        long()
        turn_to("checking")
    assert capfd.readouterr().err == "euclio: not prepared …\neuclio: solving …\n"


def test_a_bar_says_how_far_it_is_where_there_is_no_terminal(capfd, monkeypatch):
    monkeypatch.setattr(progress, "SAY_EVERY_S", 0.05)
    with counted_bar("trials") as one_of:
        long()
        one_of(4)
    with progress_bar("instances", 4) as one:
        one()
        long()
        one()
    assert capfd.readouterr().err.splitlines() == [
        "euclio: trials …",
        "euclio: trials: 1 of 4 …",
        "euclio: instances: 1 of 4 …",
        "euclio: instances: 2 of 4 …",
    ]


@pytest.mark.parametrize("value", ["1", "yes"])
def test_nothing_is_shown_where_that_is_asked_for(capfd, monkeypatch, value):
    monkeypatch.setenv(progress.QUIET, value)
    with waiting("work"), in_turn() as may:
        long()
    assert (may, capfd.readouterr().err) == (False, "")
    assert progress.progress_bars().disable


@pytest.mark.parametrize("value", ["", "0"])
def test_no_quiet_is_no_quiet(capfd, monkeypatch, value):
    monkeypatch.setenv(progress.QUIET, value)
    with waiting("work"):
        long()
    assert capfd.readouterr().err == "euclio: work …\n"


def test_what_shows_itself_in_its_own_way_has_the_turn(capfd):
    with in_turn() as may, waiting("inside"):
        long()
    assert (may, capfd.readouterr().err) == (True, "")


def test_an_error_ends_what_is_shown_and_frees_the_turn(capfd):
    @told("failing")
    def fails():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    long()
    with waiting("next"):
        long()
    assert capfd.readouterr().err == "euclio: next …\n"


def test_threads_show_nothing(capfd):
    def work():
        with waiting("in a thread"):
            long()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert capfd.readouterr().err == ""


def test_a_forked_process_shows_nothing(capfd):
    pid = os.fork()
    if pid == 0:
        with waiting("in a fork"):
            long()
        os._exit(0)
    os.waitpid(pid, 0)
    assert capfd.readouterr().err == ""


SPAWNED = """
import multiprocessing, time
from euclio.core import progress
progress.AFTER_S = 0.02
def work():
    with progress.waiting("in a spawned process"):
        time.sleep(0.2)
if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=work)
    process.start()
    process.join()
    with progress.waiting("in the first one"):
        time.sleep(0.2)
"""


def test_a_spawned_process_shows_nothing(tmp_path):
    (tmp_path / "spawned.py").write_text(SPAWNED)
    done = subprocess.run([sys.executable, "spawned.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr == "euclio: in the first one …\n"


def test_what_is_quick_imports_nothing_to_show_it_with():
    """A call of a solver takes less than a millisecond; a terminal's bars take a hundred times that to import."""
    program = (
        "import sys\nfrom euclio.core.progress import waiting\nwith waiting('work'): pass\nprint('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("False\n", "")
