"""Numbers that nothing has, in every place of every file that a verb reads: one clear line, never an error of ours."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random

from euclio.cli import main
from euclio.core.errors import InputError
from euclio.core.families import families, family_of
from euclio.core.solving import solve
from euclio.experiments.experiment_files import load_experiment
from euclio.files import result_to_text

from .search import Found, Search

NUMBER = re.compile(r"(?<=[:\[,=\s])-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?=[,\]}\s])")
HOSTILE = (
    *("1e400", "-1e400", "1e-400", "1e999999999", "1e-999999999", "1e99999999999999999999", "0e99999"),
    *("1.7976931348623157e308", "-1e308", "5e-324", "-5e-324", "1e39", "1e-39", "9007199254740993"),
    *("1" * 40, "1" * 41, "-" + "1" * 39, "1" * 5000, "0." + "3" * 38, "0." + "3" * 5000),
    *("0", "-0", "-0.0", "-1", "0.5", "NaN", "Infinity", "-Infinity", "nan", "inf", "-inf", "+1", "1_000", "0x10"),
    *("null", "true", '"1"', "[]", "{}", "[" * 40 + "]" * 40, "[" * 100_000, '1, "name": "twice"', "1/3", '"1/3"'),
)
EXPERIMENT = """schema = "euclio/experiment/1"
name = "numbers"
repeats = 2
seeds = [0, 1]
slots = 1
limits = { time_s = 1.5, hard_time_s = 20, memory_mb = 2048, preparation_s = 60 }
certify = { time_limit_s = 2.5, sample = 0.5, seed = 3 }

[[instances]]
generate = "random"
count = 2
seed = 5
settings = { modules = 2 , rate_rps = 10.5 }

[[solvers]]
name = "harpagon"
quantum = 0.1
"""
LOAD = "time_s,rate_rps\n0,10.5\n3600,20\n7200,15\n"
PROFILE = "module,hardware,batch,concurrency,duration_s,memory_mb\nm,T4,2,1,0.025,100\nm,T4,4,1,0.04,150.5\n"


@cache
def _pair(family: str) -> tuple[str, str]:
    """The texts of a tiny instance of a family and of its result."""
    known = next(own for own in families() if own.name == family)
    instance, _ = known.tiny(known.full_space)
    return family_of(instance).to_text(instance), result_to_text(solve(instance, time_limit_s=5.0), instance)


def look(seed: int) -> Found:
    """A file with one number replaced, through the verbs that read it."""
    rng = Random(f"hostile numbers/{seed}")
    number = rng.choice(HOSTILE)
    with tempfile.TemporaryDirectory() as folder:
        faults = [fault for fault in rng.choice(KINDS)(rng, number, Path(folder)) if fault]
    return Found(1, tuple(f"{number[:40]}: {fault}" for fault in faults))


def _replaced(rng: Random, text: str, number: str) -> str:
    """The text with one of its numbers replaced."""
    found = rng.choice(list(NUMBER.finditer(text)))
    return text[: found.start()] + number + text[found.end() :]


def _result(rng: Random, number: str, folder: Path) -> Iterator[str]:
    """A result, or its instance."""
    texts = list(_pair(rng.choice([family.name for family in families()])))
    which = rng.randrange(2)
    texts[which] = _replaced(rng, texts[which], number)
    files = [folder / name for name in ("instance.json", "result.json")]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, encoding="utf-8")
    names = [str(file) for file in files]
    yield _fault("verify", *names)
    yield _fault("certify", *names, "--time-limit", "0.2")
    yield _fault("export", *names, "--to", "csv")
    yield _fault("simulate", *names, "--seconds", "0.01")
    yield _fault("diff", names[1], names[1])


def _experiment(rng: Random, number: str, folder: Path) -> Iterator[str]:
    """An experiment, which is read and not run."""
    file = folder / "experiment.toml"
    file.write_text(_replaced(rng, EXPERIMENT, number), encoding="utf-8")
    with contextlib.suppress(InputError):
        load_experiment(file)
    yield ""


def _profile(rng: Random, number: str, folder: Path) -> Iterator[str]:
    """A profile in CSV, or an option next to it."""
    file = folder / "profile.csv"
    words = ["import", "csv", str(file), "--prices", "T4=0.5", "--rates", "5", "--slo", "1"]
    if rng.randrange(2):
        place = rng.choice((4, 6, 8))
        words[place] = f"T4={number}" if place == 4 else number
    file.write_text(_replaced(rng, PROFILE.replace(",", ", "), number), encoding="utf-8")
    yield _fault(*words, "--out", str(folder / "session.json"))


def _load(rng: Random, number: str, folder: Path) -> Iterator[str]:
    """A load over time."""
    from euclio.files import load_instance
    from euclio.problems.day.load import read_load

    session, file = folder / "session.json", folder / "load.csv"
    session.write_text(_pair("session")[0], encoding="utf-8")
    file.write_text(_replaced(rng, LOAD, number), encoding="utf-8")
    with contextlib.suppress(InputError):
        read_load(file, load_instance(session))
    yield ""


def _manifest(rng: Random, number: str, folder: Path) -> Iterator[str]:
    """The manifest of a benchmark set."""
    from euclio.experiments.bench_set.manifest import FILE, read_manifest

    (folder / FILE).write_text(_replaced(rng, MANIFEST, number), encoding="utf-8")
    with contextlib.suppress(InputError):
        read_manifest(folder)
    yield ""


MANIFEST = """{"schema":"euclio/bench-set/1","seed":1,"cpu":"c","entries":[
{"name":"a","family":"session","text_hash":"h","design":{"modules": 2 },"difficulty":"easy","value":1.5,
"solver":"exact","bound":1.5,"bound_solver":"exact","date":"2026-01-01","euclio":"1","effort":{"solver":"exact","status":"optimal",
"cpu_s":0.5,"counters":{"nodes": 3 }},"tried":["exact"],"time_limit_s":20,"certificate":{"verdict":"certified",
"prover":"p","euclio":"1","nodes":3,"wall_s":0.5,"instance_sha256":"x","plan_sha256":null}}]}
"""

Kind = Callable[[Random, str, Path], Iterator[str]]
KINDS: tuple[Kind, ...] = (_result, _result, _result, _result, _experiment, _profile, _load, _manifest)


def _fault(*words: str) -> str:
    """What is wrong with how a command ended; empty: nothing."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(words))
    said = err.getvalue().strip()
    if "internal error" in said or code not in range(5):
        return f"{words[0]}: {code} {said[:200]}"
    # Doubts about measurements are said before what is refused, each in a line of its own.
    refused = [line for line in said.splitlines() if not line.startswith("euclio: warning: ")]
    if code == 2 and len([line for line in refused if "; " in line or ": " in line]) > 1:
        return f"{words[0]}: bad input is not one line: {said[:200]}"
    return ""


SEARCH = Search(
    name="hostile-numbers",
    what="a number that nothing has is refused in one line wherever it stands, or read as what it is",
    unit="files",
    look=look,
    sample=range(60),
)
