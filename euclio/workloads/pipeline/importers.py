"""`euclio import ppipe`: clusters and plans made of the files of PPipe's published artifact."""

from __future__ import annotations

import argparse
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.core.numbers import exact
from euclio.core.parameters import Parameter
from euclio.core.parts import Imported, Importer
from euclio.core.result import Answer, AnyResult
from euclio.core.solver import Limits
from euclio.core.solving import check
from euclio.core.values import NOT_NEGATIVE, file_path, names, numbers, positive
from euclio.core.words import full
from euclio.files.boundary import at
from euclio.files.json_reading import read_json
from euclio.problems.pipeline.instance import Cluster
from euclio.problems.pipeline.plan import Partition, Pipeline, PipelinePlan
from euclio.problems.pipeline.space import PipelineSpace
from euclio.workloads.pipeline.artifact_blocks import artifact_cluster, listed_models
from euclio.workloads.pipeline.assembly import Terms
from euclio.workloads.pipeline.instances import PipelineOptions
from euclio.workloads.pipeline.kinds import TERMS
from euclio.workloads.pipeline.setups import find_setup, with_counts

# Read the plans of PPipe's published artifact (``data/plans``): one JSON list, one entry per model.
#
# An entry has ``pipelines``, each with ``partitions`` in order: ``dnn``, ``layers`` (first block, and the one after the
# last), ``gpu``, ``mps`` (0 for a whole GPU, v - 1 for the v-th part), ``bs`` (batch) and ``num_gpu`` (physical GPUs,
# fractions of them where they are divided).

UNEVEN = 1e-3
"""The solver behind the plans counts GPUs in floating point; virtual ones are whole within this."""


def artifact_plan(path: Path, cluster: Cluster) -> PipelinePlan:
    """The plan of a file for a cluster; whether it keeps the cluster's limits is the checker's to say.

    Args:
        path: the plan's file.
        cluster: the instance that it was made for.

    Raises:
        InputError: a field is missing or malformed, or a model is not in the cluster.
    """
    file = str(path)
    entries = read_json(path)
    known = {model.name for model in cluster.models}
    pipelines = []
    for i, entry in enumerate(_list(entries, "plan", file)):
        for j, pipeline in enumerate(_list(_get(entry, "pipelines", f"[{i}]", file), f"[{i}].pipelines", file)):
            where = f"[{i}].pipelines[{j}].partitions"
            partitions = _list(_get(pipeline, "partitions", f"[{i}].pipelines[{j}]", file), where, file)
            names = {str(_get(p, "dnn", f"{where}[{k}]", file)) for k, p in enumerate(partitions)}
            if len(names) != 1 or not names <= known:
                raise InputError(
                    f"names {', '.join(sorted(names)) or 'no model'}; the cluster serves {', '.join(sorted(known))}",
                    file=file,
                    field=where,
                )
            found = tuple(_partition(p, f"{where}[{k}]", file) for k, p in enumerate(partitions))
            pipelines.append(Pipeline(names.pop(), found))
    return PipelinePlan(tuple(pipelines))


def _partition(entry: Any, where: str, file: str) -> Partition:
    layers = _list(_get(entry, "layers", where, file), f"{where}.layers", file)
    if len(layers) != 2:
        raise InputError("must be the first block and the one after the last", file=file, field=f"{where}.layers")
    first, end = (_whole(x, f"{where}.layers", file) for x in layers)
    share = _whole(_get(entry, "mps", where, file), f"{where}.mps", file) + 1
    virtual = _number(_get(entry, "num_gpu", where, file), f"{where}.num_gpu", file) * share
    if abs(virtual - round(virtual)) > UNEVEN:
        raise InputError(
            f"times {share} is {full(virtual)}; virtual GPUs are whole", file=file, field=f"{where}.num_gpu"
        )
    batch = _whole(_get(entry, "bs", where, file), f"{where}.bs", file)
    return Partition(str(_get(entry, "gpu", where, file)), share, round(virtual), first, end - 1, batch)


def _get(entry: Any, key: str, where: str, file: str) -> Any:
    if not isinstance(entry, dict) or key not in entry:
        raise InputError(f"has no {key!r}; is this a plan of the artifact?", file=file, field=where)
    return entry[key]


def _list(value: Any, field: str, file: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError("must be a list; is this a plan of the artifact?", file=file, field=field)
    return value


def _number(value: Any, field: str, file: str) -> float:
    with at(field, file):
        return NOT_NEGATIVE.read(value)


def _whole(value: Any, field: str, file: str) -> int:
    number = _number(value, field, file)
    if number != int(number):
        raise InputError(f"is {value}; it must be a whole number", file=file, field=field)
    return int(number)


def _read(arguments: argparse.Namespace) -> Imported:
    cluster = _cluster(arguments)
    return Imported(cluster, None if arguments.plan is None else _checked_plan(cluster, arguments.plan))


def _cluster(arguments: argparse.Namespace) -> Cluster:
    models = arguments.models
    if models is None:
        known = ", ".join(listed_models(arguments.folder))
        raise InputError(f"is missing; the artifact lists {known}", field="--models")
    weights = arguments.weights or (1,) * len(models)
    if len(weights) != len(models):
        raise InputError(f"names {len(weights)} weights for {len(models)} models; give one each", field="--weights")
    options = PipelineOptions(**_terms(arguments))
    setup = with_counts(find_setup(options.cluster), options.high, options.low)
    if arguments.bandwidth is not None:
        setup = replace(setup, bandwidth_gbps=exact(arguments.bandwidth))
    terms = Terms(options.slo_scale, options.margin, options.max_partitions)
    return artifact_cluster(arguments.folder, setup, models, [Fraction(exact(w)) for w in weights], terms)


def _terms(arguments: argparse.Namespace) -> dict[str, Any]:
    """The terms that were given, by name."""
    given = vars(arguments)
    return {one.name: given[one.name] for one in TERMS if given.get(one.name) is not None}


def _checked_plan(cluster: Cluster, plan: Path) -> AnyResult:
    """A plan of the artifact as a checked result."""
    answer = Answer(artifact_plan(plan, cluster), "published")
    return check(cluster, "ppipe-artifact", PipelineSpace(), Limits(), answer, 0.0)


ARTIFACT = (
    Parameter(
        "folder",
        help="folder of the artifact, the one with `data` in it, or a table of its blocks (CSV)",
        parse=file_path,
        metavar="DIR",
    ),
    Parameter("--models", help="models served together; without it: lists them", parse=names, metavar="A,B"),
    Parameter("--weights", help="their parts of the load; default: 1 each", parse=numbers, metavar="X,Y"),
    *(setting.parameter for setting in TERMS),
    Parameter("--bandwidth", help="Gbit/s of a link; default: the setup's", parse=positive, metavar="G"),
)

IMPORTERS = (
    Importer(
        "ppipe",
        "a cluster made of the files of PPipe's published artifact",
        "Write a cluster made of the block timings and transfer sizes of PPipe's published artifact, and one of its "
        "plans as a result; prints the path of each file.",
        ARTIFACT,
        _read,
        reads=("folder", "plan"),
        plans="plan of the artifact for this cluster",
    ),
)
