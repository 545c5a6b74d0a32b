"""The collector makes the experiments of a study in turn, in shared worker processes; time limits of their runs."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, TypeVar

import pandas as pd

from euclio.core.errors import InputError
from euclio.core.progress import in_turn, progress_bars, say
from euclio.experiments.columns import SCHEMA
from euclio.experiments.experiment import LONGEST_RUN_S, Experiment, GivenSource
from euclio.experiments.folder import ResultFolder
from euclio.experiments.pool import Pool, local_pool
from euclio.experiments.record import MEASURED
from euclio.experiments.runner import run
from euclio.experiments.task import Measure, RunLimits, Setting

RUN_LIMIT_S = 10.0
"""Default for a run of Harpagon's, Piccolo's and Scrooge's studies; Scrooge's brute force takes longer on some
decisions."""
ENUMERATION_LIMIT_S = 1.0
"""The timed brute force; a longer time is extrapolated from the share of tried vectors."""
FINE_SPLIT_LIMIT_S = 30.0
"""Harpagon's search over a finer grid of splits; the report counts the stopped searches."""
PICCOLO_SPLIT_LIMIT_S = 20.0
"""Piccolo's brute force over splits; the page counts the stopped ones."""
KIND_PLAN_LIMIT_S = 60.0
"""The best plan of a workload of one kind of profiles (`harpagon/kinds.py`)."""
COLUMNS_LIMIT_S = 20.0
"""PPipe's plans by `columns`, and by its printed program."""
LITERAL_LIMIT_S = 5.0
"""PPipe's program as printed on an open solver, long enough to decide whether there is a plan."""
PROOF_LIMIT_S = 10.0
"""The prover for each proof, so a sample takes at most five minutes more than solving again."""


T = TypeVar("T")

LIMITS = RunLimits(time_s=None, hard_time_s=LONGEST_RUN_S, memory_mb=16384)
"""Limits of a run whose setting has no time limit of its own; no run of a study has come near that memory."""

Advance = Callable[[int], None]


class Collector:
    """Makes experiments and keeps their runs in a folder, so that an interrupted study can go on.

    Use it inside ``with``. The same experiments have to be asked for in the same order.

    Args:
        paper: name of the study.
        folder: where the runs are kept.
        jobs: worker processes.

    Attributes:
        seconds: wall time of each stage, by name.
    """

    def __init__(self, paper: str, folder: Path, jobs: int) -> None:
        self.seconds: dict[str, float] = {}
        self._paper, self._folder, self._jobs = paper, folder, jobs
        self._bars = progress_bars()
        self._pools: dict[int, Pool] = {}
        self._open = ExitStack()
        self._experiments = 0

    def __enter__(self) -> Self:
        if self._open.enter_context(in_turn()):
            self._open.enter_context(self._bars)
        return self

    def __exit__(self, *error: Any) -> None:
        self._open.__exit__(*error)

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Advance]:
        """A stage with a progress bar of `total` steps; gives the function that counts finished steps.

        A log shows a bar only at its end, so each stage is named when it begins.
        """
        if not (self._bars.console.is_terminal or self._bars.disable):
            say(f"{self._paper}: {name} …")
        task, began = self._bars.add_task(name, total=total), time.perf_counter()
        yield lambda steps: self._bars.advance(task, steps)
        self.seconds[name] = time.perf_counter() - began

    def runs(
        self,
        instances: Iterable[Any],
        settings: Iterable[Setting],
        advance: Advance | None = None,
        *,
        seed: int = 0,
        alone: bool = False,
    ) -> pd.DataFrame:
        """Run solvers or measurements on instances; runs that finished before an interruption are kept.

        Args:
            instances: each with a name of its own.
            settings: each with a label of its own.
            advance: counts finished runs.
            seed: seed of the solvers.
            alone: one run at a time, for timings.

        Returns:
            The results frame, by instance and then by setting in the order given.

        Raises:
            InputError: something could not be measured.
        """
        given, asked = tuple(instances), tuple(settings)
        if not (given and asked):
            return pd.DataFrame(columns=SCHEMA.names)
        self._experiments += 1
        slots = 1 if alone else self._jobs
        outcome = run(
            Experiment(f"{self._paper} {self._experiments}", (GivenSource(given),), asked, LIMITS, seeds=(seed,)),
            self._folder / f"{self._experiments:03d}",
            slots=slots,
            quiet=True,
            pool=self._pool(slots),
            finished=advance,
        )
        frame = outcome.frame()
        frame = frame[frame.key.isin(list(ResultFolder(outcome.folder).labels()))]
        _check_measured(frame, [setting.label for setting in asked if isinstance(setting, Measure)])
        order = pd.DataFrame(
            {
                "instance": frame.instance.map({instance.name: k for k, instance in enumerate(given)}),
                "setting": frame.label.map({setting.label: k for k, setting in enumerate(asked)}),
            }
        )
        return frame.loc[order.sort_values(["instance", "setting"]).index].reset_index(drop=True)

    def staged(
        self, name: str, instances: Sequence[Any], settings: Sequence[Setting], *, seed: int = 0, alone: bool = False
    ) -> pd.DataFrame:
        """A stage of one experiment; arguments as of `runs`."""
        total = sum(len(instances) if setting.on is None else len(setting.on) for setting in settings)
        with self.stage(name, total) as advance:
            return self.runs(instances, settings, advance, seed=seed, alone=alone)

    def compile(self, instance: Any, *groups: Sequence[Setting]) -> None:
        """A stage that has machine code made: each group of settings in one process, several groups at a time.

        Args:
            instance: a small instance.
            *groups: settings whose kernels depend on each other.
        """
        places = [replace(instance, name=f"{instance.name}-{k}") for k in range(len(groups))]
        settings = [
            replace(setting, on=frozenset({place.name}))
            for place, group in zip(places, groups, strict=True)
            for setting in group
        ]
        self.staged("compile", places, settings)

    def _pool(self, slots: int) -> Pool:
        """Worker processes, which stay loaded from one experiment to the next."""
        if slots not in self._pools:
            logs = self._folder / "logs"
            logs.mkdir(parents=True, exist_ok=True)
            self._pools[slots] = self._open.enter_context(local_pool(slots, logs=logs))
        return self._pools[slots]


def _check_measured(frame: pd.DataFrame, labels: Sequence[str]) -> None:
    """Refuse a frame without all measurements; a failed solver has a row like any other."""
    lacking = frame[frame.label.isin(labels) & (frame.status != MEASURED)]
    for row in lacking.to_dict("records"):
        raise InputError(f"could not be measured on {row['instance']}: {row['reason']}", field=row["label"])


def seeded_sample(items: Sequence[T], size: int, seed: int) -> list[T]:
    """A sample of the items, in their order; all of them if there are no more."""
    chosen = sorted(random.Random(seed).sample(range(len(items)), min(size, len(items))))
    return [items[i] for i in chosen]
