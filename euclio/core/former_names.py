"""Modules under their former names, for old scripts: `euclio.session` is `euclio.problems.session`.

Scripts with solvers and policies of their own import sessions, clusters, fleets and days by these names, and notebooks
the figures, results and studies.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

FORMER = {
    "euclio.verbs.keyword_types": "euclio.verbs.interface.keyword_types",
    "euclio.verbs.imports": "euclio.verbs.import_",
    "euclio.session.workloads": "euclio.workloads.session",
    "euclio.session.simulation": "euclio.serving.session",
    "euclio.pipeline.simulation": "euclio.serving.pipeline",
    "euclio.serving.session.timeline_figure": "euclio.serving.timeline_figure",
    "euclio.serving.pipeline.timeline_figure": "euclio.serving.timeline_figure",
    "euclio.analysis.gap_figures": "euclio.report.analysis.gap_and_performance_profiles",
    "euclio.analysis": "euclio.report.analysis",
    "euclio.bench_set": "euclio.experiments.bench_set",
    "euclio.comparison": "euclio.questions.comparison",
    "euclio.results": "euclio.experiments.results",
    "euclio.runs": "euclio.experiments",
    "euclio.studies": "studies",
    "euclio.session": "euclio.problems.session",
    "euclio.pipeline": "euclio.problems.pipeline",
    "euclio.fragments": "euclio.problems.fragments",
    "euclio.day": "euclio.problems.day",
}
"""Names of today by those of before; of two that fit, the first counts. They are those that documents showed."""


def name_today(name: str) -> str | None:
    """The present name of a module with a former name. None means that it is no former name."""
    # Every import of the process comes through here.
    if not name.startswith("euclio."):
        return None
    for before, today in FORMER.items():
        if name == before or name.startswith(f"{before}."):
            return today + name.removeprefix(before)
    return None


class _Finder:
    """Finds modules by former names.

    It runs before other finders: an updated checkout may still have an old folder with only `__pycache__`, and Python
    would take that for the package.
    """

    # It has no base class from `importlib.abc`, whose import slows every start by milliseconds.
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return None if name_today(fullname) is None else ModuleSpec(fullname, _Loader(), is_package=True)  # type: ignore[arg-type]


class _Loader:
    """Fills a module with a former name with the names of the present one."""

    def create_module(self, spec: ModuleSpec) -> None:
        """The default module."""

    def exec_module(self, module: ModuleType) -> None:
        """Fill a module."""
        today = name_today(module.__name__)
        assert today is not None
        warnings.warn(f"{module.__name__} is {today} now; import that", DeprecationWarning, stacklevel=2)
        found = import_module(today)
        # Names that the present module imports lazily are looked up there.
        module.__getattr__ = lambda name: getattr(found, name)  # type: ignore[method-assign]
        module.__dict__.update({name: value for name, value in vars(found).items() if not name.startswith("__")})


def find_by_former_names() -> None:
    """Enable imports by former names in this process."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
