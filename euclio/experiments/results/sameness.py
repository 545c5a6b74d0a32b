"""Whether results are the same: their versions, and the part that may be compared byte by byte."""

from __future__ import annotations

import pandas as pd

from euclio.experiments.columns import SCHEMA
from euclio.experiments.record import TIMING

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
