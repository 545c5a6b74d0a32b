"""`run` and `status`: the runs of an experiment, and how far they are."""

from __future__ import annotations

from euclio.experiments import runner
from euclio.experiments import status as runs_status
from euclio.verbs.verb import verb

run = verb()(runner.run)
status = verb()(runs_status.status)
