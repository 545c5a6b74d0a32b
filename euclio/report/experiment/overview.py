"""The runs in brief: instances, solvers, machines and times."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from euclio.core.families import find_family
from euclio.core.words import counted, listed, long_duration, number
from euclio.experiments.progress import STATUSES
from euclio.report import Facts

MOST_SOLVERS = 15


def instances_of(family: str, count: int) -> str:
    """A count of instances of a problem family, such as "2 clusters"."""
    plural = find_family(family).instances
    return counted(count, plural.removesuffix("s"), plural)


def overview(frame: pd.DataFrame) -> Facts:
    """Facts of the runs: problems, limits, outcomes, time, machines, versions."""
    return Facts(
        (
            ("experiment", listed(_values(frame, "experiment"))),
            ("runs", f"{counted(len(frame), 'run')} of {counted(frame.label.nunique(), 'solver setting')}"),
            ("instances", instances(frame)),
            *_populations(frame),
            ("solvers", listed(_values(frame, "label"), most=MOST_SOLVERS)),
            ("outcomes", _outcomes(frame)),
            ("limits", _limits(frame)),
            ("seeds and repeats", f"seeds {listed(_values(frame, 'seed'))}; repeats {frame.repeat.nunique()}"),
            ("time in solvers", long_duration(float(frame.wall_s.sum()))),
            ("started", _dates(frame)),
            ("machine", listed(_machines(frame))),
            ("versions", listed(_versions(frame))),
        )
    )


def instances(frame: pd.DataFrame) -> str:
    """Number of instances of each family."""
    counts = frame.groupby("family", observed=True).instance_hash.nunique()
    return ", ".join(instances_of(str(family), int(count)) for family, count in counts.items())


def _populations(frame: pd.DataFrame) -> list[tuple[str, str]]:
    """The populations of drawn instances, by name, seed and shortened hash; nothing if none was drawn."""
    if "population" not in frame:  # of frames that earlier versions made
        return []
    found = frame.dropna(subset="population").groupby("population", observed=True).instance_hash.nunique()
    texts = [f"{label} ({count:,})" for label, count in found.items()]
    return [("populations", listed(texts, most=MOST_SOLVERS))] if texts else []


def _outcomes(frame: pd.DataFrame) -> str:
    counts = frame.status.value_counts()
    return ", ".join(f"{int(counts[status]):,} {status}" for status in STATUSES if counts.get(status, 0))


def _limits(frame: pd.DataFrame) -> str:
    soft = [f"{number(v)} s" for v in _values(frame, "time_limit_s")] + ["none"] * bool(frame.time_limit_s.isna().any())
    killed = [f"{number(v)} s" for v in _values(frame, "hard_time_limit_s")]
    memory = [f"{v:,} MiB" for v in _values(frame, "memory_limit_mb")]
    return f"given to solvers: {listed(soft)}; killed after {listed(killed)} or above {listed(memory)}"


def _dates(frame: pd.DataFrame) -> str:
    first, last = (str(edge)[:16].replace("T", " ") for edge in (frame.started_at.min(), frame.started_at.max()))
    return f"{first} UTC" if first == last else f"{first} to {last} UTC"


def _machines(frame: pd.DataFrame) -> list[str]:
    found = frame[["cpu", "cores", "host"]].drop_duplicates().astype({"cpu": str, "host": str})
    machines = found.groupby(["cpu", "cores"], as_index=False).agg(hosts=("host", lambda names: listed(sorted(names))))
    return [f"{m['cpu']}, {counted(m['cores'], 'core')} ({m['hosts']})" for m in machines.to_dict("records")]


def _versions(frame: pd.DataFrame) -> list[str]:
    found = frame[["euclio", "git", "python", "packages"]].drop_duplicates()
    return sorted(
        f"euclio {row.euclio} ({str(row.git)[:10]}), Python {row.python}, {_packages(row.packages)}"
        for row in found.itertuples()
    )


def _packages(text: Any) -> str:
    packages = json.loads(text)
    return ", ".join(f"{name} {packages[name]}" for name in sorted(packages) if name != "euclio")


def _values(frame: pd.DataFrame, column: str) -> list[Any]:
    return sorted(frame[column].dropna().unique().tolist())
