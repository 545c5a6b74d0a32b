"""Imports: instances, or profiles for one, made of other files; `import_csv` is `euclio import csv`, and so on."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from euclio.core.errors import InputError
from euclio.core.families import families
from euclio.core.numbers import Number
from euclio.core.parts import Imported, Importer, ProfileImporter
from euclio.core.values import names, numbers, positive, seconds, whole
from euclio.problems.pipeline import Cluster
from euclio.problems.session import Configuration, Session
from euclio.verbs.keyword_types import ByName
from euclio.verbs.keywords import read, read_if
from euclio.verbs.verb import verb
from euclio.workloads.session.importers import MOST_MLPERF_BATCH, amounts, edges_of, prices_of, rates_of
from euclio.workloads.session.server_importers import whole_numbers

if TYPE_CHECKING:
    from euclio.workloads.pricing.machine_prices import PriceList


@verb()
def import_csv(
    file: str | Path,
    *,
    prices: ByName | str | Path | PriceList,
    rates: Number | ByName,
    slo: Number,
    edges: str | Sequence[tuple[str, str]] | None = None,
    memory: ByName | None = None,
    currency: str | None = None,
    name: str | None = None,
    strict: bool = False,
) -> Session:
    """A session made of measured profiles in a CSV, as `euclio import csv` writes it.

    Args:
        file: CSV with a row per configuration: `module`, `hardware`, `batch`, `duration_s` (seconds per batch) and, if
            it is not always 1, `concurrency`; columns such as `p95_s` for quantiles of the duration.
        prices: money per hour of each hardware; or a CSV of them, or the prices themselves, as of `euclio.prices`.
        rates: requests per second: a number, or by module.
        slo: latency objective in seconds.
        edges: pairs of parent and child, or ``"a:b,a:c"``; None: a chain as in the file.
        memory: megabytes of memory of hardware.
        currency: what the prices are in, such as "EUR"; None: not said.
        name: name of the session; None: the file's.
        strict: refuse rows that are doubted (docs/howto/measured.md), where there is a warning otherwise.

    Raises:
        InputError: naming file, line and remedy, or the keyword.
    """
    given = {
        "file": Path(file),
        "prices": _text_or(prices_of, prices, "--prices"),
        "rates": _text_or(rates_of, rates, "--rates"),
        "slo": read(seconds, slo, "--slo"),
        "edges": _text_or(edges_of, edges, "--edges"),
        "memory": _text_or(amounts, memory, "--memory"),
        "currency": currency,
        "name": name,
    }
    session: Session = _imported("csv", given).instance
    return session


@verb()
def import_mlperf(
    folder: str | Path,
    *,
    price: Number,
    batch: Number,
    system: str | None = None,
    benchmark: str | None = None,
    round: str | None = None,
    submitter: str | None = None,
    rate: Number | None = None,
    slo: Number | None = None,
    currency: str | None = None,
    name: str | None = None,
    strict: bool = False,
) -> Session:
    """A session of one module made of a result of MLPerf Inference, as `euclio import mlperf` writes it.

    Args:
        folder: folder with results.jsonl.
        price: money per hour of the accelerator.
        batch: largest batch, which is taken to reach Offline's throughput; no result says at which batch that was.
        system: system of the result; without it an error lists them.
        benchmark: its benchmark, where there are several.
        round: its round, where there are several.
        submitter: its submitter, where there are several.
        rate: requests per second; None: Server's load.
        slo: seconds; None: Server's bound of p99.
        currency: what the price is in, such as "EUR"; None: not said.
        name: name of the session; None: benchmark and system.
        strict: refuse rows that are doubted (docs/howto/measured.md), where there is a warning otherwise.

    Raises:
        InputError: naming the file or the keyword.
    """
    given = {
        **{"folder": Path(folder), "system": system, "benchmark": benchmark, "round": round, "submitter": submitter},
        "price": _exact_text(price, "--price"),
        "batch": read(whole(1, MOST_MLPERF_BATCH).parse, batch, "--batch"),
        "rate": None if rate is None else _exact_text(rate, "--rate"),
        "slo": read_if(seconds, slo, "--slo"),
        "currency": currency,
        "name": name,
    }
    session: Session = _imported("mlperf", given).instance
    return session


class ClusterTerms(TypedDict, total=False):
    """Which GPUs there are and on what terms models are served.

    Attributes:
        cluster: setup HC1-L to HC4-S.
        high: high-class GPUs.
        low: low-class GPUs.
        slo_scale: SLO over latency on L4.
        margin: part of the SLO left free.
        max_partitions: most partitions of a pipeline.
    """

    cluster: str | None
    high: Number | None
    low: Number | None
    slo_scale: Number | None
    margin: Number | None
    max_partitions: Number | None


@verb(ClusterTerms)
def import_ppipe(
    folder: str | Path,
    *,
    models: str | Iterable[str] | None = None,
    weights: str | Iterable[Number] | None = None,
    bandwidth: Number | None = None,
    plan: str | Path | None = None,
    strict: bool = False,
    **terms: Unpack[ClusterTerms],
) -> Imported:
    """A cluster made of the files of PPipe's published artifact, as `euclio import ppipe` writes it.

    Args:
        folder: folder of the artifact, the one with `data` in it.
        models: models served together; without them an error lists them.
        weights: their parts of the load; None: 1 each.
        bandwidth: Gbit/s of a link; None: the setup's.
        plan: plan of the artifact for this cluster.
        strict: refuse rows that are doubted (docs/howto/measured.md), where there is a warning otherwise.
        **terms: `cluster`, `high`, `low`, `slo_scale`, `margin`, `max_partitions`.

    Returns:
        The cluster as `instance`, and the plan as a checked `result`; None: no plan was asked for.

    Raises:
        InputError: naming the file or the keyword.
    """
    from euclio.workloads.pipeline.kinds import TERMS

    given = {setting.name: terms.get(setting.name) for setting in TERMS if terms.get(setting.name) is not None}
    flags = {setting.name: setting for setting in TERMS}
    found = _imported(
        "ppipe",
        {
            "folder": Path(folder),
            "models": read_if(names, models, "--models"),
            "weights": read_if(numbers, weights, "--weights"),
            "bandwidth": read_if(positive, bandwidth, "--bandwidth"),
            "plan": None if plan is None else Path(plan),
            **{name: read(flags[name].text, value, flags[name].flag) for name, value in given.items()},
        },
    )
    assert isinstance(found.instance, Cluster)
    return found


@verb()
def import_perf_analyzer(
    files: str | Path | Iterable[str | Path],
    *,
    model: str,
    hardware: str,
    batch: Number | Iterable[Number],
    instances: Number | Iterable[Number] = 1,
    no_dynamic_batching: bool = False,
    out: str | Path | None = None,
    append: bool = False,
    strict: bool = False,
) -> tuple[Configuration, ...]:
    """A profile from what Triton's perf_analyzer measured, as `euclio import perf-analyzer` writes it.

    Args:
        files: CSV files that perf_analyzer -f wrote, one or several.
        model: model (-m), which is the module's name.
        hardware: machine type that the server ran on.
        batch: inputs per request (-b), of all files or by file.
        instances: instances of the model on the machine, of all files or by file.
        no_dynamic_batching: say that the server had no dynamic batching, where that cannot be seen and is refused.
        out: also write it as a CSV for `import_csv`.
        append: add to the profiles that `out` has, if it is there.
        strict: refuse rows that are doubted (docs/howto/measured.md), where there is a warning otherwise.

    Returns:
        The profile, a configuration per batch and number of instances.

    Raises:
        InputError: naming the file or the keyword.
    """
    listed = [files] if isinstance(files, str | Path) else list(files)
    given = {
        "files": [Path(file) for file in listed],
        "batch": read(whole_numbers, batch, "--batch"),
        "instances": read(whole_numbers, instances, "--instances"),
        "no_dynamic_batching": no_dynamic_batching,
    }
    return _profile("perf-analyzer", {"model": model, "hardware": hardware, **given}, out, append)


@verb()
def import_model_analyzer(
    file: str | Path,
    *,
    hardware: str,
    model: str | None = None,
    no_dynamic_batching: bool = False,
    out: str | Path | None = None,
    append: bool = False,
    strict: bool = False,
) -> tuple[Configuration, ...]:
    """A profile from what Triton's model-analyzer measured, as `euclio import model-analyzer` writes it.

    Args:
        file: metrics-model-inference.csv, or a checkpoint (.ckpt).
        hardware: machine type that the server ran on.
        model: model, where the file has several.
        no_dynamic_batching: say that the server had no dynamic batching, where that cannot be seen and is refused.
        out: also write it as a CSV for `import_csv`.
        append: add to the profiles that `out` has, if it is there.
        strict: refuse rows that are doubted (docs/howto/measured.md), where there is a warning otherwise.

    Returns:
        The profile, a configuration per batch and number of instances.

    Raises:
        InputError: naming the file or the keyword.
    """
    given = {"file": Path(file), "model": model, "hardware": hardware, "no_dynamic_batching": no_dynamic_batching}
    return _profile("model-analyzer", given, out, append)


def _imported(kind: str, given: Mapping[str, Any]) -> Imported:
    """What an importer makes of its arguments."""
    importer = _importers()[kind]
    assert isinstance(importer, Importer)
    return importer.read(argparse.Namespace(**given))


def _profile(kind: str, given: Mapping[str, Any], out: str | Path | None, append: bool) -> tuple[Configuration, ...]:
    """The profile that an importer makes of its arguments, also written where that is asked for."""
    from euclio.workloads.session.server_importers import write_profiles

    importer = _importers()[kind]
    assert isinstance(importer, ProfileImporter)
    if append and out is None:
        raise InputError("adds to the file of --out; give that too", field="--append")
    module, profile = importer.read(argparse.Namespace(**given))
    write_profiles(module, profile, None if out is None else Path(out), append)
    return tuple(profile)


def _importers() -> dict[str, Importer | ProfileImporter]:
    """The importers of all families by name."""
    return {importer.name: importer for family in families() for importer in family.importers()}


def _text_or(parse: Any, value: Any, flag: str) -> Any:
    """The value of a text; what is no text is the value itself."""
    return read(parse, value, flag) if isinstance(value, str) else value


def _exact_text(value: Number, flag: str) -> Number:
    """A positive number, exactly as it is written."""
    read(positive, value, flag)
    return value
