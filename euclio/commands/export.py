"""`euclio export`: write a plan in the formats of serving systems; each family offers its own."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.commands.exit_codes import NO_PLAN, REFUSED, SOLVED
from euclio.commands.families import an_instance
from euclio.commands.named_code import add_named_code, named_code
from euclio.core.errors import InputError
from euclio.core.families import families, family_of
from euclio.core.progress import say
from euclio.core.words import joined

if TYPE_CHECKING:
    from euclio.core.family import Family
    from euclio.core.parts.files import Exporter
    from euclio.core.parts.options import ExportOption


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = (
        "Write the plan of a result as files that a serving system reads. The result is checked first, as by "
        "`euclio verify`; what a format cannot express is said in the files."
    )
    exporters = {exporter.name: exporter for family in families() for exporter in family.exporters()}
    parser.add_argument("instance", metavar="INSTANCE", help=f"{an_instance()} (JSON)")
    parser.add_argument("result", metavar="RESULT", help="result with a plan (JSON, euclio/result/1)")
    add_named_code(parser)
    kinds = "; ".join(f"{exporter.name}: {exporter.help}" for exporter in exporters.values())
    parser.add_argument("--to", choices=tuple(exporters), required=True, help=kinds)
    parser.add_argument(
        "--out", type=Path, metavar="OUT", help="file to write, or where there are several a folder; default: printed"
    )
    for option, owners in _options().values():
        details: dict[str, Any] = {"type": option.parse, "metavar": option.metavar, "default": argparse.SUPPRESS}
        parser.add_argument(option.flag, dest=option.flag, help=f"of {joined(owners)}: {option.help}", **details)


def _options() -> dict[str, tuple[ExportOption, list[str]]]:
    """All options by flag, each with the names of the exporters that take it."""
    found: dict[str, tuple[ExportOption, list[str]]] = {}
    for family in families():
        for exporter in family.exporters():
            for option in exporter.options:
                known, owners = found.setdefault(option.flag, (option, []))
                assert known == option, f"{option.flag} means two things"
                owners.append(exporter.name)
    return found


def run(arguments: argparse.Namespace) -> int:
    """Check, export, write or print."""
    from euclio.core.verifying import reasons_against
    from euclio.files import load_instance, load_result
    from euclio.files.outputs import check_outputs

    instance = load_instance(arguments.instance)
    family = family_of(instance)
    exporter = _exporter(arguments, family)
    given = _given(arguments, exporter)
    if exporter.folder:
        _check_folder(arguments.out, exporter)
    else:
        check_outputs({"--out": arguments.out}, [arguments.instance, arguments.result])
    written = load_result(arguments.result, instance, **named_code(arguments))
    instance = written.changed
    if written.plan is None:
        say(f"{arguments.result}: there is no plan to export (status {written.status.value})")
        return NO_PLAN
    reasons = reasons_against(instance, written, family.evaluate(instance, written.plan, written.space))
    if reasons:
        say(f"{arguments.result}: refused: {'; '.join(reasons)}")
        return REFUSED
    _write(exporter.files(instance, written, given), arguments.out, exporter.folder)
    caution = exporter.caution(instance, written)
    if caution:
        say(caution)
    return SOLVED


def _exporter(arguments: argparse.Namespace, family: Family) -> Exporter:
    """The exporter that is asked for.

    Raises:
        InputError: the instance's family does not have it.
    """
    for exporter in family.exporters():
        if exporter.name == arguments.to:
            return exporter
    own = family.instance.__name__.lower()
    served = joined(other.instances for other in families() if arguments.to in {e.name for e in other.exporters()})
    raise InputError(f"is a {own}; --to {arguments.to} serves {served}", file=arguments.instance)


def _given(arguments: argparse.Namespace, exporter: Exporter) -> dict[str, Any]:
    """The options that were given, by field.

    Raises:
        InputError: one that the exporter does not take, or none that it cannot do without.
    """
    values = vars(arguments)
    for flag, (_, owners) in _options().items():
        if flag in values and exporter.name not in owners:
            raise InputError(f"is an option of --to {joined(owners, 'or')}; leave it out", field=flag)
    for option in exporter.options:
        if option.missing and option.flag not in values:
            raise InputError(f"is missing; give {option.missing}", field=option.flag)
    return {option.field: values[option.flag] for option in exporter.options if option.flag in values}


def _check_folder(out: Path | None, exporter: Exporter) -> None:
    """Refuse a folder that holds something: old files would stay next to the new ones, or be lost.

    Raises:
        InputError: naming the folder.
    """
    if out is None:
        raise InputError(f"is missing; --to {exporter.name} writes several files, give a folder", field="--out")
    try:
        taken = out.exists() and (not out.is_dir() or any(out.iterdir()))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {error}; choose another folder", file=str(out), field="--out") from None
    if taken:
        raise InputError("is there and not empty; choose a new folder", file=str(out), field="--out")


def _write(files: dict[str, str], out: Path | None, folder: bool) -> None:
    """Write the files and print their paths, or print the only one."""
    from euclio.files.json_writing import write_text

    for name, text in files.items():
        if out is None:
            print(text, end="")
            continue
        path = out / name if folder else out
        if folder:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                raise InputError(f"cannot be made: {reason}; choose another folder", file=str(path.parent)) from None
        write_text(text, path)
        print(path)
