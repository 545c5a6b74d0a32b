"""`euclio import ppipe`: clusters and plans made of the files of PPipe's published artifact."""

from __future__ import annotations

import argparse
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from euclio.core.errors import InputError
from euclio.core.parts.files import Imported, Importer
from euclio.core.result import AnyResult
from euclio.core.values import names, numbers, positive
from euclio.problems.pipeline.instance import Cluster
from euclio.workloads.pipeline.kinds import TERMS
from euclio.workloads.settings import add_settings, given_settings


def _add_options(parser: argparse.ArgumentParser) -> None:
    folder = "folder of the artifact, the one with `data` in it, or a table of its blocks (CSV)"
    parser.add_argument("folder", type=Path, metavar="DIR", help=folder)
    parser.add_argument("--models", type=names, metavar="A,B", help="models served together; without it: lists them")
    parser.add_argument("--weights", type=numbers, metavar="X,Y", help="their parts of the load; default: 1 each")
    add_settings(parser, TERMS)
    parser.add_argument("--bandwidth", type=positive, metavar="G", help="Gbit/s of a link; default: the setup's")


def _read(arguments: argparse.Namespace) -> Imported:
    cluster = _cluster(arguments)
    return Imported(cluster, None if arguments.plan is None else _checked_plan(cluster, arguments.plan))


def _cluster(arguments: argparse.Namespace) -> Cluster:
    from euclio.core.numbers import exact
    from euclio.workloads.pipeline.artifact_blocks import artifact_cluster, listed_models
    from euclio.workloads.pipeline.assembly import Terms
    from euclio.workloads.pipeline.instances import PipelineOptions
    from euclio.workloads.pipeline.setups import find_setup, with_counts

    models = arguments.models
    if models is None:
        known = ", ".join(listed_models(arguments.folder))
        raise InputError(f"is missing; the artifact lists {known}", field="--models")
    weights = arguments.weights or (1,) * len(models)
    if len(weights) != len(models):
        raise InputError(f"names {len(weights)} weights for {len(models)} models; give one each", field="--weights")
    options = PipelineOptions(**given_settings(arguments, TERMS))
    setup = with_counts(find_setup(options.cluster), options.high, options.low)
    if arguments.bandwidth is not None:
        setup = replace(setup, bandwidth_gbps=exact(arguments.bandwidth))
    terms = Terms(options.slo_scale, options.margin, options.max_partitions)
    return artifact_cluster(arguments.folder, setup, models, [Fraction(exact(w)) for w in weights], terms)


def _checked_plan(cluster: Cluster, plan: Path) -> AnyResult:
    """A plan of the artifact as a checked result."""
    from euclio.core.result import Answer
    from euclio.core.solver import Limits
    from euclio.core.solving import check
    from euclio.problems.pipeline import PipelineSpace
    from euclio.workloads.pipeline.artifact_plans import artifact_plan

    answer = Answer(artifact_plan(plan, cluster), "published")
    return check(cluster, "ppipe-artifact", PipelineSpace(), Limits(), answer, 0.0)


IMPORTERS = (
    Importer(
        "ppipe",
        "a cluster made of the files of PPipe's published artifact",
        "Write a cluster made of the block timings and transfer sizes of PPipe's published artifact, and one of its "
        "plans as a result; prints the path of each file.",
        _add_options,
        _read,
        reads=("folder", "plan"),
        plans="plan of the artifact for this cluster",
    ),
)
