"""Modules under the names that scripts know from before: `euclio.session` is `euclio.problems.session`.

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
    """The name that a module of before has today; None: it is none of before."""
    # Asked of everything that a process imports.
    if not name.startswith("euclio."):
        return None
    for before, today in FORMER.items():
        if name == before or name.startswith(f"{before}."):
            return today + name.removeprefix(before)
    return None


class _Finder:
    """Finds modules of before.

    It is asked first: a checkout that was updated may still have a folder of before with nothing but `__pycache__`, and
    Python would take that for the package.
    """

    # No class of `importlib.abc`, which takes milliseconds of every start.
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return None if name_today(fullname) is None else ModuleSpec(fullname, _Loader(), is_package=True)  # type: ignore[arg-type]


class _Loader:
    """Fills a module of before with the names of today's."""

    def create_module(self, spec: ModuleSpec) -> None:
        """A module as any other."""

    def exec_module(self, module: ModuleType) -> None:
        """Fill a module."""
        today = name_today(module.__name__)
        assert today is not None
        warnings.warn(f"{module.__name__} is {today} now; import that", DeprecationWarning, stacklevel=2)
        found = import_module(today)
        # What today's module imports only when it is asked for is asked for there.
        module.__getattr__ = lambda name: getattr(found, name)  # type: ignore[method-assign]
        module.__dict__.update({name: value for name, value in vars(found).items() if not name.startswith("__")})


def find_by_former_names() -> None:
    """Let modules of before be imported, in this process."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
