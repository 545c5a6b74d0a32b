"""Models with the blocks that PPipe's authors measured, from their artifact or a table of it."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.core.numbers import exact_number
from euclio.core.system import read_bytes
from euclio.files.csv_files import csv_records
from euclio.files.json_reading import read_json
from euclio.problems.pipeline.instance import BlockProfile, Cluster
from euclio.workloads.pipeline.assembly import FASTEST, BlockedModel, Terms, assembled
from euclio.workloads.pipeline.setups import Setup, networks
from euclio.workloads.session.csv_rows import rows_of

# Read the block timings of PPipe's artifact where they stand in one table, a line per block and batch size.
#
# Columns: ``model`` (the artifact's name), ``hardware``, ``vgpu_fraction`` (1, or the part of a GPU: 0.5, 0.333333333),
# ``batch_size`` from 1 on, ``block_index`` from 0 on, ``latency_s`` of the batch, and ``output_bytes`` that one request
# sends behind the block, empty behind the last one. Other columns and other models are ignored.

COLUMNS = ("model", "hardware", "vgpu_fraction", "batch_size", "block_index", "latency_s", "output_bytes")
ROUNDED = Fraction(1, 1000)
"""How far a third may be from a third as it is written."""


@dataclass(frozen=True, slots=True)
class TabledModel:
    """A model as a table has it.

    Attributes:
        latency_s: by GPU type and share, then by block and batch size.
        boundary_bytes: by block but for the last.
    """

    latency_s: dict[tuple[str, int], dict[tuple[int, int], Fraction]] = field(default_factory=dict)
    boundary_bytes: dict[int, int] = field(default_factory=dict)


def read_table(path: Path, names: Iterable[str]) -> dict[str, TabledModel]:
    """The models of these names that a table has.

    Raises:
        InputError: the table cannot be read, lacks a column, or a number is malformed or given twice; names the line.
    """
    wanted = set(names)
    found: dict[str, TabledModel] = {}
    try:
        for line, row in rows_of(str(path), "block timings", _check_columns):
            _take(row, wanted, found, f"line {line}")
    except InputError as error:
        raise (error if error.file else error.in_file(str(path))) from None
    return found


def profiles_of(name: str, model: TabledModel, gpus: Sequence[str], path: Path) -> list[BlockProfile]:
    """Block latencies on some GPU types, all shares that the table has.

    Raises:
        InputError: a GPU type is missing, or a block or a batch size between others.
    """
    found = []
    for gpu in gpus:
        shares = sorted(share for known, share in model.latency_s if known == gpu)
        if 1 not in shares:
            raise InputError(f"has no times of {name} on a whole {gpu}; add them", file=str(path), field="hardware")
        for share in shares:
            rows = _rows(model.latency_s[gpu, share], f"{name} on {gpu}, share {share}", str(path))
            found.append(BlockProfile(gpu, share, rows))
    return found


def boundaries_of(name: str, model: TabledModel, blocks: int, path: Path) -> tuple[int, ...]:
    """Bytes behind each block but the last.

    Raises:
        InputError: there are none of a block.
    """
    lacking = [block for block in range(blocks - 1) if block not in model.boundary_bytes]
    if lacking:
        raise InputError(
            f"has no bytes behind block {lacking[0]} of {name}; add them", file=str(path), field="output_bytes"
        )
    return tuple(model.boundary_bytes[block] for block in range(blocks - 1))


def _rows(times: Mapping[tuple[int, int], Fraction], what: str, file: str) -> list[list[Fraction]]:
    """Latencies by block and then by batch size, none left out between others."""
    blocks = 1 + max(block for block, _ in times)
    rows = []
    for block in range(blocks):
        batches = sorted(batch for known, batch in times if known == block)
        if batches != list(range(1, len(batches) + 1)) or not batches:
            raise InputError(
                f"has no complete times of block {block} of {what}; give batch sizes 1, 2 and so on of each block",
                file=file,
                field="batch_size",
            )
        rows.append([times[block, batch] for batch in batches])
    return rows


def _check_columns(names: list[str], line: int) -> None:
    lacking = [name for name in COLUMNS if name not in names]
    if lacking:
        raise InputError(f"lacks the column {lacking[0]}; it needs {', '.join(COLUMNS)}", field=f"line {line}")


def _take(row: dict[str, str], wanted: set[str], found: dict[str, TabledModel], where: str) -> None:
    if row["model"] not in wanted:
        return
    model = found.setdefault(row["model"], TabledModel())
    share = _share(row["vgpu_fraction"], f"{where}: vgpu_fraction")
    block, batch = (_whole(row[name], f"{where}: {name}") for name in ("block_index", "batch_size"))
    times = model.latency_s.setdefault((row["hardware"], share), {})
    if (block, batch) in times:
        raise InputError(f"gives block {block} at batch {batch} a second time; keep one of the two", field=where)
    times[block, batch] = exact_number(row["latency_s"], f"{where}: latency_s")
    if row["output_bytes"]:
        given = _whole(row["output_bytes"], f"{where}: output_bytes")
        if model.boundary_bytes.setdefault(block, given) != given:
            raise InputError(
                f"is {given}, elsewhere {model.boundary_bytes[block]} for the same block; a request sends the same "
                "bytes from every GPU type",
                field=f"{where}: output_bytes",
            )


def _share(text: str, where: str) -> int:
    """The number of parts that a GPU is divided into, from one part as a fraction."""
    part = exact_number(text, where)
    share = round(1 / part)
    if share < 1 or abs(share * part - 1) > ROUNDED:
        raise InputError(f"is {text}; give 1, or a whole GPU divided by a whole number, such as 0.5", field=where)
    return share


def _whole(text: str, where: str) -> int:
    number = exact_number(text, where, zero=True)
    if number.denominator != 1:
        raise InputError(f"is {text}; it must be a whole number", field=where)
    return int(number)


# Read the block timings and transfer sizes of PPipe's published artifact (github.com/JonnyKong/PPipe).
#
# Its layout, below the folder of the checkout, as its README and file names show it:
#
# - ``data/models/block-timing-tf32/MODEL-GPU-SHARE.csv``: one row per block, one column per batch from 1 on,
#   microseconds on the SHARE-th part of a GPU.
# - ``data/prepartition_mappings/MODEL/contraction_trans-size_*.csv``: bytes per request between consecutive blocks, one
#   to a line. Of several files, the one made with the tightest bounds counts; its name ends in the least and the most
#   share of a block.
# - ``data/models/model-profile-tf32/MODEL/L4-1/1/MODEL-L4.engine.timing.json``: runs of the whole model on L4 at batch
#   1, ``computeMs`` each; their mean sets the SLO.
# - ``data/model_list.txt``: one model to a line.

TIMINGS = Path("data/models/block-timing-tf32")
SIZES = Path("data/prepartition_mappings")
WHOLE = Path("data/models/model-profile-tf32")
MODEL_LIST = Path("data/model_list.txt")
LARGEST_SHARE = 16


def artifact_models(folder: Path) -> list[str]:
    """Names of the models that the artifact lists.

    Raises:
        InputError: there is no list.
    """
    return [line.strip() for line in _text(folder / MODEL_LIST).splitlines() if line.strip()]


def read_model(folder: Path, name: str, gpus: Sequence[str]) -> BlockedModel:
    """A model of the artifact with its block latencies on some GPU types.

    Raises:
        InputError: a file is missing or malformed; names it.
    """
    profiles = [profile for gpu in gpus for profile in _profiles(folder, name, gpu)]
    blocks = len(profiles[0].latency_s)
    path = _sizes_file(folder, name)
    rows = _numbers(path)
    if len(rows) < blocks - 1:
        raise InputError(f"has {len(rows)} sizes for the {blocks - 1} boundaries of {blocks} blocks", file=str(path))
    sizes = tuple(round(row[0]) for row in rows[: blocks - 1])
    return BlockedModel(name, _whole_s(folder, name), tuple(profiles), sizes)


def _profiles(folder: Path, name: str, gpu: str) -> list[BlockProfile]:
    """The block latencies on a GPU type, for each share that has a file."""
    found = []
    for share in range(1, LARGEST_SHARE + 1):
        path = folder / TIMINGS / f"{name}-{gpu}-{share}.csv"
        if share == 1 or path.is_file():
            rows = _numbers(path)
            found.append(BlockProfile(gpu, share, [[us / 10**6 for us in row] for row in rows]))
    return found


def _sizes_file(folder: Path, name: str) -> Path:
    files = sorted((folder / SIZES / name).glob("contraction_trans-size_*.csv"), key=_looseness)
    if not files:
        raise InputError(
            "has no contraction_trans-size_*.csv; is this the artifact's folder, and were its large files fetched?",
            file=str(folder / SIZES / name),
        )
    return files[0]


def _looseness(path: Path) -> tuple[float, float, str]:
    """How far a block may be from its even share: most, then least; the bounds end the file's name."""
    try:
        least, most = (float(part) for part in path.stem.split("-")[-2:])
    except ValueError:
        return float("inf"), 0.0, path.name
    return most, -least, path.name


def _whole_s(folder: Path, name: str) -> Fraction:
    """Mean seconds of the whole model on L4 at batch 1."""
    path = folder / WHOLE / name / f"{FASTEST}-1" / "1" / f"{name}-{FASTEST}.engine.timing.json"
    runs: Any = read_json(path)
    if not isinstance(runs, list) or not runs or not all(isinstance(run, dict) and "computeMs" in run for run in runs):
        raise InputError("must be a list of runs, each with the milliseconds computeMs", file=str(path))
    try:
        mean_ms = sum((exact_number(run["computeMs"], "computeMs") for run in runs), Fraction(0)) / len(runs)
    except (InputError, TypeError) as error:
        raise InputError(f"computeMs must be positive numbers ({error})", file=str(path)) from None
    # To the nanosecond: means rarely end.
    return Fraction(round(mean_ms * 10**6), 10**9)


def _numbers(path: Path) -> list[list[Fraction]]:
    """The rows of a CSV file of positive numbers; a row ends at its first empty cell."""
    rows: list[list[Fraction]] = []
    for cells in _records(path):
        filled = [cell.strip() for cell in cells]
        if "" in filled:
            filled = filled[: filled.index("")]
        if filled:
            try:
                rows.append([exact_number(cell, f"row {len(rows) + 1}") for cell in filled])
            except InputError as error:
                raise error.in_file(str(path)) from None
    if not rows:
        raise InputError("has no numbers", file=str(path))
    return rows


def _records(path: Path) -> Iterator[list[str]]:
    try:
        for _, cells in csv_records(_text(path)):
            yield cells
    except csv.Error as error:
        raise InputError(f"is not CSV ({error})", file=str(path)) from None
    except InputError as error:
        raise (error if error.file else error.in_file(str(path))) from None


def _text(path: Path) -> str:
    try:
        text = read_bytes(path).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot be read ({type(error).__name__}); is this the artifact's folder, and does it hold this model?",
            file=str(path),
        ) from None
    if text.startswith("version https://git-lfs"):
        raise InputError("is a pointer to a large file; fetch it with `git lfs pull`", file=str(path))
    return text


GPUS = ("L4", "V100", "T4", "P4")
"""The GPU types of Table 1, all of which the artifact has measured."""


def artifact_cluster(
    path: Path, setup: Setup, models: Sequence[str], weights: Sequence[Fraction], terms: Terms
) -> Cluster:
    """The cluster of a setup that serves models of the artifact.

    Args:
        path: the artifact's checkout, or a table of its blocks, as of `blocked_models`.
        setup: GPUs and links.
        models: names of the models in the artifact.
        weights: their parts of the load.
        terms: SLO, margin and the like.

    Raises:
        InputError: a file is missing or malformed; names it.
    """
    read = blocked_models(path, models, [gpu.name for gpu in setup.gpus])
    return assembled(f"{setup.name}-{'+'.join(models)}", setup, read, weights, terms)


def measured_models(path: Path, gpus: Sequence[str] = GPUS) -> dict[str, BlockedModel]:
    """The 18 models by their names in Table 2.

    Args:
        path: the artifact's checkout, or a table of its blocks, as of `blocked_models`.
        gpus: the GPU types wanted.

    Raises:
        InputError: a file is missing or malformed, or a model has other numbers of blocks on two GPU types.
    """
    found = blocked_models(path, [network.artifact for network in networks().values()], gpus)
    return {name: replace(model, name=name) for name, model in zip(networks(), found, strict=True)}


def blocked_models(path: Path, names: Sequence[str], gpus: Sequence[str]) -> list[BlockedModel]:
    """Models of the artifact with their block latencies on some GPU types.

    Args:
        path: the artifact's checkout, or a table of its blocks as a CSV file, which has no times of
            whole models: those of ``ppipe-networks.json`` stand for them.
        names: names of the models in the artifact.
        gpus: the GPU types wanted.

    Raises:
        InputError: a file is missing or malformed, or a model has other numbers of blocks on two GPU types.
    """
    if not path.exists():
        raise InputError("does not exist; name the artifact's folder, or a table of its blocks", file=str(path))
    if path.is_dir():
        found = [read_model(path, name, gpus) for name in names]
    else:
        tabled = read_table(path, names)
        found = [_from_table(name, tabled, gpus, path) for name in names]
    for model in found:
        _refuse_uneven(model, path)
    return found


def listed_models(path: Path) -> list[str]:
    """Names of the models that a checkout lists, or that a table can be read for.

    Raises:
        InputError: the checkout has no list.
    """
    return [network.artifact for network in networks().values()] if path.is_file() else artifact_models(path)


def _from_table(name: str, tabled: dict[str, TabledModel], gpus: Sequence[str], path: Path) -> BlockedModel:
    whole_ns = {network.artifact: network.l4_ns for network in networks().values()}
    if name not in whole_ns:
        known = ", ".join(whole_ns)
        raise InputError(f"{name} has no known time on L4, which sets its objective; known: {known}", field="models")
    model = tabled.get(name)
    if model is None:
        raise InputError(f"has no blocks of {name}; add them", file=str(path), field="model")
    profiles = profiles_of(name, model, gpus, path)
    sizes = boundaries_of(name, model, len(profiles[0].latency_s), path)
    return BlockedModel(name, Fraction(whole_ns[name], 10**9), tuple(profiles), sizes)


def _refuse_uneven(model: BlockedModel, path: Path) -> None:
    """Refuse a model that is cut otherwise on another GPU type, since a pipeline hands over between the same blocks."""
    first = model.profiles[0]
    for one in model.profiles:
        if len(one.latency_s) != len(first.latency_s):
            raise InputError(
                f"on {one.gpu}, share {one.share}, has {len(one.latency_s)} blocks, but on {first.gpu}, share "
                f"{first.share}, {len(first.latency_s)} blocks; give it the same blocks everywhere",
                file=str(path),
                field=model.name,
            )
