"""`euclio import`: write an instance or profiles from other files.

`import_csv` is `euclio import csv`, and so on; the importers of families from outside are commands too.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from euclio.core.errors import InputError
from euclio.core.families import families
from euclio.core.numbers import Number
from euclio.core.parameters import NEEDED, Parameter, option_text
from euclio.core.parts import Imported, Importer, ProfileImporter
from euclio.core.progress import say
from euclio.core.result import Status
from euclio.core.values import file_path, read, read_if
from euclio.files import save_instance, save_result
from euclio.files.row_warnings import strictly
from euclio.problems.pipeline import Cluster
from euclio.problems.session import Configuration, Session
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import REFUSED, SOLVED
from euclio.verbs.interface.keyword_types import AmountsByName, ByName, TextsByName
from euclio.verbs.interface.outputs import check_written
from euclio.verbs.interface.shared_parameters import PROFILE_OUTPUTS, STRICT
from euclio.verbs.interface.verb import verb
from euclio.workloads.session.server_importers import write_profiles

if TYPE_CHECKING:
    from euclio.workloads.pricing.machine_prices import PriceList


class TableTerms(TypedDict, total=False):
    """Which column of a table says what, and what else the file does not say.

    Attributes:
        columns: header by euclio's name of a column, such as ``{"batch": "Batch Size"}``.
        unit: unit of a column whose header has none, such as ``{"latency": "ms", "throughput": "batches"}``.
        where: text that a column must have, by header.
        limit: most seconds of a column, such as ``{"ttft_p99": 1}``; other rows are left out.
        tool: tool that wrote the table, or an own table of columns (TOML); None finds it by its columns.
        per: time that inline prices are per, such as "month"; None means an hour.
        factor: requests of the child for each of the parent, by edge, as ``"a:b=2.3"``.
        stock: most machines by hardware.
        at_least: machines that are paid for, used or not, by hardware.
        resource: most that all machines take of a resource, by its name.
        takes: amount of a resource that a machine takes, by name of the resource, then by hardware.
        slices: profile of the GPU slice that a machine is, by name of the resource, then by hardware.
    """

    columns: str | Mapping[str, str] | None
    unit: ByName | None
    where: str | Mapping[str, str] | None
    limit: ByName | None
    tool: str | Path | None
    per: str | None
    factor: str | Mapping[tuple[str, str], Number] | None
    stock: ByName | None
    at_least: ByName | None
    resource: ByName | None
    takes: AmountsByName | None
    slices: TextsByName | None


@verb(typed=TableTerms)
def import_csv(
    file: str | Path,
    *,
    prices: ByName | str | Path | PriceList | None = None,
    rates: Number | ByName,
    slo: Number,
    edges: str | Sequence[tuple[str, str]] | None = None,
    memory: ByName | None = None,
    currency: str | None = None,
    name: str | None = None,
    strict: bool = False,
    **terms: Unpack[TableTerms],
) -> Session:
    """A session made of measured profiles in a CSV, as `euclio import csv` writes it.

    Args:
        file: CSV with a row per configuration: `module`, `hardware`, `batch`, `duration_s` (seconds per batch) and, if
            it is not always 1, `concurrency`; columns such as `p95_s` for quantiles of the duration; `throughput_rps`
            may replace `duration_s`. Other tables are read by `columns` and `unit`; Markdown, JSON and YAML too.
        prices: money per hour of each hardware; or a CSV of them, or the prices themselves, as of `euclio.prices`.
            None means the file's column `price_per_h`.
        rates: requests per second: a number, or by module.
        slo: latency objective in seconds.
        edges: pairs of parent and child, or ``"a:b,a:c"``; None means a chain in the file's order.
        memory: megabytes of memory of hardware.
        currency: currency of the prices, such as "EUR"; None means an unnamed one.
        name: name of the session; None means the file's.
        strict: refuse doubted rows (docs/howto/doubts.md) instead of warning of them.
        **terms: `columns`, `unit`, `where`, `limit`, `tool`, `per`, `factor`, `stock`, `at_least`, `resource`,
            `takes`, `slices`.

    Raises:
        InputError: naming file, line and remedy, or the keyword.
    """
    given = {"prices": prices, "rates": rates, "slo": slo, "edges": edges, "memory": memory, **terms}
    session: Session = _imported("csv", file=file, currency=currency, name=name, **given).instance
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
        batch: largest batch, assumed to reach Offline's throughput; no result states its batch.
        system: system of the result; without it an error lists them.
        benchmark: its benchmark, if there are several.
        round: its round, if there are several.
        submitter: its submitter, if there are several.
        rate: requests per second; None means Server's load.
        slo: seconds; None means Server's bound of p99.
        currency: currency of the price, such as "EUR"; None means an unnamed one.
        name: name of the session; None means benchmark and system.
        strict: refuse doubted rows (docs/howto/doubts.md) instead of warning of them.

    Raises:
        InputError: naming the file or the keyword.
    """
    which = {"system": system, "benchmark": benchmark, "round": round, "submitter": submitter}
    given = {"price": price, "batch": batch, "rate": rate, "slo": slo, "currency": currency, "name": name}
    session: Session = _imported("mlperf", folder=folder, **which, **given).instance
    return session


class ClusterTerms(TypedDict, total=False):
    """The GPUs, and the terms of service.

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


@verb(typed=ClusterTerms)
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
        weights: their parts of the load; None means 1 each.
        bandwidth: Gbit/s of a link; None means the setup's.
        plan: plan of the artifact for this cluster.
        strict: refuse doubted rows (docs/howto/doubts.md) instead of warning of them.
        **terms: `cluster`, `high`, `low`, `slo_scale`, `margin`, `max_partitions`.

    Returns:
        The cluster as `instance`, and the plan as a checked `result`, None without `plan`.

    Raises:
        InputError: naming the file or the keyword.
    """
    given = {"models": models, "weights": weights, "bandwidth": bandwidth, **terms}
    found = _imported("ppipe", folder=folder, plan=None if plan is None else Path(plan), **given)
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
    """A profile from measurements of Triton's perf_analyzer, as `euclio import perf-analyzer` writes it.

    Args:
        files: CSV files that perf_analyzer -f wrote, one or several.
        model: model (-m), which is the module's name.
        hardware: machine type of the server.
        batch: inputs per request (-b), of all files or by file.
        instances: instances of the model on the machine, of all files or by file.
        no_dynamic_batching: state that the server had no dynamic batching, if the files cannot show it.
        out: also write it as a CSV for `import_csv`.
        append: add to the profiles in `out`, if it exists.
        strict: refuse doubted rows (docs/howto/doubts.md) instead of warning of them.

    Returns:
        The profile, a configuration per batch and number of instances.

    Raises:
        InputError: naming the file or the keyword.
    """
    listed = [files] if isinstance(files, str | Path) else list(files)
    given = {"batch": batch, "instances": instances, "no_dynamic_batching": no_dynamic_batching}
    return _profile("perf-analyzer", out, append, files=listed, model=model, hardware=hardware, **given)


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
    """A profile from measurements of Triton's model-analyzer, as `euclio import model-analyzer` writes it.

    Args:
        file: metrics-model-inference.csv, or a checkpoint (.ckpt).
        hardware: machine type of the server.
        model: model, if the file has several.
        no_dynamic_batching: state that the server had no dynamic batching, if the files cannot show it.
        out: also write it as a CSV for `import_csv`.
        append: add to the profiles in `out`, if it exists.
        strict: refuse doubted rows (docs/howto/doubts.md) instead of warning of them.

    Returns:
        The profile, a configuration per batch and number of instances.

    Raises:
        InputError: naming the file or the keyword.
    """
    given = {"model": model, "hardware": hardware, "no_dynamic_batching": no_dynamic_batching}
    return _profile("model-analyzer", out, append, file=file, **given)


def _imported(kind: str, **given: Any) -> Imported:
    """The result of an importer."""
    importer = _importers()[kind]
    assert isinstance(importer, Importer)
    return importer.read(_read(importer, given))


def _profile(kind: str, out: str | Path | None, append: bool, **given: Any) -> tuple[Configuration, ...]:
    """The profile that an importer returns, also written to `out`."""
    importer = _importers()[kind]
    assert isinstance(importer, ProfileImporter)
    if append and out is None:
        raise InputError(f"adds to the file of {option_text('--out')}; give that too", field="--append")
    module, profile = importer.read(_read(importer, given))
    write_profiles(module, profile, None if out is None else Path(out), append)
    return tuple(profile)


def _read(importer: Importer | ProfileImporter, given: dict[str, Any]) -> Namespace:
    """The arguments of an importer, read as the command reads them."""
    for one in importer.parameters:
        if one.parse is None:
            given.setdefault(one.keyword, None)
            continue
        if one.details.get("nargs") == "+":
            given[one.keyword] = [one.parse(part) for part in given[one.keyword]]
        else:
            reader = read if one.details.keys() & {"required", "default"} else read_if
            given[one.keyword] = reader(one.parse, given.get(one.keyword), one.flag)
    return Namespace(**given)


def _importers() -> dict[str, Importer | ProfileImporter]:
    """The importers of all families by name."""
    return {importer.name: importer for family in families() for importer in family.importers()}


# The commands, one for each importer of a family.


def _print_profiles(importer: ProfileImporter, arguments: Namespace) -> int:
    """Read, write the profiles, print the path."""
    check_written(arguments, ["out"], _files_of(importer, arguments))
    with strictly(arguments.strict):
        module, profile = importer.read(arguments)
        write_profiles(module, profile, arguments.out, arguments.append)
    print(arguments.out)
    return SOLVED


def _print_imported(importer: Importer, arguments: Namespace) -> int:
    """Import, write, print the paths."""
    plan, plan_out = (getattr(arguments, name, None) for name in ("plan", "plan_out"))
    if (plan is None) != (plan_out is None):
        raise InputError("go together: the plan, and the file for it as a result", field="--plan and --plan-out")
    check_written(arguments, ["out", "plan_out"], _files_of(importer, arguments))
    with strictly(arguments.strict):
        instance, result = importer.read(arguments)
    save_instance(instance, arguments.out)
    print(arguments.out)
    if result is None:
        return SOLVED
    assert plan_out is not None
    save_result(result, instance, plan_out)
    print(plan_out)
    if result.status is Status.ERROR:
        say(f"{plan}: {result.reason}")
        return REFUSED
    return SOLVED


def _files_of(importer: Importer | ProfileImporter, arguments: Namespace) -> list[Any]:
    """The files that an importer reads."""
    given = [getattr(arguments, name) for name in importer.reads]
    return [path for one in given for path in (one if isinstance(one, list) else [one])]


def _outputs(importer: Importer | ProfileImporter) -> tuple[Parameter, ...]:
    """Where an importer writes."""
    if isinstance(importer, ProfileImporter):
        return (*PROFILE_OUTPUTS, STRICT)
    out = Parameter("--out", help="file for the instance", parse=file_path, metavar="FILE", details=NEEDED)
    if not importer.plans:
        return (out, STRICT)
    return (
        out,
        STRICT,
        Parameter("--plan", help=importer.plans, parse=file_path, metavar="FILE"),
        Parameter("--plan-out", help="file for the plan as a result, checked", parse=file_path, metavar="FILE"),
    )


EXAMPLE = "euclio import csv durations.csv --prices V100=3 --rates classify=10 --slo 0.5 --out imported.json"
for _name, _importer in _importers().items():
    _print: Callable[..., int] = _print_profiles if isinstance(_importer, ProfileImporter) else _print_imported
    command(
        None,
        *_importer.parameters,
        *_outputs(_importer),
        name=f"import {_name}",
        about=_importer.description,
        summary=_importer.help,
        examples=(EXAMPLE,) if _name == "csv" else (),
    )(partial(_print, _importer))
