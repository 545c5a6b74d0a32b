"""A pool that answers without solving, and small experiments, which the tests of runner and results share.

As a program (`python fake_runs.py run EXPERIMENT.toml ...`) it is the command with that pool, to be killed by tests.
"""

import hashlib
import os
import resource
import sys
import time
from dataclasses import replace
from pathlib import Path

from euclio.experiments import runner
from euclio.experiments.execution import blank_record

TINY = """{"schema": "euclio/session/1", "name": "%s", "slo_s": 1.0, "hardware": [{"name": "V100", "price_per_h": 1.5}],
 "modules": [{"name": "detect", "rate_rps": 10, "profile": [
  {"hardware": "V100", "batch": 2, "concurrency": 1, "duration_s": 0.1}]}], "edges": []}
"""

SOLVER = "def {name}(session, space):\n    return None\n"

PAUSE = "FAKE_PAUSE_S"
"""Environment variable: seconds that a run takes."""

MOST_BYTES = "FAKE_MOST_BYTES"
"""Environment variable: size above which no file can be written, as on a full disk."""


class FakePool:
    """Makes runs in this process; what comes out depends on the key alone."""

    def __init__(self, pause_s=0.0, status="feasible"):
        self.made = []
        self._pause_s, self._status = pause_s, status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def run(self, batches):
        """Make the runs of all batches."""
        for batch in batches:
            assert len({task.setting.library for task in batch.tasks}) == 1
            for task in batch.tasks:
                time.sleep(self._pause_s)
                self.made.append(task)
                yield fake_record(task, self._status)


PROVENANCE = {"python": "3", "packages": {"euclio": "0"}, "cpu": "none", "cores": 1, "git": "0" * 40}


def fake_record(task, status="feasible"):
    """The record of a run whose value is made of its key, the same whoever makes it."""
    value = int(hashlib.md5(task.key.encode()).hexdigest()[:6], 16) / 1000
    plan = {"latency_s": 0.5, "modules": [{"name": "é", "allocations": []}]}
    return replace(
        blank_record(task),
        status=status,
        raw_status="done",
        value=value,
        plan=plan,
        stats={"steps": 3},
        wall_s=0.001,
        provenance=PROVENANCE,
    )


def experiment(folder, instances=3, solvers=("one", "two"), **settings):
    """An experiment file with tiny sessions and solvers from a file; `settings` are lines of it."""
    folder.mkdir(exist_ok=True)
    (folder / "sessions").mkdir(exist_ok=True)
    for k in range(instances):
        (folder / "sessions" / f"s{k}.json").write_text(TINY % f"s{k}")
    (folder / "own.py").write_text("".join(SOLVER.format(name=name) for name in ("one", "two", "three")))
    lines = [
        'schema = "euclio/experiment/1"',
        'name = "fake"',
        *(f"{name} = {value}" for name, value in settings.items()),
    ]
    lines += ['[[instances]]\nfiles = ["sessions"]']
    lines += [f'[[solvers]]\nname = "own.py:{name}"\nlabel = "{name}"' for name in solvers]
    path = folder / "fake.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def code_of(path):
    """The files whose code such an experiment names; whoever runs it names them too."""
    return [path.parent / "own.py"]


def run_named(path, out=None, **options):
    """Run such an experiment, with its code named."""
    return runner.run(path, out, code=code_of(path), **options)


if __name__ == "__main__":
    from euclio.cli import main

    pause = float(os.environ.get(PAUSE, 0))
    if MOST_BYTES in os.environ:
        most = int(os.environ[MOST_BYTES])
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    runner.pool_of = lambda *_: FakePool(pause)
    sys.exit(main([*sys.argv[1:], "--code", *map(str, code_of(Path(sys.argv[2])))]))
