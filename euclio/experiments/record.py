"""A record: the kept data of a run, one line of JSON, schema ``euclio/record/1``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from euclio.core.quick_records import quick
from euclio.core.result import Status, WarmStart

SCHEMA = "euclio/record/1"

MEASURED = "measured"
"""Status of a finished measurement without a solver."""

TIMING = (
    "started_at",
    "wall_s",
    "import_s",
    "check_s",
    "cpu_s",
    "certify_s",
    "peak_memory_mb",
    "worker",
    "host",
    "trace",
)
"""Fields that differ between two runs of the same task."""


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A finished run: the task, the checked outcome, and the machine.

    Values are floats in the unit of the objective. The defaults are those of a run that has not answered.

    Attributes:
        key: key of the task.
        family: problem family.
        instance: name of the instance.
        instance_hash: hash of its text.
        solver: name of the solver, or ``path/to/file.py:function``.
        solver_version: as in `euclio.experiments.task.SolverSetting`.
        label: name of solver and options in tables and figures.
        options: plan space and engine options that the run was made with, in full, as in a result file.
        seed: seed of the solver.
        repeat: number of the repetition.
        time_limit_s: limit that the solver was given, in seconds; None means no limit.
        hard_time_limit_s: limit after which its process is killed.
        memory_limit_mb: limit of resident memory in MiB.
        features: sizes of the instance, by name (`euclio.core.family.Family.features`).
        objective: name of the goal, such as "cost".
        maximised: whether the objective is maximised.
        status: optimal, feasible, infeasible, unknown, inapplicable or error (`euclio.core.result.Status`); `MEASURED`
            without a solver.
        raw_status: the solver's own word; "killed" or "crashed" where its process ended.
        reason: why there is no plan, or why it was refused.
        value: checked value; None without an accepted plan.
        claimed: the value that the solver claims.
        bound: proven bound; None if none is proven.
        warm_start: outcome of the warm start.
        stats: counters of the solver.
        plan: the plan as in a result file; None without an accepted one.
        trace: (seconds, incumbent, bound) over time.
        wall_s: seconds in the solver, model building included; without imports and without data that runs of an
            instance share, such as ranked profiles; None if it never answered.
        import_s: seconds of import and compilation before this run; 0 means that the worker had the solver loaded.
        check_s: seconds of checking and pricing.
        peak_memory_mb: most resident memory of the worker so far, in MiB.
        started_at: UTC, ISO 8601; for people, not for sorting.
        worker: process number of the worker.
        host: machine.
        provenance: versions, CPU, cores and git revision (`euclio.core.versions.provenance`).
        certificate: an independent prover's verdict on the proof: certified, refuted or open; None if it did not run,
            or nothing was proven.
        certify_s: seconds of the prover, not in `wall_s`; None if it did not run, or was killed.
        certify_nodes: nodes of its search; None if no prover tried it.
        certify_reason: the reason why the proof is refuted or left open.
        cpu_s: processor seconds of this process for the answer and its check, which other processes hardly change; None
            if it never answered.
        measured: rows of measurements (`euclio.experiments.task.Measure`, `SolverSetting.measure`); None if there are
            none.
        population: name, seed and shortened hash of the instance's population
            (`euclio.workloads.populations.Identity.label`); None if it was not drawn.
    """

    key: str
    family: str
    instance: str
    instance_hash: str
    solver: str
    solver_version: str
    label: str
    options: dict[str, Any]
    seed: int
    repeat: int
    time_limit_s: float | None
    hard_time_limit_s: float
    memory_limit_mb: int
    features: dict[str, float] = field(default_factory=dict)
    objective: str
    maximised: bool
    status: str = Status.UNKNOWN.value
    raw_status: str = ""
    reason: str = ""
    value: float | None = None
    claimed: float | None = None
    bound: float | None = None
    warm_start: str = WarmStart.NONE.value
    stats: dict[str, float] = field(default_factory=dict)
    plan: dict[str, Any] | None = None
    trace: tuple[tuple[float, float | None, float | None], ...] = ()
    wall_s: float | None = None
    import_s: float = 0.0
    check_s: float = 0.0
    peak_memory_mb: float = 0.0
    started_at: str
    worker: int
    host: str
    provenance: dict[str, Any]
    certificate: str | None = None
    certify_s: float | None = None
    certify_nodes: int | None = None
    certify_reason: str = ""
    cpu_s: float | None = None
    measured: list[dict[str, Any]] | None = None
    population: str | None = None
