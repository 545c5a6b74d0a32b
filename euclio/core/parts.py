"""Parts of a problem family's record: kinds of instances, files, the simulator, what solvers are tried on."""

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
    from matplotlib.figure import Figure
    from pydantic import BaseModel
    from rich.console import RenderableType
from euclio.core.parameters import Parameter

# Instances that a family can draw: kinds with their settings (`euclio generate`), designs of the benchmark set.


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a kind of instance.

    Attributes:
        name: its name, as it stands in an experiment file and, with dashes, on the command line.
        read: plain value in, the value used out; raises an `InputError` where it is none.
        help: one line for the command line.
        text: the option's text in, its plain value out; raises an `argparse.ArgumentTypeError` where it is none.
        metavar: placeholder of the option's value.
        listed: its value is a list, so that a grid of it is a list of lists.
    """

    name: str
    read: Callable[[Any], Any]
    help: str
    text: Callable[[str], Any] = str
    metavar: str = "NAME"
    listed: bool = False

    @property
    def parameter(self) -> Parameter:
        """What verbs take it as."""
        return Parameter(f"--{self.name.replace('_', '-')}", self.name, self.help, self.text, metavar=self.metavar)

    @property
    def flag(self) -> str:
        """Its option on the command line."""
        return self.parameter.flag


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of instance.

    Attributes:
        name: its name.
        settings: the settings that it takes.
        draw: settings as read, count and seed in, instances out; checks them before it returns.
        example: settings that it can be drawn with in no time, of all that it takes or needs.
        single: one instance only, with nothing drawn.
        seed: seed of its published draws, used where a verb is given none.
        about: what it is, in a line.
    """

    name: str
    settings: tuple[Setting, ...]
    draw: Callable[[dict[str, Any], int, int], Iterator[Any]]
    example: Mapping[str, Any] = field(default_factory=dict)
    single: bool = False
    seed: int = 0
    about: str = ""


class Design(Protocol):
    """What an instance of the set is to be like: a frozen dataclass, whose fields stand in the manifest."""

    @property
    def name(self) -> str:
        """Name of the instance."""

    @property
    def space(self) -> Any:
        """Plan space to solve it in."""

    def make(self, seed: int) -> Any:
        """The instance; the same seed gives the same one."""


# What a family says of files: its plans in results, other systems' files that plans or instances are made of.


@dataclass(frozen=True, slots=True)
class PlanFiles:
    """Reading and writing of a family's plans and plan spaces.

    Attributes:
        options: plan space and options of a run as they stand in a file, made on `euclio.files.boundary.FileModel`.
        plan: a plan as it stands in a file, made on that too.
        space_from: options and instance in, plan space out.
        plan_from: plan of the file and instance in, plan out.
        figures_from: the same in; what the file says about the plan, by the place where it stands, out.
        figures: instance, plan and the checker's answer in; the same figures as checked, out.
        data: instance, plan and the checker's answer in, plain data with fractions out.
    """

    options: type[BaseModel]
    plan: type[BaseModel]
    space_from: Callable[[Any, Any], Any]
    plan_from: Callable[[Any, Any], Any]
    figures_from: Callable[[Any, Any], dict[str, Fraction]]
    figures: Callable[[Any, Any, Any], dict[str, Fraction]]
    data: Callable[[Any, Any, Any], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Exporter:
    """A kind of files that plans are written as.

    Attributes:
        name: word after `--to`.
        help: one line.
        files: instance, accepted result and the options that were given in; texts by the path of each file, relative
            to the output, out. An exporter that is no `folder` has one file.
        options: the options that it takes.
        folder: whether it writes a folder of files.
        suffixes: how the name of its one file ends, such as ``.yaml``: an output without such an ending is a folder, in
            which the file gets its own name. Empty: the file may be called anything.
        caution: instance and accepted result in; one line on what could go badly wrong with the files, out; empty:
            nothing.
    """

    name: str
    help: str
    files: Callable[[Any, WrittenResult, Mapping[str, Any]], dict[str, str]]
    options: tuple[Parameter, ...] = ()
    folder: bool = False
    suffixes: tuple[str, ...] = ()
    caution: Callable[[Any, WrittenResult], str] = lambda instance, written: ""


class Imported(NamedTuple):
    """What was read: an instance, and where a plan of it was read too, that plan as a checked result."""

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
        plans: what the option `--plan` is, in words, where a plan can be read too; empty: none can.
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
    """A kind of files that profiles are read from, which are written as a file that an `Importer` makes instances of.

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


# What plans of a family may be asked to keep beyond its rules, such as an attainment under random arrivals.


@dataclass(frozen=True, slots=True)
class Keeping:
    """How a family is asked.

    Attributes:
        fields: names of the fields of a demand.
        read: name of a field and its value in; the value as plain data, or an `ArgumentTypeError`, out.
        demand: such fields in; the demand, or an `InputError`, out.
        solve: a demand and the run without it in; the checked result of many such runs out.
    """

    fields: Collection[str]
    read: Callable[[str, Any], Any]
    demand: Callable[[Mapping[str, Any]], Any]
    solve: Callable[[Any, Any], Any]


# What `euclio simulate` needs to know of a family's simulator.


@dataclass(frozen=True, slots=True)
class Glance:
    """What is known at once of a plan under random arrivals.

    Attributes:
        share: of Poisson requests, those that it answers in time; None: that is not known at once.
        cost: what a plan costs that answers 99 % of them in time, in words; empty: that is not known either.
        never: which of its machines never catch up with them, in words; empty: all do.
    """

    share: float | None = None
    cost: str = ""
    never: str = ""

    def in_words(self) -> str:
        """The share, and what never catches up; empty: neither is known."""
        return ", ".join(filter(None, ["" if self.share is None else f"{percent(self.share)} in time", self.never]))


@dataclass(frozen=True, slots=True)
class Simulator:
    """The simulator of a problem family.

    Attributes:
        setup: class of its setups, made on `euclio.serving.setup.Setup`.
        offered_rps: instance, plan, setup and plan space in; mean rate of each stream of requests out.
        simulate: the same in; the simulation out.
        highest_loads: the same in; per stream the highest load factor at 99 % SLO attainment out.
        describe: a simulation as plain data; the same input gives the same.
        table: a simulation for people.
        loads_table: highest loads for people.
        speed: how long a simulation took, in words; empty: nothing happened.
        draw: a simulation as a timeline.
        draw_latencies: a simulation as a figure of its latencies' distribution.
        planned: a result in; the fields of setups that are as its plan was made for where nothing else is asked, out.
        as_planned: a result and a setup in; one line on whether the setup serves as planned, out (empty: nothing is
            known).
        planned_words: what a result says that its plan was made for (`Result.planned_for`) in; a few words out.
        glance: an instance and a checked result in; what is known at once of its plan under random arrivals, out.
        serves: whether plans of an instance can be simulated.
        keeps: whether plans can be asked to keep an attainment under random arrivals.
        most_requests: requests beyond which a simulation takes too long, or does not fit into the memory of a usual
            machine.
    """

    setup: type[Any]
    offered_rps: Callable[[Any, Any, Any, Any], Sequence[float]]
    simulate: Callable[[Any, Any, Any, Any], Any]
    highest_loads: Callable[[Any, Any, Any, Any], dict[str, float]]
    describe: Callable[[Any], dict[str, Any]]
    table: Callable[[Any], RenderableType]
    loads_table: Callable[[dict[str, float]], RenderableType]
    speed: Callable[[Any], str]
    draw: Callable[[Any], Figure]
    draw_latencies: Callable[[Any], Figure]
    planned: Callable[[Any], dict[str, Any]] = lambda result: {}
    as_planned: Callable[[Any, Any], str] = lambda result, setup: ""
    planned_words: Callable[[Mapping[str, Any]], str] = lambda planned_for: ""
    glance: Callable[[Any, Any], Glance] = lambda instance, result: Glance()
    serves: Callable[[Any], bool] = lambda instance: True
    keeps: bool = False
    most_requests: int = 20_000_000


# What solvers of a family are tried on (`euclio check-solver`).


@dataclass(frozen=True, slots=True)
class Sources:
    """What solvers of a problem family are tried on.

    Attributes:
        small: a seed in, a small instance that brute force can do out; some have no plan.
        large: an instance that takes exact methods longer than `LARGE_LIMIT_S`.
        restricted: instance and plan space in; other plan spaces, each with what differs in words, out.
        scaled: instance and goal in; a like instance and the factor between the values of equal plans out.
        permuted: the same instance in another order and with other names.
        references: solvers that prove optima, in the order in which they are asked.
    """

    small: Callable[[int], Any]
    large: Callable[[], Any]
    restricted: Callable[[Any, Any], Iterator[tuple[str, Any]]]
    scaled: Callable[[Any, Goal], tuple[Any, Fraction]]
    permuted: Callable[[Any], Any]
    references: tuple[str, ...]
