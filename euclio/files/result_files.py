"""Checked results in files: schema ``euclio/result/1``, enough of them to price the plan again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field, create_model

from euclio.core.certificate import Certificate
from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.family import Checked, Family
from euclio.core.numbers import exact
from euclio.core.objective import Goal
from euclio.core.parameters import Parameter, option_text
from euclio.core.references import HASH, is_reference, own_name
from euclio.core.result import Result, Status, WrittenResult
from euclio.core.space_fields import word
from euclio.core.tolerances import WRITTEN_TOLERANCE
from euclio.core.words import full
from euclio.files.boundary import (
    LONGEST_NAME,
    FileModel,
    Name,
    Number,
    Reference,
    Text,
    at,
    shown,
    validated,
    without_schema,
)
from euclio.files.dataclass_files import exact_data, file_model, made, plain_data
from euclio.files.json_reading import read_json
from euclio.files.json_writing import json_text, write_text

# Code that a result names: only the call has it run, the file is compared with what the call says.
#
# A plan space may stand on code of the user, such as a dispatch policy in a file of its own. A result names that code
# and its hash. Whoever reads the result may have it from somebody else, so nothing that it names is looked up: the
# caller names the code once more, as it was named to the solver.


def with_named_code(family: Family, options: FileModel, named: Mapping[str, Any]) -> FileModel:
    """The options of a result, with what the call names in the place of what the file names.

    Args:
        family: family of the result.
        options: its options as they stand in the file.
        named: what the call names, by field of the plan space (`Parameter.reference`); None if nothing.

    Raises:
        InputError: the file names code and the call does not, or another; or the code has another hash.
    """
    fields = {option.field: option for option in family.space_options if option.reference is not None}
    for field, value in named.items():
        if value is not None and field not in fields:
            known = ", ".join(fields) or "nothing"
            raise InputError(f"results of {family.instances} name no such code; they name: {known}", field=field)
    chosen = {field: _chosen(family, option, options, named.get(field)) for field, option in fields.items()}
    return options.model_copy(update=chosen)


def _chosen(family: Family, option: Parameter, options: FileModel, named: Any) -> Any:
    """The value of a field: as the file has it where that is no code, else the code that the call names."""
    written = getattr(options, option.field)
    if named is None:
        _refuse_code(option, written)
        return written
    said = named if isinstance(named, str) else str(_value(family, option, named))
    _compare(option, said, written)
    _, version = own_name(written)
    # With the hash that the file has, no other code is run.
    hashed = is_reference(said) and version and not own_name(said)[1]
    return _value(family, option, f"{said}{HASH}{version}" if hashed else said)


def _refuse_code(option: Parameter, written: Any) -> None:
    """Refuse a name that points into a file where the call says nothing of it."""
    if isinstance(written, str) and is_reference(written):
        raise InputError(
            f"names code ({ascii(written[:120])[1:-1]}), and what a file names is not run; if you trust that code, "
            f"name it yourself: {option_text(option.flag, placeholder='FILE.py:NAME')}",
            field=f"options.{option.field}",
        )


def _compare(option: Parameter, said: str, written: str) -> None:
    """Hold what the call names against what the file names, before any code is run.

    The path is not compared: the file may be anywhere now.
    """
    if not is_reference(written):
        if said != written:
            raise InputError(
                f"is {said!a}, but the result was made under {shown(written)}; leave it out", field=option.flag
            )
        return
    (name, version), (own, own_version) = own_name(written), own_name(said)
    if not is_reference(said) or own != name:
        raise InputError(
            f"is {said!a}, but the result was made under {name!a} of a file; give FILE.py:{name}", field=option.flag
        )
    if version and own_version not in ("", version):
        raise InputError(
            f"has hash {own_version}, but the result was made with hash {version}; give the file as it was",
            field=option.flag,
        )


def _value(family: Family, option: Parameter, named: Any) -> Any:
    """The value that a field of the plan space has where a call names it so."""
    try:
        return getattr(replace(family.full_space, **{option.field: named}), option.field)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(str(error), field=option.flag) from None


SCHEMA = "euclio/result/1"


class _Outcome(FileModel):
    """What the results of every family hold; `result_model` adds plan space, plan and figures of the goal."""

    instance: Name
    solver: Reference
    status: Text
    raw_status: Text = ""
    reason: Text = ""
    wall_s: Number | None
    stats: dict[str, Any] = Field(default_factory=dict)
    warm_start: Text = "none"
    planned_for: dict[str, Any] = Field(default_factory=dict)
    provenance: dict[str, Any]


@cache
def result_model(family: Family, goal: Goal) -> type[Any]:
    """The model of a family's results with a goal: an outcome with plan space, plan and figures of the goal."""
    files = family.plan_files()
    plan: Any = files.plan
    optional: Any = (Number | None, ...)
    moments: dict[str, Any] = {goal.incumbent_field: optional, goal.bound_field: optional}
    changes: dict[str, Any] = {}
    if family.changes is not None:
        changes["changes"] = (file_model(family.changes) | None, None)
    moment: Any = create_model("_Moment", __base__=FileModel, wall_s=(Number, ...), **moments)
    figures: dict[str, Any] = dict.fromkeys((goal.value_field, goal.claimed_field, goal.bound_field), optional)
    return create_model(
        "_Result",
        __base__=_Outcome,
        options=(files.options, ...),
        plan=(plan | None, ...),
        trace=(list[moment], Field(default_factory=list)),
        **figures,
        **changes,
    )


def load_result(path: str | Path, instance: Any, **named: Any) -> WrittenResult:
    """The result in a file, read as a result of this instance, or of this one with the changes that the file states.

    Args:
        path: the file.
        instance: the instance, as it was given to the solver.
        **named: code that its plan space stands on, such as ``policy="my_policy.py:POLICY"``: what a file names is not
            run (`euclio.files.result_files`), it is compared with what is named here. None if nothing.

    Raises:
        InputError: naming the file, the field and the remedy; also where it is a result of another instance.
    """
    file = str(path)
    family = family_of(instance)
    files = family.plan_files()
    fields = without_schema(read_json(path), SCHEMA, file)
    with at("", file):
        # The result of another instance is refused before anything in it is compared with this one.
        found = fields.get("instance")
        if isinstance(found, str) and found != instance.name:
            message = f"is {found[:LONGEST_NAME]!a}, but the instance is {instance.name!r}"
            raise InputError(f"{message}; give the result of this instance", field="instance")
        goal = goal_of(fields, family)
    model = validated(result_model(family, goal), fields, file)
    with at("", file):
        changes, instance = _changed(family, model, instance)
        space = files.space_from(with_named_code(family, model.options, named), instance)
        return WrittenResult(
            instance=model.instance,
            solver=model.solver,
            space=space,
            goal=family.goal(space),
            status=Status(word(model.status, Status, "status")),
            value=_optional(getattr(model, goal.value_field)),
            claimed=_optional(getattr(model, goal.claimed_field)),
            bound=_optional(getattr(model, goal.bound_field)),
            plan=None if model.plan is None else files.plan_from(model.plan, instance),
            figures={} if model.plan is None else files.figures_from(model.plan, instance),
            changed=instance,
            changes=changes,
            options=dict(fields["options"]),
            planned_for=model.planned_for,
        )


def _changed(family: Family, model: Any, instance: Any) -> tuple[Any, Any]:
    """The changes that a file states, None if it states none, and the instance with them."""
    stated = getattr(model, "changes", None)
    if family.changes is None or stated is None:
        return None, instance
    changes = made(family.changes, stated, "changes")
    with at("changes", None):
        return changes, changes.applied_to(instance)


def goal_of(fields: dict[str, Any], family: Family) -> Goal:
    """The goal of a result, which decides about the names of its figures; anything odd is left to validation."""
    options = fields.get("options")
    objective = options.get("objective") if isinstance(options, dict) else None
    if not isinstance(objective, str):
        return family.goals[0]
    by_name = {goal.name: goal for goal in family.goals}
    return by_name[word(objective, by_name, "options.objective")]


def save_result(result: Result[Any, Any, Any], instance: Any, path: str | Path) -> None:
    """Write a result of an instance.

    Raises:
        InputError: the file cannot be written.
    """
    write_text(result_to_text(result, instance), path)


def result_to_text(result: Result[Any, Any, Any], instance: Any) -> str:
    """The JSON text of a result."""
    return json_text(result_to_json(result, instance)) + "\n"


def result_to_json(result: Result[Any, Any, Any], instance: Any) -> dict[str, Any]:
    """A result as plain data with fractions; what could not be priced is null."""
    family = family_of(instance)
    goal = family.goal(result.space)
    priced = result.value is not None and result.plan is not None
    return {
        "schema": SCHEMA,
        "instance": result.instance,
        **stated(result.changes),
        "solver": result.solver,
        "options": result.options,
        **({"planned_for": result.planned_for} if result.planned_for else {}),
        "status": result.status.value,
        "raw_status": result.raw_status,
        "reason": result.reason,
        goal.value_field: result.value,
        goal.claimed_field: result.claimed,
        goal.bound_field: result.bound,
        "wall_s": result.wall_s,
        "plan": family.plan_files().data(instance, result.plan, result.evaluation) if priced else None,
        "stats": result.stats,
        "trace": [
            {"wall_s": point.wall_s, goal.incumbent_field: point.incumbent, goal.bound_field: point.bound}
            for point in result.trace
        ],
        "warm_start": result.warm_start.value,
        "provenance": result.provenance,
    }


def stated(changes: Any) -> dict[str, Any]:
    """How changes of an instance stand in files: as `changes`, or not at all where there are none."""
    if changes is None:
        return {}
    return {"changes": {field: exact_data(value) for field, value in plain_data(changes).items() if value is not None}}


def _optional(value: Any) -> Fraction | None:
    return None if value is None else exact(value)


CERTIFICATE_SCHEMA = "euclio/certificate/1"


def certificate_to_text(certificate: Certificate, instance: Any) -> str:
    """The JSON text of a certificate of an instance."""
    family = family_of(instance)
    goal, plan, better = family.goal(certificate.space), certificate.plan, None
    if plan is not None:
        better = family.plan_files().data(instance, plan, family.evaluate(instance, plan, certificate.space))
    data = {
        "schema": CERTIFICATE_SCHEMA,
        "instance": certificate.instance,
        **stated(certificate.changes),
        "instance_sha256": certificate.instance_sha256,
        "solver": certificate.solver,
        "plan_sha256": certificate.plan_sha256,
        "space": {**certificate.space.describe(), "objective": goal.name},
        "verdict": certificate.verdict.value,
        "claim": certificate.claim,
        f"cutoff_{goal.suffix}": certificate.cutoff,
        "reason": certificate.reason,
        f"better_{goal.value_field}": certificate.value,
        "better_plan": better,
        "prover": certificate.prover,
        "evidence": certificate.evidence or None,
        "proof_file": None if certificate.proof is None else certificate.proof.path,
        "proof_bytes": None if certificate.proof is None else certificate.proof.size,
        "no_proof": certificate.no_proof or None,
        "nodes": certificate.nodes,
        "wall_s": certificate.wall_s,
        "provenance": certificate.provenance,
    }
    return json_text(data) + "\n"


def reasons_against(instance: Any, written: WrittenResult, evaluation: Checked) -> list[str]:
    """Why a written result with a plan is refused; empty if it is accepted.

    Args:
        instance: the instance that it is a result of.
        written: what its file says.
        evaluation: the checker's answer on its plan under its plan space.
    """
    if evaluation.violations:
        return list(evaluation.violations)
    files = family_of(instance).plan_files()
    figures = files.figures(instance, written.plan, evaluation)
    parts = files.parts(instance, written.plan, evaluation)
    said = {name: checked for name, checked in parts.items() if name in written.figures}
    value, goal, bound = evaluation.value, written.goal, written.bound
    assert value is not None
    reasons = [_difference(goal.value_field, written.value, value)]
    reasons += [_difference(name, written.figures.get(name), checked) for name, checked in (figures | said).items()]
    reasons.append(goal.wrong_claim(value, written.claimed))
    reasons.append(goal.contradiction(value, bound))
    if written.status is Status.OPTIMAL and not reasons[-1] and not goal.proven(value, bound):
        reasons.append(f"status is optimal, but {goal.bound_field} does not reach the {goal.name}")
    if written.status not in (Status.OPTIMAL, Status.FEASIBLE):
        reasons.append(f"status is {written.status.value}, but there is a feasible plan")
    return [reason for reason in reasons if reason]


def _difference(name: str, written: Fraction | None, checked: Fraction) -> str:
    if written is not None and abs(written - checked) <= WRITTEN_TOLERANCE * abs(checked):
        return ""
    return f"{name} is written as {full(written, digits=12, none='null')}, checked as {full(checked, digits=12)}"
