"""A problem family from three dataclasses and a checker, with plain files, tables and words (ours).

A family that wants better words replaces them by `dataclasses.replace` on the result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from euclio.core.certificate import Search
from euclio.core.family import Checked, Explained, Family
from euclio.core.objective import Goal
from euclio.core.parts import PlanFiles, Sources
from euclio.core.result import AnyResult, Status
from euclio.core.tolerances import PROOF_TOLERANCE
from euclio.core.words import amount
from euclio.files.boundary import Text
from euclio.files.dataclass_files import exact_data, file_model, made, plain_data
from euclio.files.instance_files import InstanceFormat
from euclio.files.json_writing import json_text
from euclio.files.plan_files import RunOptions

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, slots=True)
class PlainSpace:
    """Base of plan spaces whose fields say all about them."""

    def describe(self) -> dict[str, Any]:
        """The plan space as plain data."""
        return {name: value for name, value in plain_data(self).items() if name != "objective"}


@dataclass(frozen=True, slots=True)
class PlainChecked:
    """The answer of a plain checker about a plan.

    Attributes:
        violations: one line per broken rule.
        value: exact value in the unit of the goal; None if it cannot be computed.
    """

    violations: tuple[str, ...]
    value: Fraction | None

    @property
    def feasible(self) -> bool:
        """Whether no rule is broken."""
        return not self.violations


def plain_family(
    name: str,
    instance: type,
    plan: type,
    goal: Goal,
    evaluate: Callable[[Any, Any, Any], Checked],
    small: Callable[[int], Any],
    default_solver: str,
    full_space: Any = None,
    instance_files: InstanceFormat[Any, Any] | None = None,
) -> Family:
    """A problem family.

    Args:
        name: its name, as solvers name it; its instance files have schema ``euclio/NAME/1``.
        instance: frozen dataclass of its instances, with a field `name`; its fields are the file's.
        plan: frozen dataclass of its plans; its fields are those of a plan in a result file.
        goal: its objective.
        evaluate: its checker: instance, plan and plan space in.
        small: a seed in, a small instance out, on which solvers are warmed up and tried.
        default_solver: name of the solver that is used when none is named.
        full_space: its full plan space, of a frozen dataclass made on `PlainSpace`; None if there is nothing to
            restrict.
        instance_files: how its instances stand in files, where their fields do not say it all; None if they do.
    """
    space = PlainSpace() if full_space is None else full_space
    schema = f"euclio/{name}/1"
    words = _Words(goal, default_solver)
    files = instance_files or InstanceFormat(
        schema, file_model(instance), lambda read: made(instance, read), plain_data
    )
    return Family(
        name=name,
        instances=f"{name}s",
        schema=schema,
        instance=instance,
        plan=plan,
        goals=(goal,),
        full_space=space,
        default_solver=default_solver,
        space_options=(),
        read=files.from_json,
        to_text=files.to_text,
        evaluate=evaluate,
        plan_files=lambda: _plan_files(plan, type(space)),
        check_space=lambda one, asked: None,
        describe_space=_space_in_words,
        table=words.table,
        summary=words.summary,
        why_infeasible=words.why_infeasible,
        explain=words.explain,
        tiny=lambda asked: (small(0), asked),
        find_better=lambda *_: Search(None, False, 0, f"there is no independent prover for {name}s"),
        warm_up_prover=lambda: None,
        tolerance=lambda described: PROOF_TOLERANCE,
        features=_features,
        sources=lambda: _sources(small, default_solver),
    )


class _PlainOptions(RunOptions):
    """The options of a run next to the plan space; results name the objective too."""

    objective: Text = ""


def _plan_files(plan: type, space: type) -> PlanFiles:
    return PlanFiles(
        options=file_model(space, _PlainOptions),
        plan=file_model(plan),
        space_from=lambda options, instance: made(space, options, "options"),
        plan_from=lambda model, instance: made(plan, model, "plan"),
        figures_from=lambda model, instance: {},
        figures=lambda instance, own, checked: {},
        data=lambda instance, own, checked: exact_data(plain_data(own)),
    )


def _space_in_words(space: Any) -> str:
    """The fields that differ from their defaults."""
    changed = [f for f in fields(space) if getattr(space, f.name) != f.default]
    return ", ".join(f"{f.name.replace('_', ' ')} {getattr(space, f.name)}" for f in changed) or "all plans"


def _features(instance: Any) -> dict[str, float]:
    """Its numbers, and the lengths of its lists."""
    found: dict[str, float] = {}
    for own in fields(instance):
        value = getattr(instance, own.name)
        if isinstance(value, tuple):
            found[own.name] = len(value)
        elif isinstance(value, int | Fraction):
            found[own.name] = float(value)
    return found


@dataclass(frozen=True, slots=True)
class _Words:
    """The words about results of the family."""

    goal: Goal
    default_solver: str

    def table(self, instance: Any, result: AnyResult) -> RenderableType:
        """A header and, where there is a plan, one row per field."""
        from rich.console import Group
        from rich.text import Text

        from euclio.core.fitted_table import Label, Sentence, table_of
        from euclio.core.tables import value_text

        head = f"{result.instance}: {result.status.value}"
        if result.value is None:
            return Text(f"{head}\n{result.reason}" if result.reason else head)
        head += value_text(result, self.goal)
        rows = [[name, json_text(value)] for name, value in plain_data(result.plan).items()]
        return Group(Text(head), Text(""), table_of(rows, (Label("plan"), Sentence(""))))

    def summary(self, instance: Any, space: Any, checked: Checked) -> str:
        """The value of a feasible plan."""
        assert checked.value is not None
        return f"{self.goal.name} {amount(checked.value)} {self.goal.unit}"

    def why_infeasible(self, instance: Any, result: AnyResult, limit_s: float | None) -> str:
        """The solver's own reason."""
        return result.reason or f"{result.solver} found that no plan keeps the rules of the plan space"

    def explain(self, instance: Any, space: Any, limit_s: float | None) -> Explained:
        """The answer of the default solver."""
        from euclio.core.solving import solve

        result = solve(instance, self.default_solver, space=space, time_limit_s=limit_s)
        status = Status.FEASIBLE if result.status is Status.OPTIMAL else result.status
        text = f"{instance.name}: {status.value}"
        return Explained(status, text, {"instance": instance.name, "status": status.value, "value": result.value})


def _sources(small: Callable[[int], Any], reference: str) -> Sources:
    """Trials on small instances alone: values are not scaled, nothing is put in another order."""
    return Sources(
        small=small,
        large=lambda: small(0),
        restricted=lambda instance, space: iter(()),
        scaled=lambda instance, goal: (instance, Fraction(1)),
        permuted=lambda instance: instance,
        references=(reference,),
    )
