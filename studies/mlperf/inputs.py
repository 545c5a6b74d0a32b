"""The inputs (`data/mlperf`): MLPerf's results with their servers' settings, and Model Analyzer's measurements."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

import pandas as pd

from euclio.core.folders import data_dir
from euclio.files.json_reading import read_json
from euclio.workloads.session.mlperf import Result, read_results

FOLDER = "mlperf"
PERCENTILES = ("p50", "p90", "p99")


class Kind(StrEnum):
    """Classes of servers with a common way of serving (ours), in the order of the page."""

    ONE = "one stream, inputs of one size"
    SLICE = "several streams on a slice, inputs of one size"
    WHOLE = "several streams on a whole accelerator, inputs of one size"
    SENTENCES = "sentences (BERT)"
    RECORDINGS = "recordings (RNN-T)"


@dataclass(frozen=True, slots=True)
class ServerCase:
    """A measured server.

    Attributes:
        result: its results.
        batch: largest batch that it forms.
        streams: batches that it executes at a time.
        timeout_s: batch timeout in seconds.
        stated: whether its configuration states the timeout.
        source: the place of the configuration, with a note.
    """

    result: Result
    batch: int
    streams: int
    timeout_s: float
    stated: bool
    source: str

    @property
    def accelerator(self) -> str:
        """The accelerator in short, with the slice of it that is used, such as "A100 1g.10gb"."""
        return accelerator(self.result.accelerator)

    @property
    def harness(self) -> str:
        """The serving software: Triton, or TensorRT in a harness of MLPerf's submitters."""
        return "Triton" if self.result.system.endswith("_Triton") else "TensorRT"

    @property
    def kind(self) -> Kind:
        """The class of the server."""
        if self.result.benchmark.startswith("bert"):
            return Kind.SENTENCES
        if self.result.benchmark.startswith("rnnt"):
            return Kind.RECORDINGS
        if self.streams == 1:
            return Kind.ONE
        return Kind.SLICE if "MIG" in self.result.accelerator else Kind.WHOLE

    @property
    def group(self) -> str:
        """Accelerator and model."""
        return f"{self.result.benchmark} on {self.accelerator}"

    @property
    def name(self) -> str:
        """A name of its own."""
        return f"{self.group}, {self.harness} v{self.result.round}"

    @property
    def key(self) -> str:
        """Prefix of the keys of its published numbers."""
        parts = (self.result.benchmark, self.accelerator.replace(" ", "_"), self.harness.lower(), self.result.round)
        return "_".join(parts)

    @property
    def submitted_rps(self) -> float:
        """The submitted Poisson load in requests per second."""
        return float(self._server.scheduled_per_s)

    @property
    def bound_s(self) -> float:
        """The bound on the 99th percentile, in seconds."""
        return float(self._server.bound_p99_ms) / 1000

    @property
    def on_hardware_s(self) -> Mapping[str, float]:
        """The measured percentiles in seconds."""
        return {name: float(getattr(self._server, f"{name}_ms")) / 1000 for name in PERCENTILES}

    @property
    def _server(self) -> Any:
        assert self.result.server is not None
        return self.result.server


def accelerator(name: str) -> str:
    """An accelerator in short: "NVIDIA A100-SXM-80GB (1x1g.10gb MIG)" is an "A100 1g.10gb"."""
    chip = name.removeprefix("NVIDIA ").split("-")[0].split(" ")[0]
    found = re.search(r"1x(\S+) MIG", name)
    return chip if found is None else f"{chip} {found.group(1)}"


@cache
def cases() -> tuple[ServerCase, ...]:
    """All servers, by group; every result has its settings."""
    folder = data_dir() / FOLDER
    settings = read_json(str(folder / "settings.json"))
    named = {
        tuple(entry[field] for field in ("round", "submitter", "system", "benchmark")): entry
        for entry in settings["settings"]
    }
    found = [_case(result, named[result.key], settings["default_timeout_ms"]) for result in read_results(folder)]
    return tuple(sorted(found, key=lambda case: case.name))


def _case(result: Result, settings: Mapping[str, Any], default_ms: float) -> ServerCase:
    stated = settings["timeout_ms"] is not None
    timeout_ms = settings["timeout_ms"] if stated else default_ms
    source = "\n".join(filter(None, (settings["source"], settings.get("note"))))
    return ServerCase(result, settings["batch"], settings["streams"], float(timeout_ms) / 1000, stated, source)


@cache
def analyzer_runs() -> pd.DataFrame:
    """Model Analyzer's measurements, one row each.

    Throughput is per second, latencies are in milliseconds. `through_latency_per_s` is the throughput by Little's law,
    clients over mean latency. The printed throughput leaves out requests that begin or end outside its window, which
    are most of the requests that take as long as the window.
    """
    runs = pd.read_csv(data_dir() / FOLDER / "model-analyzer.csv")
    return runs.assign(through_latency_per_s=1000.0 * runs.clients / runs.latency_mean_ms)
