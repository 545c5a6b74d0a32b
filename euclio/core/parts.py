"""Parts of a problem family's record: kinds of instances, files, the simulator, test instances of solvers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from euclio.core.objective import Goal
from euclio.core.result import AnyResult, WrittenResult
from euclio.core.words import percent

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import RenderableType
from euclio.core.parameters import Parameter

# Instances that a family can draw: kinds with their settings (`euclio generate`), designs of the benchmark set.


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a kind of instance.

    Attributes:
        name: its name in an experiment file and, with dashes, on the command line.
        read: takes a plain value; returns the value used; raises an `InputError` for an invalid one.
        help: one line for the command line.
        text: takes the option's text; returns its plain value; raises an `argparse.ArgumentTypeError` for an invalid
            one.
        metavar: placeholder of the option's value.
        listed: whether its value is a list, so that a grid of it is a list of lists.
    """

    name: str
    read: Callable[[Any], Any]
    help: str
    text: Callable[[str], Any] = str
    metavar: str = "NAME"
    listed: bool = False

    @property
    def parameter(self) -> Parameter:
        """The parameter of verbs that sets it."""
        return Parameter(f"--{self.name.replace('_', '-')}", self.name, self.help, self.text, metavar=self.metavar)

    @property
    def flag(self) -> str:
        """Its option on the command line."""
        return self.parameter.flag


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of instance.

    Attributes:
        settings: the settings that it takes.
        draw: takes the settings as read, a count and a seed; returns checked instances.
        example: settings that make a quick draw; they include every setting that it takes or needs.
        single: whether it makes one fixed instance without random draws.
        seed: seed of its published draws, and the default of verbs.
        about: its description in one line.
    """

    name: str
    settings: tuple[Setting, ...]
    draw: Callable[[dict[str, Any], int, int], Iterator[Any]]
    example: Mapping[str, Any] = field(default_factory=dict)
    single: bool = False
    seed: int = 0
    about: str = ""


class Design(Protocol):
    """A description of an instance of the benchmark set: a frozen dataclass whose fields the manifest lists."""

    @property
    def name(self) -> str:
        """Name of the instance."""

    @property
    def space(self) -> Any:
        """Plan space to solve it in."""

    def make(self, seed: int) -> Any:
        """The instance; the same seed gives the same one."""


# Files of a family: its plans in results, and other systems' files as input or output.


@dataclass(frozen=True, slots=True)
class PlanFiles:
    """Reading and writing of a family's plans and plan spaces.

    Attributes:
        options: file model of a run's plan space and options, a subclass of `euclio.files.boundary.FileModel`.
        plan: file model of a plan, also a subclass.
        space_from: takes the options and an instance; returns the plan space.
        plan_from: takes the plan of the file and an instance; returns the plan.
        figures_from: takes the same; returns the figures that the file states about the plan, by their place in the
            file.
        figures: takes an instance, a plan and the checker's answer; returns the same figures as checked. A file that
            leaves one of them out is refused.
        data: takes an instance, a plan and the checker's answer; returns plain data with fractions.
        parts: as `figures`, for parts of the plan that a file may leave out.
    """

    options: type[BaseModel]
    plan: type[BaseModel]
    space_from: Callable[[Any, Any], Any]
    plan_from: Callable[[Any, Any], Any]
    figures_from: Callable[[Any, Any], dict[str, Fraction]]
    figures: Callable[[Any, Any, Any], dict[str, Fraction]]
    data: Callable[[Any, Any, Any], dict[str, Any]]
    parts: Callable[[Any, Any, Any], dict[str, Fraction]] = lambda instance, plan, checked: {}


@dataclass(frozen=True, slots=True)
class Exporter:
    """A kind of files that plans are written as.

    Attributes:
        name: word after `--to`.
        help: one line.
        files: takes an instance, an accepted result and the given options; returns the text of each file by its path
            relative to the output. An exporter that is no `folder` has one file.
        options: the options that it takes.
        folder: whether it writes a folder of files.
        suffixes: endings of its one file's name, such as ``.yaml``. An output without such an ending is a folder, and
            the exporter names the file in it. Empty allows any name.
        caution: takes an instance and an accepted result; returns one line about a serious risk of using the files, or
            "".
    """

    name: str
    help: str
    files: Callable[[Any, WrittenResult, Mapping[str, Any]], dict[str, str]]
    options: tuple[Parameter, ...] = ()
    folder: bool = False
    suffixes: tuple[str, ...] = ()
    caution: Callable[[Any, WrittenResult], str] = lambda instance, written: ""


class Imported(NamedTuple):
    """The instance that was read, and its plan as a checked result if the files hold one."""

    instance: Any
    result: AnyResult | None = None


@dataclass(frozen=True, slots=True)
class Importer:
    """A kind of files that instances are made of.

    Attributes:
        name: word after `euclio import`.
        help: one line.
        description: some sentences.
        parameters: what it takes, next to where it writes.
        read: arguments in, what was read out.
        reads: names of the arguments that are files or folders to be read.
        plans: help of the option `--plan` for importers that can read a plan too; empty for the others.
    """

    name: str
    help: str
    description: str
    parameters: tuple[Parameter, ...]
    read: Callable[[argparse.Namespace], Imported]
    reads: tuple[str, ...]
    plans: str = ""


@dataclass(frozen=True, slots=True)
class ProfileImporter:
    """A kind of files of profiles; euclio writes them as a file from which an `Importer` makes instances.

    Attributes:
        name: word after `euclio import`.
        help: one line.
        description: some sentences.
        parameters: what it takes, next to where it writes.
        read: arguments in; the module's name and its profile, a list of configurations, out.
        reads: names of the arguments that are files to be read, one or several each.
    """

    name: str
    help: str
    description: str
    parameters: tuple[Parameter, ...]
    read: Callable[[argparse.Namespace], tuple[str, Sequence[Any]]]
    reads: tuple[str, ...]


# Demands on plans beyond a family's rules, such as an attainment under random arrivals.


@dataclass(frozen=True, slots=True)
class Keeping:
    """The demands of a family.

    Attributes:
        fields: names of the fields of a demand.
        read: takes a field's name and its value; returns the value as plain data or raises an `ArgumentTypeError`.
        demand: takes such fields; returns the demand or raises an `InputError`.
        solve: takes a demand and the run without it; returns the checked result of many such runs.
    """

    fields: Collection[str]
    read: Callable[[str, Any], Any]
    demand: Callable[[Mapping[str, Any]], Any]
    solve: Callable[[Any, Any], Any]


# The simulator of a family, for `euclio simulate`.


@dataclass(frozen=True, slots=True)
class Glance:
    """Quick estimates for a plan under random arrivals, without a simulation.

    Attributes:
        share: share of Poisson requests that it answers in time; None if no quick estimate exists.
        cost: cost of a plan that answers 99 % of them in time, in words; empty if unknown.
        never: those of its machines that never catch up with them, in words; empty if all do.
    """

    share: float | None = None
    cost: str = ""
    never: str = ""

    def in_words(self) -> str:
        """The share, and the machines that never catch up; empty if neither is known."""
        return ", ".join(filter(None, ["" if self.share is None else f"{percent(self.share)} in time", self.never]))


@dataclass(frozen=True, slots=True)
class Simulator:
    """The simulator of a problem family.

    Attributes:
        setup: class of its setups, made on `euclio.serving.setup.Setup`.
        offered_rps: takes an instance, a plan, a setup and a plan space; returns the mean rate of each request stream.
        simulate: takes the same; returns the simulation.
        highest_loads: takes the same; returns each stream's highest load factor at 99 % SLO attainment.
        describe: a simulation as plain data; the same input gives the same.
        table: a simulation for people.
        stream: the name of a stream of requests in tables.
        speed: the time that a simulation took, in words; empty if nothing happened.
        planned: takes a result; returns the default fields of setups that match the plan's assumptions.
        as_planned: takes a result and a setup; returns one line on whether the setup serves as planned (empty if
            unknown).
        planned_words: takes a result's `planned_for` (`Result.planned_for`); returns a few words.
        glance: takes an instance and a checked result; returns the quick estimates of its plan under random arrivals.
        keeps: whether users can demand an attainment under random arrivals from plans.
        most_requests: requests beyond which a simulation takes too long, or does not fit into the memory of a usual
            machine.
    """

    setup: type[Any]
    offered_rps: Callable[[Any, Any, Any, Any], Sequence[float]]
    simulate: Callable[[Any, Any, Any, Any], Any]
    highest_loads: Callable[[Any, Any, Any, Any], dict[str, float]]
    describe: Callable[[Any], dict[str, Any]]
    table: Callable[[Any], RenderableType]
    stream: str
    speed: Callable[[Any], str]
    planned: Callable[[Any], dict[str, Any]] = lambda result: {}
    as_planned: Callable[[Any, Any], str] = lambda result, setup: ""
    planned_words: Callable[[Mapping[str, Any]], str] = lambda planned_for: ""
    glance: Callable[[Any, Any], Glance] = lambda instance, result: Glance()
    keeps: bool = False
    most_requests: int = 20_000_000


# Test instances of solvers of a family (`euclio check-solver`).


@dataclass(frozen=True, slots=True)
class Sources:
    """Test instances for solvers of a problem family.

    Attributes:
        small: takes a seed; returns an instance small enough for brute force; some have no plan.
        large: an instance on which exact methods need more than `LARGE_LIMIT_S`.
        restricted: takes an instance and a plan space; returns other plan spaces, each with the difference in words.
        scaled: takes an instance and a goal; returns a scaled instance and the factor between the values of equal
            plans.
        permuted: the same instance in another order and with other names.
        references: solvers that prove optima, in the order in which they are tried.
    """

    small: Callable[[int], Any]
    large: Callable[[], Any]
    restricted: Callable[[Any, Any], Iterator[tuple[str, Any]]]
    scaled: Callable[[Any, Goal], tuple[Any, Fraction]]
    permuted: Callable[[Any], Any]
    references: tuple[str, ...]
