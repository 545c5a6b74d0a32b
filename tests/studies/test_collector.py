"""The collector: experiments one after the other, resumed after an interruption, in the order that was asked for."""

from dataclasses import replace

import pytest
from tiny_sessions import tiny_session

from euclio.core.errors import InputError
from euclio.experiments.results.tables import load
from euclio.experiments.runner import RunInterrupted
from euclio.experiments.solver_settings import measure, solver_settings
from euclio.problems.session import Session
from euclio.report import Paragraph
from studies import page_builder as building
from studies import registered
from studies.collector import Collector, seeded_sample
from studies.proof_sample import proofs_of
from studies.study import Found, Study, Text

# Not in the quick tier: runs in worker processes.
pytestmark = pytest.mark.slow

(HARPAGON,), (EXACT,) = solver_settings("harpagon"), solver_settings("exact")
TINY = tiny_session()
SESSIONS = [Session(name, TINY.slo_s, TINY.hardware, TINY.modules, TINY.edges) for name in ("b", "a")]


class Stopper:
    """Counts finished runs and interrupts after some."""

    def __init__(self, after):
        self.made, self._after = [], after

    def __call__(self, steps):
        """Take note of finished runs."""
        self.made.append(steps)
        if sum(self.made) == self._after:
            raise KeyboardInterrupt


@pytest.fixture
def collector(tmp_path):
    with Collector("tiny", tmp_path / "runs", 1) as made:
        yield made


def test_runs_come_in_the_order_that_was_asked_for(collector):
    frame = collector.runs(SESSIONS, (HARPAGON, EXACT))
    assert list(zip(frame.instance, frame.label, strict=True)) == [
        ("b", "harpagon"),
        ("b", "exact"),
        ("a", "harpagon"),
        ("a", "exact"),
    ]


def test_an_experiment_of_nothing_is_an_empty_frame(collector):
    assert collector.runs([], (HARPAGON,)).empty
    assert proofs_of(collector.staged("nothing", [], [HARPAGON]), [], [HARPAGON]) == []


def test_stages_are_timed_by_name(collector):
    collector.staged("first", SESSIONS, (replace(HARPAGON, on=frozenset({"a"})),), alone=True)
    assert list(collector.seconds) == ["first"]


def test_what_cannot_be_measured_is_an_error(collector):
    failing = measure("measuring:failing", "failing", "session")
    with pytest.raises(InputError, match="failing: could not be measured on b: ValueError: nothing to measure"):
        collector.runs(SESSIONS, (failing,))


@pytest.mark.slow
def test_an_interrupted_experiment_goes_on(tmp_path):
    with Collector("tiny", tmp_path, 1) as first, pytest.raises(RunInterrupted, match="2 of 4 runs are finished"):
        first.runs(SESSIONS, (HARPAGON, EXACT), Stopper(2))
    going_on = Stopper(None)
    with Collector("tiny", tmp_path, 1) as second:
        frame = second.runs(SESSIONS, (HARPAGON, EXACT), going_on)
    assert (len(frame), going_on.made) == (4, [2, 1, 1])


def test_runs_of_an_earlier_question_are_left_out(tmp_path):
    for sessions in (SESSIONS, SESSIONS[:1]):
        with Collector("tiny", tmp_path, 1) as collector:
            frame = collector.runs(sessions, (HARPAGON,))
    assert list(frame.instance) == ["b"]


def test_samples_depend_on_the_seed_and_keep_the_order():
    assert seeded_sample(range(100), 5, 1) == sorted(seeded_sample(range(100), 5, 1)) != seeded_sample(range(100), 5, 2)
    assert seeded_sample("abc", 5, 1) == ["a", "b", "c"]


def study(stops=lambda: None):
    """A study of one solver on two sessions."""

    def collect(collector, asked):
        frame = collector.staged("runs", SESSIONS, (EXACT,), seed=asked.seed)
        stops()
        return Found({"runs": frame[["instance", "value"]]}, proofs_of(frame, SESSIONS, (EXACT,)), None, {"of": 2})

    def text(collected, scores):
        return Text([Paragraph("all is well")], "none", [], [], ["a headline"])

    return Study("harpagon", "A tiny study", 3, collect, lambda _: {}, lambda _: {}, text)


@pytest.fixture
def small(monkeypatch):
    """Puts a study in Harpagon's place, without published numbers."""
    monkeypatch.setattr(building, "published_figures", lambda *_: ())

    def put(chosen):
        monkeypatch.setattr(building, "study_of", lambda _: chosen)

    return put


@pytest.mark.slow
def test_a_study_becomes_page_card_and_tables(small, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small(study())
    page = building.reproduce("harpagon", tmp_path / "out", jobs=1, certify=1)
    assert "all is well" in page.read_text()
    assert {file.name for file in page.parent.iterdir()} == {
        "index.html",
        "scorecard.md",
        "scorecard.parquet",
        "runs.parquet",
        "certificates.parquet",
    }
    table, how = load(page.parent / "runs.parquet")
    assert list(table.instance) == ["b", "a"]
    assert (how["reproduction"], how["seed"], how["full"], how["of"]) == ("harpagon", 3, False, 2)
    assert capsys.readouterr().out == "a headline\n"


@pytest.mark.slow
def test_an_interrupted_study_keeps_its_runs_until_the_page_is_written(small, tmp_path):
    def stop():
        raise KeyboardInterrupt

    small(study(stop))
    with pytest.raises(KeyboardInterrupt):
        building.reproduce("harpagon", tmp_path, jobs=1)
    kept = tmp_path / building.UNFINISHED / "001"
    before = {file.name: file.stat().st_mtime_ns for file in kept.glob("records-*.parquet")}
    assert before
    seen = {}
    small(study(lambda: seen.update({f.name: f.stat().st_mtime_ns for f in kept.glob("records-*.parquet")})))
    building.reproduce("harpagon", tmp_path, jobs=1, certify=1)
    assert seen == before
    assert not kept.parent.exists()


@pytest.mark.parametrize("paper", registered())
def test_every_registered_study_says_what_it_is(paper):
    found = building.study_of(paper)
    assert (found.paper, isinstance(found, Study)) == (paper, True)
