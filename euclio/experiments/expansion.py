"""From instances and solvers to runs, lazily, instance by instance."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, product

from euclio.core.errors import InputError
from euclio.core.words import nearest
from euclio.experiments.experiment import Experiment, hard_limit
from euclio.experiments.instances import InstanceEntry
from euclio.experiments.solver_settings import family_of_setting, solver_of
from euclio.experiments.task import Batch, Measure, RunLimits, Setting, Task

LARGEST_BATCH = 16
"""Most runs that a worker is given at once."""
MOST_NAMES = 1000
"""Names of instances among which the nearest one is looked for."""
_QUICK = ("heuristic", "exact", "brute force")
"""Kinds of solvers (`Solver.kind`), the quickest first: what solvers say of themselves, nothing that was measured.
What is of another kind comes with the first."""


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
        """The keys of the runs of some solvers, of some instances, or of these solvers on these instances.

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

        What is declared quick comes first (`_QUICK`), so that there are results soon; then library by library, so that
        workers seldom have to be replaced, then instance by instance. Batches get smaller towards the end, so that no
        slot is left with many runs while the others are idle.

        Args:
            wanted: says of a key whether its run is to be made.
            total: number of runs that are wanted.
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
    """How quick a setting is declared to be, and what has to be alike for one worker to make its runs in turn."""
    kind = "" if isinstance(setting, Measure) else solver_of(setting).kind
    return _QUICK.index(kind) if kind in _QUICK else 0, setting.library, setting.threads
