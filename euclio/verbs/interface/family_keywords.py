"""The keywords that verbs share: defaults, and those that families declare as options.

They are named as the options of the commands, and read by what reads those.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from euclio.core.errors import InputError
from euclio.core.families import families, find_family
from euclio.core.family import Family
from euclio.core.parameters import Parameter, option_text
from euclio.core.references import is_reference
from euclio.core.values import one_of, read, seconds
from euclio.core.words import joined
from euclio.verbs.interface.keyword_types import Attainment, Measurements, RunKeywords

if TYPE_CHECKING:
    from euclio.core.family import Changes
    from euclio.core.solver import AnySolver

CERTIFY_S = 60.0
"""Limit in seconds of the prover for each proof of `compare`."""
LIMIT_S = 10.0
"""Limit in seconds of each run of `what_if` and `changes`: far from what profiles are for, proofs take long."""
COMMON = frozenset((*RunKeywords.__annotations__, *Attainment.__annotations__, *Measurements.__annotations__))
"""Keywords that are of no family's changes or plan spaces."""
SERVED = "session"
"""The family whose plans can be asked for an attainment."""
SERVING = ("dispatch", "time_out", "hold", "dropping")
"""Keywords of its simulations that a plan can be made for; the others are what the plan pays for."""
CLASSES = ("easy", "medium", "hard", "open")
"""Classes of the benchmark set."""
ALL = "all"
"""Word for all proofs of the benchmark set."""
SAMPLE = 20
"""Proofs of the benchmark set that are tried."""


def time_limit_of(keywords: Any) -> float | None:
    """The time limit in seconds, under either of its names; None means no limit."""
    limit, older = either(keywords, "time_limit", "time_limit_s"), keywords.get("time_limit_s")
    if isinstance(older, int | float) and older >= 0:
        return float(older)  # 0 and infinity were always taken under this name
    return None if limit is None else float(read(seconds, limit, "--time-limit"))


def either(keywords: Any, name: str, older: str) -> Any:
    """The value of a keyword that has an older name; raises an `InputError` if both are given."""
    if keywords.get(name) is not None and keywords.get(older) is not None:
        raise InputError(f"is given next to {name}, which is the same; leave one out", field=older)
    return keywords.get(older) if keywords.get(name) is None else keywords[name]


def changed(family: Family, instance: Any, keywords: Mapping[str, Any]) -> tuple[Any, Changes | None]:
    """The instance with the given changes, and these; None without any.

    Raises:
        InputError: a keyword of another family, or a change that does not go with the instance.
    """
    refuse_others(family, keywords)
    changes = changes_of(family, instance, keywords)
    return instance if changes is None else applied(family, changes, instance), changes


def changes_of(family: Family, instance: Any, keywords: Mapping[str, Any]) -> Changes | None:
    """The given changes of an instance, not yet applied, or None; raises an `InputError` at a bad value."""
    asked = ((option, keywords.get(option.keyword)) for option in family.change_options)
    given = {option.field: _change_value(option, value, instance) for option, value in asked if value is not None}
    return family.changes(**given) if given and family.changes is not None else None


def applied(family: Family, changes: Changes, instance: Any) -> Any:
    """The instance with changes; what does not go with it is reported with the option instead of the field.

    Raises:
        InputError: such a change.
    """
    flags = {option.field: option.flag for option in family.change_options}
    try:
        return changes.applied_to(instance)
    except InputError as error:
        field = (error.field or "").partition(".")[0]
        raise InputError(error.message, file=error.file, field=flags.get(field, error.field)) from None


def plan_space(
    family: Family, solver: AnySolver | None, instance: Any, keywords: Mapping[str, Any], space: Any = None
) -> Any:
    """The plan space on an instance of the family, with the keywords that were given.

    Args:
        family: the family.
        solver: the solver, whose plan space is the default; None if `space` is given.
        instance: the instance.
        keywords: keywords, or fields of the plan space by their names; others are not looked at.
        space: plan space; None means the solver's own.

    Raises:
        InputError: a keyword of another family, or a plan space that does not go with the instance.
    """
    changes = space_changes(family, keywords)
    given = solver.space if solver is not None and space is None else space
    # Making a space anew that is to be the same takes as long as checking a plan of one module.
    asked = replace(given, **changes) if changes else given
    found = asked if solver is None else solver.space_on(instance, asked)
    family.check_space(instance, found)
    return found


def space_changes(family: Family, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a family's plan space that keywords set.

    Raises:
        InputError: a keyword of another family, or a value that it cannot have.
    """
    refuse_others(family, keywords)
    own = _fields_of(family.full_space.__class__)
    options = {option.keyword: option for option in family.space_options}
    found: dict[str, Any] = {}
    for name, value in keywords.items():
        if value is None and getattr(family.full_space, name, None) is not None:
            continue  # a field that None says nothing of
        option = options.get(name)
        if name in own and (option is None or option.stands_alone or value is None):
            found[name] = value
        elif option is not None and not option.stands_alone:
            found[option.field] = _space_value(option, value)
        elif option is not None and value:
            found[option.field] = option.value
    return found


_KNOWN: dict[int, tuple[Family, frozenset[str]]] = {}
"""The answers of `_known_to`, by the identity of the family, since two families may have one name."""


def _known_to(family: Family) -> frozenset[str]:
    """The keywords that are of a family, or of none; every call asks for them."""
    found = _KNOWN.get(id(family))
    if found is None or found[0] is not family:
        own = {option.keyword for option in (*family.change_options, *family.space_options)}
        found = _KNOWN[id(family)] = family, frozenset(own | _fields_of(family.full_space.__class__) | COMMON)
    return found[1]


def refuse_others(family: Family, keywords: Mapping[str, Any]) -> None:
    """Refuse keywords of other families; these are looked at only where a keyword is none of this one.

    Raises:
        InputError: names the first of them.
    """
    left = [name for name in keywords if name not in _known_to(family)]
    if not left:
        return
    for other in families():
        given = [one for one in other.change_options if keywords.get(one.keyword) is not None]
        for option in (*given, *other.space_options):
            if option.keyword in left:
                raise InputError(
                    f"is an option for {other.instances}, and this is one of {family.instances}; leave it out",
                    field=option.flag,
                )
        for name in _fields_of(other.full_space.__class__).intersection(left):
            raise InputError(f"is no field of plan spaces of {family.instances}; leave it out", field=name)


@cache
def _fields_of(kind: Hashable) -> frozenset[str]:
    return frozenset(field.name for field in fields(cast(Any, kind)))


def setup_fields(family: Family, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a family's simulations that keywords set; others of theirs are not looked at.

    Raises:
        InputError: a keyword, or a word, of another family was given.
    """
    found: dict[str, Any] = {}
    for name, owners in setup_owners().items():
        value = keywords.get(name)
        if value is None or value is False:
            continue
        flag = next(iter(owners.values())).flag
        if family.name not in owners:
            whose = joined(find_family(other).instances for other in owners)
            raise InputError(f"is an option for {whose}; leave it out", field=flag)
        option = owners[family.name]
        if option.choices and value not in option.choices:
            words = joined(option.choices, "or")
            raise InputError(f"is {value!r}, which {family.instances} do not have; give {words}", field=flag)
        for other in option.instead_of:
            if keywords.get(other):
                raise InputError(
                    f"stands instead of {option_text('--' + other.replace('_', '-'))}; leave one out", field=flag
                )
        found[option.field] = (
            option.value if option.stands_alone else value if option.parse is None else read(option.parse, value, flag)
        )
    return found


@cache
def setup_owners() -> dict[str, dict[str, Parameter]]:
    """By keyword the names of the families whose simulations have it, with what it is to each."""
    found: dict[str, dict[str, Parameter]] = {}
    for family in families():
        for option in family.setup_options():
            found.setdefault(option.keyword, {})[family.name] = option
    return found


@cache
def exporter_options() -> dict[str, tuple[Parameter, list[str]]]:
    """All options by flag, each with the names of the exporters that take it."""
    found: dict[str, tuple[Parameter, list[str]]] = {}
    for family in families():
        for exporter in family.exporters():
            for option in exporter.options:
                known, owners = found.setdefault(option.flag, (option, []))
                assert known == option, f"{option.flag} means two things"
                owners.append(exporter.name)
    return found


def simulated() -> str:
    """The instances that can be simulated, with their schemas."""
    served = [family for family in families() if family.simulator is not None]
    return joined(f"{family.instances} ({family.schema})" for family in served)


def _space_value(option: Parameter, value: Any) -> Any:
    """The value of a field of a plan space."""
    if option.parse is not None:
        return read(option.parse, value, option.flag)
    if not isinstance(value, str) or (option.reference is not None and is_reference(value)):
        return value  # such as a policy itself
    return one_of(option.choices, value, option.flag)


def _change_value(option: Parameter, value: Any, instance: Any) -> Any:
    """The value of a field of the changes."""
    if option.given is None:
        return read(option.parse or str, value, option.flag)
    try:
        return option.given(value, instance)
    except InputError as error:
        raise InputError(str(error), field=option.flag) from None
