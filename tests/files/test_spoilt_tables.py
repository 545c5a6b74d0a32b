"""Forty tables in the shapes of ten writers, each spoilt in the ways that its columns can show."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import euclio
from euclio.core.errors import InputError

BATCHES = (1, 4, 16)


@dataclass(frozen=True)
class Row:
    """A measured load of a server that is full: rate · latency is what is in flight."""

    batch: int
    instances: int
    clients: int
    rate: float
    latency_ms: float
    failed: int = 0
    price: str = "1.5"

    @property
    def batch_s(self) -> float:
        """Seconds of a batch."""
        return self.batch * self.instances / self.rate


def table(header: str, line: Callable[[Row], str], mark: str = "") -> Callable[[list[Row]], str]:
    return lambda rows: "\n".join([*filter(None, (header, mark)), *map(line, rows)]) + "\n"


def objects(fields: Callable[[Row], dict]) -> Callable[[list[Row]], str]:
    return lambda rows: "".join(json.dumps(fields(row)) + "\n" for row in rows)


@dataclass(frozen=True)
class Writer:
    """A tool's table.

    `rate` is the rate's header, if it can be another one. With `loads`, rows differ by clients alone. A `single` one
    states no instances.
    """

    file: str
    text: Callable[[list[Row]], str]
    options: dict
    rate: str = ""
    failures: bool = False
    latency: bool = True
    durations: bool = False
    prices: bool = False
    loads: bool = False
    single: bool = False


def rows_of(seed: int, writer: Writer) -> list[Row]:
    """Loads of a machine whose batches take 4 ms and 1.5 ms for each request, give or take, on one or two instances."""
    draw = random.Random(seed)
    found = []
    for batch in BATCHES:
        k = 1 if writer.single else draw.choice((1, 2))
        batch_ms = 4 * draw.uniform(0.8, 1.2) + 1.5 * batch
        clients = 2 * k * batch
        rate = 1000 * batch * k / batch_ms
        found.append(Row(batch, k, clients, rate, 1000 * clients / rate * draw.uniform(0.97, 1.03)))
    return found


COLUMNS = {"batch": "Batch", "instances": "Copies", "throughput": "Served (/s)", "latency": "Mean (ms)"}
WRITERS = {
    "own": Writer(
        "t.csv",
        table(
            "hardware,batch,concurrency,duration_s,price_per_h",
            lambda r: f"A,{r.batch},{r.instances},{r.batch_s:.6f},{r.price}",
        ),
        {"prices": None},
        latency=False,
        durations=True,
        prices=True,
    ),
    "own rates": Writer(
        "t.csv",
        table(
            "hardware,batch,instances,throughput_rps,latency_mean_s,requests,failed",
            lambda r: f"A,{r.batch},{r.instances},{r.rate:.4f},{r.latency_ms / 1000:.6f},1000,{r.failed}",
        ),
        {},
        failures=True,
    ),
    "spreadsheet": Writer(
        "t.csv",
        table(
            "Batch;Copies;Served (/s);Mean (ms);Errors",
            lambda r: f"{r.batch};{r.instances};{r.rate:.3f};{r.latency_ms:.3f};{r.failed}".replace(".", ","),
        ),
        {"columns": COLUMNS},
        rate="Served (/s)",
        failures=True,
    ),
    "markdown": Writer(
        "t.md",
        table(
            "| Batch | Copies | Served (/s) | Mean (ms) |",
            lambda r: f"| {r.batch} | {r.instances} | {r.rate:.3f} | {r.latency_ms:.3f} |",
            "|---|--:|---|---|",
        ),
        {"columns": COLUMNS},
        rate="Served (/s)",
    ),
    "trtexec": Writer(
        "t.csv",
        table(
            "Input shapes,Throughput (qps),Avg E2E Latency (ms)",
            lambda r: f"{r.batch}x128,{r.rate / r.batch:.3f},{r.latency_ms:.3f}",
        ),
        {},
        single=True,
    ),
    "torchserve": Writer(
        "t.md",
        table(
            "|Batch size|Workers|Concurrency|Requests|TS failed requests|TS throughput|TS latency mean|",
            lambda r: f"|{r.batch}|{r.instances}|{r.clients}|1000|{r.failed}|{r.rate:.3f}|{r.latency_ms:.3f}|",
            "|---|---|---|---|---|---|---|",
        ),
        {},
        failures=True,
    ),
    "vllm": Writer(
        "t.jsonl",
        objects(
            lambda r: {
                "max_concurrency": r.clients,
                "request_throughput": round(r.rate, 4),
                "num_prompts": 1000,
                "completed": 1000 - r.failed,
                "mean_e2el_ms": round(r.latency_ms, 3),
            }
        ),
        {},
        failures=True,
        loads=True,
    ),
    "genai-perf": Writer(
        "t.jsonl",
        objects(
            lambda r: {
                "request_throughput": {"avg": round(r.rate, 4)},
                "request_latency": {"avg": round(r.latency_ms, 3)},
                "input_config": {"perf_analyzer": {"stimulus": {"concurrency": r.clients}}},
            }
        ),
        {},
        loads=True,
    ),
    "locust": Writer(
        "t.csv",
        table(
            "Name,Request Count,Failure Count,Requests/s,Average Response Time",
            lambda r: f"m,1000,{r.failed},{r.rate:.3f},{r.latency_ms:.3f}",
        ),
        {},
        failures=True,
        latency=False,  # it states no clients
        loads=True,
    ),
    "variants": Writer(
        "t.yaml",
        lambda rows: (
            "variants:\n"
            + "".join(f"- {{name: v{k}, capacity: {r.rate:.3f}, cost: {r.price}}}\n" for k, r in enumerate(rows))
        ),
        {"prices": None},
        latency=False,
        prices=True,
    ),
}

Spoilt = list[tuple[str, str, dict]]


def every(rows: list[Row], **changes: Callable[[Row], object]) -> list[Row]:
    return [replace(row, **{name: change(row) for name, change in changes.items()}) for row in rows]


def spoilt(writer: Writer, rows: list[Row]) -> Iterator[tuple[str, str]]:
    """The ways in which a table can be wrong and its columns show it, each with the text of the table then."""
    if writer.latency:
        yield "a rate per minute", writer.text(every(rows, rate=lambda r: r.rate * 60))
        yield "a latency in another unit", writer.text(every(rows, latency_ms=lambda r: r.latency_ms / 1000))
    if writer.latency and not writer.loads:
        yield "a rate in batches", writer.text(every(rows, rate=lambda r: r.rate / r.batch))
    if writer.rate:
        yield "a rate in tokens", writer.text(rows).replace(writer.rate, "Tokens/s")
    if writer.failures:
        yield "failed requests", writer.text([*rows[:-1], replace(rows[-1], failed=300)])
    if writer.durations:
        times = every(rows, rate=lambda r: r.batch * r.instances / (rows[0].batch_s * r.instances))
        yield "a time per request", writer.text(every(times, instances=lambda r: 1))
    if writer.prices:
        yield "no price", writer.text([replace(row, price="") for row in rows])


def read(writer: Writer, text: str, *, strict: bool):
    """The session of a table; where its own header of the rate is another one, that is said to be the rate."""
    Path(writer.file).write_text(text, encoding="utf-8")
    given = {"prices": {"A": 1}, "rates": {"m": 50}, "slo": 0.2, "edges": (), "strict": strict} | writer.options
    if "Tokens/s" in text:
        given["columns"] = given["columns"] | {"throughput": "Tokens/s"}
    return euclio.import_csv(writer.file, **given)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", WRITERS)
def test_a_right_table_is_read_without_a_doubt(name, seed, tmp_path, monkeypatch):
    """A doubt about right rows would teach people to look away."""
    monkeypatch.chdir(tmp_path)
    session = read(WRITERS[name], WRITERS[name].text(rows_of(seed, WRITERS[name])), strict=True)
    assert session.modules[0].profile


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", WRITERS)
def test_a_spoilt_table_is_refused(name, seed, tmp_path, monkeypatch):
    """Each of these once made a plan that was cheaper by the factor of the unit, and nobody was told."""
    monkeypatch.chdir(tmp_path)
    missed = []
    for way, text in spoilt(WRITERS[name], rows_of(seed, WRITERS[name])):
        try:
            read(WRITERS[name], text, strict=True)
            missed.append(way)
        except InputError as error:
            if "SLO" in str(error):
                missed.append(way)
    assert not missed
