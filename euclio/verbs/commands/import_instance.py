"""`euclio import`: write an instance, or profiles for one, made of other files; each family offers its own kinds."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.core.errors import InputError
from euclio.core.families import families
from euclio.core.parts import ProfileImporter
from euclio.core.progress import say
from euclio.core.result import Status
from euclio.verbs.commands import REFUSED, SOLVED
from euclio.verbs.commands.options import add_strict

if TYPE_CHECKING:
    from euclio.core.parts import Importer
    from euclio.core.values import Verbs


def import_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = "Write an instance, or profiles for one, made of measurements in other files."
    kinds = parser.add_subparsers(title="kinds of files", metavar="KIND", dest="kind", required=True)
    for family in families():
        for importer in family.importers():
            if isinstance(importer, ProfileImporter):
                _add_profile_importer(kinds, importer)
            else:
                _add_importer(kinds, importer)


def _add_profile_importer(kinds: Verbs, importer: ProfileImporter) -> None:
    parser = kinds.add_parser(importer.name, help=importer.help, description=importer.description, allow_abbrev=False)
    importer.add_options(parser)
    add_profile_outputs(parser)
    add_strict(parser)
    parser.set_defaults(run=partial(run_profiles, importer))


def add_profile_outputs(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where profiles go."""
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="CSV file for the profile")
    parser.add_argument("--append", action="store_true", help="add to the profiles that --out has, if it is there")


def run_profiles(importer: ProfileImporter, arguments: argparse.Namespace) -> int:
    """Read, write the profiles, print the path."""
    from euclio.files.json_writing import check_outputs
    from euclio.workloads.session.server_importers import write_profiles

    given = [getattr(arguments, name) for name in importer.reads]
    check_outputs(
        {"--out": arguments.out}, [path for one in given for path in (one if isinstance(one, list) else [one])]
    )
    module, profile = importer.read(arguments)
    write_profiles(module, profile, arguments.out, arguments.append)
    print(arguments.out)
    return SOLVED


def _add_importer(kinds: Verbs, importer: Importer) -> None:
    parser = kinds.add_parser(importer.name, help=importer.help, description=importer.description, allow_abbrev=False)
    importer.add_options(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="file for the instance")
    add_strict(parser)
    if importer.plans:
        parser.add_argument("--plan", type=Path, metavar="FILE", help=importer.plans)
        parser.add_argument("--plan-out", type=Path, metavar="FILE", help="file for the plan as a result, checked")
    parser.set_defaults(run=partial(run_import, importer))


def run_import(importer: Importer, arguments: argparse.Namespace) -> int:
    """Import, write, print the paths."""
    from euclio.files import save_instance, save_result
    from euclio.files.json_writing import check_outputs

    plan, plan_out = (getattr(arguments, name, None) for name in ("plan", "plan_out"))
    if (plan is None) != (plan_out is None):
        raise InputError("go together: the plan, and the file for it as a result", field="--plan and --plan-out")
    check_outputs(
        {"--out": arguments.out, "--plan-out": plan_out}, [getattr(arguments, name) for name in importer.reads]
    )
    instance, result = importer.read(arguments)
    save_instance(instance, arguments.out)
    print(arguments.out)
    if result is None:
        return SOLVED
    assert plan_out is not None
    save_result(result, instance, plan_out)
    print(plan_out)
    if result.status is Status.ERROR:
        say(f"{plan}: {result.reason}")
        return REFUSED
    return SOLVED
