"""The benchmark set: named instances with the best plan and bound known, in classes by effort (`data/instances`)."""

from euclio.experiments.bench_set.access import best, entries, instances, load
from euclio.experiments.bench_set.manifest import Difficulty, Effort, Entry

__all__ = ["Difficulty", "Effort", "Entry", "best", "entries", "instances", "load"]
