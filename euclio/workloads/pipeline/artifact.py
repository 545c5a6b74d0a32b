"""Read the block timings and transfer sizes of PPipe's published artifact (github.com/JonnyKong/PPipe).

Its layout, below the folder of the checkout, as its README and file names show it:

- ``data/models/block-timing-tf32/MODEL-GPU-SHARE.csv``: one row per block, one column per batch from 1 on, microseconds
  on the SHARE-th part of a GPU.
- ``data/prepartition_mappings/MODEL/contraction_trans-size_*.csv``: bytes per request between consecutive blocks, one
  to a line. Of several files, the one made with the tightest bounds counts; its name ends in the least and the most
  share of a block.
- ``data/models/model-profile-tf32/MODEL/L4-1/1/MODEL-L4.engine.timing.json``: runs of the whole model on L4 at batch 1,
  ``computeMs`` each; their mean sets the SLO.
- ``data/model_list.txt``: one model to a line.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from euclio.core.bytes_reading import read_bytes
from euclio.core.errors import InputError
from euclio.core.numbers import exact_number
from euclio.files.csv_reading import csv_records
from euclio.files.json_reading import read_json
from euclio.problems.pipeline import BlockProfile
from euclio.workloads.pipeline.assembly import FASTEST, BlockedModel

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
