"""Plans of sessions in result files."""

from __future__ import annotations

from collections.abc import Container
from fractions import Fraction
from typing import Any

from euclio.core.errors import InputError
from euclio.core.numbers import decimal_text, exact, exact_decimal_text
from euclio.core.parts import PlanFiles
from euclio.core.showing import fields_of
from euclio.core.space_fields import word
from euclio.files.boundary import FileModel, Name, Number, Text, Whole, at
from euclio.files.dataclass_files import exact_of, needed_text
from euclio.files.plan_files import options_model, space_reader
from euclio.problems.session.evaluate import Evaluation
from euclio.problems.session.instance import Configuration, Session
from euclio.problems.session.machine_limits import NamedPlan
from euclio.problems.session.parts_of_plans import applications_of, objectives_of
from euclio.problems.session.plan import Allocation, ModulePlan, Plan, with_derived_rates
from euclio.problems.session.services import without_objective
from euclio.problems.session.space import PlanSpace


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
    exact_dummy_rps: Text | None = None
    allocations: list[_Allocation]


class _Objective(FileModel):
    name: Name
    to: Name
    slo_s: Number
    latency_s: Number
    slack_s: Number


class _Application(FileModel):
    name: Name
    modules: list[Name]
    rate_rps: Number
    cost_per_h: Number


class _SessionPlan(FileModel):
    latency_s: Number
    modules: list[_ModulePlan]
    shared_machines: list[list[Name]] | None = None
    objectives: list[_Objective] | None = None
    applications: list[_Application] | None = None
    any_latency: list[Name] | None = None


def _plan(model: _SessionPlan, session: Session) -> Plan:
    index = session.index
    found = _module_plans(model, index)
    missing = [m.name for m in session.modules if m.name not in found]
    if missing:
        raise InputError(f"module {missing[0]!r} is missing; give the result of this instance", field="plan.modules")
    modules = tuple(with_derived_rates(m, found[m.name]) for m in session.modules)
    return Plan(modules, _shared(model.shared_machines or [], index))


def _module_plans(model: _SessionPlan, known: Container[str] | None = None) -> dict[str, ModulePlan]:
    """The plans of modules by name; those of an instance have to be `known` there."""
    found: dict[str, ModulePlan] = {}
    for i, module in enumerate(model.modules):
        field = f"plan.modules[{i}]"
        if known is not None and module.name not in known:
            raise InputError(
                f"module {module.name!r} is not in the instance; give the result of this instance",
                field=f"{field}.name",
            )
        if module.name in found:
            raise InputError(f"module {module.name!r} is listed twice; keep one of them", field=f"{field}.name")
        allocations = tuple(_allocation(a, f"{field}.allocations[{k}]") for k, a in enumerate(module.allocations))
        place = f"{field}.exact_dummy_rps"
        dummy = exact_of(module.dummy_rps, module.exact_dummy_rps, place, "dummy_rps")
        found[module.name] = ModulePlan(allocations, dummy)
    return found


def plan_without_instance(model: Any) -> NamedPlan:
    """The plan of a result file, read without its instance; raises an `InputError` that names the field."""
    modules = _module_plans(model)
    groups = tuple(tuple(group) for group in model.shared_machines or ())
    for i, group in enumerate(groups):
        for k, name in enumerate(group):
            field = f"plan.shared_machines[{i}][{k}]"
            word(name, modules, field)
            if not modules[name].allocations:
                raise InputError(f"is {name!r}, a module without an allocation", field=field)
    return NamedPlan(modules, groups)


def _shared(groups: list[list[str]], index: dict[str, int]) -> tuple[tuple[int, ...], ...]:
    for i, group in enumerate(groups):
        for k, name in enumerate(group):
            word(name, index, f"plan.shared_machines[{i}][{k}]")
    return tuple(tuple(index[name] for name in group) for group in groups)


def _allocation(model: _Allocation, field: str) -> Allocation:
    with at(field, None):
        configuration = Configuration(model.hardware, model.batch, model.concurrency, model.duration_s)
    return Allocation(configuration, model.machines, exact(model.partial_rps))


def _written(plan: _SessionPlan, session: Session) -> dict[str, Fraction]:
    by_name = {module.name: exact(module.worst_case_latency_s) for module in plan.modules}
    parts = _parts(
        {one.name: exact(one.latency_s) for one in plan.objectives or ()},
        {one.name: exact(one.cost_per_h) for one in plan.applications or ()},
    )
    return _figures(exact(plan.latency_s), session, [by_name[module.name] for module in session.modules]) | parts


def _checked(session: Session, plan: Plan, evaluation: Evaluation) -> dict[str, Fraction]:
    assert evaluation.latency_s is not None
    return _figures(evaluation.latency_s, session, [found.worst_case_latency_s for found in evaluation.modules])


def _checked_parts(session: Session, plan: Plan, evaluation: Evaluation) -> dict[str, Fraction]:
    costs = {one.name: one.cost_per_h for one in applications_of(session, evaluation) if one.name is not None}
    return _parts(evaluation.objectives, costs)


def _parts(latency_s: dict[str, Fraction], cost_per_h: dict[str, Fraction]) -> dict[str, Fraction]:
    """The figures of objectives and applications."""
    latencies = {f"latency_s of objective {name}": taken for name, taken in latency_s.items()}
    return latencies | {f"cost_per_h of application {name}": cost for name, cost in cost_per_h.items()}


def _figures(latency_s: Fraction, session: Session, worst_case_s: list[Fraction]) -> dict[str, Fraction]:
    names = [f"worst_case_latency_s of module {module.name}" for module in session.modules]
    return {"plan.latency_s": latency_s, **dict(zip(names, worst_case_s, strict=True))}


def _data(session: Session, plan: Plan, evaluation: Evaluation) -> dict[str, Any]:
    modules = zip(session.modules, plan.modules, evaluation.modules, strict=True)
    names = [[session.modules[m].name for m in group] for group in plan.shared]
    return {
        "latency_s": evaluation.latency_s,
        **_of_parts(session, evaluation),
        **({"shared_machines": names} if names else {}),
        "modules": [
            {
                "name": module.name,
                "worst_case_latency_s": found.worst_case_latency_s,
                "dummy_rps": _not_less(own.dummy_rps),
                **_exact_dummy(own),
                "allocations": [
                    {
                        **_configuration(a.configuration),
                        "machines": a.machines,
                        "partial_rps": a.partial_rps,
                    }
                    for a in own.allocations
                ],
            }
            for module, own, found in modules
        ],
    }


def _of_parts(session: Session, evaluation: Evaluation) -> dict[str, Any]:
    """The latencies of objectives and the costs of applications, if the session has them."""
    objectives = [
        fields_of(one, "name", "to", "slo_s", "latency_s", "slack_s") for one in objectives_of(session, evaluation)
    ]
    applications = [
        fields_of(one, "name", "modules", "rate_rps", "cost_per_h")
        for one in applications_of(session, evaluation)
        if one.name is not None
    ]
    free = without_objective(session)
    found = {"objectives": objectives, "applications": applications, "any_latency": [*free]}
    return {name: value for name, value in found.items() if value}


def _configuration(configuration: Configuration) -> dict[str, Any]:
    """The fields that identify a configuration; its memory and its quantiles stand in the instance."""
    return {
        "hardware": configuration.hardware,
        "batch": configuration.batch,
        "concurrency": configuration.concurrency,
        "duration_s": configuration.duration_s,
    }


def _exact_dummy(plan: ModulePlan) -> dict[str, str]:
    """The dummy rate as a fraction, if no decimal states it and a partial machine keeps it from being derived."""
    text = needed_text(plan.dummy_rps) if plan.allocations[-1].partial_rps else None
    return {} if text is None else {"exact_dummy_rps": text}


def _not_less(rate: Fraction) -> Fraction:
    """The rate rounded up as it is written, so that under rule `continuous` a reader of the file keeps the SLO."""
    if not rate or exact_decimal_text(rate) is not None:
        return rate
    written = exact(decimal_text(rate))
    return written if written >= rate else written + rate * Fraction(2, 10**14)


_OPTIONS = options_model(PlanSpace, objective=(Text, "cost"), attainment=(dict[str, Any] | None, None))
SESSION_PLANS = PlanFiles(
    _OPTIONS, _SessionPlan, space_reader(PlanSpace), _plan, _written, _checked, _data, _checked_parts
)
