"""`euclio import csv` and `euclio import mlperf`: sessions made of measured profiles, and all importers of sessions."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.core.numbers import Number, exact
from euclio.core.parameters import NEEDED, Parameter, as_given, option_text
from euclio.core.parts import Imported, Importer
from euclio.core.values import exact_positive, file_path, named, positive, seconds, whole
from euclio.core.words import joined
from euclio.files.row_warnings import tell_doubts
from euclio.problems.session.changes import CHANGE_OPTIONS, SessionChanges
from euclio.problems.session.costs import HOURS
from euclio.problems.session.doubts import doubt_lines
from euclio.workloads.pricing.machine_prices import PriceList, with_prices
from euclio.workloads.pricing.price_tables import read_prices
from euclio.workloads.session.csv_profiles import session_from_csv
from euclio.workloads.session.mlperf import chosen, read_results, session_from_result
from euclio.workloads.session.server_importers import PROFILE_IMPORTERS
from euclio.workloads.session.table_columns import PER, Reading, full_name

OF_MACHINES = tuple(one for one in CHANGE_OPTIONS if one.field in ("stock", "at_least", "resources", "takes", "slices"))
"""Options that say of machines what no row of a table does."""
FLAGS = {
    "prices_per_h": "--prices",
    "rates_rps": "--rates",
    "slo_s": "--slo",
    "edges": "--edges",
    "memory_mb": "--memory",
    "factors": "--factor",
    **{one.field: one.flag for one in OF_MACHINES},
}
"""Options by the argument of `session_from_csv` that they give."""


def _read(arguments: argparse.Namespace) -> Imported:
    prices, per = arguments.prices or {}, HOURS[arguments.per or "hour"]
    if arguments.per not in (None, "hour") and not prices:
        message = "says what inline prices are per, and there are none; of a column say it by"
        raise InputError(f"{message} {option_text('--unit')} price_per_h={arguments.per}", field="--per")
    if isinstance(prices, dict):
        prices = {name: exact(price) / per for name, price in prices.items()}
    elif arguments.per:
        raise InputError("says what inline prices are per; a file of prices is per hour: leave it out", field="--per")
    found = read_prices(prices) if isinstance(prices, Path) else prices
    said = found.currency if isinstance(found, PriceList) else None
    if said and arguments.currency and said != arguments.currency:
        message = f"is {arguments.currency}, but the prices are in {said}; leave it out"
        raise InputError(message, field="--currency")
    try:
        session = session_from_csv(
            arguments.file,
            prices_per_h=found.by_name if isinstance(found, PriceList) else found,
            rates_rps=arguments.rates,
            slo_s=arguments.slo,
            edges=arguments.edges,
            name=arguments.name,
            memory_mb=arguments.memory,
            currency=arguments.currency,
            further=isinstance(found, PriceList),
            reading=_reading(arguments),
            factors=arguments.factor,
        )
        changes = {one.field: getattr(arguments, one.keyword) for one in OF_MACHINES}
        session = SessionChanges(**changes).applied_to(session) if any(changes.values()) else session
    except InputError as error:
        parts = re.split(r"[.[]", error.field or "")
        flag = FLAGS.get(parts[-1], FLAGS.get(parts[0], error.field))
        raise InputError(error.message, file=error.file, field=flag) from None
    return Imported(with_prices(session, found.prices, found.currency) if isinstance(found, PriceList) else session)


def _reading(arguments: argparse.Namespace) -> Reading:
    """What a user says of the table."""
    limits = {full_name(name, "--limit"): most for name, most in (arguments.limit or {}).items()}
    named = (arguments.columns or {}, arguments.unit or {}, arguments.where or {})
    return Reading(*named, limits, arguments.tool)


def _in_text(parse: Callable[[str], Any]) -> Callable[[Any], Any]:
    """What reads a text, and takes what is none as the value itself."""
    return lambda given: parse(given) if isinstance(given, str) else given


def prices_of(text: str) -> dict[str, Number] | Path:
    """Positive numbers by name, or the path of a CSV of them."""
    return Path(text) if "=" not in text and text.lower().endswith(".csv") else named(_amount)(text)


def rates_of(text: str) -> Number | dict[str, Number]:
    """A positive number, or one for each name; each may be per minute or hour, as in ``37.45/min``."""
    if "=" not in text:
        return _rate(text)
    return named(_rate)(text)


def _rate(text: Number) -> Number:
    """A rate in requests per second; exact where it is per minute or hour."""
    amount, sign, unit = str(text).partition("/")
    if not sign:
        return _amount(text)
    if unit.strip() not in PER:
        raise argparse.ArgumentTypeError(f"{text!r} must be a number, or one per {joined(PER, 'or')} as in 37.45/min")
    return exact_positive(amount.strip()) * PER[unit.strip()]


def factors_of(text: str) -> dict[tuple[str, str], Fraction]:
    """Factors by edge, as in ``detect:landmark=2.3``."""
    found = {}
    for edge, factor in named(exact_positive)(text).items():
        (pair,) = edges_of(edge)
        found[pair] = factor
    return found


def edges_of(text: str) -> tuple[tuple[str, str], ...]:
    """Pairs of names; none for a text without a word."""
    found = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        parent, colon, child = (piece.strip() for piece in part.partition(":"))
        if not (parent and colon and child):
            raise argparse.ArgumentTypeError(f"{part!r} must be PARENT:CHILD; pairs are divided by commas")
        found.append((parent, child))
    return tuple(found)


MLPERF_FLAGS = {
    "largest_batch": "--batch",
    "price_per_h": "--price",
    "rate_rps": "--rate",
    "slo_s": "--slo",
    **{name: f"--{name}" for name in ("system", "benchmark", "round", "submitter")},
}
"""Options of `euclio import mlperf` by what they choose or give."""
MOST_MLPERF_BATCH = 10**4


def _read_mlperf(arguments: argparse.Namespace) -> Imported:
    results, file = read_results(arguments.folder), str(arguments.folder)
    try:
        result = chosen(
            results,
            file,
            system=arguments.system,
            benchmark=arguments.benchmark,
            round=arguments.round,
            submitter=arguments.submitter,
        )
        session = session_from_result(
            result,
            price_per_h=arguments.price,
            largest_batch=arguments.batch,
            rate_rps=arguments.rate,
            slo_s=arguments.slo,
            name=arguments.name,
        )
        session = replace(session, currency=arguments.currency)
        (module,) = session.modules
        tell_doubts(file, doubt_lines(module.name, module.profile, lambda k: f"batch {module.profile[k].batch}"))
    except InputError as error:
        flag = MLPERF_FLAGS.get(error.field or "")
        raise InputError(error.message, file=error.file if flag else file, field=flag or error.field) from None
    return Imported(session)


def _amount(text: Number) -> Number:
    """A positive number as it is written, so that it stays exact."""
    positive(text)
    return text.strip() if isinstance(text, str) else text


CURRENCY = Parameter(
    "--currency", help="what the prices are in, such as EUR; default: not said", parse=as_given, metavar="NAME"
)
CSV = (
    Parameter("file", help="profiles (CSV)", parse=file_path, metavar="FILE"),
    Parameter(
        "--prices",
        help="money per hour of each hardware, or a CSV of them, as of euclio prices; default: column price_per_h",
        parse=_in_text(prices_of),
        metavar="A=X,B=Y",
    ),
    Parameter(
        "--rates",
        help="requests per second: a number, or m=R,n=S by module",
        parse=_in_text(rates_of),
        metavar="R",
        details=NEEDED,
    ),
    Parameter("--slo", help="latency objective in seconds", parse=seconds, metavar="S", details=NEEDED),
    Parameter(
        "--edges", help="parent:child; default: a chain as in the file", parse=_in_text(edges_of), metavar="a:b,a:c"
    ),
    Parameter("--memory", help="megabytes of memory of hardware", parse=named(_amount), metavar="A=X,B=Y"),
    CURRENCY,
    Parameter("--name", help="name of the session; default: the file's", parse=as_given, metavar="NAME"),
    Parameter(
        "--columns",
        help="column that says it: batch, duration, throughput, instances, in_flight, failed, latency_p95, ...",
        parse=named(str),
        metavar="batch=HEADER,...",
    ),
    Parameter(
        "--unit",
        help="unit of a column where its header has none: ms, /min, batches, month, or requests per second of one",
        parse=named(str),
        metavar="latency=ms,...",
    ),
    Parameter("--where", help="rows to read, by the text in a column", parse=named(str), metavar="HEADER=TEXT|TEXT"),
    Parameter(
        "--limit",
        help="most seconds of a column, such as latency_p95 or ttft_p99; other rows are left out",
        parse=named(exact_positive),
        metavar="ttft_p99=1",
    ),
    Parameter(
        "--tool",
        help="tool that wrote the table, or an own table of columns (TOML); default: found by its columns",
        parse=as_given,
        metavar="NAME",
    ),
    Parameter("--per", help="time that inline prices are per; default: hour", choices=tuple(HOURS)),
    Parameter(
        "--factor",
        help="requests of the child for each of the parent; rates are then those of the first modules",
        parse=_in_text(factors_of),
        metavar="a:b=2.3",
    ),
    *OF_MACHINES,
)
MLPERF = (
    Parameter("folder", help="folder with results.jsonl", parse=file_path, metavar="DIR"),
    Parameter("--system", help="system of the result; without it: lists them", parse=as_given, metavar="NAME"),
    Parameter("--benchmark", help="its benchmark, where there are several", parse=as_given, metavar="NAME"),
    Parameter("--round", help="its round, where there are several", parse=as_given, metavar="V"),
    Parameter("--submitter", help="its submitter, where there are several", parse=as_given, metavar="NAME"),
    Parameter("--price", help="money per hour of the accelerator", parse=_amount, metavar="X", details=NEEDED),
    Parameter(
        "--batch",
        help="largest batch, which is taken to reach Offline's throughput; no result says at which batch that was",
        parse=whole(1, MOST_MLPERF_BATCH).parse,
        metavar="B",
        details=NEEDED,
    ),
    Parameter("--rate", help="requests per second; default: Server's load", parse=_amount, metavar="R"),
    Parameter("--slo", help="seconds; default: Server's bound of p99", parse=seconds, metavar="S"),
    CURRENCY,
    Parameter("--name", help="name of the session; default: benchmark and system", parse=as_given, metavar="NAME"),
)

IMPORTERS = (
    Importer(
        "csv",
        "a session made of measured profiles",
        "Write a session made of a CSV file with one row per configuration, columns module, hardware, batch, "
        "duration_s (seconds per batch) and, if it is not always 1, concurrency; prints the path. Columns like p95_s "
        "may say quantiles of the duration; several rows of one configuration are repetitions, whose median counts. "
        "throughput_rps may stand in place of duration_s. Tables with other headers and units are read by --columns "
        "and --unit, those of some tools as they are; Markdown, JSON, JSON lines and YAML too. "
        "Semicolons, decimal commas and UTF-16, as spreadsheets write them, are read. Doubtful rows are said.",
        CSV,
        _read,
        reads=("file",),
    ),
    Importer(
        "mlperf",
        "a session of one module made of a result of MLPerf Inference",
        "Write a session of one module whose profile is read from a result of MLPerf Inference: batch 1 from "
        "SingleStream, 8 from MultiStream where it was submitted, the largest from Offline, linear in between; prints "
        "the path.",
        MLPERF,
        _read_mlperf,
        reads=("folder",),
    ),
    *PROFILE_IMPORTERS,
)
