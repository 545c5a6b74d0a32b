"""`euclio generate`: write workloads as instances."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.commands.cluster_options import add_cluster_options
from euclio.commands.exit_codes import SOLVED
from euclio.core.arguments import count, names, positive, seconds, seed
from euclio.core.errors import InputError

if TYPE_CHECKING:
    from euclio.core.arguments import Verbs

SETTINGS = (
    *("application", "rate", "slo", "modules", "tightness", "models", "gpus"),
    *("configurations", "hardware", "concurrency", "shape"),
    *("cluster", "high", "low", "slo_scale", "margin", "max_partitions", "group", "blocks", "layers"),
)
"""Options that are settings of a kind of instance (`euclio.workloads.kinds`), by name."""


def add_to(verbs: Verbs) -> None:
    """Add the verb to the command."""
    parser = verbs.add_parser(
        "generate",
        help="write workloads as instances",
        description="Write seeded workloads as instances, sessions or clusters; prints the path of each file.",
        allow_abbrev=False,
    )
    parser.add_argument("kind", metavar="KIND", help="kind of workload; a wrong one lists them all")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("instances"),
        metavar="PATH",
        help="folder, or FILE.json for one; default: instances",
    )
    parser.add_argument("--count", type=count, default=1, metavar="N", help="how many; default: 1")
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="seed of random choices; default: 0")
    parser.add_argument("--application", metavar="NAME", help="application: traffic, face, pose, caption or actdet")
    parser.add_argument("--rate", type=positive, metavar="R", help="request rate in requests per second")
    parser.add_argument("--slo", type=seconds, metavar="S", help="latency objective in seconds")
    parser.add_argument("--modules", type=count, metavar="N", help="modules per session")
    parser.add_argument(
        "--tightness", type=positive, metavar="X", help="SLO between least (0) and most useful latency (1)"
    )
    parser.add_argument("--configurations", type=count, metavar="N", help="most configurations of a random module")
    parser.add_argument("--hardware", type=count, metavar="N", help="hardware types of a random session")
    parser.add_argument("--concurrency", type=count, metavar="N", help="largest concurrency of a random session")
    parser.add_argument("--shape", metavar="NAME", help="shape of a random session; a wrong one lists them all")
    parser.add_argument(
        "--models", type=names, metavar="A,B", help="models of published profiles, or those that a cluster serves"
    )
    parser.add_argument("--gpus", type=names, metavar="A,B", help="GPUs of published profiles")
    _add_pipeline_options(parser)
    # What is not given is not told, so that an option that the kind does not take can be refused.
    parser.set_defaults(run=run, **dict.fromkeys(SETTINGS))


def _add_pipeline_options(parser: argparse.ArgumentParser) -> None:
    options = parser.add_argument_group("pipelines", "clusters with synthetic models as in PPipe")
    add_cluster_options(options)
    options.add_argument("--group", type=count, metavar="N", help="group of three models, 1 to 6; default: all six")
    options.add_argument("--blocks", type=count, metavar="N", help="blocks of a model; default: 10")
    options.add_argument("--layers", type=count, metavar="N", help="layers of every model; default: its own number")


def run(arguments: argparse.Namespace) -> int:
    """Generate and print the paths."""
    from euclio.workloads.commands import generate

    given = {name: getattr(arguments, name) for name in SETTINGS if getattr(arguments, name) is not None}
    settings = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
    try:
        paths = generate(arguments.kind, arguments.out, count=arguments.count, seed=arguments.seed, settings=settings)
    except InputError as error:
        if error.field in SETTINGS:
            raise InputError(error.message, field=f"--{error.field.replace('_', '-')}") from None
        raise
    for path in paths:
        print(path)
    return SOLVED
