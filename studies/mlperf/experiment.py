"""MLPerf's servers under the load that was submitted, and Triton's under closed-loop clients, simulated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

import euclio.experiments.results as results
from euclio.experiments.solver_settings import measure
from euclio.experiments.task import Measure
from euclio.workloads.populations import Identity, identify
from studies.collector import Collector
from studies.mlperf.choices import PARAMETERS
from studies.mlperf.inputs import ServerCase, cases
from studies.mlperf.measures import measures
from studies.mlperf.rules import CONFIGURED, RULES, SWEPT, Rule, modelled
from studies.mlperf.serving import compared, sessions
from studies.mlperf.text import reasons, text
from studies.study import Asked, Found, Study

SEEDS = 5
"""Runs of each server under the page's rule, for its 95 % intervals; there is one under every other rule."""
OTHERS = 0.25
"""Length of a run under another rule, relative to a run under the first one."""
WHOLE = 100
"""Hundredths of MLPerf's shortest run that are simulated."""


def collect(collector: Collector, asked: Asked) -> Found:
    """Simulate all servers by all rules and all parameters chosen per class, and all set-ups of Triton."""
    length = (asked.workloads or WHOLE) / WHOLE
    servers = {case.name: modelled(case, CONFIGURED)[0] for case in cases()}
    asked_of = [_served(case, rule, asked.seed, length) for rule in (*RULES, *SWEPT) for case in cases()]
    served = results.measured(collector.staged("servers of MLPerf", list(servers.values()), asked_of))
    values = [
        _served(case, one.rule(value), asked.seed, length)
        for one in PARAMETERS
        for value in one.values
        for case in one.servers
    ]
    tried = results.measured(collector.staged("a number per class", list(servers.values()), values))
    among = measure("studies.mlperf.serving:among_clients", "clients", "session", seed=asked.seed, length=length)
    clients = results.measured(collector.staged("clients of Triton", sessions(), [among]))
    tried = tried.drop(columns=["instance", "label"])
    tables = {"servers": _ordered(served), "tried": tried, "clients": compared(clients.drop(columns="label"))}
    return Found(tables, (), None, {"length": length, "length_of_others": OTHERS * length}, [servers_of()])


def servers_of() -> Identity:
    """The population of the servers of MLPerf, as the first rule models them; nothing of it is drawn."""
    return identify([replace(modelled(case, CONFIGURED)[0], name=case.name) for case in cases()], "mlperf", None)


def shown(key: str) -> Sequence[str] | None:
    """The populations of a figure or a table: the servers, or none for Triton's clients."""
    return () if key == "clients" or "saturated" in key or key == "Median of absolute errors" else None


def _served(case: ServerCase, rule: Rule, seed: int, length: float) -> Measure:
    first = rule == CONFIGURED
    return measure(
        "studies.mlperf.serving:served",
        f"{case.name}: {rule.label}",
        "session",
        on=[case.name],
        case=case.name,
        rule=rule.label,
        seeds=[seed + k for k in range(SEEDS if first else 1)],
        length=length if first else OTHERS * length,
    )


def _ordered(served: pd.DataFrame) -> pd.DataFrame:
    """The rows without the columns of the runs, rule by rule."""
    place = {rule.label: k for k, rule in enumerate((*RULES, *SWEPT))}
    order = served.rule.map(place).sort_values(kind="stable").index
    return served.loc[order].drop(columns=["instance", "label"]).reset_index(drop=True)


TITLE = "Predicted against measured: the simulator held against hardware"
STUDY = Study("mlperf", TITLE, 0, collect, measures, reasons, text, shown=shown)
