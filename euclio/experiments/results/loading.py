"""Results in and out of files: result folders, Parquet files and journals to one data frame, and back."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from euclio.core.errors import InputError
from euclio.core.progress import told
from euclio.experiments.columns import LATER, SCHEMA, checked, read_table, to_table, with_later, write_table
from euclio.experiments.folder import ResultFolder
from euclio.experiments.journal import read_journal
from euclio.experiments.record import TIMING

EXPERIMENT = "experiment"
"""Column with the name of the experiment."""

SPREAD = {"options": "option.", "features": "feature."}
"""Columns of JSON text whose fields become columns of their own, and the prefix of these."""


@told("reading results")
def load(*paths: str | Path) -> pd.DataFrame:
    """The runs in some places as one frame; a warning tells of different versions.

    Args:
        *paths: result folders, Parquet files that `save` wrote, or journals (.jsonl).

    Returns:
        One row per run (key); of a run in several places the first is kept. docs/formats/runs.md lists the columns.

    Raises:
        InputError: there is nothing, or something else, at a path.
    """
    if not paths:
        raise InputError("there is nothing to load; name a result folder")
    frame = merge(*(_read(Path(path)) for path in paths))
    differing = mixture(frame)
    if differing:
        warnings.warn(differing, VersionsDiffer, stacklevel=2)
    return frame


def merge(*frames: pd.DataFrame) -> pd.DataFrame:
    """Several frames as one; of a run in several frames the first is kept, and a warning tells if they differ."""
    single = [frame[[name for name in frame if not str(name).startswith(tuple(SPREAD.values()))]] for frame in frames]
    frame = pd.concat([one for one in single if len(one)] or single[:1], ignore_index=True)
    if frame["key"].duplicated().any():
        differing = unlike(frame)
        if differing:
            warnings.warn(differing, VersionsDiffer, stacklevel=2)
        frame = frame.drop_duplicates("key", ignore_index=True)
    return pd.concat([frame, *(_spread(frame[name], prefix) for name, prefix in SPREAD.items())], axis=1)


def save(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a frame to a Parquet file that `load` reads.

    Raises:
        InputError: its name does not end in .parquet.
        UnwritableError: it cannot be written.
    """
    target = Path(path)
    if target.suffix != ".parquet":
        raise InputError("is no name of a Parquet file; let it end in .parquet", file=str(path))
    schema = SCHEMA.append(pa.field(EXPERIMENT, SCHEMA.field("label").type))
    nothing = pd.Series([None] * len(frame), dtype=object)  # of frames that earlier versions made
    there = {name: nothing if name in LATER and name not in frame else frame[name] for name in schema.names}
    columns = {name: pa.array(column, schema.field(name).type, from_pandas=True) for name, column in there.items()}
    write_table(pa.table(columns, schema=schema), target)


def measured(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per row measured (column `measured`), in the order of the runs.

    Returns:
        `instance` and `label` of the run, then the measured columns; a column that a row lacks is empty there.
    """
    known = frame[frame["measured"].notna()]
    rows = [
        {"instance": instance, "label": label, **row}
        for instance, label, text in zip(known["instance"], known["label"], known["measured"], strict=True)
        for row in json.loads(text)
    ]
    return pd.DataFrame.from_records(rows)


def _read(path: Path) -> pd.DataFrame:
    """The runs in one place, without the columns that are spread."""
    if path.is_dir():
        return _read_folder(ResultFolder(path))
    if path.suffix == ".jsonl" and path.exists():
        return _frame(to_table(read_journal(path), path), path.stem)
    try:
        table = pq.read_table(path)
    except FileNotFoundError:
        raise InputError("no such file or folder; name a result folder", file=str(path)) from None
    except (OSError, pa.ArrowException):
        raise InputError("is no Parquet file; name a result folder", file=str(path)) from None
    missing = [name for name in SCHEMA.names if name not in (*table.column_names, *LATER)]
    if missing:
        raise InputError(f"holds no results: it has no column {missing[0]!r}", file=str(path))
    return _frame(checked(with_later(table), path), path.stem)


def _read_folder(folder: ResultFolder) -> pd.DataFrame:
    if not folder.exists():
        raise InputError("holds no results; name the result folder of an experiment", file=str(folder.path))
    tables = [SCHEMA.empty_table(), to_table(folder.journalled(), folder.path), *map(read_table, folder.compacted())]
    frame = _frame(pa.concat_tables(tables), folder.name())
    frame = frame.drop_duplicates("key", ignore_index=True)
    labels = folder.labels()
    frame["label"] = [labels.get(key, label) for key, label in zip(frame["key"], frame["label"], strict=True)]
    return frame


def _frame(table: pa.Table, experiment: str) -> pd.DataFrame:
    frame: pd.DataFrame = table.drop_columns("trace").unify_dictionaries().to_pandas()
    words = [name for name in frame if isinstance(frame[name].dtype, pd.CategoricalDtype)]
    frame = frame.astype(dict.fromkeys(words, object))
    frame.insert(list(SCHEMA.names).index("trace"), "trace", table.column("trace").to_pylist())
    if EXPERIMENT not in frame:
        frame[EXPERIMENT] = experiment
    return frame


def _spread(texts: pd.Series[str], prefix: str) -> pd.DataFrame:
    """The fields of JSON texts as columns; a field that is a list stays JSON text."""
    codes, different = pd.factorize(texts)
    rows = [{prefix + name: _scalar(value) for name, value in json.loads(text).items()} for text in different]
    return pd.DataFrame(rows).take(codes).set_axis(texts.index)


def _scalar(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict) else value


VERSION_COLUMNS = ("euclio", "git", "python", "cpu", "packages")
SHORT = 12
"""Characters of a version that a warning shows."""


class VersionsDiffer(UserWarning):
    """Results that are analysed together were made in different ways."""


def versions(frame: pd.DataFrame) -> pd.DataFrame:
    """The versions and CPUs that made the runs of a frame, most used first, with the number of `runs`."""
    columns = list(VERSION_COLUMNS)
    counted = frame.groupby(columns, dropna=False, sort=True).size().rename("runs").reset_index()
    return counted.sort_values("runs", ascending=False, kind="stable", ignore_index=True)


def mixture(frame: pd.DataFrame) -> str:
    """One line where the runs of a frame were made by different versions or on different CPUs; else empty."""
    differences = []
    for name in VERSION_COLUMNS:
        counts = frame[name].value_counts(dropna=False)
        if len(counts) > 1:
            each = [f"{_short(name, value, k)} in {count}" for k, (value, count) in enumerate(counts.items())]
            differences.append(f"{len(counts)} of {name} ({', '.join(each)} runs)")
    solvers = frame.groupby("label")["solver_version"].nunique()
    differences += [f"{count} versions of solver {label!r}" for label, count in solvers[solvers > 1].items()]
    return f"these runs were not made alike: {'; '.join(differences)}" if differences else ""


def _short(name: str, value: object, number: int) -> str:
    """A version in a few words; sets of packages are too long to show and get a number."""
    if name == "packages":
        return f"set {number + 1}"
    return str(value)[:SHORT] if name == "git" else str(value)


def unlike(frame: pd.DataFrame) -> str:
    """One line where a run that stands in a frame more than once has different outcomes; else empty."""
    repeated = frame.loc[frame["key"].duplicated(keep=False), ["key", "status", "value"]]
    outcomes = repeated.drop_duplicates()["key"].value_counts()
    count = int((outcomes > 1).sum())
    what = "1 run has" if count == 1 else f"{count} runs have"
    return f"{what} different outcomes in different places; the first is kept" if count else ""


def canonical(frame: pd.DataFrame) -> pd.DataFrame:
    """The part of results that must be equal: sorted by key, without times and other data that vary between runs.

    They are equal if the bytes of their CSV are: ``canonical(frame).to_csv(index=False)``.
    """
    kept = [name for name in SCHEMA.names if name not in TIMING]
    return frame[kept].sort_values("key", ignore_index=True)
