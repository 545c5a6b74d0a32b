"""Chains and repetitions by several processes, noted one by one, so that a draw that is interrupted goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Any

from euclio.core.errors import InputError
from euclio.core.progress import say
from euclio.studies.posterior.sampler import Chain, Record, walk

AT_ONCE = 4
"""Chains that a process is handed together."""
SAID_EVERY = 500
"""Chains between two words on how far a round is."""


class Journal(AbstractContextManager["Journal"]):
    """Walks chains and notes what they found, one line of JSON per chain; noted chains are not walked again.

    Attributes:
        path: the file.
        jobs: processes.
        simulated: settings simulated, those of noted chains left out.
    """

    def __init__(self, path: Path, head: Mapping[str, Any], jobs: int = 1) -> None:
        """Open a journal, anew or where it was left.

        Args:
            path: the file.
            head: what decides every result: plan, noise, version.
            jobs: processes.

        Raises:
            InputError: the file is of other draws.
        """
        self.path, self.jobs, self.simulated = path, jobs, 0
        self._known: dict[tuple[str, int, int], list[Record]] = {}
        self._made: dict[tuple[str, int], Any] = {}
        self._pool: ProcessPoolExecutor | None = None
        wanted = json.dumps(head, sort_keys=True)
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        if lines and lines[0] != wanted:
            raise InputError("is of other draws; give another --out, or remove it", file=str(path))
        for line in lines[1:]:
            try:
                entry = json.loads(line)
            except ValueError:
                # The line that an interruption cut.
                continue
            if "records" not in entry:
                self._made[entry["label"], entry["place"]] = entry["made"]
                continue
            records = [Record(**{**r, "unit": tuple(r["unit"])}) for r in entry["records"]]
            self._known[entry["label"], entry["round"], entry["place"]] = records
        # What is left of a cut line is not to be continued.
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = [wanted, *(line for line in lines[1:] if _whole(line))]
        path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8", newline="\n")
        self._file = path.open("a", encoding="utf-8", newline="\n")

    def walks(self, label: str, chains: Sequence[Chain]) -> Iterator[list[Record]]:
        """The records of chains, in their order; each is noted as soon as it is there.

        Args:
            label: what the chains belong to, where several draws share a journal.
            chains: the chains.
        """
        asked = [c for c in chains if (label, c.round, c.place) not in self._known]
        fresh = self.mapped(walk, asked)
        for number, chain in enumerate(chains, start=1):
            key = label, chain.round, chain.place
            if key not in self._known:
                self._known[key] = records = next(fresh)
                self.simulated += len(records)
                entry = {
                    "label": label,
                    "round": chain.round,
                    "place": chain.place,
                    "records": [asdict(r) for r in records],
                }
                self._note(entry)
                if number % SAID_EVERY == 0:
                    say(f"{label}, round {chain.round}: {number} of {len(chains)}")
            yield self._known[key]

    def made(self, label: str, function: Any, things: Sequence[Any]) -> list[Any]:
        """What a function makes of some things, in their order; each is noted, so that it has to be plain JSON.

        Args:
            label: what they are.
            function: makes something of one.
            things: the things.
        """
        missing = [n for n in range(len(things)) if (label, n) not in self._made]
        for n, found in zip(missing, self.mapped(function, [things[n] for n in missing]), strict=True):
            self._made[label, n] = found
            self._note({"label": label, "place": n, "made": found})
        return [self._made[label, n] for n in range(len(things))]

    def _note(self, entry: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(entry) + "\n")
        self._file.flush()

    def mapped(self, function: Any, things: Sequence[Any]) -> Iterator[Any]:
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


def _whole(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True
