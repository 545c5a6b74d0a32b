"""Nothing finished is lost: kills, a full disk, torn files, Ctrl-C and clocks that go backwards."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from fake_runs import MOST_BYTES, PAUSE, FakePool, code_of, experiment, fake_record, run_named
from places import HELPERS

from euclio.cli import main
from euclio.core.errors import UnwritableError
from euclio.experiments import runner
from euclio.experiments.experiment_files import load_experiment
from euclio.experiments.folder import ResultFolder
from euclio.experiments.instances import InstanceIndex
from euclio.experiments.journal import Journal, decoded, encoded, read_journal
from euclio.experiments.results import canonical
from euclio.experiments.runner import Expansion

# Not in the quick tier: runs that are interrupted in processes of their own.
pytestmark = pytest.mark.slow

COMMAND = [sys.executable, str(HELPERS / "fake_runs.py"), "run"]


@pytest.fixture
def pool(monkeypatch):
    made = FakePool()
    monkeypatch.setattr(runner, "pool_of", lambda *_: made)
    return made


@pytest.fixture
def path(tmp_path):
    """An experiment of 40 runs."""
    return experiment(tmp_path, instances=20)


@pytest.fixture
def expected(pool, path, tmp_path):
    """What an uninterrupted run of it gives."""
    found = csv(run_named(path, tmp_path / "uninterrupted", quiet=True).frame())
    del pool.made[:]
    return found


def csv(frame):
    return canonical(frame).to_csv(index=False)


def tasks(path):
    loaded = load_experiment(path, code_of(path))
    index = InstanceIndex(loaded)
    index.look_at_files()
    return list(Expansion(loaded, index.entries).tasks())


def started(path, **environment):
    """The command in a process of its own."""
    variables = os.environ | {name: str(value) for name, value in environment.items()}
    return subprocess.Popen([*COMMAND, str(path)], env=variables, stderr=subprocess.PIPE, text=True)


def kept(path):
    """Keys in the journals of an experiment's folder."""
    folder = ResultFolder(path.with_name("fake-results"))
    return [row["key"] for journal in folder.journals() for row in read_journal(journal)]


def wait_for(path, count):
    while len(kept(path)) < count:
        time.sleep(0.02)


def test_a_killed_runner_loses_no_finished_run(pool, path, expected):
    process = started(path, **{PAUSE: 0.02})
    wait_for(path, 5)
    process.kill()
    process.communicate()
    before = kept(path)
    outcome = run_named(path, quiet=True)
    assert outcome.kept == len(before) < 40
    assert {task.key for task in pool.made}.isdisjoint(before)
    assert csv(outcome.frame()) == expected


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_or_terminated_keeps_what_is_finished(pool, path, expected, number, code):
    process = started(path, **{PAUSE: 0.02})
    wait_for(path, 5)
    process.send_signal(number)
    _, err = process.communicate()
    done = len(kept(path))
    assert process.returncode == code
    assert err == (f"euclio: interrupted; {done} of 40 runs are finished and kept, the same command makes the others\n")
    outcome = run_named(path, quiet=True)
    assert (outcome.kept, csv(outcome.frame())) == (done, expected)


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["2>&-", ">&-", "2>&- >&- <&-"])
def test_closed_standard_streams_change_nothing(pool, path, expected, closed):
    command = " ".join([*COMMAND, str(path), closed])
    assert subprocess.run(command, shell=True, capture_output=True, check=False).returncode == 0
    assert csv(run_named(path, quiet=True).frame()) == expected
    assert not pool.made


def test_a_full_disk_is_one_line_and_resumed_when_there_is_room(pool, path, expected):
    process = started(path, **{MOST_BYTES: 20_000})
    _, err = process.communicate()
    done = len(kept(path))
    assert process.returncode == 1
    assert err.startswith(
        f"euclio: {path.parent / 'fake-results' / 'journal-1.jsonl'}: cannot be written: file too large"
    )
    assert err.count("\n") == 1
    assert 0 < done < 40
    outcome = run_named(path, quiet=True)
    assert (outcome.kept, csv(outcome.frame())) == (done, expected)


def test_a_record_that_is_half_written_is_taken_back(path, tmp_path, monkeypatch):
    first, second = tasks(path)[:2]
    journal = Journal(tmp_path / "journal-1.jsonl")
    journal.append(fake_record(first))

    write, calls = os.write, []

    def half(file, data):
        calls.append(data)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, data[: len(data) // 2])

    monkeypatch.setattr("euclio.experiments.journal.os.write", half)
    with pytest.raises(UnwritableError, match="no space left on device"):
        journal.append(fake_record(second))
    journal.close()
    text = (tmp_path / "journal-1.jsonl").read_bytes()
    assert text.endswith(b"}\n")
    assert [row["key"] for row in read_journal(tmp_path / "journal-1.jsonl")] == [first.key]


def test_a_sync_that_fails_is_reported_at_the_next_record(path, tmp_path, monkeypatch):
    monkeypatch.setattr("euclio.experiments.journal.SYNC_S", 0.01)
    journal = Journal(tmp_path / "journal-1.jsonl")

    def failing(file):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("euclio.experiments.journal.os.fsync", failing)
    first, second = tasks(path)[:2]
    journal.append(fake_record(first))
    journal._syncing.join()
    with pytest.raises(UnwritableError, match="input/output error"):
        journal.append(fake_record(second))


def interrupted_after(pool, path, count):
    """A journal with so many records, as a kill leaves it."""
    folder = ResultFolder(path.with_name("fake-results"))
    folder.make("fake")
    folder.experiment_file.write_text(path.read_text())
    journal = folder.new_journal()
    for task in tasks(path)[:count]:
        journal.append(fake_record(task))
    journal.close()
    return journal.path


def test_a_journal_cut_anywhere_gives_its_whole_lines_only(path, tmp_path):
    lines = [encoded(fake_record(task)) for task in tasks(path)[:3]]
    file, whole = tmp_path / "journal-1.jsonl", b"".join(lines)
    for length in range(0, len(whole), 7):
        file.write_bytes(whole[:length])
        complete = whole[:length].count(b"\n")
        assert [row["key"] for row in read_journal(file)] == [decoded(line)["key"] for line in lines[:complete]]


def test_a_byte_that_is_changed_anywhere_in_a_line_is_seen(path):
    line = encoded(fake_record(tasks(path)[0]))
    for place in range(len(line) - 1):
        changed = bytearray(line)
        changed[place] ^= 1
        assert decoded(bytes(changed)) is None


@pytest.mark.parametrize("lost", [1, 2, 500])
def test_a_torn_last_line_is_made_again(pool, path, expected, lost):
    journal = interrupted_after(pool, path, 5)
    os.truncate(journal, journal.stat().st_size - lost)
    outcome = run_named(path, quiet=True)
    assert (outcome.kept, csv(outcome.frame())) == (4, expected)


def test_a_damaged_line_is_made_again(pool, path, expected):
    journal = interrupted_after(pool, path, 5)
    data = bytearray(journal.read_bytes())
    middle = data.index(b'"value":', data.index(b"\n")) + len(b'"value":')
    data[middle] = ord("9") if data[middle] != ord("9") else ord("8")
    journal.write_bytes(data)
    outcome = run_named(path, quiet=True)
    assert (outcome.kept, csv(outcome.frame())) == (4, expected)


def test_zeros_after_a_power_cut_are_left_out(pool, path, expected):
    journal = interrupted_after(pool, path, 5)
    with journal.open("ab") as file:
        file.write(bytes(4096))
    outcome = run_named(path, quiet=True)
    assert (outcome.kept, csv(outcome.frame())) == (5, expected)


def test_a_crash_before_the_journal_is_removed_counts_nothing_twice(pool, path, expected):
    journal = interrupted_after(pool, path, 5)
    copy = shutil.copy(journal, journal.parent.parent)
    ResultFolder(journal.parent).compact(journal)
    shutil.copy(copy, journal)
    assert len(canonical(run_named(path, quiet=True).frame())) == 40
    assert not journal.exists()
    assert csv(run_named(path, quiet=True).frame()) == expected


def test_a_crash_while_compacting_leaves_no_half_file(pool, path, expected, monkeypatch):
    journal = interrupted_after(pool, path, 5)
    half = journal.with_name("records-1.parquet.unfinished")
    half.write_bytes(b"PAR1")
    outcome = run_named(path, quiet=True)
    assert (outcome.kept, csv(outcome.frame())) == (5, expected)
    assert not half.exists()


def test_a_folder_that_was_just_being_made_is_used(pool, path, expected):
    folder = ResultFolder(path.with_name("fake-results"))
    folder.make("fake")
    folder.experiment_file.with_name("experiment.toml.unfinished").write_text("sch")
    assert csv(run_named(path, quiet=True).frame()) == expected


def test_a_damaged_list_of_runs_is_written_again(pool, path, expected):
    interrupted_after(pool, path, 5)
    path.with_name("fake-results").joinpath("runs.tsv").write_bytes(b"\xff")
    assert csv(run_named(path, quiet=True).frame()) == expected


@pytest.mark.parametrize("verb", ["run", "status"])
def test_a_damaged_file_of_records_is_one_line_and_touched_by_nobody(pool, path, capsys, verb):
    run_named(path, quiet=True)
    damaged = path.with_name("fake-results") / "records-1.parquet"
    damaged.write_bytes(b"PAR1")
    assert main([verb, str(path), *(["--code", *map(str, code_of(path))] if verb == "run" else [])]) == 2
    assert "records-1.parquet: is damaged; move it away" in capsys.readouterr().err
    assert damaged.read_bytes() == b"PAR1"


def test_journals_are_compacted_as_they_grow(pool, path, expected, monkeypatch):
    monkeypatch.setattr("euclio.experiments.folder.JOURNAL_RUNS", 15)
    outcome = run_named(path, quiet=True)
    folder = ResultFolder(outcome.folder)
    assert [file.name for file in folder.compacted()] == [f"records-{k}.parquet" for k in (1, 2, 3)]
    assert folder.journals() == []
    assert csv(outcome.frame()) == expected


def test_a_journal_that_cannot_be_compacted_is_one_error_and_loses_nothing(pool, path, expected, monkeypatch):
    monkeypatch.setattr("euclio.experiments.folder.JOURNAL_RUNS", 15)
    with monkeypatch.context() as patch:
        patch.setattr("euclio.experiments.columns.write_table", full_disk)
        with pytest.raises(UnwritableError, match="no space left on device"):
            run_named(path, quiet=True)
    outcome = run_named(path, quiet=True)
    assert (outcome.kept >= 30, csv(outcome.frame())) == (True, expected)


def test_a_clock_that_goes_backwards_changes_nothing(pool, path, expected, monkeypatch):
    now = [2e9]

    def backwards():
        now[0] -= 3600
        return now[0]

    monkeypatch.setattr(time, "time", backwards)
    assert csv(run_named(path, quiet=True).frame()) == expected


def test_killed_at_every_step_of_compacting_loses_nothing(pool, path, expected, monkeypatch):
    """Every system call that compaction makes fails once; what is there is read, and resumed, each time."""
    for name in ("fsync", "open"):
        for number in range(12):
            journal = interrupted_after(pool, path, 5)
            failing = FailingAt(getattr(os, name), number)
            with monkeypatch.context() as patch:
                patch.setattr(f"euclio.experiments.durable.os.{name}", failing)
                with suppress(UnwritableError):
                    ResultFolder(journal.parent).compact(journal)
            if not failing.failed:
                break
            outcome = run_named(path, quiet=True)
            assert (outcome.kept, csv(outcome.frame())) == (5, expected)
            shutil.rmtree(journal.parent)


def full_disk(*_):
    raise UnwritableError("no space left on device")


class FailingAt:
    """A system call that fails at its n-th call."""

    def __init__(self, call, number):
        self._call, self._left, self.failed = call, number, False

    def __call__(self, *arguments, **named):
        """Call it, or fail."""
        self._left -= 1
        if self._left == -1:
            self.failed = True
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self._call(*arguments, **named)
