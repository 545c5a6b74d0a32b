"""How explanations of sessions show themselves: the text that the command line prints."""

from __future__ import annotations

from euclio.core.result import Status
from euclio.core.showing import Head, View
from euclio.core.words import full, percent
from euclio.questions.explain.explaining import Explanation
from euclio.questions.explain.text import one_line, page


def _head(found: Explanation) -> Head:
    slo = f"SLO {full(found.session.slo_s)} s"
    if found.status is Status.INFEASIBLE:
        return Head(found.session.name, found.status.value, (one_line(found, ""),))
    if found.slack_s is None:
        return Head(found.session.name, found.status.value, (slo, "open: a time limit ended the search"))
    room = percent(float(found.slack_s / found.session.slo_s), 1)
    return Head(found.session.name, found.status.value, (slo, f"it may be {room} tighter"))


EXPLANATION = View(_head, page)
