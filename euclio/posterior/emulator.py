"""The emulator: a random forest that says for any point of the prior roughly what its numbers are, and if it has any.

It decides only which settings are simulated; every accepted setting was simulated (forests: Breiman 2001; screening by
an emulator is the first wave of history matching, Vernon, Goldstein and Bower 2010).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from euclio.core.errors import InputError
from euclio.posterior.distance import Values, off
from euclio.posterior.prior import NAMES
from euclio.posterior.simulated import Record

TREES = 60
LEAF = 2
"""Fewest settings in a leaf of a tree."""
AT_ONCE = 50_000
"""Settings that are screened together, so that their predictions fit into memory."""
LIKELY = 0.5
"""Least chance of having workloads with which a setting is asked for its numbers at all."""


@dataclass(frozen=True, slots=True)
class Emulator:
    """A forest fitted to simulated settings.

    Attributes:
        keys: the numbers that it predicts.
        figures: predicts by which logarithm they are off.
        workloads: predicts whether a setting has workloads; None: all that were simulated have.
    """

    keys: tuple[str, ...]
    figures: Any
    workloads: Any

    def predicted(self, units: Values) -> tuple[Values, NDArray[np.bool_]]:
        """By which logarithms the numbers of settings are off, shape (settings, numbers), and which have workloads."""
        likely = np.ones(len(units), dtype=np.bool_)
        if self.workloads is not None:
            likely = self.workloads.predict(units) >= LIKELY
        return np.asarray(self.figures.predict(units), dtype=np.float64).reshape(len(units), -1), likely


def fitted_emulator(records: Sequence[Record], keys: Sequence[str], seed: int, jobs: int = 1) -> Emulator:
    """A forest fitted to settings; the number of processes changes nothing.

    Args:
        records: simulated settings.
        keys: the numbers to predict.
        seed: seed of the trees.
        jobs: threads.

    Raises:
        InputError: scikit-learn is not installed, or no setting has workloads.
    """
    forest = _forest()
    units = np.array([r.unit for r in records], dtype=np.float64).reshape(-1, len(NAMES))
    known = np.array([bool(r.figures) for r in records], dtype=np.bool_)
    if not known.any():
        raise InputError("none of the settings has workloads; draw more", field="draws")
    logs = np.array([off(r.figures, keys) for r in records if r.figures])
    # What no workload shows is as far off as can count; further off counts no more either (`distance.UNKNOWN`).
    logs = np.clip(np.where(np.isfinite(logs), logs, 2.0), -2.0, 2.0)
    options = {"n_estimators": TREES, "min_samples_leaf": LEAF, "random_state": seed, "n_jobs": jobs}
    figures = forest(max_features=0.5, **options).fit(units[known], logs)
    workloads = None if known.all() else forest(max_features=0.5, **options).fit(units, known.astype(np.float64))
    return Emulator(tuple(keys), figures, workloads)


def _forest() -> Any:
    """The regression forest of scikit-learn, which nothing but a new draw needs."""
    try:
        from sklearn.ensemble import ExtraTreesRegressor
    except ImportError:
        raise InputError(
            "drawing a posterior anew needs scikit-learn; `pip install scikit-learn`, or use the stored draws",
            field="draws",
        ) from None
    return ExtraTreesRegressor
