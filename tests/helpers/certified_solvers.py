"""Solvers that prove their plan, for tests of certificates in worker processes, where each brings its own prover."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from faulty_solvers import good

import euclio.proving.session.certifying
from euclio.core.certificate import Search
from euclio.core.result import Answer
from euclio.problems.session import Session, evaluate

COST_PER_H = 1.5
"""Cost of the tiny session's first configurations."""


def proving(prover: Callable[..., Any]) -> Callable[[Session], Answer]:
    """A solver whose plan is optimal by decree, before this prover."""

    def solve(session: Session) -> Answer:
        euclio.proving.session.certifying.find_better = prover
        answer = good(session)
        if session.name == "warm-up":
            return answer
        return Answer(answer.plan, "done", bound=float(evaluate(session, answer.plan).cost_per_h))

    return solve


def _hang(*_: Any) -> Search:
    while True:
        with suppress(BaseException):  # not even the alarm helps
            time.sleep(1)


def _die(*_: Any) -> Search:
    os._exit(3)


def _fail(*_: Any) -> Search:
    raise ValueError("no idea")


before_a_sure_prover = proving(lambda *_: Search(None, True, 5))
before_a_hanging_prover = proving(_hang)
before_a_dying_prover = proving(_die)
before_a_failing_prover = proving(_fail)
