"""Code that a result names: only the call has it run, the file is compared with what the call says.

A plan space may stand on code of the user, such as a dispatch policy in a file of its own. A result names that code and
its hash. Whoever reads the result may have it from somebody else, so nothing that it names is looked up: the caller
names the code once more, as it was named to the solver.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from euclio.core.errors import InputError
from euclio.core.family import Family
from euclio.core.parts.options import SpaceOption
from euclio.core.references import HASH, is_reference, own_name
from euclio.files.boundary import FileModel, shown


def with_named_code(family: Family, options: FileModel, named: Mapping[str, Any]) -> FileModel:
    """The options of a result, with what the call names in the place of what the file names.

    Args:
        family: family of the result.
        options: its options as they stand in the file.
        named: what the call names, by field of the plan space (`SpaceOption.reference`); None: nothing.

    Raises:
        InputError: the file names code and the call does not, or another; or the code has another hash.
    """
    fields = {option.field: option for option in family.space_options if option.reference is not None}
    for field, value in named.items():
        if value is not None and field not in fields:
            known = ", ".join(fields) or "nothing"
            raise InputError(f"results of {family.instances} name no such code; they name: {known}", field=field)
    chosen = {field: _chosen(family, option, options, named.get(field)) for field, option in fields.items()}
    return options.model_copy(update=chosen)


def _chosen(family: Family, option: SpaceOption, options: FileModel, named: Any) -> Any:
    """The value of a field: as the file has it where that is no code, else the code that the call names."""
    written = getattr(options, option.field)
    if named is None:
        _refuse_code(option, written)
        return written
    said = named if isinstance(named, str) else str(_value(family, option, named))
    _compare(option, said, written)
    return _value(family, option, _with_hash_of(written, said))


def _refuse_code(option: SpaceOption, written: Any) -> None:
    """Refuse a name that points into a file where the call says nothing of it."""
    if isinstance(written, str) and is_reference(written):
        raise InputError(
            f"names code ({ascii(written[:120])[1:-1]}), and what a file names is not run; if you trust that code, "
            f"name it yourself: {option.flag} FILE.py:NAME",
            field=f"options.{option.field}",
        )


def _compare(option: SpaceOption, said: str, written: str) -> None:
    """Hold what the call names against what the file names, before any code is run.

    The path is not compared: the file may be anywhere now.
    """
    if not is_reference(written):
        if said != written:
            raise InputError(
                f"is {said!a}, but the result was made under {shown(written)}; leave it out", field=option.flag
            )
        return
    (name, version), (own, own_version) = own_name(written), own_name(said)
    if not is_reference(said) or own != name:
        raise InputError(
            f"is {said!a}, but the result was made under {name!a} of a file; give FILE.py:{name}", field=option.flag
        )
    if version and own_version not in ("", version):
        raise InputError(
            f"has hash {own_version}, but the result was made with hash {version}; give the file as it was",
            field=option.flag,
        )


def _with_hash_of(written: str, said: str) -> str:
    """What the call names with the hash that the file has, so that no other code is run."""
    _, version = own_name(written)
    return f"{said}{HASH}{version}" if is_reference(said) and version and not own_name(said)[1] else said


def _value(family: Family, option: SpaceOption, named: Any) -> Any:
    """The value that a field of the plan space has where a call names it so."""
    try:
        return getattr(replace(family.full_space, **{option.field: named}), option.field)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(str(error), field=option.flag) from None
