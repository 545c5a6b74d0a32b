"""The runner: every combination is run once, resumed, run again on demand, and reported."""

import json

import pytest
from fake_runs import TINY, FakePool, experiment, run_named

import euclio
from euclio.cli import main
from euclio.core.errors import InputError
from euclio.experiments import runner
from euclio.experiments.experiment import Experiment, FileSource, GivenSource
from euclio.experiments.folder import RunnerLock, runner_at
from euclio.experiments.solver_settings import solver_settings
from euclio.experiments.task import RunLimits
from euclio.workloads.populations import PROTOCOL_SEED, identify, population


@pytest.fixture
def pool(monkeypatch):
    made = FakePool()
    monkeypatch.setattr(runner, "pool_of", lambda *_: made)
    return made


def test_every_combination_is_run_once(pool, tmp_path):
    path = experiment(tmp_path, repeats=2, seeds="[1, 7]")
    assert run_named(path, quiet=True).made == 3 * 2 * 2 * 2
    combinations = {(task.instance, task.setting.label, task.seed, task.repeat) for task in pool.made}
    assert len(combinations) == len(pool.made) == 24


def test_what_is_finished_is_not_made_again(pool, tmp_path):
    path = experiment(tmp_path)
    run_named(path, quiet=True)
    again = run_named(path, quiet=True)
    assert (again.made, again.kept, len(pool.made)) == (0, 6, 6)


def test_a_solver_that_is_added_is_all_that_is_run(pool, tmp_path):
    run_named(experiment(tmp_path), quiet=True)
    del pool.made[:]
    run_named(experiment(tmp_path, solvers=("one", "two", "three")), quiet=True)
    assert [task.setting.label for task in pool.made] == ["three"] * 3


def test_runs_that_the_experiment_no_longer_has_stay_and_are_counted(pool, tmp_path):
    run_named(experiment(tmp_path), quiet=True)
    outcome = run_named(experiment(tmp_path, solvers=("two",)), quiet=True)
    assert (outcome.kept, outcome.no_longer, len(outcome.frame())) == (3, 3, 6)
    assert euclio.status(tmp_path / "fake-results").no_longer == 3


def test_a_new_label_needs_no_new_runs(pool, tmp_path):
    path = experiment(tmp_path)
    run_named(path, quiet=True)
    path.write_text(path.read_text().replace('label = "one"', 'label = "first"'))
    outcome = run_named(path, quiet=True)
    assert outcome.made == 0
    assert set(outcome.frame()["label"]) == {"first", "two"}


def test_a_changed_limit_is_another_run(pool, tmp_path):
    path = experiment(tmp_path)
    run_named(path, quiet=True)
    path.write_text(path.read_text() + "[limits]\ntime_s = 5\n")
    assert run_named(path, quiet=True).made == 6


def test_a_changed_instance_is_another_run(pool, tmp_path):
    path = experiment(tmp_path)
    run_named(path, quiet=True)
    file = tmp_path / "sessions" / "s1.json"
    file.write_text(file.read_text().replace('"slo_s": 1.0', '"slo_s": 2.0'))
    assert {task.instance for task in pool.made[: -run_named(path, quiet=True).made - 1 : -1]} == {"s1"}


def test_retry_makes_runs_of_a_status_again(monkeypatch, tmp_path):
    path = experiment(tmp_path)
    monkeypatch.setattr(runner, "pool_of", lambda *_: FakePool(status="error"))
    run_named(path, quiet=True)
    assert run_named(path, quiet=True).made == 0
    monkeypatch.setattr(runner, "pool_of", lambda *_: FakePool())
    assert run_named(path, retry=["unknown"], quiet=True).made == 0
    outcome = run_named(path, retry=["error"], quiet=True)
    assert outcome.made == 6
    assert set(outcome.frame()["status"]) == {"feasible"}


def test_retry_leaves_what_the_experiment_no_longer_has(monkeypatch, tmp_path):
    monkeypatch.setattr(runner, "pool_of", lambda *_: FakePool(status="error"))
    run_named(experiment(tmp_path), quiet=True)
    outcome = run_named(experiment(tmp_path, solvers=("two",)), retry=["error"], quiet=True)
    assert (outcome.made, outcome.no_longer) == (3, 3)


def test_instances_at_hand_are_run_from_python(pool, tmp_path):
    path = tmp_path / "s.json"
    path.write_text(TINY % "mine")
    (tmp_path / "own.py").write_text("def one(session):\n    return None\n")
    settings = solver_settings("own.py:one", folder=tmp_path)
    given = Experiment("mine", (GivenSource((euclio.load(path),)),), settings, RunLimits(None, 10, 100))
    frame = runner.run(given, tmp_path / "out", quiet=True).frame()
    assert frame[["experiment", "instance", "label"]].values.tolist() == [["mine", "mine", "own:one"]]


def test_drawn_instances_are_drawn_once(pool, tmp_path, monkeypatch):
    path = experiment(tmp_path)
    path.write_text(path.read_text().replace('files = ["sessions"]', 'generate = "random"\ncount = 4'))
    run_named(path, quiet=True)
    never = (pytest.fail("drawn again") for _ in range(1))
    monkeypatch.setattr("euclio.workloads.generation.draw_instances", lambda *_: never)
    assert run_named(path, quiet=True).kept == 8


def test_a_solver_is_not_run_on_instances_of_another_family(pool, tmp_path):
    path = experiment(tmp_path)
    with (tmp_path / "own.py").open("a") as file:
        file.write("from euclio.problems.pipeline import Cluster\ndef packs(cluster: Cluster):\n    return None\n")
    path.write_text(path.read_text() + '[[solvers]]\nname = "own.py:packs"\n')
    assert run_named(path, quiet=True).made == 6


def test_a_second_runner_is_refused_in_one_line(pool, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("euclio.experiments.folder.PATIENCE_S", 0)
    path = experiment(tmp_path)
    run_named(path, quiet=True)
    with RunnerLock(tmp_path / "fake-results" / "lock"):
        assert main(["run", str(path), "--code", f"{tmp_path}/own.py"]) == 2
    err = capsys.readouterr().err
    assert "another runner works here (process" in err
    assert err.count("\n") == 1


def test_the_lock_says_who_is_at_work(tmp_path):
    with RunnerLock(tmp_path / "lock") as lock:
        lock.publish(rate_per_s=2.5)
        assert runner_at(tmp_path / "lock")["rate_per_s"] == 2.5
    assert runner_at(tmp_path / "lock") is None


def test_command_prints_the_folder_alone(pool, tmp_path, capsys):
    path = experiment(tmp_path)
    assert main(["run", str(path), "--code", f"{tmp_path}/own.py"]) == 0
    captured = capsys.readouterr()
    assert captured.out == f"{tmp_path / 'fake-results'}\n"
    assert captured.err == "euclio: 6 of 6 runs are finished, 6 of them made now: 6 feasible\n"


def test_command_says_what_the_experiment_no_longer_has(pool, tmp_path, capsys):
    main(["run", str(experiment(tmp_path)), "--code", f"{tmp_path}/own.py"])
    capsys.readouterr()
    assert main(["run", str(experiment(tmp_path, solvers=("two",))), "--code", f"{tmp_path}/own.py"]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == "euclio: 3 more runs there are no longer in the experiment"


PLANS = """from euclio.core.result import Answer
from euclio.problems.session import Allocation, ModulePlan, Plan

def one(session):
    (module,) = session.modules
    plan = Plan((ModulePlan((Allocation(module.profile[0], 0, module.rate_rps),)),))
    return Answer(plan, "planned", claimed=0.75, stats={"steps": 2})
"""


def test_real_workers_make_the_records_that_are_loaded(tmp_path):
    path = experiment(tmp_path, instances=2, solvers=("one",))
    (tmp_path / "own.py").write_text(PLANS)
    frame = run_named(path, quiet=True).frame().sort_values("instance")
    columns = [
        "instance",
        "label",
        "status",
        "raw_status",
        "value",
        "claimed",
        "stats",
        "option.policy",
        "feature.slo_s",
    ]
    assert frame[columns].values.tolist() == [
        [name, "one", "feasible", "planned", 0.75, 0.75, '{"steps": 2.0}', "tc", 1.0] for name in ("s0", "s1")
    ]


def test_status_counts_by_solver_and_status(pool, tmp_path, capsys):
    path = experiment(tmp_path)
    run_named(path, quiet=True)
    path.write_text(path.read_text() + '[[solvers]]\nname = "own.py:three"\nlabel = "three"\n')
    pool.run = lambda batches: iter(())
    run_named(path, quiet=True)
    assert main(["status", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "experiment": "fake",
        "folder": str(tmp_path / "fake-results"),
        "total": 9,
        "done": 6,
        "missing": 3,
        "no_longer": 0,
        "by_status": {"feasible": 6},
        "solvers": {
            "one": {"feasible": 3, "missing": 0},
            "two": {"feasible": 3, "missing": 0},
            "three": {"missing": 3},
        },
        "runner": None,
        "rate_per_s": None,
        "left_s": None,
    }


def test_status_for_people_says_what_is_missing(pool, tmp_path, capsys):
    path = experiment(tmp_path)
    run_named(path, quiet=True)
    assert main(["status", str(tmp_path / "fake-results")]) == 0
    assert "fake: 6 of 6 runs are finished (100 %)\nno runner is at work" in capsys.readouterr().out


@pytest.mark.parametrize("verb", ["status", "run"])
def test_nothing_there_is_one_line_and_exit_2(capsys, tmp_path, verb):
    assert main([verb, str(tmp_path / "none.toml")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_folder_of_other_things_is_refused(pool, tmp_path):
    path = experiment(tmp_path)
    with pytest.raises(InputError, match="holds other things than results"):
        run_named(path, tmp_path / "sessions", quiet=True)


def test_a_file_called_experiment_makes_no_result_folder(pool, tmp_path):
    path = experiment(tmp_path)
    other = tmp_path / "other" / "experiment.toml"
    other.parent.mkdir()
    other.write_text("mine")
    with pytest.raises(InputError, match="holds other things than results"):
        run_named(path, other.parent, quiet=True)
    assert other.read_text() == "mine"


def test_results_of_another_experiment_are_refused(pool, tmp_path):
    path = experiment(tmp_path)
    run_named(path, quiet=True)
    path.write_text(path.read_text().replace('"fake"', '"other"'))
    with pytest.raises(InputError, match="holds the results of experiment 'fake', not 'other'; name another folder"):
        run_named(path, quiet=True)


def test_a_bad_instance_is_refused_before_anything_is_written(pool, tmp_path):
    path = experiment(tmp_path)
    (tmp_path / "sessions" / "bad.json").write_text("{}")
    with pytest.raises(InputError, match=r"bad.json: schema: is missing"):
        run_named(path, quiet=True)
    assert not (tmp_path / "fake-results").exists()


def test_two_instances_of_one_name_are_refused(pool, tmp_path):
    path = experiment(tmp_path)
    (tmp_path / "sessions" / "z.json").write_text((TINY % "s0").replace("1.5", "2.5"))
    with pytest.raises(InputError, match="another instance is called 's0'"):
        run_named(path, quiet=True)


def test_the_same_instance_twice_is_run_once(pool, tmp_path):
    path = experiment(tmp_path)
    (tmp_path / "sessions" / "z.json").write_text(TINY % "s0")
    assert run_named(path, quiet=True).made == 6


def test_a_plan_space_that_does_not_go_with_an_instance_is_refused(pool, tmp_path):
    path = experiment(tmp_path)
    path.write_text(path.read_text() + 'hardware = ["T4"]\n')
    with pytest.raises(InputError, match=r"s0.json: hardware: unknown hardware 'T4'.*solver 'two'"):
        run_named(path, quiet=True)


def test_an_experiment_without_runs_is_refused(pool, tmp_path):
    (tmp_path / "own.py").write_text(
        "from euclio.problems.pipeline import Cluster\ndef packs(c: Cluster):\n    return None\n"
    )
    path = tmp_path / "s.json"
    path.write_text(TINY % "s")
    given = Experiment("none", (FileSource((str(path),)),), solver_settings("own.py:packs", folder=tmp_path))
    with pytest.raises(InputError, match="has no runs"):
        runner.run(given, tmp_path / "out", quiet=True)


def test_only_the_runs_of_a_solver_or_of_an_instance_are_made(pool, tmp_path):
    path = experiment(tmp_path)
    outcome = run_named(path, only=["two"], quiet=True)
    assert (outcome.made, {task.setting.label for task in pool.made}) == (3, {"two"})
    assert run_named(path, only=["s1"], quiet=True).made == 1
    assert euclio.status(tmp_path / "fake-results").missing == {"one": 2}
    assert run_named(path, quiet=True).made == 2


def test_a_solver_and_an_instance_that_are_both_named_leave_one_run(pool, tmp_path):
    assert run_named(experiment(tmp_path), only=["one", "s2"], quiet=True).made == 1
    assert [(task.setting.label, task.instance) for task in pool.made] == [("one", "s2")]


def test_runs_made_again_are_of_what_is_asked_for_only(pool, tmp_path):
    """Else records of the other solvers would be dropped, and their runs not be made."""
    path = experiment(tmp_path)
    run_named(path, quiet=True)
    again = run_named(path, only=["two"], retry=["feasible"], quiet=True)
    assert (again.made, len(again.frame())) == (3, 6)


def test_a_label_that_is_none_is_answered_with_the_nearest_one(pool, tmp_path, capsys):
    arguments = ["run", str(experiment(tmp_path)), "--code", str(tmp_path / "own.py"), "--only", "tow"]
    assert main(arguments) == 2
    assert "--only: no solver and no instance is called 'tow'; did you mean two?" in capsys.readouterr().err


def test_what_is_declared_quick_is_run_first(pool, tmp_path):
    """By what solvers say of themselves; which runs there are does not depend on it."""
    text = experiment(tmp_path).read_text().partition("[[solvers]]")[0]
    names = ("plan-bruteforce", "exact", "harpagon")
    (tmp_path / "fake.toml").write_text(text + "".join(f'[[solvers]]\nname = "{name}"\n' for name in names))
    assert run_named(tmp_path / "fake.toml", quiet=True).made == 9
    assert [task.setting.label for task in pool.made] == [name for name in reversed(names) for _ in range(3)]


def test_runs_on_a_population_say_which_one_it_is(pool, tmp_path):
    """Name, seed and hash, also where the instances were drawn before: a share of runs is one of that population."""
    text = experiment(tmp_path).read_text().partition("[[instances]]")[0]
    rest = '[[instances]]\ngenerate = "nvidia"\ncount = 2\n[[solvers]]\nname = "harpagon"\n'
    (tmp_path / "fake.toml").write_text(text + rest)
    label = identify(population("nvidia", 2), "nvidia", PROTOCOL_SEED).label
    assert set(run_named(tmp_path / "fake.toml", quiet=True).frame().population) == {label}
    again = run_named(tmp_path / "fake.toml", retry=["feasible"], quiet=True)
    assert (again.made, set(again.frame().population)) == (2, {label})


def test_runs_on_files_are_of_no_population(pool, tmp_path):
    assert run_named(experiment(tmp_path), quiet=True).frame().population.isna().all()
