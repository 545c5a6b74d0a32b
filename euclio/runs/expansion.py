"""From instances and solvers to runs, lazily, instance by instance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, product

from euclio.runs.experiment import Experiment, hard_limit
from euclio.runs.instances import InstanceEntry
from euclio.runs.solver_settings import family_of_setting
from euclio.runs.task import Batch, RunLimits, Setting, Task

LARGEST_BATCH = 16
"""Most runs that a worker is given at once."""


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

    def batches(self, wanted: Callable[[str], bool], total: int, slots: int) -> Iterator[Batch]:
        """The runs that are wanted, in batches of one instance for one worker.

        Library by library, so that workers seldom have to be replaced, then instance by instance. Batches get smaller
        towards the end, so that no slot is left with many runs while the others are idle.

        Args:
            wanted: says of a key whether its run is to be made.
            total: number of runs that are wanted.
            slots: runs at a time.

        Raises:
            InputError: the file of an instance has changed.
        """
        left = total
        for _, alike in groupby(sorted(self._experiment.solvers, key=_worker), key=_worker):
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
                    task = Task(entry.family, entry.name, entry.hash, setting, limits, seed, repeat)
                    if experiment.certify is not None and experiment.certify.asks(task.key):
                        task = replace(task, certify_s=experiment.certify.time_limit_s)
                    yield task


def _limits(common: RunLimits, time_s: float | None) -> RunLimits:
    """The limits of a setting that may have a time limit of its own."""
    return common if time_s is None else replace(common, time_s=time_s, hard_time_s=hard_limit(time_s))


def _worker(setting: Setting) -> tuple[str, int]:
    """What has to be alike for one worker to make runs one after the other."""
    return setting.library, setting.threads
