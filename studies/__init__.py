"""Studies: a paper's evaluation, run again and set next to its printed numbers; one folder per paper (`README.md`)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Registered:
    """What the command says of a study before it loads it.

    Attributes:
        workloads: how much it runs unless asked otherwise, for its help text.
        takes_instances: whether it takes a folder of instances.
        takes_artifact: whether it takes what the paper's authors published and measured.
    """

    workloads: str
    takes_instances: bool = False
    takes_artifact: bool = False


STUDIES = {
    "harpagon": Registered("1131", takes_instances=True),
    "piccolo": Registered("663"),
    "scrooge": Registered("200"),
    "graft": Registered("10"),
    "ppipe": Registered("6 groups", takes_instances=True, takes_artifact=True),
    "mlperf": Registered("100 (per cent of its runs)"),
}
"""All studies by the name of their folder, whose `experiment` holds STUDY: the one place where they are registered."""
