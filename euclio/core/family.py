"""Problem families: all that the verbs, the files and the runner need to know of one, so that they serve every family.

A family stands in its package's module `family` and here by name, or is offered by another package's entry point. What
is slow to import is imported in its functions. `euclio.files.plain_family` makes one from a few dataclasses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from euclio.core.demand import Demand
from euclio.core.errors import InputError
from euclio.core.objective import Goal
from euclio.core.result import Status

if TYPE_CHECKING:
    from rich.console import RenderableType

    from euclio.core.certificate import Search
    from euclio.core.result import Result
    from euclio.core.trials import Sources
    from euclio.files.exporting import Exporter
    from euclio.files.plan_files import PlanFiles
    from euclio.simulation.simulator import SetupOption, Simulator
    from euclio.workloads.design import Design
    from euclio.workloads.importing import Importer, ProfileImporter
    from euclio.workloads.kinds import Kind

HOMES = {
    "session": "euclio.session.family",
    "pipeline": "euclio.pipeline.family",
    "fragments": "euclio.fragments.family",
    "day": "euclio.day.family",
}
"""The module of each family of this package, which holds it as FAMILY: the one place where they are registered."""
GROUP = "euclio.families"
"""Entry points by which other packages offer families: NAME = "module:FAMILY"."""
DEFAULT_FAMILY = next(iter(HOMES))
"""Family of the solvers that name none."""


class Checked(Protocol):
    """What every checker says about a plan."""

    @property
    def violations(self) -> tuple[str, ...]:
        """One line per broken rule."""

    @property
    def feasible(self) -> bool:
        """Whether no rule is broken."""

    @property
    def value(self) -> Fraction | None:
        """The exact value in the unit of the goal; None: it could not be computed."""


class Changes(Protocol):
    """Changes of an instance."""

    def applied_to(self, instance: Any, /) -> Any:
        """The instance with these changes; raises an `InputError` that names the field which does not go with it."""

    def in_words(self) -> str:
        """The changes in a few words."""


@dataclass(frozen=True, slots=True)
class SpaceOption:
    """An option of the command that changes one field of the plan space, or of the changes of an instance.

    Attributes:
        flag: such as "--policy".
        field: field of the plan space, or of the record of changes.
        help: one line.
        parse: reads the value from text; None: there is none to read.
        choices: the words allowed, which are values themselves; None: what `parse` takes.
        reference: a name that points into a user's file (`euclio.core.own_solver`), and the folder that it is relative
            to (None: the current one) in; the value, which holds in every folder, out. None: no such name is taken.
        metavar: placeholder of the value.
        value: value of the field where the flag stands alone, with neither `parse` nor `choices`.
    """

    flag: str
    field: str
    help: str
    parse: Callable[[str], Any] | None = None
    choices: tuple[str, ...] | None = None
    metavar: str | None = None
    value: Any = None
    reference: Callable[[str, Path | None], Any] | None = None


class Explained(NamedTuple):
    """Why an instance has a plan or none.

    Attributes:
        status: feasible, infeasible or unknown.
        text: for people.
        data: plain data with fractions.
    """

    status: Status
    text: str
    data: dict[str, Any]


class Difference(NamedTuple):
    """What changes from one plan to another.

    Attributes:
        text: for people.
        data: plain data with fractions.
    """

    text: RenderableType
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Companion:
    """What people should see next to a plan, and what a search has to find out.

    Attributes:
        prepare: compiles what the search needs for a plan space.
        add: instance, result and seconds that are left (None: no limit) in, the result with more of `stats` out.
    """

    prepare: Callable[[Any], None]
    add: Callable[[Any, Result[Any, Any, Any], float | None], Result[Any, Any, Any]]


@dataclass(frozen=True, slots=True)
class Family:
    """A problem family.

    Attributes:
        name: as it stands in `Solver.family`.
        instances: what its instances are called, in the plural.
        schema: schema of its instance files.
        instance: class of its instances; each has a `name`.
        plan: class of its plans.
        goals: its objectives, the default one first.
        full_space: the plan space that all its solvers' are measured against.
        default_solver: name of the solver that is used when none is named.
        improvers: names of the solvers that are tried on the benchmark set where the default one does not prove its
            plan.
        space_options: options of the command that change the plan space.
        read: parsed JSON and the file's name in, instance out.
        to_text: the JSON text of an instance.
        evaluate: its checker: instance, plan and plan space in.
        plan_files: how plans and plan spaces stand in result files.
        check_space: raises an `InputError` where a plan space names what the instance does not have.
        describe_space: a plan space in a few words.
        table: instance and result in, a table for people out.
        summary: instance, plan space and the checker's answer on a feasible plan in, one line out.
        why_infeasible: instance, infeasible result and seconds for it in, one line out.
        explain: instance, plan space and seconds for all searches together in.
        tiny: a plan space in; an instance to warm a solver up with, and the plan space on it, out.
        find_better: its independent prover (`euclio.certification`): instance, plan space, cutoff and deadline in.
        warm_up_prover: lets that prover run once on a tiny instance.
        tolerance: a plan space as plain data in; the relative distance of bound and value within which a plan of it is
            optimal.
        compile_rest: compiles what no solver reaches, such as its simulator; None: there is nothing.
        features: sizes of an instance, by name, which results keep to be sorted and drawn by.
        sources: what solvers of it are tried on (`euclio.contract`).
        kinds: kinds of instances that can be drawn (`euclio.workloads.kinds`).
        designs: its part of the benchmark set (`euclio.bench_set`).
        simulator: its simulator; None: it has none.
        setup_options: options of the command that are fields of the simulator's setups.
        importers: kinds of files that instances, or profiles, can be made of (`euclio.workloads.importing`).
        changes: class of the changes of an instance, a dataclass that may stand in files, whose fields are None where
            nothing changes; it has `applied_to` (an instance in, the changed one out) and `in_words`. None: there are
            none.
        change_options: options of the command that are fields of it.
        hint: an instance in, one line out on what looks odd about it, such as an objective in another unit; empty:
            nothing does.
        exporters: kinds of other systems' files that plans can be written as (`euclio.files.exporting`).
        difference: two plans as they stand in result files in, what changes out (`euclio diff`); None: their parts are
            compared as they are written.
        demands: what its instances and plan spaces may ask for that not every solver covers, such as a stock.
        companion: what `euclio solve` finds out next to a plan; None: nothing.
    """

    name: str
    instances: str
    schema: str
    instance: type[Any]
    plan: type
    goals: tuple[Goal, ...]
    full_space: Any
    default_solver: str
    space_options: tuple[SpaceOption, ...]
    read: Callable[[Any, str | None], Any]
    to_text: Callable[[Any], str]
    evaluate: Callable[[Any, Any, Any], Checked]
    plan_files: Callable[[], PlanFiles]
    check_space: Callable[[Any, Any], None]
    describe_space: Callable[[Any], str]
    table: Callable[[Any, Result[Any, Any, Any]], RenderableType]
    summary: Callable[[Any, Any, Any], str]
    why_infeasible: Callable[[Any, Result[Any, Any, Any], float | None], str]
    explain: Callable[[Any, Any, float | None], Explained]
    tiny: Callable[[Any], tuple[Any, Any]]
    find_better: Callable[[Any, Any, Fraction | None, float], Search]
    warm_up_prover: Callable[[], None]
    tolerance: Callable[[Mapping[str, Any]], float]
    features: Callable[[Any], dict[str, float]]
    sources: Callable[[], Sources]
    compile_rest: Callable[[], None] | None = None
    kinds: Callable[[], tuple[Kind, ...]] = tuple
    importers: Callable[[], tuple[Importer | ProfileImporter, ...]] = tuple
    exporters: Callable[[], tuple[Exporter, ...]] = tuple
    difference: Callable[[Any, Any], Difference] | None = None
    designs: Callable[[], Sequence[Design]] = tuple
    improvers: tuple[str, ...] = ()
    simulator: Callable[[], Simulator] | None = None
    setup_options: tuple[SetupOption, ...] = ()
    changes: type[Changes] | None = None
    change_options: tuple[SpaceOption, ...] = ()
    hint: Callable[[Any], str] = lambda instance: ""
    demands: tuple[Demand, ...] = ()
    companion: Callable[[], Companion] | None = None

    def goal(self, space: Any) -> Goal:
        """The goal of a plan space; one that names no objective has the family's first."""
        described = space.describe()
        objective = described.get("objective", self.goals[0].name)
        goal = next(goal for goal in self.goals if goal.name == objective)
        return replace(goal, tolerance=self.tolerance(described))


@cache
def find_family(name: str) -> Family:
    """The family of this name.

    Raises:
        InputError: there is none.
    """
    known = homes()
    if name not in known:
        raise InputError(f"unknown problem family {name!r}; known: {', '.join(known)}")
    module, _, value = known[name].partition(":")
    found = getattr(import_module(module), value or "FAMILY")
    assert isinstance(found, Family)
    return found


@cache
def homes() -> dict[str, str]:
    """Where each family stands, those of this package first."""
    offered = {entry.name: entry.value for entry in entry_points(group=GROUP)}
    return HOMES | {name: place for name, place in sorted(offered.items()) if name not in HOMES}


def families() -> tuple[Family, ...]:
    """All families, those of this package first."""
    return tuple(find_family(name) for name in homes())


def family_of(instance: Any) -> Family:
    """The family of an instance.

    Raises:
        InputError: it is an instance of none.
    """
    for family in families():
        if isinstance(instance, family.instance):
            return family
    known = ", ".join(family.instance.__name__ for family in families())
    raise InputError(f"{type(instance).__name__} is no instance of a problem; give one of {known}")


def evaluate(instance: Any, plan: Any, space: Any = None) -> Checked:
    """Check and price a plan of any family.

    Args:
        instance: an instance of a registered family.
        plan: a plan of it.
        space: plan space that it has to keep to; None: the full one.

    Returns:
        The checker's answer.
    """
    family = family_of(instance)
    return family.evaluate(instance, plan, family.full_space if space is None else space)
