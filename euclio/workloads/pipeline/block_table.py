"""Read the block timings of PPipe's artifact where they stand in one table, a line per block and batch size.

Columns: ``model`` (the artifact's name), ``hardware``, ``vgpu_fraction`` (1, or the part of a GPU: 0.5, 0.333333333),
``batch_size`` from 1 on, ``block_index`` from 0 on, ``latency_s`` of the batch, and ``output_bytes`` that one request
sends behind the block, empty behind the last one. Other columns and other models are ignored.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from euclio.core.bytes_reading import read_bytes
from euclio.core.errors import InputError
from euclio.core.numbers import exact_number
from euclio.files.csv_reading import csv_records
from euclio.problems.pipeline import BlockProfile

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
        lines = csv_records(_text(path))
        where = _places(next(lines, (1, []))[1])
        for line, cells in lines:
            if any(cells):
                _take(dict(zip(COLUMNS, _chosen(cells, where), strict=True)), wanted, found, f"line {line}")
    except csv.Error as error:
        raise InputError(f"is not CSV ({error})", file=str(path)) from None
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


def _places(header: list[str]) -> list[int]:
    names = [cell.strip() for cell in header]
    lacking = [name for name in COLUMNS if name not in names]
    if lacking:
        raise InputError(f"lacks the column {lacking[0]}; it needs {', '.join(COLUMNS)}", field="line 1")
    return [names.index(name) for name in COLUMNS]


def _chosen(cells: list[str], where: list[int]) -> list[str]:
    return [cells[place].strip() if place < len(cells) else "" for place in where]


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


def _text(path: Path) -> str:
    try:
        return read_bytes(path).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({type(error).__name__}); name a CSV file", file=str(path)) from None
