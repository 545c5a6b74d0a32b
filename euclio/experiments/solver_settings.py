"""Solvers with options in an experiment: lists are grids, words are read as on the command line."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from decimal import Decimal
from functools import partial
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from euclio.core.errors import InputError
from euclio.core.families import find_family
from euclio.core.family import Family
from euclio.core.own_solver import name_elsewhere
from euclio.core.parameters import Parameter
from euclio.core.references import is_reference
from euclio.core.registry import find_solver, variant
from euclio.core.solver import AnySolver, Option, SolverLike
from euclio.core.solving import COLD, solver_for
from euclio.core.values import names
from euclio.experiments.task import Measure, Setting, SolverSetting
from euclio.files.boundary import shown

ENGINE_OPTIONS = (Option.ENGINE, Option.THREADS, Option.WARM_START)
"""Options of solver libraries that an experiment may set; the others name files that runs would share."""

MOST_THREADS = 1024

AnySetting = TypeVar("AnySetting", SolverSetting, Setting)


def solver_settings(
    name: SolverLike, *, label: str | None = None, folder: Path | None = None, **options: Any
) -> tuple[SolverSetting, ...]:
    """A solver with all combinations of options.

    Args:
        name: name of a registered solver, or ``path/to/file.py:function``; or a function of a file that is imported.
        label: name in tables and figures; None means the solver's. Options that vary are added to it.
        folder: the folder that such a path is relative to; None means the current folder.
        **options: `engine`, `threads`, `warm_start`, fields of the plan space, or parts of the solver that its name can
            set (`euclio.core.registry`); a list gives alternatives. Where a value is itself a list of names,
            alternatives are a list of lists.

    Raises:
        InputError: unknown solver, option or value; names the option.
    """
    solver = find_solver(name_elsewhere(name), folder)
    family = find_family(solver.family)
    alternatives = {key: _alternatives(solver, family, key, value, folder) for key, value in options.items()}
    varied = [key for key, values in alternatives.items() if len(values) > 1]
    return tuple(
        _setting(solver, folder, _label(label or solver.label, chosen, varied), chosen)
        for chosen in _combinations(alternatives)
    )


def measure(function: str, label: str, family: str, *, on: Iterable[str] | None = None, **arguments: Any) -> Measure:
    """A measurement on instances without a solver; arguments are plain data.

    Args:
        function: ``package.module:function`` of euclio.
        label: name in tables and figures.
        family: problem family of the instances.
        on: names of the instances; None means all.
        **arguments: the function's arguments besides the instance.
    """
    text = json.dumps(arguments, sort_keys=True)
    names_ = None if on is None else frozenset(on)
    return Measure(function, f"euclio {version('euclio')}", label, family, text, names_)


def different_labels(settings: Iterable[AnySetting]) -> tuple[AnySetting, ...]:
    """The settings, all different, with different labels.

    Raises:
        InputError: two settings or two labels are the same, or a label would not fit into a line.
    """
    found = tuple(settings)
    labels: set[str] = set()
    known: dict[AnySetting, str] = {}
    for setting in found:
        same = known.setdefault(replace(setting, label=""), setting.label)
        if not (setting.label and setting.label.isprintable()):
            raise InputError(f"{setting.label!r} is no label; give one line of printable characters", field="label")
        if setting.label in labels:
            raise InputError(f"two solvers are called {setting.label!r}; give one of them another label", field="label")
        if same != setting.label:
            raise InputError(f"{same!r} and {setting.label!r} are the same solver and options; leave one of them out")
        labels.add(setting.label)
    return found


def _combinations(alternatives: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    for values in product(*alternatives.values()):
        yield dict(zip(alternatives, values, strict=True))


def _label(name: str, chosen: Mapping[str, Any], varied: list[str]) -> str:
    options = ", ".join(f"{key}={_word(chosen[key])}" for key in varied)
    return f"{name} {options}" if options else name


def _word(value: Any) -> str:
    if isinstance(value, tuple):
        return "+".join(value)
    return "any" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _setting(solver: AnySolver, folder: Path | None, label: str, chosen: Mapping[str, Any]) -> SolverSetting:
    own = is_reference(solver.name)
    family = find_family(solver.family)
    parts = {key: chosen[key] for key in _parts(solver) if key in chosen}
    solver = variant(solver, parts)
    asked = {key: value for key, value in chosen.items() if key in _keeps(family)}
    if asked and family.keeping is not None:
        family.keeping().demand(asked)  # refuses what does not go together
    space = {key: value for key, value in chosen.items() if key not in (*ENGINE_OPTIONS, *asked, *parts)}
    return SolverSetting(
        solver=solver.name,
        version=solver.version,
        label=label,
        space=tuple(sorted(space.items())),
        engine=chosen.get(Option.ENGINE),
        threads=chosen.get(Option.THREADS, 1),
        warm_start=chosen.get(Option.WARM_START),
        # A user's own file may load any library, so it gets its own process.
        library=solver.name if own else solver.library,
        folder=str((folder or Path()).resolve()) if own else "",
        keeps=json.dumps(asked, sort_keys=True) if asked else "",
    )


def _parts(solver: AnySolver) -> Mapping[str, tuple[str, ...]]:
    """The parts of a solver that its name can set, and their words."""
    return {} if solver.variants is None else solver.variants.words


def _part(words: Sequence[str], value: Any) -> str:
    """The word of a part, which may be written as a number, or as true or false."""
    if isinstance(value, bool):
        value = "yes" if value else "no"
    return str(_one_of(str(value) if isinstance(value, int | Decimal) else value, words))


def _keeps(family: Family) -> Collection[str]:
    """The fields of the demand on a family's plans."""
    return () if family.keeping is None else family.keeping().fields


def _alternatives(solver: AnySolver, family: Family, key: str, value: Any, folder: Path | None) -> list[Any]:
    """The values of an option, read and checked; one of them unless a list is given.

    Raises:
        InputError: the solver has no such option, or the option has no such value.
    """
    read = _reader(solver, family, key, folder)
    given = value if _lists_values(value, _space_option(family, key)) else [value]
    if not given:
        raise InputError("is an empty list; give at least one value", field=key)
    found: list[Any] = []
    for one in given:
        try:
            found.append(read(one))
        except (InputError, argparse.ArgumentTypeError, ValueError) as error:
            if isinstance(error, InputError):
                raise InputError(error.message, file=error.file, field=key) from None
            raise InputError(str(error), field=key) from None
    if len(set(found)) < len(found):
        raise InputError("lists a value twice; leave one of them out", field=key)
    return found


def _lists_values(value: Any, option: Parameter | None) -> bool:
    """Whether a value lists alternatives; where one alternative is a list of names, this is a list of lists."""
    if not isinstance(value, list) or option is None or option.parse is not names:
        return isinstance(value, list)
    return any(isinstance(part, list) for part in value)


def _reader(solver: AnySolver, family: Family, key: str, folder: Path | None) -> Callable[[Any], Any]:
    """The reader of one value of an option; raises an `InputError` if the solver has no such option."""
    if key in ENGINE_OPTIONS and key in solver.takes:
        return {
            Option.ENGINE: lambda value: _one_of(value, solver.engines),
            Option.THREADS: _threads,
            Option.WARM_START: lambda value: _starter(value, family),
        }[Option(key)]
    if key in _parts(solver):
        return partial(_part, _parts(solver)[key])
    known = [field.name for field in fields(solver.space)]
    if family.keeping is not None and key in _keeps(family):
        return partial(family.keeping().read, key)
    if key not in known:
        taken = [option.value for option in ENGINE_OPTIONS if option in solver.takes]
        every = ", ".join([*taken, *_parts(solver), *known])
        raise InputError(f"is no option of {solver.name!r}; it takes {every}", field=key)
    option = _space_option(family, key)
    return _flag if option is None else partial(_space_value, option, folder)


def _space_option(family: Family, key: str) -> Parameter | None:
    return next((option for option in family.space_options if option.field == key), None)


def _space_value(option: Parameter, folder: Path | None, value: Any) -> Any:
    """A value of a field of the plan space, as the command line reads it."""
    if option.reference is not None and isinstance(value, str) and is_reference(value):
        return option.reference(value, folder)
    if option.choices:
        return _one_of(value, option.choices)
    if option.parse is None:
        return _flag(value)
    if isinstance(value, list) and option.parse is names:
        value = ",".join(name if isinstance(name, str) else _refuse(name, "a name") for name in value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        _refuse(value, "a name or a whole number")
    return option.parse(str(value))


def _one_of(value: Any, words: Sequence[str]) -> Any:
    if value not in words:
        _refuse(value, f"one of {', '.join(words)}")
    return value


def _flag(value: Any) -> bool:
    return value if isinstance(value, bool) else _refuse(value, "true or false")


def _threads(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_THREADS:
        _refuse(value, f"a whole number from 1 to {MOST_THREADS}")
    return int(value)


def _starter(value: Any, family: Family) -> str:
    """The name of the warm start's solver, or "none"."""
    if not isinstance(value, str):
        _refuse(value, f"the name of a solver, or {COLD!r}")
    return COLD if value == COLD else solver_for(family, value).name


def _refuse(value: Any, wanted: str) -> NoReturn:
    raise InputError(f"is {shown(value)}; it must be {wanted}")


def family_of_setting(setting: Setting) -> str:
    """The problem family of a setting."""
    return setting.family if isinstance(setting, Measure) else solver_of(setting).family


def solver_of(setting: SolverSetting) -> AnySolver:
    """The solver of a setting."""
    return find_solver(setting.solver, Path(setting.folder) if setting.folder else None)
