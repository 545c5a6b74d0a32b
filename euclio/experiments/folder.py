"""A result folder: its files, its lock, and the compaction of journals to Parquet files.

| file | what |
|---|---|
| `experiment.toml` | the experiment as it was given last |
| `runs.tsv` | key and label of every run of the experiment |
| `instances-*.jsonl` | drawn instances |
| `journal-<k>.jsonl` | finished runs, a line each, as they come in |
| `records-<k>.parquet` | the same, compacted; the journal is removed then |
| `lock` | held by the runner at work, which says how far it is |
| `logs/` | what solvers printed |
"""

from __future__ import annotations

import json
import os
import platform
import re
import time
import tomllib
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

import psutil

from euclio.core.errors import InputError, reason_of
from euclio.core.parameters import verb_text
from euclio.core.system import BINARY, locked, read_at, write_at
from euclio.experiments.durable import UNFINISHED, removed, replaced, written
from euclio.experiments.journal import Journal, read_journal
from euclio.experiments.record import Record

MADE_IN_PYTHON = 'schema = "euclio/experiment/1"\nname = {name}\n# The rest of this experiment was said in Python.\n'

JOURNAL_RUNS = 5000
"""Records of a journal before it is compacted."""

_OWN = re.compile(r"lock|logs|runs\.tsv|(journal|records|instances)-\w+\.(jsonl|parquet)")
"""Files that, with that of the experiment, tell a result folder from another folder."""


class ResultFolder:
    """A result folder, which need not exist yet.

    Args:
        path: where it is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.experiment_file = path / "experiment.toml"
        self.runs_file = path / "runs.tsv"
        self.lock_file = path / "lock"
        self.logs = path / "logs"

    def exists(self) -> bool:
        """Whether it holds an experiment."""
        return self.experiment_file.exists()

    def make(self, experiment: str) -> None:
        """Create it if needed.

        Args:
            experiment: name of the experiment that is to write to it.

        Raises:
            InputError: it cannot be made, or it is a folder of something else or of another experiment.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            other = self._is_foreign({file.name for file in self.path.iterdir()})
        except (OSError, ValueError) as error:
            reason = reason_of(error)
            raise InputError(f"cannot be made: {reason.lower()}; name another folder", file=str(self.path)) from None
        if other:
            raise InputError("holds other things than results; name another folder", file=str(self.path))
        if self.exists() and self.name() != experiment:
            raise InputError(
                f"holds the results of experiment {self.name()!r}, not {experiment!r}; name another folder",
                file=str(self.path),
            )
        with written(self.logs):
            self.logs.mkdir(exist_ok=True)

    def _is_foreign(self, files: set[str]) -> bool:
        """Whether these are not the files of a complete or half-made result folder."""
        if self.experiment_file.name in files:
            return not any(_OWN.fullmatch(name) for name in files)
        return not files <= {self.lock_file.name, self.logs.name, self.experiment_file.name + UNFINISHED}

    def name(self) -> str:
        """The name of the experiment; that of the folder where it cannot be read, or the file names none."""
        with suppress(OSError, ValueError):
            found = tomllib.loads(self.experiment_file.read_text(encoding="utf-8")).get("name")
            return found if isinstance(found, str) else self.path.name
        return self.path.name

    def journals(self) -> list[Path]:
        """Its journals, oldest first."""
        return _numbered(self.path, "journal-*.jsonl")

    def journalled(self) -> Iterator[dict[str, Any]]:
        """The records in its journals; one that is compacted meanwhile is skipped, so read the Parquet files after."""
        for path in self.journals():
            with suppress(FileNotFoundError):
                yield from read_journal(path)

    def compacted(self) -> list[Path]:
        """Its Parquet files, oldest first."""
        return _numbered(self.path, "records-*.parquet")

    def new_journal(self) -> Journal:
        """A new journal, with the next number; raises an `UnwritableError` if it cannot be made."""
        last = max((_number(path) for path in (*self.journals(), *self.compacted())), default=0)
        return Journal(self.path / f"journal-{last + 1}.jsonl")

    def compact(self, journal: Path) -> None:
        """Turn a journal that is complete into a Parquet file of its number.

        A crash in between leaves both, or a partly written file; compacting again repairs that.

        Raises:
            UnwritableError: the file cannot be written; the journal stays.
        """
        from euclio.experiments.columns import to_table, write_table

        table = to_table(read_journal(journal), journal)
        if table.num_rows:
            write_table(table, self.path / f"records-{_number(journal)}.parquet")
        removed(journal)

    def keys(self) -> set[str]:
        """Keys of the runs that are compacted."""
        from euclio.experiments.columns import read_table

        found: set[str] = set()
        for path in self.compacted():
            found.update(read_table(path, ["key"]).column("key").to_pylist())
        return found

    def drop(self, statuses: Collection[str], keys: Collection[str]) -> int:
        """Remove the compacted records with these statuses.

        Args:
            statuses: the statuses.
            keys: keys of the runs that may be dropped, such as those that the experiment has.

        Returns:
            How many they were.

        Raises:
            UnwritableError: the remaining records cannot be written.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        from euclio.experiments.columns import read_table, write_table

        known, dropped = pa.array(list(keys), pa.string()), 0
        for path in self.compacted():
            table = read_table(path)
            again = pc.is_in(table["status"].cast(pa.string()), pa.array(statuses, pa.string()))
            left = table.filter(pc.invert(pc.and_(again, pc.is_in(table["key"], known))))
            dropped += table.num_rows - left.num_rows
            if not left.num_rows:
                removed(path)
            elif left.num_rows < table.num_rows:
                write_table(left, path)
        return dropped

    def clean(self) -> None:
        """Remove partly written files that a crash left."""
        for path in self.path.glob(f"*{UNFINISHED}"):
            removed(path)

    def write_runs(self, rows: Iterable[tuple[str, str]]) -> None:
        """Keep key and label of all runs of the experiment."""
        with replaced(self.runs_file) as stream:
            for key, label in rows:
                stream.write(f"{key}\t{label}\n".encode())

    def labels(self) -> dict[str, str]:
        """Label by key of all runs of the experiment as it was given last; empty if not known yet.

        Raises:
            InputError: the file is damaged.
        """
        if not self.runs_file.exists():
            return {}
        try:
            with self.runs_file.open(encoding="utf-8") as stream:
                return dict(line.rstrip("\n").split("\t", 1) for line in stream)
        except ValueError:
            raise InputError(f"is damaged; {verb_text('run')} writes it again", file=str(self.runs_file)) from None


def _numbered(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern), key=_number)


def _number(path: Path) -> int:
    found = re.search(r"-(\d+)\.", path.name)
    return int(found[1]) if found else 0


class RecordKeeper(AbstractContextManager["RecordKeeper"]):
    """Keeps the records of one runner in a result folder, inside ``with``.

    A thread compacts the journals, so that no slot waits; the last one is compacted at the end. After an error, the
    next runner compacts the remaining journals.

    Raises:
        UnwritableError: a record could not be written, or a journal not be compacted; written records are kept.
    """

    def __init__(self, folder: ResultFolder) -> None:
        self._folder = folder
        self._journal = folder.new_journal()
        self._compactor = ThreadPoolExecutor(1, thread_name_prefix="euclio-compaction")
        self._compacting: Future[None] | None = None

    def append(self, record: Record) -> None:
        """Keep a record."""
        self._journal.append(record)
        if self._journal.records >= JOURNAL_RUNS:
            self._hand_over()
            self._journal = self._folder.new_journal()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._hand_over()
                self._wait()
            else:
                self._journal.close()
        finally:
            self._compactor.shutdown()

    def _hand_over(self) -> None:
        """Start to compact the journal, after the one before it is done."""
        self._journal.close()
        self._wait()
        self._compacting = self._compactor.submit(self._folder.compact, self._journal.path)

    def _wait(self) -> None:
        if self._compacting is not None:
            self._compacting.result()


PATIENCE_S = 1.0
"""Seconds for which a taken lock is tried again: a query of a runner's state holds it for a moment."""

_WIDTH = 512
"""Bytes that the facts are padded to, so that newer ones overwrite older ones completely."""


# On a system without file locks, the content of the file is the lock: it counts while the named process lives.


class RunnerLock:
    """The lock of a result folder, held inside ``with``.

    Args:
        path: its file, in a folder that exists.

    Raises:
        InputError: another runner holds it.
        UnwritableError: the file cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._facts = {"process": os.getpid(), "host": platform.node(), "started": psutil.Process().create_time()}

    def __enter__(self) -> RunnerLock:
        with written(self.path):
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | BINARY, 0o666)
        until = time.monotonic() + PATIENCE_S
        while not _is_free(self._file, locked(self._file)):
            if time.monotonic() > until:
                other = _facts(self._file)
                os.close(self._file)
                raise InputError(
                    f"another runner works here (process {other.get('process', '?')} on {other.get('host', '?')}); "
                    "wait until it has finished, or stop it",
                    file=str(self.path.parent),
                )
            time.sleep(0.05)
        self.publish()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            os.ftruncate(self._file, 0)
        os.close(self._file)

    def publish(self, **facts: float | None) -> None:
        """Write the runner's progress for `runner_at`; errors on writing are ignored."""
        with suppress(OSError):
            write_at(self._file, json.dumps(self._facts | facts).encode().ljust(_WIDTH), 0)


def runner_at(path: Path) -> dict[str, Any] | None:
    """The facts that the runner at work wrote to a lock file; None if there is none."""
    try:
        file = os.open(path, os.O_RDONLY | BINARY)
    except OSError:
        return None
    try:
        return None if _is_free(file, locked(file, shared=True)) else _facts(file)
    finally:
        os.close(file)


def _is_free(file: int, taken: bool | None) -> bool:
    """Whether no other runner has the file, by its lock or, where there are no locks (None), by its content."""
    if taken is not None:
        return taken
    facts = _facts(file)
    process, started = facts.get("process"), facts.get("started")
    if not isinstance(process, int) or facts.get("host") != platform.node():
        return True
    try:
        return psutil.Process(process).create_time() != started  # else the number is another process's by now
    except (psutil.Error, ValueError, OverflowError):
        return True


def _facts(file: int) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        facts = json.loads(read_at(file, _WIDTH, 0))
        if isinstance(facts, dict):
            return facts
    return {}
