"""Studies: a paper's evaluation, run again and set next to its printed numbers; one folder per paper (`README.md`).

Packages offer studies by entry points, as they offer solvers (docs/howto/study.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from euclio.core.families import offered_in
from euclio.core.lazy import late_value

if TYPE_CHECKING:
    from studies.study import Study


@dataclass(frozen=True, slots=True)
class Registered:
    """A study as the command describes it before loading it.

    Attributes:
        paper: its name.
        workloads: its default number of workloads, for the help text.
        study: loads it.
        takes_instances: whether it takes a folder of instances.
        takes_artifact: whether it takes the artifact of the paper's authors, their published measurements.
    """

    paper: str
    workloads: str
    study: Callable[[], Study]
    takes_instances: bool = False
    takes_artifact: bool = False


STUDIES = (
    Registered("harpagon", "1131", late_value("studies.harpagon.experiment", "STUDY"), takes_instances=True),
    Registered("piccolo", "663", late_value("studies.piccolo.experiment", "STUDY")),
    Registered("scrooge", "200", late_value("studies.scrooge.experiment", "STUDY")),
    Registered("graft", "10", late_value("studies.graft.experiment", "STUDY")),
    Registered(
        "ppipe",
        "6 groups",
        late_value("studies.ppipe.experiment", "STUDY"),
        takes_instances=True,
        takes_artifact=True,
    ),
    Registered("mlperf", "100 (per cent of its runs)", late_value("studies.mlperf.experiment", "STUDY")),
)
"""The studies of this package."""
GROUP = "euclio.studies"
"""Entry points by which packages offer studies: NAME = "module:SEQUENCE"."""


@cache
def registered() -> dict[str, Registered]:
    """All studies that installed packages offer, by name."""
    entries = sorted(offered_in(GROUP), key=lambda entry: entry.name)
    return {study.paper: study for entry in entries for study in entry.load()}
