"""Proofs of batch runs before the prover: in the worker, outside of the timed part, under a limit of its own."""

import sys
from dataclasses import replace

import pandas as pd
import pyarrow.parquet as pq
import pytest
from fake_provers import answering_search, install
from fake_runs import FakePool, experiment, fake_record, run_named
from places import HELPERS
from run_batches import LONG, batch_of
from tiny_sessions import TEXT, answering, one_configuration_plan, tiny_session

from euclio.cli import main
from euclio.core.errors import InputError
from euclio.core.registry import find_solver
from euclio.experiments import results, runner
from euclio.experiments.execution import CERTIFYING_SPARE_S, execute
from euclio.experiments.experiment import Certification
from euclio.experiments.experiment_files import load_experiment
from euclio.experiments.instances import InstanceIndex
from euclio.experiments.runner import Expansion
from euclio.experiments.slot import Slot
from euclio.experiments.task import SolverSetting, Task, text_hash
from euclio.problems.session import evaluate

# Not in the quick tier: provers in processes of their own.
pytestmark = pytest.mark.slow

BASE = """schema = "euclio/experiment/1"
name = "race"
[[instances]]
generate = "random"
[[solvers]]
name = "milp"
"""


def read(tmp_path, text):
    path = tmp_path / "race.toml"
    path.write_text(text)
    return load_experiment(path)


def plan():
    return one_configuration_plan(tiny_session(1))


def cost():
    return float(evaluate(tiny_session(1), plan()).cost_per_h)


@pytest.fixture
def solvers(monkeypatch):
    """Solvers by name: one that proves its plan, one that does not, one that says no."""
    known = {
        "proves": answering(plan(), name="proves", kind="exact", bound=cost()),
        "finds": answering(plan(), name="finds", kind="exact"),
        "denies": answering(None, name="denies", kind="exact", infeasible=True),
        "gives up": answering(None, name="gives up", infeasible=True),
    }
    monkeypatch.setattr("euclio.experiments.execution.find_solver", lambda name, folder=None: known[name])
    monkeypatch.setattr("euclio.experiments.execution._solver", lambda name, folder, version: known[name])


def made(name, certify_s=5.0, reported=None):
    task = Task("session", "tiny", text_hash(TEXT), SolverSetting(name, "", name), LONG, 0, 0, certify_s)
    heard = [] if reported is None else reported
    return execute(
        task, TEXT, warm=False, started=lambda _: None, certifying=lambda record, limit: heard.append((record, limit))
    )


def test_a_proof_is_certified(solvers, monkeypatch):
    install(monkeypatch, answering_search(exhausted=True, nodes=9))
    record = made("proves")
    assert (record.status, record.certificate, record.certify_nodes) == ("optimal", "certified", 9)


def test_the_seconds_of_the_prover_are_its_own(solvers, monkeypatch):
    install(monkeypatch, answering_search(exhausted=True))
    assert made("proves").certify_s > 0


def test_infeasibility_of_an_exact_solver_is_certified(solvers, monkeypatch):
    install(monkeypatch, answering_search(exhausted=True))
    record = made("denies")
    assert (record.status, record.certificate) == ("infeasible", "certified")


@pytest.mark.parametrize("name", ["finds", "gives up"])
def test_what_is_no_proof_is_not_tried(solvers, monkeypatch, name):
    prover = install(monkeypatch, answering_search(exhausted=True))
    assert (made(name).certificate, prover.asked) == (None, [])


def test_without_a_limit_nothing_is_tried(solvers, monkeypatch):
    prover = install(monkeypatch, answering_search(exhausted=True))
    assert (made("proves", None).certificate, prover.asked) == (None, [])


def test_an_open_certificate_says_why(solvers, monkeypatch):
    install(monkeypatch, answering_search(reason="too large"))
    record = made("proves")
    assert (record.status, record.certificate, record.certify_reason) == ("optimal", "open", "too large")


def test_a_refuted_proof_is_an_error(solvers, monkeypatch):
    install(monkeypatch, answering_search(plan()))
    record = made("denies")
    assert (record.status, record.certificate, record.value, record.plan) == ("error", "refuted", None, None)
    assert record.reason.startswith("its proof is REFUTED (infeasible: there is no plan): there is a plan")


def test_a_prover_that_raises_leaves_the_answer(solvers, monkeypatch):
    def fail(*_):
        raise ValueError("no idea")

    install(monkeypatch, fail)
    record = made("proves")
    assert (record.status, record.certificate, record.certify_reason) == ("optimal", "open", "ValueError: no idea")


def test_the_limit_of_the_prover_begins_with_the_answer(solvers, monkeypatch):
    install(monkeypatch, answering_search(exhausted=True))
    reported = []
    made("proves", 5.0, reported)
    ((record, limit_s),) = reported
    assert (record.status, record.certificate, limit_s) == ("optimal", "open", 5.0 + CERTIFYING_SPARE_S)


def test_certifying_is_part_of_what_a_run_is_asked():
    task = Task("session", "tiny", text_hash(TEXT), SolverSetting("one", "", "one"), LONG, 0, 0)
    keys = {task.key, replace(task, certify_s=5.0).key, replace(task, certify_s=6.0).key}
    assert len(keys) == 3


@pytest.fixture(scope="module")
def in_workers():
    """The certificates of solvers that bring their own prover, each in a worker process."""
    folder = HELPERS
    with pytest.MonkeyPatch.context() as patch, Slot() as slot:
        patch.setenv("PYTHONPATH", ":".join([str(folder), *sys.path]))
        tasks = [run_before(name) for name in ("sure", "dying", "failing", "sure")]
        records = list(slot.run(batch_of(*tasks)))
    return records


def run_before(prover):
    folder = HELPERS
    name = f"certified_solvers.py:before_a_{prover}_prover"
    setting = SolverSetting(name, find_solver(name, folder).version, prover, folder=str(folder))
    return Task("session", "tiny", text_hash(TEXT), setting, LONG, 0, 0, 1.0)


@pytest.mark.slow
def test_a_worker_certifies(in_workers):
    assert [record.certificate for record in in_workers] == ["certified", "open", "open", "certified"]


def test_an_answer_outlives_the_process_of_its_prover(in_workers):
    record = in_workers[1]
    assert (record.status, record.value) == ("optimal", 1.5)
    assert record.certify_reason == "the prover's process exited with code 3"


@pytest.mark.slow
def test_a_prover_that_hangs_is_killed_and_the_answer_kept(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", ":".join([str(HELPERS), *sys.path]))
    with Slot() as slot:
        (record,) = slot.run(batch_of(replace(run_before("hanging"), certify_s=0.1)))
    assert (record.status, record.certificate) == ("optimal", "open")
    assert record.certify_reason == "the prover's process was killed at its hard limit"


def test_an_experiment_asks_for_certificates(tmp_path):
    loaded = read(tmp_path, f"{BASE}[certify]\ntime_limit_s = 60\nsample = 0.25\nseed = 3\n")
    assert loaded.certify == Certification(60.0, 0.25, 3)


def test_the_seed_of_the_sample_is_that_of_the_experiment(tmp_path):
    text = BASE.replace('name = "race"\n', 'name = "race"\nseeds = [5, 6]\n', 1)
    assert read(tmp_path, f"{text}[certify]\ntime_limit_s = 60\n").certify == Certification(60.0, 1.0, 5)


def test_without_the_table_there_are_none(tmp_path):
    assert read(tmp_path, BASE).certify is None


@pytest.mark.parametrize(
    ("lines", "field"),
    [
        ("sample = 0.5", "certify.time_limit_s"),
        ("time_limit_s = 0", "certify.time_limit_s"),
        ("time_limit_s = 9\nsample = 0", "certify.sample"),
        ("time_limit_s = 9\nsample = 1.5", "certify.sample"),
        ("time_limit_s = 9\nseed = -1", "certify.seed"),
        ("time_limit_s = 9\nshare = 1", "certify.share"),
    ],
)
def test_mistakes_are_named(tmp_path, lines, field):
    """An experiment runs overnight: a wrong number in it is refused before the first run, by its field."""
    with pytest.raises(InputError) as caught:
        read(tmp_path, f"{BASE}[certify]\n{lines}\n")
    assert caught.value.field == field


def tasks_of(tmp_path, certify, instances=200):
    loaded = replace(load_experiment(experiment(tmp_path, instances, ("one",)), [tmp_path / "own.py"]), certify=certify)
    index = InstanceIndex(loaded)
    index.look_at_files()
    return list(Expansion(loaded, index.entries).tasks())


def test_a_sample_has_about_its_share_of_the_runs(tmp_path):
    asked = [task.certify_s for task in tasks_of(tmp_path, Certification(60.0, 0.3))]
    assert 40 <= asked.count(60.0) <= 80
    assert set(asked) == {None, 60.0}


def test_a_whole_sample_has_all_runs(tmp_path):
    assert {task.certify_s for task in tasks_of(tmp_path, Certification(60.0), 20)} == {60.0}


def test_a_larger_share_keeps_the_smaller_sample(tmp_path):
    few, many = (
        {task.instance for task in tasks_of(tmp_path, Certification(60.0, share)) if task.certify_s}
        for share in (0.2, 0.4)
    )
    assert few < many


def test_other_seeds_give_other_samples(tmp_path):
    first, second = (
        {task.instance for task in tasks_of(tmp_path, Certification(60.0, 0.3, seed)) if task.certify_s}
        for seed in (0, 1)
    )
    assert first != second


def test_runs_that_are_not_in_the_sample_keep_their_keys(tmp_path):
    before = {task.instance: task.key for task in tasks_of(tmp_path, None)}
    sampled = tasks_of(tmp_path, Certification(60.0, 0.3))
    assert all((task.key == before[task.instance]) is (task.certify_s is None) for task in sampled)


class CertifiedPool(FakePool):
    """Answers without solving; every run is optimal and certified."""

    def run(self, batches):
        """Make the runs of all batches."""
        for batch in batches:
            for task in batch.tasks:
                record = fake_record(task, "optimal")
                yield replace(record, certificate="certified", certify_s=0.5, certify_nodes=12)


def test_results_have_the_certificates(monkeypatch, tmp_path):
    monkeypatch.setattr(runner, "pool_of", lambda *_: CertifiedPool())
    frame = run_named(experiment(tmp_path), quiet=True).frame()
    assert set(frame.certificate) == {"certified"}
    assert (set(frame.certify_s), set(frame.certify_nodes)) == ({0.5}, {12})


def test_results_without_certificates_have_none(monkeypatch, tmp_path):
    monkeypatch.setattr(runner, "pool_of", lambda *_: FakePool())
    assert run_named(experiment(tmp_path), quiet=True).frame().certificate.isna().all()


def test_results_of_earlier_versions_are_read(monkeypatch, tmp_path):
    monkeypatch.setattr(runner, "pool_of", lambda *_: FakePool())
    folder = run_named(experiment(tmp_path), quiet=True).folder
    columns = ["certificate", "certify_s", "certify_nodes", "certify_reason"]
    (file,) = folder.glob("records-*.parquet")
    pq.write_table(pq.read_table(file).drop_columns(columns), file)
    pd.testing.assert_frame_equal(results.load(folder)[columns], results.load(file)[columns], check_dtype=False)
    assert results.load(folder).certificate.isna().all()


class RefutedPool(FakePool):
    """Answers without solving; every proof is refuted."""

    def run(self, batches):
        """Make the runs of all batches."""
        for batch in batches:
            for task in batch.tasks:
                yield replace(fake_record(task, "error"), certificate="refuted")


def test_refuted_proofs_are_exit_code_1(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(runner, "pool_of", lambda *_: RefutedPool())
    code = main(["run", str(experiment(tmp_path)), "--code", f"{tmp_path}/own.py"])
    assert (code, "6 proofs are REFUTED" in capsys.readouterr().err) == (1, True)
