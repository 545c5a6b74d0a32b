"""`euclio generate`: write workloads as instances."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.commands.arguments import count, names, positive, seconds, seed
from euclio.commands.cluster_options import add_cluster_options
from euclio.commands.exit_codes import SOLVED

if TYPE_CHECKING:
    from euclio.commands.arguments import Verbs


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
    parser.add_argument("--tightness", type=positive, metavar="X", help="where the SLO lies between least and most")
    parser.add_argument(
        "--models", type=names, metavar="A,B", help="models of published profiles, or those that a cluster serves"
    )
    parser.add_argument("--gpus", type=names, metavar="A,B", help="GPUs of published profiles")
    _add_pipeline_options(parser)
    parser.set_defaults(run=run)


def _add_pipeline_options(parser: argparse.ArgumentParser) -> None:
    options = parser.add_argument_group("pipelines", "clusters with synthetic models as in PPipe")
    add_cluster_options(options)
    options.add_argument("--group", type=count, metavar="N", help="group of three models, 1 to 6; default: all six")
    options.add_argument("--blocks", type=count, default=10, metavar="N", help="blocks of a model; default: 10")
    options.add_argument("--layers", type=count, metavar="N", help="layers of every model; default: its own number")


def run(arguments: argparse.Namespace) -> int:
    """Generate and print the paths."""
    from euclio.workloads.commands import generate
    from euclio.workloads.pipelines.commands import PipelineOptions

    paths = generate(
        arguments.kind,
        arguments.out,
        count=arguments.count,
        seed=arguments.seed,
        application=arguments.application,
        rate=arguments.rate,
        slo=arguments.slo,
        modules=arguments.modules,
        tightness=arguments.tightness,
        models=arguments.models and list(arguments.models),
        gpus=arguments.gpus and list(arguments.gpus),
        pipelines=PipelineOptions(**{name: getattr(arguments, name) for name in PipelineOptions.__slots__}),
    )
    for path in paths:
        print(path)
    return SOLVED
