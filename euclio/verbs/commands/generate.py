"""`euclio generate`: write workloads as instances."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from textwrap import wrap

from euclio.core.errors import InputError
from euclio.core.families import families
from euclio.core.family import Family
from euclio.core.parts import Setting
from euclio.core.values import count, seed
from euclio.core.words import joined
from euclio.verbs.commands import SOLVED
from euclio.workloads.kinds import add_settings, given_settings
from euclio.workloads.populations import POPULATIONS

WIDTH, INDENT = 100, 24
"""Columns of the listing in the help, and where what is said of a name begins."""


def generate_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    known = [family for family in families() if family.kinds()]
    drawn = joined((family.instances for family in known), "or")
    parser.description = (
        f"Write seeded workloads as instances: {drawn}; prints the path of each file. KIND is a population, which has "
        "a size, a seed and a hash, or a kind of workload."
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = "\n".join(wrap(parser.description, WIDTH))
    parser.epilog = _listing(known)
    parser.add_argument("kind", metavar="KIND", help="a population or a kind of workload; both are listed below")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("instances"),
        metavar="PATH",
        help="folder, or FILE.json for one; default: instances",
    )
    parser.add_argument("--count", type=count, metavar="N", help="how many; default: 1, of a population all")
    parser.add_argument(
        "--seed", type=seed, metavar="N", help="seed of random choices; default: 0, of a population its own"
    )
    everywhere = _offered(known)
    for family in known:
        own = [setting for first, setting in everywhere.values() if first is family]
        add_settings(parser.add_argument_group(f"settings of {family.instances}"), own)


def _listing(known: list[Family]) -> str:
    """The populations and the kinds with a line each."""
    lines = ["populations (all of it, from its own seed, unless --count and --seed say otherwise):"]
    for one in POPULATIONS.values():
        lines += _lines(one.name, f"{one.about}; {one.count} {one.of}, seed {one.seed}, sha256 {one.published.short}")
    lines += ["", "kinds:"]
    for kind in (kind for family in known for kind in family.kinds()):
        lines += _lines(kind.name, kind.about)
    return "\n".join(lines)


def _lines(name: str, about: str) -> list[str]:
    """A name and what it stands for, as the help of options is laid out."""
    first, *others = wrap(about, WIDTH - INDENT) or [""]
    return [f"  {name:<{INDENT - 3}} {first}", *(" " * INDENT + line for line in others)]


def _offered(known: list[Family]) -> dict[str, tuple[Family, Setting]]:
    """The settings of all families by name, each once: the first family that takes it, and the setting."""
    found: dict[str, tuple[Family, Setting]] = {}
    for family in known:
        for name, setting in _settings(family).items():
            first, former = found.get(name, (family, setting))
            if former.help != setting.help:
                former = replace(former, help=f"{former.help}; of {family.instances}: {setting.help}")
            found[name] = first, former
    return found


def _settings(family: Family) -> dict[str, Setting]:
    """The settings of all kinds of a family, by name."""
    return {setting.name: setting for kind in family.kinds() for setting in kind.settings}


def run_generate(arguments: argparse.Namespace) -> int:
    """Generate and print the paths."""
    from euclio.workloads.generation import generate

    known = {name: setting for name, (_, setting) in _offered(list(families())).items()}
    settings = given_settings(arguments, known.values())
    try:
        paths = generate(arguments.kind, arguments.out, count=arguments.count, seed=arguments.seed, settings=settings)
    except InputError as error:
        if error.field in known:
            raise InputError(error.message, field=known[error.field].flag) from None
        raise
    for path in paths:
        print(path)
    return SOLVED
