"""`euclio export`: write a plan in the formats of serving systems; each family offers its own."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.core.families import families
from euclio.core.words import joined
from euclio.verbs.calling import keyword_of
from euclio.verbs.commands.exit_codes import SOLVED
from euclio.verbs.commands.families import an_instance
from euclio.verbs.commands.named_code import add_named_code, named_code
from euclio.verbs.keywords import exporter_options


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
    for option, owners in exporter_options().values():
        details: dict[str, Any] = {"type": option.parse, "metavar": option.metavar, "default": argparse.SUPPRESS}
        parser.add_argument(option.flag, dest=option.flag, help=f"of {joined(owners)}: {option.help}", **details)


def run(arguments: argparse.Namespace) -> int:
    """Check, export, write or print."""
    from euclio.files import load_instance
    from euclio.files.json_writing import check_outputs
    from euclio.verbs import export
    from euclio.verbs.exporting import check_folder, export_options, exporter_of, takes_folder
    from euclio.verbs.opened import Opened

    given = Opened(load_instance(arguments.instance), arguments.instance)
    exporter, keywords = exporter_of(given, arguments.to), _given(arguments)
    export_options(exporter, keywords)
    folder = exporter.folder or (arguments.out is not None and takes_folder(exporter, arguments.out))
    if not folder:
        check_outputs({"--out": arguments.out}, [arguments.instance, arguments.result])
    elif arguments.out is None:
        raise InputError(f"is missing; --to {exporter.name} writes several files, give a folder", field="--out")
    else:
        check_folder(arguments.out)
    coded: Any = {**keywords, **named_code(arguments)}
    files = export(given, arguments.result, to=arguments.to, out=arguments.out, **coded)
    for name, text in files.items():
        if arguments.out is None:
            print(text, end="")
        else:
            print(arguments.out / name if folder else arguments.out)
    return SOLVED


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of exporters that were given, as keywords."""
    given = vars(arguments)
    return {keyword_of(flag): given[flag] for flag in exporter_options() if flag in given}
