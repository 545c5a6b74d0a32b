"""`euclio generate`: write workloads as instances."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from textwrap import wrap
from typing import Any, TypedDict, Unpack

from euclio.core.errors import InputError
from euclio.core.families import families
from euclio.core.family import Family
from euclio.core.numbers import Number
from euclio.core.parameters import Group, Parameter
from euclio.core.parts import Setting
from euclio.core.progress import waiting
from euclio.core.values import count as read_count
from euclio.core.values import file_path, read
from euclio.core.values import seed as read_seed
from euclio.core.words import joined
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import SOLVED
from euclio.verbs.interface.verb import verb
from euclio.workloads.generation import draw_instances, write_instances
from euclio.workloads.generation import generate as write
from euclio.workloads.populations import POPULATIONS

WIDTH, INDENT = 100, 24
"""Columns of the listing in the help, and where what is said of a name begins."""

Varied = Number | Sequence[Number] | None
"""A number, or a list of numbers, each of which instances are drawn with."""
Names = str | Iterable[str] | None


class GenerateKeywords(TypedDict, total=False):
    """Settings of kinds of instances, each of some kinds; `euclio generate --help` says which mean what."""

    application: Names
    rate: Varied
    slo: Varied
    modules: Varied
    tightness: Varied
    configurations: Varied
    hardware: Varied
    concurrency: Varied
    shape: Names
    models: Names
    gpus: Names
    library: Names
    cluster: Names
    high: Varied
    low: Varied
    group: Varied
    slo_scale: Varied
    margin: Varied
    blocks: Varied
    layers: Varied
    max_partitions: Varied
    fragments: Varied
    model: Names
    clients: Varied
    tx2: Varied
    slo_ratio: Varied
    bandwidth: Names
    trace: str | Path | None
    gpu_memory_mb: Varied
    instance_memory_mb: Varied
    gpu_instances: Varied


def settings_by_name() -> dict[str, Setting]:
    """The settings of all kinds, by name."""
    return {name: setting for name, (_, setting) in _offered().items()}


def _offered() -> dict[str, tuple[Family, Setting]]:
    """The settings of all families by name, each once: the first family that takes it, and the setting."""
    found: dict[str, tuple[Family, Setting]] = {}
    for family in families():
        for name, setting in {own.name: own for kind in family.kinds() for own in kind.settings}.items():
            first, former = found.get(name, (family, setting))
            if former.help != setting.help:
                former = replace(former, help=f"{former.help}; of {family.instances}: {setting.help}")
            found[name] = first, former
    return found


def settings_of_kinds() -> Iterator[Group]:
    """The settings of kinds, in a group for each family."""
    for family in families():
        own = tuple(setting.parameter for first, setting in _offered().values() if first is family)
        if own:
            yield Group(f"settings of {family.instances}", "", own)


@verb(
    Parameter("--count", parse=read_count, metavar="N"),
    Parameter("--seed", parse=read_seed, metavar="N"),
    settings_of_kinds,
    typed=GenerateKeywords,
)
def generate(
    kind: str,
    out: str | Path | None = None,
    *,
    count: Number | None = None,
    seed: Number | None = None,
    **settings: Unpack[GenerateKeywords],
) -> list[Any]:
    """Draw instances, as `euclio generate` writes them; equal arguments give equal instances.

    Args:
        kind: a population, or a kind of workload, such as "application", "random" or "pipelines"; a wrong one lists
            them all.
        out: also write them: a folder, or with a name ending in .json the file of a single instance.
        count: number of instances; None means 1, for a population all.
        seed: seed of random choices; None means 0, for a population its own.
        **settings: settings of the kind, such as `application`, `rate`, `slo`, `models`. A list of values gives one
            instance for each (a list of lists if a value is a list).

    Returns:
        The instances.

    Raises:
        InputError: an unknown kind, a setting that it does not take, one that is missing, or a wrong value.
    """
    asked: dict[str, Any] = {"count": count, "seed": seed}
    chosen = {name: value for name, value in asked.items() if value is not None}
    known = settings_by_name()
    given = {name: _plain(known[name], value) for name, value in settings.items() if value is not None}
    with waiting("drawing instances"):
        drawn = list(draw_instances(kind, **chosen, settings=given))
    if out is not None:
        write_instances(drawn, Path(out))
    return drawn


def _plain(setting: Setting, value: Any) -> Any:
    """The plain value of a setting, as an experiment file has it."""
    if isinstance(value, str):
        value = read(setting.text, value, setting.flag)
    if isinstance(value, Path | Fraction):
        return str(value) if isinstance(value, Path) else float(value)
    return list(value) if isinstance(value, tuple) else value


def _listing() -> str:
    """The populations and the kinds with a line each."""
    lines = ["populations (all of it, from its own seed, unless --count and --seed say otherwise):"]
    for one in POPULATIONS.values():
        lines += _lines(one.name, f"{one.about}; {one.count} {one.of}, seed {one.seed}, sha256 {one.published.short}")
    lines += ["", "kinds:"]
    for kind in (kind for family in families() for kind in family.kinds()):
        lines += _lines(kind.name, kind.about)
    return "\n".join(lines)


def _lines(name: str, about: str) -> list[str]:
    """A name and what it stands for, as the help of options is laid out."""
    first, *others = wrap(about, WIDTH - INDENT) or [""]
    return [f"  {name:<{INDENT - 3}} {first}", *(" " * INDENT + line for line in others)]


def _about() -> str:
    """The description of the output, in lines of the help's width."""
    drawn = joined((family.instances for family in families() if family.kinds()), "or")
    about = (
        f"Write seeded workloads as instances: {drawn}; prints the path of each file. KIND is a population, which has "
        "a size, a seed and a hash, or a kind of workload."
    )
    return "\n".join(wrap(about, WIDTH))


@command(
    generate,
    Parameter("kind", help="a population or a kind of workload; both are listed below", metavar="KIND"),
    Parameter(
        "--out",
        help="folder, or FILE.json for one; default: instances",
        parse=file_path,
        metavar="PATH",
        details={"default": Path("instances")},
    ),
    about=_about,
    page="howto/workload.md",
    examples=("euclio generate chain --count 3 --out instances",),
    ending=_listing,
)
def print_generated(arguments: Namespace) -> int:
    """Generate and print the paths."""
    settings, known = dict(arguments.keywords), settings_by_name()
    own = {name: settings.pop(name, None) for name in ("count", "seed")}
    given = {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}
    try:
        paths = write(arguments.kind, arguments.out, settings=given, **own)
    except InputError as error:
        if error.field in known:
            raise InputError(error.message, field=known[error.field].flag) from None
        raise
    for path in paths:
        print(path)
    return SOLVED
