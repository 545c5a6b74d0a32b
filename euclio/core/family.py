"""Problem families: a record of all that verbs, files and the runner need, so that they serve every family alike.

Each package defines its family in its module `family`; `euclio.core.families` finds it. Its functions do the slow
imports. `euclio.files.plain_family` makes one from a few dataclasses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from euclio.core.lazy import late_value, lazy_names
from euclio.core.objective import Goal
from euclio.core.parameters import Demand, Parameter
from euclio.core.result import Status
from euclio.core.showing import frame_of, html_of, line_of

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType

    from euclio.core.certificate import Search
    from euclio.core.parts import (
        Design,
        Exporter,
        Importer,
        Keeping,
        Kind,
        PlanFiles,
        ProfileImporter,
        Simulator,
        Sources,
    )
    from euclio.core.result import Result


class Checked(Protocol):
    """The answer of a checker about a plan."""

    @property
    def violations(self) -> tuple[str, ...]:
        """One line per broken rule."""

    @property
    def feasible(self) -> bool:
        """Whether no rule is broken."""

    @property
    def value(self) -> Fraction | None:
        """The exact value in the unit of the goal; None if the checker could not compute it."""


class Changes(Protocol):
    """Changes of an instance."""

    def applied_to(self, instance: Any, /) -> Any:
        """The instance with these changes; raises an `InputError` that names a field that does not fit it."""

    def in_words(self) -> str:
        """The changes in a few words."""


_EXPLAINED = late_value("euclio.core.showing.results", "EXPLAINED")
_DIFFERENCE = late_value("euclio.core.showing.results", "DIFFERENCE")


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

    def __repr__(self) -> str:
        return line_of(self, _EXPLAINED)

    def _repr_html_(self) -> str | None:
        return html_of(self, _EXPLAINED)


class Difference(NamedTuple):
    """The changes from one plan to another.

    Attributes:
        text: for people.
        data: plain data with fractions.
    """

    text: RenderableType
    data: dict[str, Any]

    def __repr__(self) -> str:
        return line_of(self, _DIFFERENCE)

    def _repr_html_(self) -> str | None:
        return html_of(self, _DIFFERENCE)

    def frame(self) -> pd.DataFrame:
        """Machines added and removed by hardware type or, of other families, the parts that only one plan has."""
        return frame_of(self, _DIFFERENCE)


@dataclass(frozen=True, slots=True)
class Companion:
    """Figures that users should see next to a plan and that only a search finds.

    Attributes:
        prepare: compiles the code that the search needs for a plan space.
        add: takes an instance, a result and the seconds left (None means no limit); returns the result with more
            `stats`.
    """

    prepare: Callable[[Any], None]
    add: Callable[[Any, Result[Any, Any, Any], float | None], Result[Any, Any, Any]]


@dataclass(frozen=True, slots=True)
class Family:
    """A problem family.

    Attributes:
        name: its name in `Solver.family`.
        instances: the word for its instances, in the plural.
        schema: schema of its instance files.
        instance: class of its instances; each has a `name`.
        plan: class of its plans.
        goals: its objectives, the default one first.
        full_space: the plan space with which those of all its solvers are compared.
        default_solver: name of the solver that runs if the user names none.
        improvers: names of the solvers that the benchmark set tries where the default one does not prove its plan.
        space_options: options of the command that change the plan space.
        read: takes parsed JSON and the file's name; returns the instance.
        to_text: returns the JSON text of an instance.
        evaluate: its checker; takes an instance, a plan and a plan space.
        plan_files: the format of plans and plan spaces in result files.
        check_space: raises an `InputError` where a plan space names something that the instance does not have.
        describe_space: describes a plan space in a few words.
        table: takes an instance and a result; returns a table for people.
        summary: takes an instance, a plan space and the checker's answer on a feasible plan; returns one line.
        caveat: takes an instance, a plan space, and a plan with the checker's answer (None means all its plans).
            Returns one line about the cases for which their latency is not proven; empty if there are none.
        why_infeasible: takes an instance, an infeasible result and a limit in seconds; returns one line.
        explain: takes an instance, a plan space and a limit in seconds for all searches together.
        tiny: takes a plan space; returns an instance to warm a solver up with, and the plan space on it.
        find_better: its independent prover (`euclio.proving`); takes an instance, a plan space, a cutoff and a
            deadline.
        warm_up_prover: runs that prover once on a tiny instance.
        tolerance: takes a plan space as plain data; returns the relative gap within which a plan counts as optimal.
        compile_rest: compiles the code that no solver reaches, such as its simulator; None if there is none.
        keeping: demands on its plans beyond its rules; None if it has none.
        features: sizes of an instance, by name; results keep them for sorting and figures.
        sources: instances to test its solvers on (`euclio.contract`).
        kinds: kinds of instances that `euclio generate` can draw (`euclio.workloads.kinds`).
        designs: its part of the benchmark set (`euclio.experiments.bench_set`).
        simulator: its simulator; None if it has none.
        setup_options: options of the command that are fields of the simulator's setups.
        importers: kinds of files from which euclio can read instances or profiles (`euclio.core.parts`).
        changes: class of the changes of an instance: a dataclass that files may hold. Its fields are None where nothing
            changes. It has `applied_to` (returns the changed instance) and `in_words`. None if the family has no
            changes.
        change_options: options of the command that set fields of `changes`.
        hint: takes an instance; returns one line about an oddity, such as an objective in another unit; empty if there
            is none.
        doubts: takes an instance; returns a line on each doubtful measured row, with its field.
        currency: takes an instance; returns the currency of its values, such as "EUR"; None if the instance states
            none.
        usual: names of the solvers that `euclio compare` runs for capacity planners; empty means every system.
        exporters: other systems' file formats in which euclio can write plans (`euclio.core.parts`).
        difference: takes two plans as result files hold them; returns the changes (`euclio diff`). With None, `euclio
            diff` compares the plans' parts as written.
        demands: demands of its instances and plan spaces that not every solver covers, such as a stock.
        companion: figures that `euclio solve` adds next to a plan; None if there are none.
        planned_for: takes a plan space; returns, as plain data, the arrivals and attainment of its plans and how they
            serve (empty if unknown).
        rows: takes an instance, a plan and the checker's answer; returns the rows of the plan's frame. None if it has
            no frame.
        find_better_keeping: its prover of results with a demanded attainment; takes an instance, a plan space, the
            demand as the result holds it, a cutoff and a deadline. None if it has no such prover.
        prove: makes a proof (`euclio.proving.files.model.Proof`) of a claim that its prover certifies. It takes an
            instance, a plan space, a feasible plan (or None), a cutoff (None means no plan exists) and a deadline. It
            raises a `NoProofError` where it finds no proof. None if the family has no proof files.
        pose: makes a program with the optimum of a plan space, without a proof (`euclio.proving.files.model.Posed`). It
            takes the same arguments, with a plan, and raises a `NoProofError` where there is no program. None if only
            proofs have programs.
        deployed: takes an instance, numbers of machines by place, their batches and the option that states them.
            Returns the plan of these machines and its plan space. None if the family has no such plans.
        derive: takes an instance and a plan space; makes the data of an instance that its solvers share, such as arrays
            of ranked profiles, so that the first run's time does not include it. None if they share none.
    """

    name: str
    instances: str
    schema: str
    instance: type[Any]
    plan: type
    goals: tuple[Goal, ...]
    full_space: Any
    default_solver: str
    space_options: tuple[Parameter, ...]
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
    keeping: Callable[[], Keeping] | None = None
    kinds: Callable[[], tuple[Kind, ...]] = tuple
    importers: Callable[[], tuple[Importer | ProfileImporter, ...]] = tuple
    exporters: Callable[[], tuple[Exporter, ...]] = tuple
    difference: Callable[[Any, Any], Difference] | None = None
    designs: Callable[[], Sequence[Design]] = tuple
    improvers: tuple[str, ...] = ()
    simulator: Callable[[], Simulator] | None = None
    setup_options: Callable[[], tuple[Parameter, ...]] = tuple
    changes: type[Changes] | None = None
    change_options: tuple[Parameter, ...] = ()
    hint: Callable[[Any], str] = lambda instance: ""
    caveat: Callable[[Any, Any, Any, Any], str] = lambda instance, space, plan, evaluation: ""
    doubts: Callable[[Any], Sequence[str]] = lambda instance: ()
    currency: Callable[[Any], str | None] = lambda instance: None
    usual: tuple[str, ...] = ()
    demands: tuple[Demand, ...] = ()
    companion: Callable[[], Companion] | None = None
    planned_for: Callable[[Any], dict[str, Any]] = lambda space: {}
    rows: Callable[[Any, Any, Any], list[dict[str, Any]]] | None = None
    find_better_keeping: Callable[[Any, Any, Mapping[str, Any], Fraction | None, float], Search] | None = None
    prove: Callable[[Any, Any, Any, Fraction | None, float], Any] | None = None
    pose: Callable[[Any, Any, Any, Fraction | None, float], Any] | None = None
    derive: Callable[[Any, Any], Any] | None = None
    deployed: Callable[[Any, Any, Any, str], tuple[Any, Any]] | None = None

    def goal(self, space: Any) -> Goal:
        """The goal of a plan space; one that names no objective has the family's first."""
        described = space.describe()
        objective = described.get("objective", self.goals[0].name)
        goal = next(goal for goal in self.goals if goal.name == objective)
        return _judged(goal, self.tolerance(described))


@lru_cache(maxsize=1024)
def _judged(goal: Goal, tolerance: float) -> Goal:
    """A goal with its tolerance, made once because every run needs it several times."""
    return replace(goal, tolerance=tolerance)


# Scripts import these names from here; other packages, which this one does not import, define them.
__getattr__ = lazy_names(__name__, {"euclio.core.families": ["evaluate", "families", "family_of", "find_family"]})
