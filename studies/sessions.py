"""Drawing of sessions for studies, and their runs as a table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

import pandas as pd

from euclio.core.words import percent
from euclio.experiments.results import measured
from euclio.experiments.results.tables import joined
from euclio.experiments.task import SolverSetting
from euclio.problems.session import Session
from euclio.workloads.session.protocol import Draws, Workload, draw, workloads
from studies.collector import Advance, Collector

DRAWN_AT_ONCE = 64
SPACE = ("policy", "dummy", "hardware", "max_allocations")
FLAGS = ("single_hardware", "batching", "concurrency")
"""Options of a run that set its plan space, and those that are on or off."""


def session_runs(frame: pd.DataFrame, workloads: Iterable[Workload]) -> pd.DataFrame:
    """One row per run: workload, plan space, outcome, costs in money per hour, seconds and the solver's counters.

    Args:
        frame: results frame; its instances are the workloads' sessions by name.
        workloads: the workloads, others among them.
    """
    known = {workload.session.name: workload for workload in workloads}
    drawn = [known[name] for name in frame.instance]
    plans = [{} if text is None else json.loads(text) for text in frame.plan]
    # A study of few workloads may have no run with an option.
    none = pd.Series(None, index=frame.index, dtype=object)
    option = {name: frame.get(f"option.{name}", none) for name in (*SPACE, *FLAGS)}
    space = {name: option[name].to_list() for name in SPACE}
    flags = {name: option[name].astype(bool) for name in FLAGS}
    table = pd.DataFrame(
        {
            "workload": frame.instance,
            "application": [workload.application for workload in drawn],
            "modules": [len(workload.session.modules) for workload in drawn],
            "rate_rps": [float(workload.rate_rps) for workload in drawn],
            "slo_s": [float(workload.session.slo_s) for workload in drawn],
            "tightness": [workload.tightness for workload in drawn],
            "solver": frame.label,
            "policy": space["policy"],
            "dummy_rule": space["dummy"],
            "max_allocations": space["max_allocations"],
            "hardware": [None if pd.isna(text) else ",".join(json.loads(text)) for text in space["hardware"]],
            **flags,
            "status": frame.status,
            "reason": frame.reason,
            "cost_per_h": frame.value,
            "claimed_cost_per_h": frame.claimed,
            "bound_per_h": frame.bound,
            "latency_s": pd.Series([plan.get("latency_s") for plan in plans], frame.index, dtype=float),
            "wall_s": frame.wall_s,
        }
    )
    return pd.concat([table, counters(frame)], axis=1)


def session_tables(frames: Iterable[pd.DataFrame], workloads: Iterable[Workload]) -> dict[str, pd.DataFrame]:
    """The runs of a study and the allocations of their plans, sorted so that the same results are the same bytes.

    Args:
        frames: results frames with the rows of `studies.modules.allocation_rows`.
        workloads: the workloads, others among them.

    Returns:
        ``runs``, as in `session_runs`, and ``allocations``.
    """
    given, known = list(frames), list(workloads)
    allocations = [measured(f).rename(columns={"instance": "workload", "label": "solver"}) for f in given]
    by = ["workload", "solver"]
    return {
        "runs": joined(session_runs(f, known) for f in given).sort_values(by, ignore_index=True),
        "allocations": joined(allocations).sort_values([*by, "module", "position"], ignore_index=True),
    }


def counters(frame: pd.DataFrame) -> pd.DataFrame:
    """The solvers' counters, one column ``stat_NAME`` each; empty for a solver without it."""
    rows = [{f"stat_{name}": value for name, value in json.loads(text).items()} for text in frame.stats]
    return pd.DataFrame(rows, index=frame.index)


def draw_workloads(
    collector: Collector, settings: Sequence[SolverSetting], count: int, seed: int, advance: Advance
) -> tuple[Draws, pd.DataFrame]:
    """Draw until enough workloads have a plan from every solver.

    A draw depends on seed and number alone, so several run together, ahead of the protocol. The protocol then takes the
    verdicts in its order, and finds the same workloads for any number of draws at a time.

    Args:
        collector: makes the runs.
        settings: the solvers.
        count: number of workloads.
        seed: seed of the protocol.
        advance: counts the accepted workloads.

    Returns:
        The draws, and the results frame of the solvers on the accepted workloads.
    """
    frames: list[pd.DataFrame] = []

    def verdicts() -> Iterator[Sequence[str]]:
        """The solvers without a plan, draw by draw."""
        first = 1
        while True:
            sessions = [draw(seed, first + k).session for k in range(min(count, DRAWN_AT_ONCE))]
            frame = collector.runs(sessions, settings)
            frames.append(frame)
            without = frame[frame.value.isna()].groupby("instance").label.apply(list).to_dict()
            for session in sessions:
                yield without.get(session.name, [])
            first += len(sessions)

    known = verdicts()

    def accept(_: Session) -> Sequence[str]:
        against = next(known)
        advance(not against)
        return against

    drawn = workloads(accept, count, seed)
    frame = joined(frames)
    return drawn, frame[frame.instance.isin({workload.session.name for workload in drawn.workloads})]


def by_solver(runs: pd.DataFrame, column: str) -> pd.DataFrame:
    """A column of the runs, one row per workload and one column per solver."""
    return runs.pivot(index="workload", columns="solver", values=column)


def application_of(runs: pd.DataFrame) -> pd.Series[str]:
    """The application of each workload."""
    found: pd.Series[str] = runs.drop_duplicates("workload").set_index("workload").application
    return found


def by_application(runs: pd.DataFrame, values: pd.Series[float]) -> str:
    """Means of a value per workload by application, in per cent and in words."""
    means = values.groupby(application_of(runs).reindex(values.index)).mean()
    return ", ".join(f"{name} {percent(mean, 1)}" for name, mean in means.items())
