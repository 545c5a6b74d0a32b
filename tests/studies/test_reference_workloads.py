"""Workloads of the reference setting: the same for the same seed, checked once more, and counted where left out."""

import pandas as pd
import pytest

from euclio.cli import main
from euclio.problems.session.files.instances import load_session
from studies import reference_workloads
from studies.drawn_workloads import protocol_draws
from studies.inference.reference import reference_setting
from studies.reference_workloads import draw_workloads_of

LABELS = ("nexus", "harpagon")


class OwnRefuses:
    """The paper's own system has no plan for the second session, and the other one none for the third."""

    def __init__(self, paper):
        self.labels = ("nexus", paper)

    def runs(self, sessions, settings, advance):
        """The results frame of some sessions."""
        rows = []
        for k, session in enumerate(sessions):
            for label, without in zip(self.labels, (2, 1), strict=True):
                rows.append({"instance": session.name, "label": label, "value": None if k == without else 1.0})
            advance(2)
        return pd.DataFrame(rows)


@pytest.mark.parametrize("paper", ["harpagon", "piccolo"])
def test_workload_that_the_checked_system_refuses_is_left_out_and_counted(paper):
    """One that another system refuses stays: averages are over those that a system has a plan for."""
    steps = []
    found, frame = draw_workloads_of(OwnRefuses(paper), paper, LABELS, 4, 7, steps.append)
    drawn = protocol_draws(paper, reference_setting(paper), 7, 4)
    assert found.workloads == (drawn.workloads[0], *drawn.workloads[2:])
    assert (found.drawn, found.rejected, found.left_out) == (drawn.drawn, drawn.rejected, {paper: 1})
    assert list(frame.instance) == [w.session.name for w in found.workloads for _ in LABELS]
    assert sum(steps) == 8


def test_page_says_what_was_left_out():
    draws = reference_workloads.ReferenceDraws((), 9, {}, {"nexus": 2})
    assert "nexus on 2" in reference_workloads._left_out_text(draws)


def test_the_workloads_of_a_study_are_written_as_sessions(tmp_path, capsys):
    """What a share of 1131 workloads is about can then be asked of any other solver, by `euclio run` or `compare`."""
    asked = ["reproduce", "harpagon", "--write-workloads", str(tmp_path), "--workloads", "3", "--seed", "5"]
    assert main(asked) == 0
    drawn = protocol_draws("harpagon", reference_setting("harpagon"), 5, 3).workloads
    assert [load_session(tmp_path / f"{w.session.name}.json") for w in drawn] == [w.session for w in drawn]


@pytest.mark.parametrize(
    ("options", "says"),
    [(["scrooge"], "scrooge draws none (harpagon, piccolo do)"), (["harpagon", "--full"], "full has no meaning")],
)
def test_workloads_are_not_written_where_that_means_nothing(options, says, tmp_path, capsys):
    """A run that was asked for with them would else silently not be made."""
    assert main(["reproduce", *options, "--write-workloads", str(tmp_path)]) == 2
    assert says in capsys.readouterr().err
