"""What families declare for the command and for solvers: options, and demands that not every solver covers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Demands of instances and plan spaces that not every solver covers: the columns of the table of who covers what.


@dataclass(frozen=True, slots=True)
class Demand:
    """Something that an instance or a plan space may ask for, and that not every solver covers.

    Attributes:
        name: its word in `Solver.covers` and `Solver.lacks`.
        words: what is asked for, in words for people: "SOLVER does not cover ...".
        asked: instance and plan space in; whether they ask for it.
        assumed: whether a solver covers it unless it says in `Solver.lacks` that it does not; other demands are covered
            only by solvers that say so in `Solver.covers`.
        meets: names of the demands that it is the meeting of, where covering each of them is not enough.
        kept: why it is kept and not extended: no new solver or limit has to cover it; empty: it is extended.
        instead: field of the plan space and a value of it under which this is not asked for, which a refusal proposes
            where no solver covers it; None: there is none.
        named: instance and plan space in; what is asked for by its name, where it has one, for refusals.
    """

    name: str
    words: str
    asked: Callable[[Any, Any], bool]
    assumed: bool = False
    meets: tuple[str, ...] = ()
    kept: str = ""
    instead: tuple[str, Any] | None = None
    named: Callable[[Any, Any], str] | None = None

    def words_on(self, instance: Any, space: Any) -> str:
        """What an instance and a plan space ask for, in words, with its name if it has one."""
        return self.words if self.named is None else f"{self.words} ({self.named(instance, space)})"


# Options of the command that families declare: of plan spaces and changes, of simulations, of exported files.


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
        given: what a call in Python gives, and the instance, in, the value of the field out; raises an `InputError`.
            None: `parse` takes it.
    """

    flag: str
    field: str
    help: str
    parse: Callable[[str], Any] | None = None
    choices: tuple[str, ...] | None = None
    metavar: str | None = None
    value: Any = None
    reference: Callable[[str, Path | None], Any] | None = None
    given: Callable[[Any, Any], Any] | None = None


@dataclass(frozen=True, slots=True)
class SetupOption:
    """An option of the command that is a field of a family's setups next to the common ones.

    Families may share a flag, each with words of its own.

    Attributes:
        flag: such as "--scheduler".
        field: field of the setup.
        help: one line.
        choices: the words allowed, which are values themselves; empty: what `parse` takes.
        parse: reads the value from text; None without `choices`: the flag stands alone.
        metavar: placeholder of the value.
        value: value of the field where the flag stands alone.
        instead_of: fields of `euclio simulate`'s arguments that have no meaning next to it.
    """

    flag: str
    field: str
    help: str
    choices: tuple[str, ...] = ()
    parse: Callable[[str], Any] | None = None
    metavar: str | None = None
    value: Any = None
    instead_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExportOption:
    """An option of `euclio export`; exporters that take the same one share one record.

    Attributes:
        flag: such as "--image".
        field: its name among the options that an exporter is given.
        help: one line.
        metavar: placeholder of the value.
        parse: reads the value from text.
        missing: what to give, in words, where the exporter cannot do without it; empty: it can.
    """

    flag: str
    field: str
    help: str
    metavar: str
    parse: Callable[[str], Any] = str
    missing: str = ""
