"""Measurements of Triton's model-analyzer: `metrics-model-inference.csv`, or a checkpoint (`*.ckpt`, which is JSON).

The columns of the CSV can be configured, so they are found by their names: `Model`, `Batch`, `Concurrency`, `Instance
Group` (such as `5:GPU`), `Throughput (infer/sec)`, and where they are there `Model Config Path`, `Max Batch Size` and
the three `Server Compute ... time (ms)`. A checkpoint has all of it, whether dynamic batching was on, and the memory in
use on the GPU.

A server whose largest batch is less than two requests cannot put requests together, nor can one without dynamic
batching; of others the times have to show it. `euclio.workloads.session.served` explains how a duration is read. Of
several model configurations with the same batch and instances the one with the highest rate counts. Measurements that
say nothing of one batch size on one machine are left out, which is said with the reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.core.numbers import exact
from euclio.core.words import counted, listed
from euclio.files.json_reading import read_json
from euclio.workloads.session.csv_rows import Row, at_line, positive_cell, rows_of, whole_cell
from euclio.workloads.session.served import Derived, Point, Server, derive

JSON_SUFFIXES = (".ckpt", ".json")
MODEL, BATCH, CLIENTS, GROUP, RATE = "Model", "Batch", "Concurrency", "Instance Group", "Throughput (infer/sec)"
CONFIG, LARGEST = "Model Config Path", "Max Batch Size"
COMPUTE = tuple(f"Server Compute {step} time (ms)" for step in ("Input", "Infer", "Output"))
FIELDS = {
    MODEL: "model_name",
    BATCH: "batch_size",
    CLIENTS: "concurrency",
    GROUP: "instance_group",
    RATE: "perf_throughput",
}
"""Columns that are needed, with what asks for them in model-analyzer's `inference_output_fields`."""
TAGS = tuple(f"perf_server_compute_{step}" for step in ("input", "infer", "output"))
MEMORY_TAG = "gpu_used_memory"
ROUNDED_MS = Fraction(1, 10)
"""The CSV rounds times to this. Three of them are wrong by 0.15 ms at most, which is 5 % of 3 ms: shorter times tell
nothing of how busy instances were."""
LEAST_TIMES_MS = 30 * ROUNDED_MS
MS_PER_S = 1000

ZERO = ("0", "0.0")

ONE_GROUP = re.compile(r"([1-9]\d{0,5})[:/](?:GPU|CPU)")
"""One group of instances, as it is written now and was written at first."""

COMPOSING = ("_ensemble_composing_configs", "_composing_configs", "_composing_config_variants")
"""Where a checkpoint lists the models of an ensemble, in one version or another."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A measurement of one model on one machine.

    Attributes:
        model: name of the model.
        variant: name of its configuration.
        server: the server.
        point: load and rate.
    """

    model: str
    variant: str
    server: Server
    point: Point


@dataclass(frozen=True, slots=True)
class Found:
    """Configurations of one model.

    Attributes:
        model: its name.
        derived: one per batch and number of instances, in ascending order.
        left_out: reasons why model configurations and measurements were left out, each with a count.
    """

    model: str
    derived: tuple[Derived, ...]
    left_out: tuple[str, ...]


def derive_all(file: str, model: str | None, hardware: str, *, never_batches: bool) -> Found:
    """The configurations of one model in a file.

    Args:
        file: path of the CSV or the checkpoint.
        model: its name; None if the file has one only.
        hardware: name of the machine type.
        never_batches: whether the servers are known to have had no dynamic batching.

    Raises:
        InputError: naming file, line or field, and remedy; also where nothing is left that a duration can be read from.
    """
    measured, left_out = _read(file)
    name = _chosen([one.model for one in measured], model, left_out, file)
    variants: dict[tuple[str, Server], list[Point]] = {}
    for one in measured:
        if one.model == name:
            server = Server(one.server.batch, one.server.instances, False) if never_batches else one.server
            variants.setdefault((one.variant, server), []).append(one.point)
    best: dict[tuple[int, int], Derived] = {}
    refused: dict[str, list[str]] = {}
    for (variant, server), points in variants.items():
        try:
            derived = derive(server, points, hardware)
        except InputError as error:
            refused.setdefault(error.message, []).append(variant)
            continue
        key = (server.batch, server.instances)
        if key not in best or derived.point.rate > best[key].point.rate:
            best[key] = derived
    reasons = (
        *(f"{listed(dict.fromkeys(variants), 2)} left out: {why}" for why, variants in refused.items()),
        *left_out,
    )
    if not best:
        raise InputError(listed(reasons, 2), file=file)
    return Found(name, tuple(best[key] for key in sorted(best)), reasons)


def _chosen(models: Sequence[str], wanted: str | None, left_out: Sequence[str], file: str) -> str:
    known = list(dict.fromkeys(models))
    if not known:
        raise InputError(f"has no measurement that can be used: {listed(left_out or ('none',), 2)}", file=file)
    if wanted is None and len(known) > 1:
        raise InputError(f"is missing; {file} has {listed(known)}", field="--model")
    if wanted is not None and wanted not in known:
        raise InputError(f"is {wanted!r}; {file} has {listed(known)}", field="--model")
    return wanted or known[0]


def _read(file: str) -> tuple[list[Measured], tuple[str, ...]]:
    """The measurements in a file that can be used, and why others are left out, with how many of them."""
    measured = []
    left_out: Counter[str] = Counter()
    for read in _checkpoint(file) if Path(file).suffix.lower() in JSON_SUFFIXES else _csv(file):
        try:
            measured.append(read())
        except _LeftOutError as reason:
            left_out[str(reason)] += 1
    return measured, tuple(f"{counted(n, 'measurement')} left out: {why}" for why, n in left_out.items())


def _may_batch(largest: int | None, batch: int) -> bool | None:
    """Whether a server puts requests together: False if two do not fit in its largest batch, else not known.

    A largest batch of 0 is that of a model without a batch dimension.
    """
    return False if largest is not None and largest < 2 * batch else None


def _csv(file: str) -> Iterator[Callable[[], Measured]]:
    """A reader of each line of a table."""
    for line, cells in rows_of(file, "model-analyzer", lambda row, line: _check_columns(row, line, file)):
        yield partial(_row, cells, line, file)


class _LeftOutError(Exception):
    """A measurement says nothing of one batch size of one model on one machine, and why."""


def _check_columns(row: list[str], line: int, file: str) -> None:
    if "Request Rate" in row and CLIENTS not in row:
        message = "gives Request Rate: how many requests were outstanding is not known; search over concurrency"
        raise at_line(line, message, file)
    for column, field in FIELDS.items():
        if column not in row:
            message = f"lacks column {column!r}; add {field} to inference_output_fields of model-analyzer"
            raise at_line(line, message, file)


def _row(cells: Row, line: int, file: str) -> Measured:
    for column in (BATCH, CLIENTS, RATE):
        if "," in cells[column]:
            raise _LeftOutError("several models were measured together")
    batch = whole_cell(cells[BATCH], BATCH, line, file)
    largest = whole_cell(cells[LARGEST], LARGEST, line, file) if LARGEST in cells else None
    group = ONE_GROUP.fullmatch(cells[GROUP])
    if group is None:
        raise _LeftOutError(f"instance group {cells[GROUP]!r} is not one of GPU or of CPU")
    server = Server(batch, int(group[1]), _may_batch(largest, batch))
    rate = Fraction(positive_cell(cells[RATE], RATE, line, file))
    point = Point(whole_cell(cells[CLIENTS], CLIENTS, line, file), rate, _compute_s(cells, line, file))
    return Measured(cells[MODEL], cells.get(CONFIG, cells[MODEL]), server, point)


def _compute_s(cells: Row, line: int, file: str) -> Fraction | None:
    """The time of a request in the compute steps; None where they are not all there, or too short to tell."""
    if any(column not in cells for column in COMPUTE):
        return None
    texts = [cells[column] for column in COMPUTE]
    times = [Fraction(positive_cell(t, c, line, file)) for t, c in zip(texts, COMPUTE, strict=True) if t not in ZERO]
    return sum(times, Fraction()) / MS_PER_S if sum(times) >= LEAST_TIMES_MS else None


def _checkpoint(file: str) -> Iterator[Callable[[], Measured]]:
    """A reader of each measurement in a checkpoint."""
    value = read_json(file)
    try:
        for model, variants in value["ResultManager.results"]["_results"].items():
            for variant, (run, measurements) in variants.items():
                for measurement in measurements.values():
                    yield partial(_checked, file, model, variant, run, measurement)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _unknown(error, file) from None


def _checked(file: str, *parts: Any) -> Measured:
    """A measurement of a checkpoint; a form that is not known is an error of the file."""
    try:
        return _measurement(*parts)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise _unknown(error, file) from None


def _unknown(error: Exception, file: str) -> InputError:
    if isinstance(error, InputError):
        return error.in_file(file)
    message = f"is no checkpoint of model-analyzer that is known ({error}); give metrics-model-inference.csv"
    return InputError(message, file=file)


def _measurement(model: str, variant: str, run: dict[str, Any], measurement: dict[str, Any]) -> Measured:
    configs = run["_model_run_configs"]
    parts = measurement["_model_config_measurements"]
    if len(configs) != 1 or len(parts) != 1:
        raise _LeftOutError("several models were measured together")
    if any(run.get(key) or configs[0].get(key) for key in COMPOSING):
        raise _LeftOutError("an ensemble is several models; measure each of them")
    if len(measurement["_gpu_data"]) > 1:
        raise _LeftOutError("several GPUs were at work")
    given = parts[0]["_model_specific_pa_params"]
    if given.get("concurrency-range") is None:
        raise _LeftOutError("a request rate was kept, not a concurrency")
    config = configs[0]["_model_config"]
    batch = _count(given["batch-size"])
    batches = _may_batch(config.get("maxBatchSize", 0), batch) if "dynamicBatching" in config else False
    values = {tag: exact(record["_value"]) for tag, record in parts[0]["_non_gpu_data"]}
    rate = values["perf_throughput"]
    if rate <= 0:
        raise _LeftOutError("nothing was answered")
    compute_s = sum((values[tag] for tag in TAGS), Fraction()) / MS_PER_S if all(t in values for t in TAGS) else None
    server = Server(batch, sum(_instances(config)), batches)
    point = Point(_count(given["concurrency-range"]), rate, compute_s, _memory_mb(measurement))
    return Measured(model, variant, server, point)


def _memory_mb(measurement: dict[str, Any]) -> Fraction | None:
    """The most memory that was in use on the GPU; None if not measured."""
    values = [dict(records).get(MEMORY_TAG) for records in measurement["_gpu_data"].values()]
    found = [exact(value["_value"]) for value in values if value]
    return max(found) if found and max(found) > 0 else None


def _instances(config: dict[str, Any]) -> Iterator[int]:
    """Instances of each group on a GPU, or on the CPU."""
    groups = config.get("instanceGroup") or [{}]
    if len({group.get("kind") for group in groups}) > 1:
        raise _LeftOutError("instances ran on GPU and CPU at once")
    for group in groups:
        yield _count(group.get("count", 1))


def _count(value: Any) -> int:
    if not isinstance(value, int) or value < 1:
        raise ValueError(f"{value!r} is no whole number, at least 1")
    return value
