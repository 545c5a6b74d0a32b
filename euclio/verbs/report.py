"""`report`: the page of an experiment. `euclio.report` is a room too, which can be called as this verb."""

from __future__ import annotations

import euclio.report as report_room
from euclio.report.experiment.page import write_report
from euclio.verbs.verb import verb

__all__ = ["report", "report_room"]

report = verb()(write_report)
