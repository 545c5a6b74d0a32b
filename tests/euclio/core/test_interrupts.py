"""Interrupts at a deadline: where they act, and where they wait."""

import sys
import time
import weakref

import pytest

from euclio.core import system
from euclio.core.system import LateError, interrupted_at

pytestmark = pytest.mark.skipif(system.ALARM is None, reason="the system has no alarms")


def spin(seconds):
    """Work in small steps of Python, each of which may be interrupted."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
    return True


def late_after(work, patience_s=5.0):
    """Whether work that is interrupted early ended, and then an interrupt came."""
    ended = []

    def work_and_wait():
        with interrupted_at(time.perf_counter() + 0.001):
            ended.append(work())
            spin(patience_s)

    with pytest.raises(LateError):
        work_and_wait()
    assert not system.alarm_is_set()
    return bool(ended)


def test_plain_work_is_interrupted_at_once():
    assert not late_after(lambda: spin(5.0))


def test_an_import_ends_before_the_interrupt(tmp_path, monkeypatch):
    """Half an import leaves modules without their names."""
    (tmp_path / "slowly_imported.py").write_text(
        "import time\nend = time.perf_counter() + 0.05\nwhile time.perf_counter() < end: pass\nlast = 1\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert late_after(lambda: __import__("slowly_imported").last == 1)
    sys.modules.pop("slowly_imported")


def test_work_within_an_import_below_the_interrupts_is_interrupted(tmp_path, monkeypatch):
    """A program of a user may do all of its work while it is imported."""
    (tmp_path / "work_when_imported.py").write_text(
        "import time\nfrom euclio.core.system import LateError, interrupted_at\nlate = False\n"
        "try:\n    with interrupted_at(time.perf_counter() + 0.001):\n        end = time.perf_counter() + 5.0\n"
        "        while time.perf_counter() < end: pass\nexcept LateError:\n    late = True\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert __import__("work_when_imported").late
    sys.modules.pop("work_when_imported")


def test_the_making_of_machine_code_ends_before_the_interrupt():
    """`what-if` with a cold cache ended with a TypingError: its limit had interrupted numba's inference of types."""
    numba = pytest.importorskip("numba")

    @numba.njit
    def total(values):
        found = 0.0
        for value in values:
            found += value
        return found

    def made():
        # A call of C would not be interrupted in any case: numba's inference takes thousands of steps of Python.
        total.compile((numba.float64[::1],))
        return True

    assert late_after(made)
    assert len(total.signatures) == 1


def test_an_interrupt_that_a_callback_has_swallowed_comes_again(monkeypatch):
    """Python prints and drops exceptions of callbacks of weak references; the search then ran to its end."""
    monkeypatch.setattr(system, "LOST_S", 0.02)
    dropped = []
    monkeypatch.setattr(sys, "unraisablehook", dropped.append)

    class Kept:
        pass

    def forgotten_slowly():
        kept = Kept()
        held = weakref.ref(kept, lambda _: spin(0.1))
        del kept
        return held is not None

    assert late_after(forgotten_slowly)
    assert len(dropped) == 1


def test_nothing_is_interrupted_before_the_deadline_or_after_the_work():
    with interrupted_at(time.perf_counter() + 60.0):
        assert spin(0.01)
    assert not system.alarm_is_set()
