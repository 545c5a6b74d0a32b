"""Good files of every kind that a command reads, with the commands that read them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from euclio.cli import main
from euclio.core.families import find_family, homes
from euclio.experiments.columns import SCHEMA, to_table
from euclio.experiments.execution import execute
from euclio.experiments.experiment_files import load_experiment
from euclio.experiments.instances import InstanceIndex
from euclio.experiments.journal import encoded
from euclio.experiments.runner import Expansion
from euclio.experiments.task import text_hash
from euclio.files import save_instance

Verb = tuple[str, ...]

READ: tuple[Verb, ...] = (
    ("verify", "i.json", "r.json"),
    ("certify", "i.json", "r.json", "--time-limit", "1"),
    ("simulate", "i.json", "r.json", "--seconds", "0.05"),
)
OF_RESULTS = (*READ, ("diff", "r.json", "r.json"))
EXPORTS: tuple[Verb, ...] = (
    ("export", "i.json", "r.json", "--to", "csv"),
    ("export", "i.json", "r.json", "--to", "triton", "--out", "models"),
    ("export", "i.json", "r.json", "--to", "kubernetes", "--image", "x:1"),
    ("export", "i.json", "r.json", "--to", "ray-serve", "--import-path", "app:app"),
)
FROM: tuple[Verb, ...] = (("solve", "i.json", "--from", "r.json", "--changes", "1", "--time-limit", "1"),)
QUICK = {"session": "harpagon", "pipeline": "no-partitioning", "fragments": "gslice", "day": "day-peak"}
"""A quick solver of each family."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file, with the commands that read it.

    Attributes:
        name: of the kind, in words.
        files: bytes of all its files by path.
        target: the file that is changed.
        value: what the target holds, as JSON would have it.
        verbs: commands that read it.
        slow: commands of which one is tried per place, with a part of what is put there.
        encode: makes the bytes of the target of a JSON text; raises where no such file can hold it.
    """

    name: str
    files: dict[str, bytes]
    target: str
    value: Any
    verbs: tuple[Verb, ...]
    slow: tuple[Verb, ...] = ()
    encode: Callable[[str], bytes] = lambda text: text.encode("utf-8", "surrogatepass")


@cache
def kinds() -> tuple[Kind, ...]:
    """All kinds; their files are made by the commands themselves."""
    with TemporaryDirectory(prefix="good-") as folder, chdir(folder):
        return (*_of_families(), _changed_session(), _certificate(), _experiment(), *_of_runs(), _of_set(), *_tables())


def _good(*words: str) -> str:
    """What a command prints that has to end well."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*words])
    assert code == 0, (words, code, err.getvalue())
    return out.getvalue()


def _files(*names: str) -> dict[str, bytes]:
    return {name: Path(name).read_bytes() for name in names}


def _of_json(name: str, files: dict[str, bytes], target: str, *verbs: Verb, slow: tuple[Verb, ...] = ()) -> Kind:
    return Kind(name, files, target, json.loads(files[target]), verbs, slow)


def _small(family: str = "session") -> None:
    """A small instance and a result of it."""
    files = _solved(family)
    for name, data in files.items():
        Path(name).write_bytes(data)


@cache
def _solved(family: str) -> dict[str, bytes]:
    save_instance(find_family(family).sources().small(0), "i.json")
    _good("solve", "i.json", "--time-limit", "30", "--out", "r.json")
    return _files("i.json", "r.json")


def _of_families() -> Iterator[Kind]:
    """Instances and results of every family."""
    for name in homes():
        own = find_family(name).instances
        files = _solved(name)
        solves: tuple[Verb, ...] = (
            ("solve", "i.json", "--time-limit", "1", "--solver", QUICK[name]),
            ("explain", "i.json", "--time-limit", "1"),
            ("compare", "i.json", "--solvers", QUICK[name], "--time-limit", "1"),
            ("what-if", "i.json", "--rate", "1,2", "--time-limit", "1"),
        )
        yield _of_json(f"instance of {own}", files, "i.json", READ[0], READ[2], slow=(READ[1], *solves))
        exports = EXPORTS if name == "session" else ()
        yield _of_json(f"result of {own}", files, "r.json", *OF_RESULTS, slow=(*FROM, *exports, *exports))


def _changed_session() -> Kind:
    """A result that states changes of its instance."""
    _small()
    hardware = json.loads(Path("i.json").read_bytes())["hardware"][0]["name"]
    given = ("--rate", "20", "--stock", f"{hardware}=9", "--spare", "1", "--from", "r.json", "--changes", "9")
    _good(
        "solve",
        "i.json",
        *given,
        "--solver",
        "milp",
        "--largest-share",
        f"{hardware}=1",
        "--price",
        f"{hardware}=2",
        "--out",
        "r.json",
    )
    return _of_json("result of a changed session", _files("i.json", "r.json"), "r.json", *OF_RESULTS)


def _certificate() -> Kind:
    """A certificate, which no command reads."""
    _small()
    files = _files("i.json")
    return Kind("certificate", files, "r.json", json.loads(_good("certify", "i.json", "r.json", "--json")), OF_RESULTS)


def _experiment() -> Kind:
    """An experiment; whoever tries it gives it a pool that makes no run."""
    _small()
    value = {
        "schema": "euclio/experiment/1",
        "name": "e",
        "repeats": 1,
        "seeds": [0, 1],
        "slots": 1,
        "limits": {"time_s": 1, "hard_time_s": 2, "memory_mb": 100, "preparation_s": 3},
        "certify": {"time_limit_s": 1, "sample": 0.5, "seed": 1},
        "instances": [
            {"files": ["i.json"]},
            {"generate": "random", "count": 1, "seed": 3, "settings": {"modules": [1, 2], "tightness": 0.4}},
        ],
        "solvers": [
            {"name": "harpagon", "label": "h", "policy": ["tc", "rr"], "dummy": "machine", "batching": True},
            {"name": "milp", "engine": ["highs"], "threads": 1, "warm_start": "harpagon", "max_allocations": "any"},
        ],
    }
    return Kind("experiment", _files("i.json"), "e.toml", value, (("run", "e.toml", "--out", "made"),), (), _toml)


def _toml(text: str) -> bytes:
    """A JSON value as TOML; numbers stand there as they stand in the JSON text."""
    value = json.loads(text, parse_int=_Raw, parse_float=_Raw, parse_constant=_Raw)
    if not isinstance(value, dict):
        return text.encode("utf-8", "surrogatepass")
    lines: list[str] = []
    tables: list[str] = []
    for key, part in value.items():
        if isinstance(part, list) and part and all(isinstance(one, dict) for one in part):
            for one in part:
                tables += [f"[[{json.dumps(key)}]]", *(f"{json.dumps(k)} = {_inline(v)}" for k, v in one.items())]
        else:
            lines.append(f"{json.dumps(key)} = {_inline(part)}")
    return "\n".join([*lines, *tables, ""]).encode("utf-8", "surrogatepass")


class _Raw(str):
    """A number as it stands in a text."""


def _inline(value: Any) -> str:
    if isinstance(value, _Raw):
        return {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}.get(value, value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return json.dumps(value)


def _of_runs() -> Iterator[Kind]:
    """The files of a result folder, as a runner leaves them."""
    _small()
    Path("e.toml").write_text(
        'schema = "euclio/experiment/1"\nname = "e"\n[[instances]]\nfiles = ["i.json"]\n'
        '[[instances]]\ngenerate = "random"\n[[solvers]]\nname = "harpagon"\npolicy = ["tc", "rr"]\n'
        "[certify]\ntime_limit_s = 1\n"
    )
    experiment = load_experiment("e.toml")
    index = InstanceIndex(experiment)
    index.look_at_files()
    tasks = list(Expansion(experiment, index.entries).tasks())
    text = Path("i.json").read_text()
    tasks = [task for task in tasks if task.instance_hash == text_hash(text)]
    records = [execute(task, text, warm=False, started=_ignored, certifying=_ignored) for task in tasks]
    rows = [json.loads(encoded(record)) for record in records]
    shared = {
        "out/experiment.toml": Path("e.toml").read_bytes(),
        "out/runs.tsv": "".join(f"{task.key}\t{task.setting.label}\n" for task in tasks).encode(),
        "out/journal-1.jsonl": b"".join(map(encoded, records)),
    }
    looks: tuple[Verb, ...] = (("status", "out"), ("status", "out", "--json"))
    report: tuple[Verb, ...] = (("report", "out"),)
    alone = {name: data for name, data in shared.items() if "journal" not in name}
    yield Kind("journal", alone, "out/journal-1.jsonl", rows[0], looks, report, _journal)
    table = to_table(row["record"] for row in rows)
    (first, *_) = table.to_pylist()
    yield Kind("records", alone, "out/records-1.parquet", first, looks, report, _parquet)
    cells = [[task.key, task.setting.label] for task in tasks]
    yield Kind("table of runs", shared, "out/runs.tsv", cells, looks, report, _separated("\t"))
    held = {"process": 1, "host": "h", "rate_per_s": 1.0, "left_s": 2.0}
    yield Kind("lock", shared, "out/lock", held, looks)
    _good("run", "e.toml", "--out", "out", "--slots", "1")
    drawn = next(Path("out").glob("instances-*.jsonl"))
    kept = json.loads(drawn.read_bytes().splitlines()[0])
    again: tuple[Verb, ...] = (("run", "e.toml", "--out", "out"),)
    started = {"e.toml": Path("e.toml").read_bytes(), "i.json": Path("i.json").read_bytes()}
    started["out/experiment.toml"] = started["e.toml"]
    yield Kind("drawn instances", started, str(drawn), kept, again)
    given = {"schema": "euclio/experiment/1", "name": "e"}
    yield Kind("experiment of a result folder", shared, "out/experiment.toml", given, looks, report, _toml)


def _ignored(*_: object) -> None:
    """Nobody supervises these runs."""


def _journal(text: str) -> bytes:
    """A line of a journal whose checksum is right."""
    row = json.loads(text)
    if not (isinstance(row, dict) and "record" in row):
        return text.encode("utf-8", "surrogatepass") + b"\n"
    record = text[text.index('"record": ') + len('"record": ') : text.rindex("}")].encode("utf-8", "surrogatepass")
    return b'{"schema":"euclio/record/1","crc32":"%08x","record":%s}\n' % (zlib.crc32(record), record)


def _parquet(text: str) -> bytes:
    """A row of records with the columns that it has, of their types where they fit."""
    row = json.loads(text)
    if not isinstance(row, dict):
        return text.encode("utf-8", "surrogatepass")
    columns = {}
    for name, value in row.items():
        try:
            columns[name] = pa.array([value], SCHEMA.field(name).type if name in SCHEMA.names else None)
        except (pa.ArrowException, TypeError, OverflowError):
            columns[name] = pa.array([value])
    stream = pa.BufferOutputStream()
    try:
        pq.write_table(pa.table(columns), stream)
    except pa.ArrowException:
        raise ValueError("no Parquet file holds it") from None
    return bytes(stream.getvalue().to_pybytes())


def _separated(sign: str) -> Callable[[str], bytes]:
    """What makes a table of lines and cells: texts as they are, anything else as JSON has it."""

    def encode(text: str) -> bytes:
        rows = json.loads(text)
        lines = [row if isinstance(row, list) else [row] for row in (rows if isinstance(rows, list) else [rows])]
        cells = [[cell if isinstance(cell, str) else json.dumps(cell) for cell in line] for line in lines]
        return "".join(f"{sign.join(line)}\n" for line in cells).encode("utf-8", "surrogatepass")

    return encode


def _from_outside() -> Iterator[Kind]:
    """Price lists, files of prices, rates whose unit is said, and logs of requests."""
    found = {"p.csv": b"module,hardware,batch,concurrency,duration_s\nm,h,1,1,0.01\n"}
    listed = [["InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region", "SpotPrice"]]
    listed += [["big", "gpu", "8.0", "24.8", "east", "9.3"], ["small", "gpu", "1", "3.2", "west", ""]]
    asked = ("--map", "h=gpu", "--currency", "USD", "--per", "hour", "--region", "east", "--out", "made.csv")
    read: Verb = ("prices", "p.csv", "t.csv", *asked)
    yield Kind("catalogue", found, "t.csv", listed, (read, (*read, "--spot", "--json")), (), _separated(","))
    instances = [["instance", "price_per_h"], ["big", "24.8"], ["small", "3.2"]]
    of_big: Verb = ("prices", "p.csv", "t.csv", "--map", "h=big", "--currency", "USD", "--accelerators", "big=8")
    yield Kind("instance prices", found, "t.csv", instances, (of_big,), (), _separated(","))
    prices = [["hardware", "price_per_h", "currency", "source"], ["h", "1", "USD", "list"]]
    made: Verb = ("import", "csv", "p.csv", "--prices", "t.csv", "--rates", "5", "--slo", "1", "--out", "made.json")
    yield Kind("prices", found, "t.csv", prices, (made,), (), _separated(","))
    days: Verb = ("plan-day", "i.json", "--load", "t.csv", "--solvers", "day-peak", "--time-limit", "1", "--load-unit")
    rates = [["begin", "all"], ["2026-01-31 18:00:00", "5"], ["2026-01-31 18:10:00", "0"]]
    minutes: Verb = (*days, "requests-per-minute")
    yield Kind("rates", _files("i.json"), "t.csv", rates, (), (minutes,), _separated(","))
    log = [["at", "n"], ["2026-01-31 18:00:00.5", "1"], ["2026-01-31 18:00:09", "1"], ["2026-01-31 18:00:40", "1"]]
    binned: Verb = (*days, "timestamps-iso", "--load-step", "10")
    yield Kind("log", _files("i.json"), "t.csv", log, (), (binned,), _separated(","))
    numbers = [["at"], ["1700000000.5"], ["1700000009"], ["1700000040"]]
    counted: Verb = (*days, "timestamps-s", "--load-step", "10")
    yield Kind("log of numbers", _files("i.json"), "t.csv", numbers, (), (counted,), _separated(","))


def _of_set() -> Kind:
    """The manifest of a benchmark set with one instance."""
    from euclio.experiments.bench_set.manifest import set_folder

    manifest = json.loads((set_folder() / "manifest.json").read_bytes())
    entry = min((one for one in manifest["entries"] if one["family"] == "session"), key=lambda one: one["name"])
    name = entry["name"]
    files = {
        f"set/{room}/{name}.json": (set_folder() / room / f"{name}.json").read_bytes() for room in ("sessions", "best")
    }
    value = {**manifest, "entries": [entry]}
    verbs: tuple[Verb, ...] = (("bench-set", "list", "--folder", "set"), ("bench-set", "check", "--folder", "set"))
    slow: tuple[Verb, ...] = (
        ("bench-set", "certify", "--folder", "set", "--time-limit", "1"),
        ("bench-set", "check", "--folder", "set", "--solve", "harpagon", "--time-limit", "1"),
    )
    return Kind("manifest", files, "set/manifest.json", value, verbs, slow)


def _tables() -> Iterator[Kind]:
    """CSV files: profiles, prices and price lists, a load over time and logs of requests, a trace of arrivals."""
    _small()
    profile = [["module", "hardware", "batch", "concurrency", "duration_s"]]
    profile += [["m", "h", "1", "1", "0.01"], ["m", "h", "2", "1", "0.015"]]
    read: Verb = ("import", "csv", "t.csv", "--prices", "h=1", "--rates", "5", "--slo", "1", "--out", "made.json")
    yield Kind("profiles", {}, "t.csv", profile, (read,), (), _separated(","))
    load = [["time_s", "rate_rps"], ["0", "5"], ["10", "6"]]
    slow: tuple[Verb, ...] = (("plan-day", "i.json", "--load", "t.csv", "--solvers", "day-peak", "--time-limit", "1"),)
    yield Kind("load", _files("i.json"), "t.csv", load, (), slow, _separated(","))
    yield from _from_outside()
    trace: Verb = ("simulate", "i.json", "r.json", "--arrivals", "trace", "--trace", "t.csv", "--seconds", "0.05")
    times = [["time_s"], ["0.01"], ["0.02"]]
    yield Kind("trace", _files("i.json", "r.json"), "t.csv", times, (trace,), (), _separated(","))
