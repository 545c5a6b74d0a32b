"""Keeping records: in a journal at once, in Parquet files as journals grow."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType

from euclio.runs.folder import ResultFolder
from euclio.runs.record import Record

JOURNAL_RUNS = 5000
"""Records of a journal before it is compacted."""


class RecordKeeper:
    """Keeps the records of one runner in a result folder, inside ``with``.

    Journals are compacted in a thread, so that no slot has to wait for it; the last one at the end. Where the end is an
    error, the next runner compacts what it finds.

    Args:
        folder: the folder.

    Raises:
        UnwritableError: a record could not be written, or a journal not be compacted; what was written is kept.
    """

    def __init__(self, folder: ResultFolder) -> None:
        self._folder = folder
        self._journal = folder.new_journal()
        self._compactor = ThreadPoolExecutor(1, thread_name_prefix="euclio-compaction")
        self._compacting: Future[None] | None = None

    def __enter__(self) -> RecordKeeper:
        return self

    def append(self, record: Record) -> None:
        """Keep a record."""
        self._journal.append(record)
        if self._journal.records >= JOURNAL_RUNS:
            self._hand_over()
            self._journal = self._folder.new_journal()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._hand_over()
                self._wait()
            else:
                self._journal.close()
        finally:
            self._compactor.shutdown()

    def _hand_over(self) -> None:
        """Have the journal compacted; the one before is by then."""
        self._journal.close()
        self._wait()
        self._compacting = self._compactor.submit(self._folder.compact, self._journal.path)

    def _wait(self) -> None:
        if self._compacting is not None:
            self._compacting.result()
