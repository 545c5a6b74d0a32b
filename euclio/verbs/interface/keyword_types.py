"""The types of the keywords that many verbs share, for editors and type checkers.

Their meanings are in their declarations: by the families, and in `shared_parameters.py`. A test compares them with
the options.
"""

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

AmountsByName = Mapping[str, Mapping[str, Number]] | str
"""Numbers by two names, such as ``{"region": {"T4": 1, "L4": 2}}``, or the same as text: ``"region=T4:1,L4:2"``."""


TextsByName = Mapping[str, Mapping[str, str]] | str
"""Texts by two names, such as ``{"gpus": {"small": "1g"}}``, or the same as text: ``"gpus=small:1g"``."""


class MachineChanges(TypedDict, total=False):
    """Changes of prices and machines of a session."""

    price: ByName | None
    stock: ByName | None
    from_: str | Path | Plan | AnyResult | tuple[RunningMachines, ...] | None
    change_price: Number | None
    state_price: ByName | None
    spare: Number | None
    largest_share: ByName | None
    takes: AmountsByName | None
    slices: TextsByName | None
    headroom: Number | None
    least_machines: ByName | None
    at_least: ByName | None


class MostChanges(TypedDict, total=False):
    """A limit on changes."""

    changes: Number | None


class LoadChanges(TypedDict, total=False):
    """Changes of load, objective and resources of a session."""

    rate: Number | ByName | None
    slo: Number | ByName | None
    resource: ByName | None


class Measurements(TypedDict, total=False):
    """How far the measured durations of a session are trusted."""

    durations: str | None
    longest_duration: ByName | None
    strict: bool


class Changes(MachineChanges, MostChanges, LoadChanges, Measurements, total=False):
    """All changes of a session."""


class SessionPlans(TypedDict, total=False):
    """Plan space of sessions, without how machines are charged; also its fields by their own names."""

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
    """How machines of sessions are charged."""

    machines: str | Charging
    charging: str | Charging


class SessionSpace(SessionPlans, SessionCharging, total=False):
    """Plan space of sessions."""


class ClusterSpace(TypedDict, total=False):
    """Plan space of clusters; also its fields by their own names."""

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
    """Plan space of fleets."""

    sharing: str
    budgets: str
    max_members: Number | None
    max_instances: Number | None


class AnySpace(SessionSpace, ClusterSpace, FleetSpace, total=False):
    """Plan spaces of all families; a keyword of another family than the instance's is refused."""


class Attainment(TypedDict, total=False):
    """The demand on a session's plan under random arrivals."""

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


class ManyRuns(TypedDict, total=False):
    """How a solver is run on many instances."""

    time_limit: Number | None
    seed: Number
    engine: str | None
    threads: Number | None
    warm_start: SolverLike | None


class RunKeywords(ManyRuns, total=False):
    """How a solver is run on one."""

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


class SolveMany(Changes, AnySpace, Attainment, ManyRuns, total=False):
    """Keywords of `solve_all`."""


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


class MostKeywords(Changes, SessionSpace, Attainment, total=False):
    """Keywords of `most`, which varies the rates."""


class CurveKeywords(MachineChanges, MostChanges, Measurements, SessionSpace, total=False):
    """Keywords of `curve`, which gives several values of rate or objective."""

    resource: ByName | None
