"""`euclio import`: write an instance made of other files, of a published artifact or one's own profiles."""

from __future__ import annotations

import argparse
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.commands import import_csv
from euclio.commands.cluster_options import add_cluster_options, numbers
from euclio.commands.exit_codes import REFUSED, SOLVED
from euclio.core.arguments import names, positive
from euclio.core.errors import InputError
from euclio.core.saying import say

if TYPE_CHECKING:
    from euclio.core.arguments import Verbs
    from euclio.core.result import AnyResult
    from euclio.pipeline import Cluster


def add_to(verbs: Verbs) -> None:
    """Add the verb to the command."""
    parser = verbs.add_parser(
        "import",
        help="write an instance made of profiles in other files",
        description="Write an instance made of measured profiles in other files.",
        allow_abbrev=False,
    )
    kinds = parser.add_subparsers(title="kinds of files", metavar="KIND", dest="kind", required=True)
    import_csv.add_to(kinds)
    _add_ppipe(kinds)


def _add_ppipe(kinds: Verbs) -> None:
    parser = kinds.add_parser(
        "ppipe",
        help="a cluster made of the files of PPipe's published artifact",
        description="Write a cluster made of the block timings and transfer sizes of PPipe's published artifact, and "
        "one of its plans as a result; prints the path of each file.",
        allow_abbrev=False,
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder of the artifact, the one with `data` in it")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="file for the cluster")
    parser.add_argument("--models", type=names, metavar="A,B", help="models served together; without it: lists them")
    parser.add_argument("--weights", type=numbers, metavar="X,Y", help="their parts of the load; default: 1 each")
    add_cluster_options(parser)
    parser.add_argument("--bandwidth", type=positive, metavar="G", help="Gbit/s of a link; default: the setup's")
    parser.add_argument("--plan", type=Path, metavar="FILE", help="plan of the artifact for this cluster")
    parser.add_argument("--plan-out", type=Path, metavar="FILE", help="file for the plan as a result, checked")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Import, write, print the paths."""
    from euclio.core.result import Status
    from euclio.files import save_cluster, save_result
    from euclio.files.outputs import check_outputs

    if (arguments.plan is None) != (arguments.plan_out is None):
        raise InputError("go together: the plan, and the file for it as a result", field="--plan and --plan-out")
    check_outputs({"--out": arguments.out, "--plan-out": arguments.plan_out}, [arguments.folder, arguments.plan])
    cluster = _cluster(arguments)
    result = None if arguments.plan is None else _checked_plan(cluster, arguments.plan)
    save_cluster(cluster, arguments.out)
    print(arguments.out)
    if result is None:
        return SOLVED
    save_result(result, cluster, arguments.plan_out)
    print(arguments.plan_out)
    if result.status is Status.ERROR:
        say(f"{arguments.plan}: {result.reason}")
        return REFUSED
    return SOLVED


def _cluster(arguments: argparse.Namespace) -> Cluster:
    from euclio.core.numbers import exact
    from euclio.pipeline.workloads.artifact import artifact_cluster, artifact_models
    from euclio.pipeline.workloads.assembly import Terms
    from euclio.pipeline.workloads.setups import find_setup, with_counts

    models = arguments.models
    if models is None:
        known = ", ".join(artifact_models(arguments.folder))
        raise InputError(f"is missing; the artifact lists {known}", field="--models")
    weights = arguments.weights or (1,) * len(models)
    if len(weights) != len(models):
        raise InputError(f"names {len(weights)} weights for {len(models)} models; give one each", field="--weights")
    setup = with_counts(find_setup(arguments.cluster), arguments.high, arguments.low)
    if arguments.bandwidth is not None:
        setup = replace(setup, bandwidth_gbps=exact(arguments.bandwidth))
    terms = Terms(arguments.slo_scale, arguments.margin, arguments.max_partitions)
    return artifact_cluster(arguments.folder, setup, models, [Fraction(exact(w)) for w in weights], terms)


def _checked_plan(cluster: Cluster, plan: Path) -> AnyResult:
    """A plan of the artifact as a checked result."""
    from euclio.core.registry import Limits
    from euclio.core.result import Answer
    from euclio.core.solving import check
    from euclio.pipeline import PipelineSpace
    from euclio.pipeline.workloads.artifact_plans import artifact_plan

    answer = Answer(artifact_plan(plan, cluster), "published")
    return check(cluster, "ppipe-artifact", PipelineSpace(), Limits(), answer, 0.0)
