"""Making the runs of an experiment: finished runs are kept at once and never made again."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import groupby, product
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.core.certificate import Verdict
from euclio.core.errors import InputError
from euclio.core.lazy import late_value
from euclio.core.showing import Shown
from euclio.core.system import cores
from euclio.core.words import nearest
from euclio.experiments.dask_pool import dask_pool
from euclio.experiments.durable import replaced
from euclio.experiments.experiment import Experiment, hard_limit
from euclio.experiments.experiment_files import load_experiment
from euclio.experiments.folder import MADE_IN_PYTHON, RecordKeeper, ResultFolder, RunnerLock
from euclio.experiments.instances import InstanceEntry, InstanceIndex
from euclio.experiments.pool import local_pool
from euclio.experiments.progress import SHOW_EVERY_S, STATUSES, Display, Pace
from euclio.experiments.solver_settings import different_labels, family_of_setting, solver_of
from euclio.experiments.task import LARGEST_BATCH, Batch, Measure, RunLimits, Setting, Task

if TYPE_CHECKING:
    import pandas as pd

    from euclio.experiments.pool import Pool


MOST_NAMES = 1000
"""Names of instances among which the nearest one is looked for."""
_QUICK = ("heuristic", "exact", "brute force")
"""Kinds of solvers (`Solver.kind`), the quickest first, as declared, not as measured.
Other kinds come with the first."""


class Expansion:
    """All runs of an experiment.

    Args:
        experiment: the experiment.
        entries: its instances.
    """

    def __init__(self, experiment: Experiment, entries: Sequence[InstanceEntry]) -> None:
        self._experiment, self._entries = experiment, entries
        self._families = {setting.label: family_of_setting(setting) for setting in experiment.solvers}

    def tasks(self) -> Iterator[Task]:
        """All runs; solvers of another problem family than an instance's are not run on it."""
        for entry in self._entries:
            yield from self._on(entry, self._experiment.solvers)

    def keys_of(self, only: Collection[str]) -> frozenset[str]:
        """The keys of the runs of some solvers, on some instances, or of these solvers on these instances.

        Args:
            only: labels of solvers, names of instances, or both.

        Raises:
            InputError: one is neither, or they have no run in common; names it.
        """
        labels = {setting.label for setting in self._experiment.solvers}
        names = {entry.name for entry in self._entries}
        for word in only:
            if word not in labels | names:
                hint = nearest(word, [*sorted(labels), *sorted(names)[:MOST_NAMES]])
                raise InputError(f"no solver and no instance is called {word!r}; {hint}", field="--only")
        solvers, instances = labels.intersection(only) or labels, names.intersection(only) or names
        keys = frozenset(t.key for t in self.tasks() if t.setting.label in solvers and t.instance in instances)
        if not keys:
            raise InputError("leaves no run: these solvers are not for these instances", field="--only")
        return keys

    def batches(self, wanted: Callable[[str], bool], total: int, slots: int) -> Iterator[Batch]:
        """The runs that are wanted, in batches of one instance for one worker.

        Solvers declared quick come first (`_QUICK`), so that there are results soon. The order then goes by library, so
        that workers are seldom replaced, and by instance. Batches get smaller towards the end, so that no slot is left
        with many runs while the others are idle.

        Args:
            wanted: tells from a key whether to make the run.
            total: number of wanted runs.
            slots: runs at a time.

        Raises:
            InputError: the file of an instance has changed.
        """
        left = total
        for _, alike in groupby(sorted(self._experiment.solvers, key=_turn), key=_turn):
            settings = list(alike)
            for entry in self._entries:
                waiting = [task for task in self._on(entry, settings) if wanted(task.key)]
                text = entry.text() if waiting else ""
                while waiting:
                    size = max(1, min(LARGEST_BATCH, left // (2 * slots)))
                    yield Batch(text, tuple(waiting[:size]))
                    left -= len(waiting[:size])
                    waiting = waiting[size:]

    def _on(self, entry: InstanceEntry, settings: Iterable[Setting]) -> Iterator[Task]:
        experiment = self._experiment
        for setting in settings:
            if self._families[setting.label] == entry.family and (setting.on is None or entry.name in setting.on):
                limits = _limits(experiment.limits, setting.time_s)
                for seed, repeat in product(experiment.seeds, range(experiment.repeats)):
                    task = Task(
                        *(entry.family, entry.name, entry.hash, setting, limits, seed, repeat),
                        population=entry.population,
                    )
                    if experiment.certify is not None and experiment.certify.asks(task.key):
                        task = replace(task, certify_s=experiment.certify.time_limit_s)
                    yield task


def _limits(common: RunLimits, time_s: float | None) -> RunLimits:
    """The limits of a setting that may have a time limit of its own."""
    return common if time_s is None else replace(common, time_s=time_s, hard_time_s=hard_limit(time_s))


def _turn(setting: Setting) -> tuple[int, str, int]:
    """The declared quickness of a setting, and the key of settings that one worker can run in turn."""
    kind = "" if isinstance(setting, Measure) else solver_of(setting).kind
    return _QUICK.index(kind) if kind in _QUICK else 0, setting.library, setting.threads


LOCAL_DASK = "local"
"""Word for a dask cluster of this machine's own."""


class RunInterrupted(KeyboardInterrupt):
    """The runner was stopped, for the reason in its cause; the message says how to resume."""


@dataclass(frozen=True, slots=True, repr=False)
class Outcome(Shown):
    """The outcome of an experiment.

    Attributes:
        folder: its result folder.
        made: number of runs made now.
        kept: number of runs that were finished before.
        no_longer: number of runs in the folder that the experiment no longer has.
        refuted: number of runs made now whose proof a prover refuted.
    """

    _view = late_value("euclio.experiments.status", "OUTCOME")

    folder: Path
    made: int
    kept: int
    no_longer: int
    refuted: int = 0

    def frame(self) -> pd.DataFrame:
        """All results (`euclio.experiments.results.load`)."""
        from euclio.experiments.results import load

        return load(self.folder)


def run(
    experiment: str | Path | Experiment,
    out: str | Path | None = None,
    *,
    slots: int | None = None,
    dask: str | None = None,
    retry: Collection[str] = (),
    code: Collection[str | Path] = (),
    only: Collection[str] = (),
    quiet: bool = False,
    pool: Pool | None = None,
    finished: Callable[[int], None] | None = None,
) -> Outcome:
    """Make all runs of an experiment that are not in its result folder yet.

    Args:
        experiment: its file, or an `Experiment`.
        out: result folder; None means ``<name of the file>-results`` next to the file, or here.
        slots: most runs at a time, never more than cores; None means the experiment's number, else one per core.
        dask: address of a dask scheduler, or "local"; None means this machine, without dask.
        retry: statuses, such as "error", whose runs are made again; their records are dropped at the start.
        code: Python files of solvers and policies that an experiment file names; code that only that file names is not
            run. The code that an `Experiment` in Python names is run.
        only: labels of solvers, or names of instances: only their runs are made. With both, only the runs of these
            solvers on these instances are made. Empty means all.
        quiet: show no progress.
        pool: an open pool, which stays open for further experiments; None opens one for this experiment.
        finished: called with the number of finished runs: first of those made before, then after each run.

    Returns:
        The outcome.

    Raises:
        InputError: bad input, or another runner at work in that folder.
        UnwritableError: results cannot be written; those written before are kept.
        RunInterrupted: stopped from the keyboard; finished runs are kept.
    """
    loaded = experiment if isinstance(experiment, Experiment) else load_experiment(experiment, code)
    different_labels(loaded.solvers)
    _check_statuses(retry)
    folder = ResultFolder(Path(out) if out is not None else default_folder(experiment))
    try:
        with Display(quiet=quiet) as display:
            index = InstanceIndex(loaded, display.count_instance)
            index.look_at_files()
            folder.make(loaded.name)
            with RunnerLock(folder.lock_file) as lock:
                runner = _Runner(loaded, folder, index, lock, display, finished or (lambda _: None))
                return runner.run(slots, dask, retry, pool, only)
    except InputError as error:
        raise (error if error.file or isinstance(experiment, Experiment) else error.in_file(str(experiment))) from None


def default_folder(experiment: str | Path | Experiment) -> Path:
    """The result folder of an experiment where none is named."""
    if isinstance(experiment, Experiment):
        name = experiment.name.replace("/", "-").replace(os.sep, "-")  # a name leads into no other folder
        return Path(f"{name}-results")
    return Path(experiment).with_name(f"{Path(experiment).stem}-results")


@dataclass(slots=True)
class _Runner:
    """One start of an experiment, the only writer to its folder."""

    experiment: Experiment
    folder: ResultFolder
    index: InstanceIndex
    lock: RunnerLock
    display: Display
    finished: Callable[[int], None]
    refuted: int = 0

    def run(
        self, slots: int | None, dask: str | None, retry: Collection[str], pool: Pool | None, only: Collection[str]
    ) -> Outcome:
        """Make the missing runs."""
        folder = self.folder
        folder.clean()
        for journal in folder.journals():
            folder.compact(journal)
        self._write_experiment()
        with self.display.drawing():
            self.index.draw(folder.path)
        expansion = Expansion(self.experiment, self.index.entries)
        folder.write_runs((task.key, task.setting.label) for task in expansion.tasks())
        known = folder.labels()
        if not known:
            raise InputError("has no runs: none of its solvers is for its instances; name a solver of their family")
        asked = expansion.keys_of(only) if only else known.keys()
        if retry:
            folder.drop(retry, asked)
        finished = folder.keys()
        left = sum(key not in finished for key in asked)
        pace = Pace(len(asked), len(asked) - left)
        no_longer = sum(key not in known for key in finished)
        wide = min(slots or self.experiment.slots or cores(), cores())
        batches = expansion.batches(lambda key: key in asked and key not in finished, left, wide)
        self.finished(pace.kept)
        if left:
            self.display.begin(pace)
            self._make(pool_of(wide, dask, folder.logs) if pool is None else nullcontext(pool), batches, pace)
        self.display.end(pace)
        return Outcome(folder.path, pace.made, pace.kept, no_longer, self.refuted)

    def _write_experiment(self) -> None:
        name = json.dumps(self.experiment.name, ensure_ascii=False)
        with replaced(self.folder.experiment_file) as stream:
            stream.write((self.experiment.text or MADE_IN_PYTHON.format(name=name)).encode())

    def _make(self, pools: AbstractContextManager[Pool], batches: Iterator[Batch], pace: Pace) -> None:
        """Make runs and keep each as soon as it is finished; raises a `RunInterrupted` at Ctrl-C."""
        try:
            with RecordKeeper(self.folder) as keeper, pools as pool:
                shown_at = 0.0
                for record in pool.run(batches):
                    keeper.append(record)
                    pace.count(record.status)
                    self.finished(1)
                    self.refuted += record.certificate == Verdict.REFUTED
                    if time.monotonic() > shown_at + SHOW_EVERY_S:
                        shown_at = time.monotonic()
                        self._show(pace)
        except KeyboardInterrupt as error:
            done = pace.kept + pace.made
            raise RunInterrupted(
                f"interrupted; {done} of {pace.total} runs are finished and kept, the same command makes the others"
            ) from error

    def _show(self, pace: Pace) -> None:
        rate, left_s = pace.look()
        self.lock.publish(rate_per_s=rate, left_s=left_s)
        self.display.show(pace, rate, left_s)


def pool_of(slots: int, dask: str | None, logs: Path) -> Pool:
    """The pool that makes the runs; raises an `InputError` if dask is asked for and not there."""
    if dask is not None:
        return dask_pool(None if dask == LOCAL_DASK else dask, slots=slots, logs=logs)
    return local_pool(slots, logs=logs)


def _check_statuses(statuses: Collection[str]) -> None:
    for status in statuses:
        if status not in STATUSES:
            raise InputError(f"is {status!r}; statuses are {', '.join(STATUSES)}", field="--retry")
