"""The journal of a batch: one finished run a line, written at once."""

from __future__ import annotations

import json
import os
import threading
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

from euclio.core.system import BINARY
from euclio.experiments.durable import sync_folder, unwritable, written
from euclio.experiments.record import SCHEMA, Record

SYNC_S = 0.5
"""Seconds after which written records are synced to survive a power cut."""

_FIELDS = tuple(field.name for field in fields(Record))
_BEFORE = b'{"schema":"%s","crc32":"%%08x","record":' % SCHEMA.encode()
_AFTER = b"}\n"


def encoded(record: Record) -> bytes:
    """A record as a line of JSON with the checksum of its text."""
    row = {name: getattr(record, name) for name in _FIELDS}
    return _line(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))


def decoded(line: bytes) -> dict[str, Any] | None:
    """The fields of the record in a line; None if the line is torn or damaged."""
    text = line[len(_BEFORE % 0) : -len(_AFTER)]
    if line != _line(text):
        return None
    with suppress(ValueError, RecursionError):
        row = json.loads(text)
        # The checksum shows that it is complete, not its author.
        if isinstance(row, dict) and all(isinstance(row.get(name), str) for name in ("key", "status")):
            return row
    return None


def _line(text: bytes) -> bytes:
    return _BEFORE % zlib.crc32(text) + text + _AFTER


def read_journal(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a journal; a line torn by a crash is left out, so that its run is made again."""
    with path.open("rb") as stream:
        for line in stream:
            row = decoded(line)
            if row is not None:
                yield row


class Journal:
    """A journal being written.

    Args:
        path: its file, which must not exist yet.

    Attributes:
        path: its file.
        records: number of records in it.

    Raises:
        UnwritableError: the file cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.records = path, 0
        with written(path):
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | BINARY, 0o666)
            sync_folder(path.parent)
        self._size = 0
        self._failure: OSError | None = None
        self._unsynced, self._closing = False, threading.Event()
        self._syncing = threading.Thread(target=self._sync, name="euclio-journal", daemon=True)
        self._syncing.start()

    def append(self, record: Record) -> None:
        """Keep a record.

        Raises:
            UnwritableError: it could not be written, or an earlier one could not be synced; the journal ends with the
                last record that was.
        """
        line = encoded(record)
        try:
            if self._failure is not None:
                raise self._failure
            done = os.write(self._file, line)
            while done < len(line):  # a disk that is full takes a part first, then says so
                done += os.write(self._file, line[done:])
        except OSError as error:
            with suppress(OSError):  # a torn line is left out when the journal is read
                os.ftruncate(self._file, self._size)
            raise unwritable(self.path, error) from error
        self._size += len(line)
        self.records += 1
        self._unsynced = True

    def close(self) -> None:
        """Sync all records to disk and end the journal; raises an `UnwritableError` if they could not be synced."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._syncing.join()
        try:
            with written(self.path):
                os.fsync(self._file)
        finally:
            os.close(self._file)

    def _sync(self) -> None:
        while not self._closing.wait(SYNC_S):
            if self._unsynced:
                self._unsynced = False
                try:
                    os.fsync(self._file)
                except OSError as error:
                    self._failure = error
                    return
