"""Triton under clients that send one request after the other (Model Analyzer): profile, simulation, errors.

We read the server's profile from the runs with the most clients alone, and predict all others. Dynamic batching was off
in all of them, so runs that differ in the largest batch alone are repetitions.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from euclio.problems.session.instance import Configuration, Hardware, Module, Session
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from studies.mlperf.inputs import analyzer_runs
from studies.mlperf.rules import PRICE_PER_H
from studies.mlperf.serving import LoadedMachine

GPU = "TITAN RTX"
SLO_S = 10
"""Placeholder objective; these sessions have none."""
SETTING = ["model", "instances", "largest_batch"]
"""Columns of the server's set-up."""
SIMULATED_S = 600.0


def most_clients(runs: pd.DataFrame) -> int:
    """The largest number of clients, which saturates the server."""
    return int(runs.clients.max())


def capacities() -> pd.DataFrame:
    """Requests per second of a saturated server, one row per set-up: clients over mean latency, by Little's law.

    `saturated_per_s` is the mean of repeated runs, `name` a name of the set-up.
    """
    runs = named_runs()
    saturated = runs[runs.clients == most_clients(runs)]
    found = saturated.groupby([*SETTING, "name"])[["through_latency_per_s"]].mean().reset_index()
    return found.rename(columns={"through_latency_per_s": "saturated_per_s"})


def named_runs() -> pd.DataFrame:
    """Model Analyzer's measurements with the name of the set-up."""
    runs = analyzer_runs()
    instances, batch = runs.instances.astype(str), runs.largest_batch.astype(str)
    return runs.assign(name=runs.model + ", " + instances + " × batch " + batch)


def session_of(name: str, model: str, instances: int, capacity_rps: float) -> Session:
    """The session of one module at the rate of a saturated server: as many requests at a time as instances."""
    machine = Configuration(GPU, 1, instances, instances / capacity_rps)
    module = Module(model, machine.throughput_rps, [machine])
    return Session(name, SLO_S, [Hardware(GPU, PRICE_PER_H)], [module])


def sessions() -> list[Session]:
    """The sessions of all set-ups."""
    rows = capacities().to_dict("records")
    return [session_of(row["name"], row["model"], row["instances"], row["saturated_per_s"]) for row in rows]


def among_clients(session: Session, seed: int, length: float) -> list[dict[str, Any]]:
    """Simulate all measured numbers of clients of a set-up, except the one that its profile is read from.

    Args:
        session: the set-up.
        seed: seed of the simulation, in which nothing is random.
        length: the share of ten minutes that is simulated.
    """
    # Read from the measurements again, since writing and reading a session rounds it.
    (exact,) = [one for one in sessions() if one.name == session.name]
    (profile,) = exact.modules[0].profile
    machine = LoadedMachine(exact, Plan((ModulePlan((Allocation(profile, 1),)),)), 0.0, 0.0)
    runs = named_runs()
    own = runs[runs.name == session.name]
    rows = []
    for clients in sorted(set(own.clients) - {most_clients(runs)}):
        found = machine.among(int(clients), length * SIMULATED_S, seed)
        rows.append({"clients": int(clients), **{f"simulated_{key}": value for key, value in found.items()}})
    return rows


def compared(simulated: pd.DataFrame) -> pd.DataFrame:
    """One row per predicted measurement, with errors as shares of the measured values.

    Args:
        simulated: rows of `among_clients`, with the set-up's name as `instance`.
    """
    rows = simulated.rename(columns={"instance": "name"})
    found = named_runs().merge(rows, on=["name", "clients"], how="inner")
    for name in ("mean", "p90", "p99"):
        found[f"error_{name}"] = 1000.0 * found[f"simulated_{name}"] / found[f"latency_{name}_ms"] - 1.0
    found["error_per_s"] = found.simulated_per_s / found.through_latency_per_s - 1.0
    return _with_fewer(found).drop(columns="name")


def _with_fewer(found: pd.DataFrame) -> pd.DataFrame:
    """Add the error of the mean with no more instances than clients.

    The set-up with that many instances was measured too, and simulated.
    """
    means = found.groupby([*SETTING, "clients"]).simulated_mean.first()
    fewer = found.assign(instances=found[["instances", "clients"]].min(axis=1))
    by_clients = means.reindex(pd.MultiIndex.from_frame(fewer[[*SETTING, "clients"]])).to_numpy()
    return found.assign(error_mean_of_used=1000.0 * by_clients / found.latency_mean_ms - 1.0)
