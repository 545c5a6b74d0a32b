"""`euclio export`: write a plan in the formats of serving systems.

`euclio.export` is a room too, which can be called as this verb.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import euclio.export as export_room
from euclio.core.errors import InputError, NoPlanError, RefusedError, reason_of
from euclio.core.families import families
from euclio.core.numbers import Number
from euclio.core.parameters import Parameter, option_text
from euclio.core.progress import say
from euclio.core.result import AnyResult, WrittenResult
from euclio.core.values import file_path, read
from euclio.core.words import joined
from euclio.files.json_writing import write_text
from euclio.files.result_files import reasons_against
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import SOLVED
from euclio.verbs.interface.family_keywords import exporter_options
from euclio.verbs.interface.inputs import GivenInstance, GivenResult, given_instance, given_result
from euclio.verbs.interface.outputs import check_written
from euclio.verbs.interface.shared_parameters import INSTANCE, POLICY, RESULT
from euclio.verbs.interface.verb import verb

if TYPE_CHECKING:
    from euclio.core.parts import Exporter

__all__ = ["export", "export_room"]


class ExportKeywords(TypedDict, total=False):
    """The options of exporters, as of `euclio export`."""

    cpu: str | Iterable[str] | None
    image: str | None
    node_label: str | None
    port: Number | None
    import_path: str | None
    router: str | None


def exported() -> Iterator[Parameter]:
    """The options of the exporters of all families, each with its kinds."""
    for option, owners in exporter_options().values():
        yield replace(option, help=f"of {joined(owners)}: {option.help}")


def _exporters() -> dict[str, Exporter]:
    """The exporters of all families by name."""
    return {exporter.name: exporter for family in families() for exporter in family.exporters()}


def _kinds_in_words() -> str:
    return "; ".join(f"{exporter.name}: {exporter.help}" for exporter in _exporters().values())


@verb(
    POLICY,
    Parameter("--to", help=_kinds_in_words(), choices=tuple(_exporters()), details={"required": True}),
    Parameter("--out", parse=file_path, metavar="OUT"),
    exported,
    typed=ExportKeywords,
)
def export(
    instance: Any,
    result: AnyResult | WrittenResult | str | Path | GivenResult,
    *,
    to: str,
    out: str | Path | None = None,
    policy: Any = None,
    **keywords: Unpack[ExportKeywords],
) -> dict[str, str]:
    """The plan of a result as files for a serving system, as `euclio export` writes them.

    Args:
        instance: the instance, without the changes that the result states; or the path of its file.
        result: a result of `euclio.solve`, or the path of a file; it is checked first.
        to: kind of files: "triton", "kubernetes", "ray-serve" or "csv".
        out: write them: to the file, or a new folder for several; None means no files.
        policy: the user's own policy of a written result, as of `verify`.
        **keywords: `cpu`, `image`, `node_label`, `port`, `import_path`, `router`, each for the kinds that take it.

    Returns:
        The texts by the path of each file, relative to the folder.

    Raises:
        NoPlanError: the result has no plan.
        RefusedError: the checker refuses it, or the router cannot keep it.
        InputError: a kind that the family does not have, a keyword that it does not take, or one that it needs.
    """
    given = given_instance(instance)
    exporter = exporter_of(given, to)
    options = read_options(exporter, keywords)
    said = given_result(result, given, policy)
    plan = said.result.plan
    if plan is None:
        raise NoPlanError(f"there is no plan to export (status {said.result.status.value})", file=said.file)
    target = said.result.changed
    reasons = reasons_against(target, said.result, given.family.evaluate(target, plan, said.result.space))
    if reasons:
        raise RefusedError(f"refused: {'; '.join(reasons)}", file=said.file)
    files = exporter.files(target, said.result, options)
    if out is not None:
        folder = takes_folder(exporter, Path(out))
        if folder:
            check_folder(Path(out))
        write_exported(files, Path(out), folder=folder)
    planned = _planned_for_more(given, said)
    if planned:
        say(planned)
    caution = exporter.caution(target, said.result)
    if caution:
        say(caution)
    return files


def _planned_for_more(given: GivenInstance, said: GivenResult) -> str:
    """One line on the purpose of the plan, if that is more than its plan space; else empty."""
    stated = said.result.planned_for
    if given.family.simulator is None or stated in ({}, given.family.planned_for(said.result.space)):
        return ""
    return f"planned for {given.family.simulator().planned_words(stated)}"


def exporter_of(given: GivenInstance, to: str) -> Exporter:
    """The exporter that is asked for; raises an `InputError` if the instance's family does not have it."""
    for exporter in given.family.exporters():
        if exporter.name == to:
            return exporter
    own = given.family.instance.__name__.lower()
    served = [other.instances for other in families() if to in {e.name for e in other.exporters()}]
    if not served:
        every = dict.fromkeys(e.name for other in families() for e in other.exporters())
        raise InputError(f"must be {joined(every, 'or')}", field="--to")
    raise InputError(f"is a {own}; {option_text('--to', to)} serves {joined(served)}", file=given.file)


def read_options(exporter: Exporter, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, by field.

    Raises:
        InputError: one that the exporter does not take, or none that it cannot do without.
    """
    given = {flag: keywords.get(option.keyword) for flag, (option, _) in exporter_options().items()}
    for flag, (_, owners) in exporter_options().items():
        if given[flag] is not None and exporter.name not in owners:
            raise InputError(f"is an option of {option_text('--to', *owners)}; leave it out", field=flag)
    for option in exporter.options:
        if option.missing and given[option.flag] is None:
            raise InputError(f"is missing; give {option.missing}", field=option.flag)
    return {
        option.field: read(option.parse or str, given[option.flag], option.flag)
        for option in exporter.options
        if given[option.flag] is not None
    }


def takes_folder(exporter: Exporter, out: Path) -> bool:
    """Whether the output of an exporter is a folder that its files are put into.

    Raises:
        InputError: it is named neither as a folder nor as a file of its kind.
    """
    if exporter.folder or not exporter.suffixes:
        return exporter.folder
    if out.suffix.lower() in exporter.suffixes or (out.exists() and not out.is_dir()):
        return False
    if out.suffix and not out.is_dir():
        kinds = joined(exporter.suffixes, "or")
        raise InputError(f"ends in {out.suffix[:20]!a}; name a file that ends in {kinds}, or a folder", field="--out")
    return True


def check_folder(out: Path) -> None:
    """Refuse a folder that holds something: old files would stay next to the new ones, or be lost.

    Raises:
        InputError: naming the folder.
    """
    try:
        taken = out.exists() and (not out.is_dir() or any(out.iterdir()))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {error}; choose another folder", file=str(out), field="--out") from None
    if taken:
        raise InputError("is there and not empty; choose a new folder", file=str(out), field="--out")


def write_exported(files: dict[str, str], out: Path, *, folder: bool) -> None:
    """Write the files of an exporter, into a folder or the only one as it.

    Raises:
        InputError: nothing can be written there.
    """
    for name, text in files.items():
        path = out / name if folder else out
        if folder:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                reason = reason_of(error).lower()
                raise InputError(f"cannot be made: {reason}; choose another folder", file=str(path.parent)) from None
        write_text(text, path)


@command(
    export,
    INSTANCE,
    replace(RESULT, help="result with a plan (JSON, euclio/result/1)"),
    about="Write the plan of a result as files for a serving system. The result is checked first, as by `euclio "
    "verify`. The files state the parts of the plan that the format cannot express.",
    first=("--to", "--out"),
    page="howto/deployment.md",
    exits="1 the result is refused, 4 it has no plan",
    examples=("euclio export session.json result.json --to csv --out plan.csv",),
)
def print_exported(arguments: Namespace) -> int:
    """Check, export, write or print."""
    keywords = arguments.keywords
    out = keywords.get("out")
    given = given_instance(arguments.instance)
    exporter = exporter_of(given, keywords["to"])
    read_options(exporter, keywords)
    folder = exporter.folder or (out is not None and takes_folder(exporter, out))
    if not folder:
        check_written(arguments, ["out"], [arguments.instance, arguments.result])
    elif out is None:
        raise InputError(f"is missing; --to {exporter.name} writes several files, give a folder", field="--out")
    else:
        check_folder(out)
    for name, text in export(given, arguments.result, **keywords).items():
        if out is None:
            print(text, end="")
        else:
            print(out / name if folder else out)
    return SOLVED
