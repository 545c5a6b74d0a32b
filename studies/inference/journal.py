"""What several processes make of some things, noted one by one, so that a draw that is interrupted goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Any

from euclio.core.errors import InputError
from euclio.core.progress import progress_bar

AT_ONCE = 4
"""Things that a process is handed together."""


class Journal(AbstractContextManager["Journal"]):
    """Makes things and notes them, one line of JSON each; what is noted is not made again.

    A note says what it was made of. Where an interrupted draw is gone on with and chooses other things than before, as
    an emulator of another version does, these are made anew and do not get the numbers of those in their places.

    Attributes:
        path: the file.
        jobs: processes.
        fresh: things made, those that were noted already left out.
    """

    def __init__(self, path: Path, head: Mapping[str, Any], jobs: int = 1) -> None:
        """Open a journal, anew or where it was left.

        Args:
            path: the file.
            head: what decides every result: plan, parameters, version.
            jobs: processes.

        Raises:
            InputError: the file is of other draws.
        """
        self.path, self.jobs, self.fresh = path, jobs, 0
        self._made: dict[tuple[str, int, str], Any] = {}
        self._pool: ProcessPoolExecutor | None = None
        wanted = json.dumps(head, sort_keys=True)
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        if lines and lines[0] != wanted:
            raise InputError("is of other draws; give another --out, or remove it", file=str(path))
        entries = [entry for entry in map(_entry, lines[1:]) if entry is not None]
        self._made = {(entry["label"], entry["place"], entry.get("of", "")): entry["made"] for entry in entries}
        # What is left of a line that an interruption cut is not to be continued.
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = [wanted, *map(json.dumps, entries)]
        path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8", newline="\n")
        self._file = path.open("a", encoding="utf-8", newline="\n")

    def made(self, label: str, function: Any, things: Sequence[Any]) -> list[Any]:
        """What a function makes of some things, in their order; each is noted, so that it has to be plain JSON.

        Args:
            label: what they are.
            function: makes something of one.
            things: the things, each of which its `repr` says in full.
        """
        keys = [(label, n, _hash(thing)) for n, thing in enumerate(things)]
        missing = [n for n, key in enumerate(keys) if key not in self._made]
        with progress_bar(label, len(missing)) as advance:
            for n, found in zip(missing, self._mapped(function, [things[n] for n in missing]), strict=True):
                self._made[keys[n]] = found
                self.fresh += 1
                self._file.write(json.dumps({"label": label, "place": n, "of": keys[n][2], "made": found}) + "\n")
                self._file.flush()
                advance()
        return [self._made[key] for key in keys]

    def _mapped(self, function: Any, things: Sequence[Any]) -> Iterator[Any]:
        """What a function makes of some things, in their order, by the journal's processes."""
        if self.jobs <= 1 or len(things) < 2:
            return map(function, things)
        if self._pool is None:
            # Compiled code and its threads do not survive a fork.
            self._pool = ProcessPoolExecutor(self.jobs, mp_context=get_context("spawn"))
        return self._pool.map(function, things, chunksize=AT_ONCE)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file and end the processes."""
        self._file.close()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def _hash(thing: Any) -> str:
    """Digits that say which thing it is."""
    return sha256(repr(thing).encode()).hexdigest()[:16]


def _entry(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None
