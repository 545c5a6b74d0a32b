"""Options of the command that families declare: of plan spaces and changes, of simulations, of exported files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


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
