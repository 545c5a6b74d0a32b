"""What supervisor and worker process say to each other."""

from __future__ import annotations

from dataclasses import dataclass

from euclio.core.quick_records import quick
from euclio.experiments.record import Record
from euclio.experiments.task import Batch


@quick
@dataclass(frozen=True, slots=True)
class Assignment:
    """What a worker is to do next.

    Attributes:
        batch: the runs.
        cold: solvers that are not to be warmed up, since that ended a process before.
    """

    batch: Batch
    cold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Ready:
    """The process has started and waits for an assignment."""


@quick
@dataclass(frozen=True, slots=True)
class Started:
    """A run begins; its hard limit counts from here.

    Attributes:
        record: the record as it is without an answer.
    """

    record: Record


@dataclass(frozen=True, slots=True)
class Certifying:
    """The solver has answered, and a prover tries its proof; a limit of its own counts from here.

    Attributes:
        record: the record with the answer, its certificate open.
        limit_s: seconds after which the process is killed; the answer is kept.
    """

    record: Record
    limit_s: float


@quick
@dataclass(frozen=True, slots=True)
class Finished:
    """A run is finished; the next one is being prepared already.

    Attributes:
        record: its record.
    """

    record: Record


@dataclass(frozen=True, slots=True)
class Bloated:
    """What runs left behind fills too much of the memory that the next one may take; a new process is to go on."""
