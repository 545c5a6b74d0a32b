"""Harpagon's optimality on several kinds of profiles: what counts as a session with a plan, and as optimal."""

import shutil

import pandas as pd
import pytest

from euclio.core.errors import InputError
from euclio.workloads.generation import generate
from studies.drawn_workloads import drawn_sessions
from studies.harpagon.kinds import CANDIDATES, REFERENCE, answers, kinds_blocks, kinds_number, measured_sessions

NONE = float("nan")


def rows(*sessions: tuple[float, float, float, float, bool], kind: str = CANDIDATES) -> pd.DataFrame:
    """Runs of Harpagon, the best split and the best plan; of each session their costs, the share searched, tight."""
    found = []
    for k, (own, split, plan, searched, tight) in enumerate(sessions):
        for solver, cost in (("harpagon", own), ("split-bruteforce", split), ("exact", plan)):
            status = "unknown" if cost != cost else "optimal" if solver == "exact" else "feasible"
            share = searched if solver == "split-bruteforce" else NONE
            found.append((kind, f"{kind}-{k}", tight, solver, status, cost, share))
    columns = ["kind", "workload", "tight", "solver", "status", "cost_per_h", "stat_share"]
    return pd.DataFrame(found, columns=columns)


REFERENCES = rows((1.0, 1.0, 1.0, 1.0, False), kind=REFERENCE)


def test_answers_count_what_their_names_say():
    """Five sessions: optimal twice over; a cheaper plan only; no plan of its own; a stopped search; no plan at all."""
    table = rows(
        (2.0, 2.0, 2.0, 1.0, False),
        (3.0, 3.0, 2.0, 1.0, False),
        (NONE, NONE, 1.0, 1.0, True),
        (4.0, 4.0, 4.0, 0.5, False),
        (NONE, NONE, NONE, 1.0, True),
    )
    answer = answers(REFERENCES, table)[CANDIDATES]
    assert (answer.sessions, answer.tight, answer.tight_without, answer.stopped) == (4, 1, 1, 1)
    assert (answer.split.value, answer.split.n) == (100.0, 2)
    assert (answer.plan.value, answer.plan.n) == (pytest.approx(200 / 3), 3)
    assert answer.worst.value == pytest.approx(50)
    assert answer.without.value == 25


def test_a_plan_that_is_not_proven_is_no_reference():
    """Else a search that ended early would make Harpagon look optimal."""
    table = rows((2.0, 2.0, 2.0, 1.0, False))
    table.loc[table.solver == "exact", "status"] = "feasible"
    assert answers(REFERENCES, table)[CANDIDATES].plan.n == 0


def test_the_number_is_that_of_the_kind_where_plans_are_missed_most():
    """The page opens with where Harpagon fails most often, not with the mean of what was drawn here."""
    table = pd.concat(
        [rows((1.0, 1.0, 1.0, 1.0, False), kind="nvidia"), rows((NONE, NONE, 1.0, 1.0, True), kind="measured")]
    )
    found = answers(REFERENCES, table)
    assert kinds_number(found).value == "100 %"
    assert "not there" not in kinds_blocks(found)[1].text
    del found["measured"]
    assert "--instances names their folder" in kinds_blocks(found)[1].text


def test_measured_sessions_are_those_of_the_folder_or_of_its_folders(tmp_path):
    """`--instances` takes a folder of sessions as well as one that holds several."""
    generate("random", tmp_path / "sessions_small", count=2, seed=1)
    generate("random", tmp_path / "clusters", count=1, seed=1)
    assert len(measured_sessions(tmp_path)) == 2
    assert len(measured_sessions(tmp_path / "clusters")) == 1
    shutil.rmtree(tmp_path / "sessions_small")
    with pytest.raises(InputError, match="holds no session files"):
        measured_sessions(tmp_path)


def test_candidates_are_drawn_before_any_system_is_asked():
    """Selected workloads have a plan from every system by construction."""
    found = list(drawn_sessions("harpagon", 3, 5, accept=False))
    assert found == list(drawn_sessions("harpagon", 4, 5, accept=False))[:3]
    assert all(session.slo_s <= 10 for session in found)
