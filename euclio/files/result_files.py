"""Checked results in files: schema ``euclio/result/1``, enough of them to price the plan again."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from pydantic import Field

from euclio.errors import InputError
from euclio.exact import decimal_text, exact
from euclio.files.boundary import FileModel, Flag, Name, Number, Text, Whole, at, validated, without_schema
from euclio.files.json_reading import read_json
from euclio.files.json_writing import json_text, write_text
from euclio.result import Result, Status, TracePoint
from euclio.session import Allocation, Configuration, DummyRule, ModulePlan, Plan, PlanSpace, Policy, Session

SCHEMA = "euclio/result/1"


class _Allocation(FileModel):
    hardware: Name
    batch: Whole
    concurrency: Whole
    duration_s: Number
    machines: Whole
    partial_rps: Number


class _ModulePlan(FileModel):
    name: Name
    worst_case_latency_s: Number
    dummy_rps: Number
    allocations: list[_Allocation]


class _Plan(FileModel):
    latency_s: Number
    modules: list[_ModulePlan]


class _Options(FileModel):
    policy: Text
    dummy: Text
    max_allocations: Whole | None = None
    hardware: list[Name] | None = None
    single_hardware: Flag = False
    batching: Flag = True
    concurrency: Flag = True
    objective: Text = "cost"
    time_limit_s: Number | None = None
    seed: Whole = 0
    engine: Name | None = None
    threads: Whole | None = None
    warm_start: Name | None = None


class _TracePoint(FileModel):
    wall_s: Number
    incumbent_per_h: Number | None
    bound_per_h: Number | None


class _Result(FileModel):
    instance: Name
    solver: Name
    options: _Options
    status: Text
    raw_status: Text = ""
    reason: Text = ""
    cost_per_h: Number | None
    claimed_cost_per_h: Number | None
    bound_per_h: Number | None
    wall_s: Number | None
    plan: _Plan | None
    stats: dict[str, Any] = Field(default_factory=dict)
    trace: list[_TracePoint] = Field(default_factory=list)
    warm_start: Text = "none"
    provenance: dict[str, Any]


@dataclass(frozen=True, slots=True)
class WrittenResult:
    """What a result file says, not yet checked.

    Attributes:
        instance: name of the instance.
        solver: name of the solver.
        space: plan space that the plan is to be checked under.
        status: outcome as written.
        cost_per_h: checked cost as written; None without a plan.
        bound_per_h: lower bound as written; None: no bound.
        latency_s: end-to-end latency as written; None without a plan.
        worst_case_latency_s: the same per module, in the order of the session's modules.
        plan: the plan, modules in the order of the session's.
    """

    instance: str
    solver: str
    space: PlanSpace
    status: Status
    cost_per_h: Fraction | None
    bound_per_h: Fraction | None
    latency_s: Fraction | None
    worst_case_latency_s: tuple[Fraction, ...]
    plan: Plan | None


def load_result(path: str | Path, session: Session) -> WrittenResult:
    """The result in a file, read as a result of this session.

    Raises:
        InputError: naming the file, the field and the remedy; also where it is a result of another instance.
    """
    file = str(path)
    model = validated(_Result, without_schema(read_json(path), SCHEMA, file), file)
    with at("", file):
        if model.instance != session.name:
            raise InputError(
                f"is {model.instance!r}, but the instance is {session.name!r}; give the result of this instance",
                field="instance",
            )
        return WrittenResult(
            instance=model.instance,
            solver=model.solver,
            space=_space(model.options, session),
            status=Status(_word(model.status, [s.value for s in Status], "status")),
            cost_per_h=_optional(model.cost_per_h),
            bound_per_h=_optional(model.bound_per_h),
            latency_s=None if model.plan is None else exact(model.plan.latency_s),
            worst_case_latency_s=_written_latencies(model.plan, session),
            plan=None if model.plan is None else _plan(model.plan, session),
        )


def save_result(result: Result, session: Session, path: str | Path) -> None:
    """Write a result of a session.

    Raises:
        InputError: the file cannot be written.
    """
    write_text(result_to_text(result, session), path)


def result_to_text(result: Result, session: Session) -> str:
    """The JSON text of a result."""
    return json_text(result_to_json(result, session)) + "\n"


def result_to_json(result: Result, session: Session) -> dict[str, Any]:
    """A result as plain data with fractions; what could not be priced is null."""
    return {
        "schema": SCHEMA,
        "instance": result.instance,
        "solver": result.solver,
        "options": result.options,
        "status": result.status.value,
        "raw_status": result.raw_status,
        "reason": result.reason,
        "cost_per_h": result.value,
        "claimed_cost_per_h": result.claimed,
        "bound_per_h": result.bound,
        "wall_s": result.wall_s,
        "plan": None if result.value is None or result.plan is None else _plan_data(result, session),
        "stats": result.stats,
        "trace": [_moment(point) for point in result.trace],
        "warm_start": result.warm_start.value,
        "provenance": result.provenance,
    }


def _moment(point: TracePoint) -> dict[str, float | None]:
    return {"wall_s": point.wall_s, "incumbent_per_h": point.incumbent, "bound_per_h": point.bound}


def _plan_data(result: Result, session: Session) -> dict[str, Any]:
    assert result.plan is not None
    assert result.evaluation is not None
    modules = zip(session.modules, result.plan.modules, result.evaluation.modules, strict=True)
    return {
        "latency_s": result.evaluation.latency_s,
        "modules": [
            {
                "name": module.name,
                "worst_case_latency_s": found.worst_case_latency_s,
                "dummy_rps": _not_less(plan.dummy_rps),
                "allocations": [
                    {
                        "hardware": a.configuration.hardware,
                        "batch": a.configuration.batch,
                        "concurrency": a.configuration.concurrency,
                        "duration_s": a.configuration.duration_s,
                        "machines": a.machines,
                        "partial_rps": a.partial_rps,
                    }
                    for a in plan.allocations
                ],
            }
            for module, plan, found in modules
        ],
    }


def _not_less(rate: Fraction) -> Fraction:
    """The rate rounded up to what is written: under rule `continuous` less could miss the SLO."""
    written = exact(decimal_text(rate))
    return written if written >= rate else written + rate * Fraction(2, 10**14)


def _optional(value: Any) -> Fraction | None:
    return None if value is None else exact(value)


def _word(value: str, words: list[str], field: str) -> str:
    if value not in words:
        raise InputError(f"is {value[:40]!a}; it must be one of {', '.join(words)}", field=field)
    return value


def _space(options: _Options, session: Session) -> PlanSpace:
    _word(options.objective, ["cost"], "options.objective")
    if options.max_allocations is not None and options.max_allocations < 1:
        raise InputError(f"is {options.max_allocations}; it must be at least 1", field="options.max_allocations")
    for i, name in enumerate(options.hardware or []):
        _word(name, list(session.price), f"options.hardware[{i}]")
    return PlanSpace(
        policy=Policy(_word(options.policy, [p.value for p in Policy], "options.policy")),
        dummy=DummyRule(_word(options.dummy, [d.value for d in DummyRule], "options.dummy")),
        max_allocations=options.max_allocations,
        hardware=None if options.hardware is None else tuple(options.hardware),
        single_hardware=options.single_hardware,
        batching=options.batching,
        concurrency=options.concurrency,
    )


def _written_latencies(plan: _Plan | None, session: Session) -> tuple[Fraction, ...]:
    if plan is None:
        return ()
    by_name = {m.name: exact(m.worst_case_latency_s) for m in plan.modules}
    return tuple(by_name[m.name] for m in session.modules if m.name in by_name)


def _plan(model: _Plan, session: Session) -> Plan:
    index = session.index
    found: dict[str, ModulePlan] = {}
    for i, module in enumerate(model.modules):
        field = f"plan.modules[{i}]"
        if module.name not in index:
            raise InputError(
                f"module {module.name!r} is not in the instance; give the result of this instance",
                field=f"{field}.name",
            )
        if module.name in found:
            raise InputError(f"module {module.name!r} is listed twice; keep one of them", field=f"{field}.name")
        allocations = tuple(_allocation(a, f"{field}.allocations[{k}]") for k, a in enumerate(module.allocations))
        found[module.name] = ModulePlan(allocations, exact(module.dummy_rps))
    missing = [m.name for m in session.modules if m.name not in found]
    if missing:
        raise InputError(f"module {missing[0]!r} is missing; give the result of this instance", field="plan.modules")
    return Plan(tuple(found[m.name] for m in session.modules))


def _allocation(model: _Allocation, field: str) -> Allocation:
    with at(field, None):
        configuration = Configuration(model.hardware, model.batch, model.concurrency, model.duration_s)
    return Allocation(configuration, model.machines, exact(model.partial_rps))
