"""The keywords that many verbs share, as editors and type checkers know them; a test holds them against the options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

from euclio.core.numbers import Number

if TYPE_CHECKING:
    from pathlib import Path

    from euclio.core.result import AnyResult
    from euclio.core.solver import SolverLike
    from euclio.problems.pipeline.space import Objective
    from euclio.problems.session.plan import Plan
    from euclio.problems.session.policies import Policy
    from euclio.problems.session.rules import Charging, DummyRule
    from euclio.problems.session.running import RunningMachines

ByName = Mapping[str, Number] | str
"""Numbers by name, such as ``{"A100": 4}``, or the same as text: ``"A100=4"``."""


class MachineChanges(TypedDict, total=False):
    """Changes of prices and machines of a session.

    Attributes:
        price: money per hour by hardware.
        stock: most machines by hardware.
        from_: result whose plan runs already, or its file; machines added to it and removed from it are changes.
        change_price: money for each machine added or removed, for each hour that the plan is to run.
        state_price: money on top for each change of a module whose machines hold state, by name of the module.
        spare: spare machines of every hardware type that the plan uses.
        largest_share: largest share of a module's requests that may need some hardware, by its name.
        headroom: share of requests more that are planned for; 0.2 multiplies all rates by 1.2.
    """

    price: ByName | None
    stock: ByName | None
    from_: str | Path | Plan | AnyResult | tuple[RunningMachines, ...] | None
    change_price: Number | None
    state_price: ByName | None
    spare: Number | None
    largest_share: ByName | None
    headroom: Number | None


class MostChanges(TypedDict, total=False):
    """A limit on changes.

    Attributes:
        changes: most machines added and removed together, from the plan of `from_`.
    """

    changes: Number | None


class LoadChanges(TypedDict, total=False):
    """Changes of load, objective and resources of a session.

    Attributes:
        rate: requests per second of all sources together; the rates of all modules are scaled in ratio.
        slo: latency objective in seconds.
        resource: most that all machines take of a resource, by its name.
    """

    rate: Number | None
    slo: Number | None
    resource: ByName | None


class Measurements(TypedDict, total=False):
    """How far the measured durations of a session are trusted.

    Attributes:
        durations: quantile of them that plans are to hold at, such as "p95"; None: the durations themselves.
        strict: refuse a file with rows that are doubted, where there is a warning otherwise.
    """

    durations: str | None
    strict: bool


class Changes(MachineChanges, MostChanges, LoadChanges, Measurements, total=False):
    """All changes of a session."""


class SessionPlans(TypedDict, total=False):
    """Plan space of sessions, without how machines are charged; also its fields by their own names.

    Attributes:
        policy: dispatch policy, such as "tc", or a user's own, "FILE.py:NAME".
        dummy: dummy rule.
        max_allocations: most allocations per module; "any" or None: any number.
        hardware: allowed hardware.
        no_batching: batch 1 only.
        no_concurrency: concurrency 1 only.
    """

    policy: str | Policy
    dummy: str | DummyRule
    max_allocations: Number | None
    hardware: str | Iterable[str] | None
    no_batching: bool
    no_concurrency: bool
    batching: bool
    concurrency: bool
    single_hardware: bool


class SessionCharging(TypedDict, total=False):
    """How machines of sessions are charged.

    Attributes:
        machines: "share", "whole" or "packed".
    """

    machines: str | Charging
    charging: str | Charging


class SessionSpace(SessionPlans, SessionCharging, total=False):
    """Plan space of sessions."""


class ClusterSpace(TypedDict, total=False):
    """Plan space of clusters; also its fields by their own names.

    Attributes:
        objective: "throughput" or "cost".
        max_partitions: most partitions of a pipeline.
        no_batch_unification: a batch size of its own for each partition.
        no_virtual_gpus: whole GPUs only.
        no_batch_build: leave out the delay until a batch has gathered.
        one_per_sequence: one pipeline per sequence of GPU types.
    """

    objective: str | Objective
    max_partitions: Number | None
    no_batch_unification: bool
    no_virtual_gpus: bool
    no_batch_build: bool
    one_per_sequence: bool
    unify_batch: bool | None
    virtual_gpus: bool
    batch_build: bool
    whole_gpus: bool


class FleetSpace(TypedDict, total=False):
    """Plan space of fleets.

    Attributes:
        sharing: which fragments may share instances.
        budgets: whether a request of a set keeps the least time budget of the set, or its own.
        max_members: most fragments that share instances.
        max_instances: most instances of a stage.
    """

    sharing: str
    budgets: str
    max_members: Number | None
    max_instances: Number | None


class AnySpace(SessionSpace, ClusterSpace, FleetSpace, total=False):
    """Plan spaces of all families; a keyword of another family than the instance's is refused."""


class Attainment(TypedDict, total=False):
    """What a plan of a session keeps under random arrivals.

    Attributes:
        attainment: share of requests within the SLO, 0.5 to 0.9999.
        arrivals: how requests come, such as "poisson".
        trace: file of timestamps (CSV, first column), or the timestamps in seconds, to follow instead.
        cv: coefficient of variation of the gaps, for arrivals "gamma".
        on: mean length of bursts in seconds, for arrivals "on-off".
        off: mean length of the silence between bursts in seconds, for arrivals "on-off".
        noise: coefficient of variation of durations.
        dispatch: who is given the next invocation.
        time_out: seconds that a batch waits to be filled, or "none".
        hold: modules hand requests on no earlier than after their worst-case latency.
        dropping: drop requests that cannot be answered in time any more, "hopeless", or none, "never".
        p90: seconds within which 90 % of requests are to be answered: an attainment of 0.9 with this SLO.
        p95: the same for 95 %.
        p99: the same for 99 %.
        p999: the same for 99.9 %.
        module_p90: seconds by module within which 90 % of its requests are to pass it, such as `{"detect": 0.05}`.
        module_p95: the same for 95 %.
        module_p99: the same for 99 %.
        module_p999: the same for 99.9 %.
    """

    attainment: Number | None
    arrivals: str | None
    trace: str | Path | Sequence[float] | None
    cv: Number | None
    on: Number | None
    off: Number | None
    noise: Number | None
    dispatch: str | None
    time_out: Number | None
    hold: bool
    dropping: str | None
    p90: Number | None
    p95: Number | None
    p99: Number | None
    p999: Number | None
    module_p90: Mapping[str, Number] | str | None
    module_p95: Mapping[str, Number] | str | None
    module_p99: Mapping[str, Number] | str | None
    module_p999: Mapping[str, Number] | str | None


class RunKeywords(TypedDict, total=False):
    """How a solver is run.

    Attributes:
        time_limit: time limit in seconds.
        seed: seed of random choices.
        engine: engine of the solver library, "highs", "cbc", "highs-program", "scip" or "gurobi".
        threads: threads of the engine.
        warm_start: solver whose plan to start from, or "none".
        log: file for the engine's own log.
        export_lp: file for the model in LP format.
        supervised: run the solver in a process of its own, so that the limit holds whatever it does.
        time_limit_s: as `time_limit`.
        log_file: as `log`.
    """

    time_limit: Number | None
    seed: Number
    engine: str | None
    threads: Number | None
    warm_start: SolverLike | None
    log: str | Path | None
    export_lp: str | Path | None
    supervised: bool
    time_limit_s: Number | None
    log_file: str | Path | None


class SolveSession(Changes, SessionSpace, Attainment, RunKeywords, total=False):
    """Keywords of `solve` for sessions."""


class SolveCluster(ClusterSpace, RunKeywords, total=False):
    """Keywords of `solve` for clusters."""


class SolveFleet(FleetSpace, RunKeywords, total=False):
    """Keywords of `solve` for fleets."""


class SolveAny(Changes, AnySpace, Attainment, RunKeywords, total=False):
    """Keywords of `solve` for an instance of any family, as in a file."""


class ExplainSession(Changes, SessionSpace, total=False):
    """Keywords of `explain` for sessions."""


class ExplainAny(Changes, AnySpace, total=False):
    """Keywords of `explain` for any instance."""


class WhatIfKeywords(MachineChanges, MostChanges, Measurements, SessionPlans, Attainment, total=False):
    """Keywords of `what_if`, which gives several values of the others."""


class CompareKeywords(Changes, Attainment, total=False):
    """Keywords of `compare`."""


class ChangesKeywords(MachineChanges, LoadChanges, Measurements, SessionSpace, Attainment, total=False):
    """Keywords of `changes`, which varies the limit on changes."""


class CurveKeywords(MachineChanges, MostChanges, Measurements, SessionSpace, total=False):
    """Keywords of `curve`, which gives several values of rate or objective.

    Attributes:
        resource: most that all machines take of a resource, by its name.
    """

    resource: ByName | None
