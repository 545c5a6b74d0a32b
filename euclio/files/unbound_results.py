"""Results read without their instances, for what only looks at how plans are written (`euclio diff`)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from euclio.core.errors import InputError
from euclio.core.families import families
from euclio.core.family import Family
from euclio.core.lazy import late_value
from euclio.core.numbers import exact
from euclio.core.objective import Goal
from euclio.core.parameters import verb_text
from euclio.core.result import Status
from euclio.core.showing import Head, Shown, View
from euclio.core.space_fields import word
from euclio.core.words import full
from euclio.files.boundary import at, validated, without_schema
from euclio.files.dataclass_files import made
from euclio.files.json_reading import read_json
from euclio.files.result_files import SCHEMA, goal_of, result_model


@dataclass(frozen=True, slots=True, repr=False)
class UnboundResult(Shown):
    """What a result file says; nothing of it is checked against an instance.

    Attributes:
        file: the file.
        family: the family that it is a result of.
        goal: its objective.
        instance: name of its instance.
        changes: what was changed of it, in words; empty if nothing.
        solver: name of the solver.
        status: outcome.
        value: value in the unit of the goal; None without a plan.
        plan: the plan as a model (`PlanFiles.plan`); None if there is none.
        parts: the plan as it stands in the file; empty if there is none.
        options: plan space and options of the run as they stand in the file.
        planned_for: what the plan was made for, as it stands in the file; empty if nothing is said.
    """

    _view = late_value("euclio.files.unbound_results", "UNBOUND")

    file: str
    family: Family
    goal: Goal
    instance: str
    changes: str
    solver: str
    status: str
    value: Fraction | None
    plan: Any
    parts: dict[str, Any]
    options: dict[str, Any]
    planned_for: dict[str, Any]


def load_without_instance(path: str | Path) -> UnboundResult:
    """The result in a file; the family is known by its plan space.

    Raises:
        InputError: naming the file, the field and the remedy.
    """
    return unbound_result(read_json(path), str(path))


def unbound_result(value: Any, file: str) -> UnboundResult:
    """The result in parsed JSON; `file` is named in errors.

    Raises:
        InputError: naming the field and the remedy.
    """
    fields = without_schema(value, SCHEMA, file)
    with at("", file):
        family = _family(fields)
        goal = goal_of(fields, family)
    model = validated(result_model(family, goal), fields, file)
    value = getattr(model, goal.value_field)
    with at("", file):
        changes = _changes(model, family)
        status = word(model.status, Status, "status")
    return UnboundResult(
        file=file,
        family=family,
        goal=goal,
        instance=model.instance,
        changes=changes,
        solver=model.solver,
        status=status,
        value=None if value is None else exact(value),
        plan=model.plan,
        parts=fields["plan"] or {},
        options=dict(fields["options"]),
        planned_for=model.planned_for,
    )


def _changes(model: Any, family: Family) -> str:
    """The changes of the instance that a file states, in words."""
    written = getattr(model, "changes", None)
    if family.changes is None or written is None:
        return ""
    words: str = made(family.changes, written, "changes").in_words()
    return words


def _family(fields: dict[str, Any]) -> Family:
    """The family whose results have such options and such a plan.

    Raises:
        InputError: there is none.
    """
    options, plan = fields.get("options"), fields.get("plan")
    for family in families():
        files = family.plan_files()
        if _fits(files.options, options) and (plan is None or _fits(files.plan, plan)):
            return family
    message = f"are those of no problem family; give a result that {verb_text('solve')} wrote"
    raise InputError(message, field="options, plan")


def _fits(model: type[BaseModel], value: Any) -> bool:
    """Whether a value has the names of a model's fields, all that have to be there and no others."""
    names = model.model_fields
    return (
        isinstance(value, dict)
        and {name for name, field in names.items() if field.is_required()} <= value.keys() <= names.keys()
    )


def _head(result: UnboundResult) -> Head:
    value = () if result.value is None else (f"{result.goal.name} {full(result.value)} {result.goal.unit}",)
    return Head(result.instance, result.status, (*value, f"solver {result.solver}", f"as written in {result.file}"))


UNBOUND = View(_head)
