"""An experiment on a dask cluster whose processes are killed while it runs, and which is resumed as a user would.

A worker is killed every so many seconds, the scheduler and the client once each. All processes have one folder for
temporary files, by which those that are left at the end are found.
"""

from __future__ import annotations

import math
import os
import random
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pyarrow.parquet as pq
from places import ROOT

from euclio.experiments.execution import execute
from euclio.experiments.experiment_files import load_experiment
from euclio.experiments.folder import ResultFolder
from euclio.experiments.instances import InstanceIndex
from euclio.experiments.runner import Expansion

SOLVERS = ("harpagon", *(f"harpagon:{name}" for name in ("2d", "dt", "1c", "2c", "nd", "0re", "nnm", "ncd", "tb")))
REPEATS = 10
WORKERS = 2
MOST_STARTS = 5
LOOK_EVERY_S = 0.25
PROGRAMS = Path(sys.executable).parent


@dataclass(slots=True)
class Watched:
    """Measurements of a process: resident MiB at each look, and processor seconds at the last one."""

    role: str
    rss_mb: list[float] = field(default_factory=list)
    cpu_s: float = 0.0

    def growth_mb(self) -> float:
        """MiB by which the most in the last third of its life is above the most in the middle one."""
        third = len(self.rss_mb) // 3
        return max(self.rss_mb[2 * third :]) - max(self.rss_mb[third : 2 * third]) if third else 0.0


@dataclass(slots=True)
class Toll:
    """The outcome of the runs.

    Attributes:
        runs: runs of the experiment.
        kills: kills by role.
        rows: rows of each run, by its key.
        statuses: rows by status.
        ends: exit codes of the clients.
        said: what they said on standard error.
        watched: processes by number.
        working_s: seconds from the first look at which a client had kept something to the last, summed over clients.
        worked: rows that were kept meanwhile.
        left: temporary files and processes that are left at the end.
    """

    runs: int
    kills: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    ends: list[int] = field(default_factory=list)
    said: str = ""
    watched: dict[int, Watched] = field(default_factory=dict)
    working_s: float = 0.0
    worked: int = 0
    left: list[str] = field(default_factory=list)

    def peak_mb(self, role: str) -> float:
        """Most resident MiB of a process of a role."""
        return max(max(one.rss_mb) for one in self.watched.values() if one.role == role)

    def growth_mb(self, role: str) -> float:
        """The largest growth of a process of a role."""
        return max(one.growth_mb() for one in self.watched.values() if one.role == role)

    def table(self, alone: tuple[float, float]) -> str:
        """All of it in lines; `alone` is what `alone_ms` returns."""
        lines = {
            "runs": f"{self.runs}, {dict(self.statuses)}",
            "kills": f"{dict(self.kills)}; the client ended with {self.ends}",
            "rows lost": f"{self.runs - len(self.rows)}",
            "rows doubled": f"{self.rows.total() - len(self.rows)}",
            **{
                f"peak memory of the {role}": f"{self.peak_mb(role):.0f} MiB, growth {self.growth_mb(role):.0f} MiB"
                for role in ("scheduler", "client")
            },
            "ms a run": f"{1e3 * self.working_s / self.worked:.2f}, processors {self.processor_ms():.2f}",
            "ms a run in one process": f"{alone[0]:.2f}, processors {alone[1]:.2f}",
        }
        return "\n".join(f"{name:28} {what}" for name, what in lines.items())

    def processor_ms(self) -> float:
        """Milliseconds of processors for each run, of all processes and with their starts."""
        return 1e3 * sum(one.cpu_s for one in self.watched.values()) / self.runs


def write_experiment(folder: Path, runs: int) -> Path:
    """The file of an experiment of so many runs of heuristics that take about a millisecond."""
    lines = ['schema = "euclio/experiment/1"', 'name = "chaos"', f"repeats = {REPEATS}"]
    lines += ['[[instances]]\ngenerate = "random"', f"count = {runs // (REPEATS * len(SOLVERS))}"]
    path = folder / "chaos.toml"
    path.write_text("\n".join([*lines, *(f'[[solvers]]\nname = "{name}"' for name in SOLVERS)]), encoding="utf-8")
    return path


def alone_ms(path: Path, most: int) -> tuple[float, float]:
    """Milliseconds for each of the first runs of an experiment, made in this process: those passed, and processor's."""
    loaded = load_experiment(path, ())
    index = InstanceIndex(loaded)
    index.draw(path.parent)
    batches = list(Expansion(loaded, index.entries).batches(lambda _: True, most, WORKERS))
    for some in (batches[:20], batches[: most // len(batches[0].tasks)]):  # the first of them until all is compiled
        began, cpu_began = time.perf_counter(), time.process_time()
        for batch in some:
            for task in batch.tasks:
                execute(task, batch.instance_text, warm=True, started=_unheard, certifying=_unheard)
    made = sum(len(batch.tasks) for batch in some)
    return 1e3 * (time.perf_counter() - began) / made, 1e3 * (time.process_time() - cpu_began) / made


def _unheard(*_: object) -> None:
    """No caller waits for a run to begin."""


class Chaos:
    """An experiment, its cluster, and the schedule of kills.

    Args:
        path: the experiment's file, in a folder of its own.
        runs: its runs.
        every_s: seconds after which a worker is killed, again and again.
    """

    def __init__(self, path: Path, runs: int, every_s: float) -> None:
        self._path, self._every_s = path, every_s
        self._folder = ResultFolder(path.with_name("chaos-results"))
        self._said = path.with_name("client.log")
        self._temporary = path.with_name("temporary")
        self._temporary.mkdir()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = str(free.getsockname()[1])
        self._address = f"tcp://127.0.0.1:{self._port}"
        self._draw = random.Random(0)
        self._due = [("worker", runs / 6), ("scheduler", runs / 2), ("client", 3 * runs / 4)]
        self._worker_due = math.inf
        self._toll = Toll(runs)

    def run(self) -> Toll:
        """Make all runs despite the kills, and count their outcomes."""
        toll = self._toll
        self._start_cluster()
        try:
            while 0 not in toll.ends and len(toll.ends) < MOST_STARTS:
                self._run_client()
        finally:
            self._stop_cluster()
        for file in self._folder.compacted():
            table = pq.read_table(file, columns=["key", "status"])
            toll.rows.update(table["key"].to_pylist())
            toll.statuses.update(table["status"].to_pylist())
        toll.said = self._said.read_text(encoding="utf-8")
        files = [file for file in self._temporary.rglob("*") if "dask-scratch-space" not in file.parts]
        toll.left = [*map(str, files), *(" ".join(process.cmdline()) for process in self._processes())]
        return toll

    def _started(self, log: str, *words: str) -> subprocess.Popen[bytes]:
        environment = os.environ | {"TMPDIR": str(self._temporary), "PYTHONPATH": str(ROOT)}
        program = str(PROGRAMS / words[0])
        with self._path.with_name(log).open("ab") as stream:
            return subprocess.Popen(
                (program, *words[1:]), env=environment, cwd=self._path.parent, stdout=stream, stderr=stream
            )

    def _start_cluster(self) -> None:
        here = ("--host", "127.0.0.1", "--no-dashboard")
        self._scheduler = self._started("scheduler.log", "dask", "scheduler", "--port", self._port, *here)
        many = ("--nworkers", str(WORKERS), "--nthreads", "1", "--memory-limit", "0")
        self._workers = self._started("workers.log", "dask", "worker", self._address, *many, *here)

    def _stop_cluster(self) -> None:
        """End it; workers without a scheduler wait for one and do not end by themselves."""
        if self._scheduler.poll() is not None:
            below = self._below_workers()
            self._workers.kill()
            for process in below:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
        for command in (self._workers, self._scheduler):
            command.terminate()
            command.wait(30)

    def _run_client(self) -> None:
        """The command, from its start to its end; what was killed of the cluster is started again after it."""
        client = self._started(self._said.name, "euclio", "run", self._path.name, "--dask", self._address)
        before, looks = self._kept(), list[tuple[float, int]]()
        while client.poll() is None:
            time.sleep(LOOK_EVERY_S)
            self._watch(client.pid)
            now, kept = time.monotonic(), self._kept()
            if kept > before:
                looks.append((now, kept))
                self._kill_what_is_due(now, kept, client)
        self._toll.ends.append(client.returncode)
        self._toll.working_s += looks[-1][0] - looks[0][0]
        self._toll.worked += looks[-1][1] - looks[0][1]
        if self._scheduler.poll() is not None:
            self._stop_cluster()
            self._start_cluster()

    def _kill_what_is_due(self, now: float, kept: int, client: subprocess.Popen[bytes]) -> None:
        role = "worker" if now >= self._worker_due else ""
        if self._due and kept >= self._due[0][1]:
            role, _ = self._due.pop(0)
        if role == "worker":
            self._worker_due = now + self._every_s
            self._draw.choice(self._at_work()).kill()
        elif role:
            {"client": client, "scheduler": self._scheduler}[role].kill()
            client.wait(60)
        self._toll.kills.update([role] if role else [])

    def _kept(self) -> int:
        """Rows that the folder has by now."""
        count = 0
        with suppress(FileNotFoundError):  # a journal is compacted meanwhile
            count += sum(pq.read_metadata(file).num_rows for file in self._folder.compacted())
            count += sum(file.read_bytes().count(b"\n") for file in self._folder.journals())
        return count

    def _at_work(self) -> list[psutil.Process]:
        """The dask workers that have a process for runs below them."""
        return [child for child in self._below_workers(recursive=False) if child.children()]

    def _below_workers(self, *, recursive: bool = True) -> list[psutil.Process]:
        with suppress(psutil.NoSuchProcess):  # ended meanwhile
            return psutil.Process(self._workers.pid).children(recursive=recursive)
        return []

    def _processes(self) -> Iterator[psutil.Process]:
        """All processes whose temporary files are in this folder."""
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.environ().get("TMPDIR", "").startswith(str(self._temporary)):
                    yield process

    def _watch(self, client: int) -> None:
        roles = {client: "client", self._scheduler.pid: "scheduler"}
        for number in (*roles, self._workers.pid, *(process.pid for process in self._below_workers())):
            with suppress(psutil.Error):
                process = psutil.Process(number)
                seen = self._toll.watched.setdefault(number, Watched(roles.get(number, "worker")))
                seen.rss_mb.append(process.memory_info().rss / 2**20)
                seen.cpu_s = sum(process.cpu_times()[:2])
