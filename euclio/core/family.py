"""Problem families: all that the verbs, the files and the runner need to know of one, so that they serve every family.

A family stands in its package's module `family`; `euclio.core.families` finds it. What is slow to import is imported in
its functions. `euclio.files.plain_family` makes one from a few dataclasses.
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
    """What changes from one plan to another.

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
        caveat: instance, plan space, and a plan with the checker's answer in (None: its plans are meant), one line out
            on what their latency is not proven of; empty: there is nothing to say.
        why_infeasible: instance, infeasible result and seconds for it in, one line out.
        explain: instance, plan space and seconds for all searches together in.
        tiny: a plan space in; an instance to warm a solver up with, and the plan space on it, out.
        find_better: its independent prover (`euclio.proving`): instance, plan space, cutoff and deadline in.
        warm_up_prover: lets that prover run once on a tiny instance.
        tolerance: a plan space as plain data in; the relative distance of bound and value within which a plan of it is
            optimal.
        compile_rest: compiles what no solver reaches, such as its simulator; None: there is nothing.
        keeping: what its plans may be asked to keep beyond its rules; None: nothing.
        features: sizes of an instance, by name, which results keep to be sorted and drawn by.
        sources: what solvers of it are tried on (`euclio.contract`).
        kinds: kinds of instances that can be drawn (`euclio.workloads.kinds`).
        designs: its part of the benchmark set (`euclio.experiments.bench_set`).
        simulator: its simulator; None: it has none.
        setup_options: options of the command that are fields of the simulator's setups.
        importers: kinds of files that instances, or profiles, can be made of (`euclio.core.parts`).
        changes: class of the changes of an instance, a dataclass that may stand in files, whose fields are None where
            nothing changes; it has `applied_to` (an instance in, the changed one out) and `in_words`. None: there are
            none.
        change_options: options of the command that are fields of it.
        hint: an instance in, one line out on what looks odd about it, such as an objective in another unit; empty:
            nothing does.
        doubts: an instance in; a line on each measured row of it that is doubted, with its field, out.
        currency: an instance in; what the money in its values is, such as "EUR", out; None: not said, or there is none.
        usual: names of the solvers that `euclio compare` runs for people who plan capacity; empty: every system.
        exporters: kinds of other systems' files that plans can be written as (`euclio.core.parts`).
        difference: two plans as they stand in result files in, what changes out (`euclio diff`); None: their parts are
            compared as they are written.
        demands: what its instances and plan spaces may ask for that not every solver covers, such as a stock.
        companion: what `euclio solve` finds out next to a plan; None: nothing.
        planned_for: a plan space in; what its plans are made for and how they are served, as plain data, out (empty:
            nothing is said).
        rows: instance, plan and the checker's answer in, the rows of the plan's frame out; None: it has none.
        find_better_keeping: its prover of results that were asked for an attainment: instance, plan space, what was
            asked as it stands in the result, cutoff and deadline in; None: it has none.
        prove: makes a proof (`euclio.proving.files.model.Proof`) of a claim that its prover certifies: instance, plan
            space, a feasible plan (None: there is none), cutoff (None: there is no plan) and deadline in; raises a
            `NoProofError` where there is none. None: it has no proof files.
        pose: makes a program whose optimum is that of a plan space, without a proof
            (`euclio.proving.files.model.Posed`): the same in, a plan given; raises a `NoProofError` where there is
            none. None: it has none but those of proofs.
        derive: instance and plan space in; makes what its solvers keep of an instance and share, such as arrays of
            ranked profiles, so that no run is timed with it because it happens to be the first one; None: nothing.
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

    def goal(self, space: Any) -> Goal:
        """The goal of a plan space; one that names no objective has the family's first."""
        described = space.describe()
        objective = described.get("objective", self.goals[0].name)
        goal = next(goal for goal in self.goals if goal.name == objective)
        return _judged(goal, self.tolerance(described))


@lru_cache(maxsize=1024)
def _judged(goal: Goal, tolerance: float) -> Goal:
    """A goal with its tolerance, made once: every run asks several times."""
    return replace(goal, tolerance=tolerance)


# Scripts take these from here; they are found in the rooms above, which this one does not import.
__getattr__ = lazy_names(__name__, {"euclio.core.families": ["evaluate", "families", "family_of", "find_family"]})
