"""Experiment files: what they say, and one clear line for everything that is wrong with them."""

import json
import os
from dataclasses import replace
from decimal import Decimal

import pytest
from fake_runs import TINY
from run_batches import run_of

from euclio.core.errors import InputError
from euclio.experiments.experiment import DrawnSource
from euclio.experiments.experiment_files import load_experiment
from euclio.experiments.instances import InstanceIndex
from euclio.experiments.runner import Expansion
from euclio.experiments.solver_settings import different_labels, solver_settings
from euclio.experiments.task import RunLimits

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
    return load_experiment(path, [tmp_path / "mine.py"])


def test_defaults(tmp_path):
    loaded = read(tmp_path, BASE)
    assert (loaded.name, loaded.repeats, loaded.seeds, loaded.slots) == ("race", 1, (0,), None)
    assert loaded.limits == RunLimits(None, 3600, 4096, None)
    assert loaded.instances == (DrawnSource("random"),)


def test_hard_limit_is_twice_the_time_limit_and_ten_seconds(tmp_path):
    assert read(tmp_path, f"{BASE}[limits]\ntime_s = 2.5\n").limits == RunLimits(2.5, 15, 4096)


def test_settings_of_drawn_instances_are_kept_as_written(tmp_path):
    text = BASE.replace('"random"', '"random"\ncount = 5\nseed = 3\nsettings = { modules = [2, 4], tightness = 0.4 }')
    settings = {"modules": [2, 4], "tightness": Decimal("0.4")}
    assert read(tmp_path, text).instances == (DrawnSource("random", 5, 3, settings),)


def test_lists_are_grids_and_name_the_labels(tmp_path):
    loaded = read(tmp_path, f'{BASE}engine = ["highs", "cbc"]\npolicy = ["tc", "rr"]\nthreads = 2\n')
    assert [setting.label for setting in loaded.solvers] == [
        "milp engine=highs, policy=tc",
        "milp engine=highs, policy=rr",
        "milp engine=cbc, policy=tc",
        "milp engine=cbc, policy=rr",
    ]
    assert {setting.threads for setting in loaded.solvers} == {2}
    assert loaded.solvers[0].space == (("policy", "tc"),)


def test_parts_of_a_solver_are_a_grid_of_names(tmp_path):
    options = 'policy = "rr"\nsplitter = ["even", "q0.01"]\nmerge = [true, false]\nreassignments = 0\n'
    loaded = read(tmp_path, BASE.replace("milp", "harpagon") + options)
    assert [(setting.label, setting.solver) for setting in loaded.solvers[:2]] == [
        ("harpagon splitter=even, merge=yes", "harpagon:splitter=even:merge=yes:reassignments=0"),
        ("harpagon splitter=even, merge=no", "harpagon:splitter=even:merge=no:reassignments=0"),
    ]
    assert {setting.space for setting in loaded.solvers} == {(("policy", "rr"),)}


def test_a_label_of_its_own(tmp_path):
    loaded = read(tmp_path, f'{BASE}label = "joint"\nengine = ["highs", "cbc"]\n')
    assert [setting.label for setting in loaded.solvers] == ["joint engine=highs", "joint engine=cbc"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["A", "B"], [("A", "B")]),
        ("A,B", [("A", "B")]),
        ([["A"], ["A", "B"]], [("A",), ("A", "B")]),
    ],
)
def test_a_set_of_hardware_is_one_value(value, expected):
    assert [dict(s.space)["hardware"] for s in solver_settings("harpagon", hardware=value)] == expected


def test_any_number_of_allocations_is_a_value():
    found = solver_settings("exact", max_allocations=["any", 2])
    assert [(setting.label, setting.space) for setting in found] == [
        ("exact max_allocations=any", (("max_allocations", None),)),
        ("exact max_allocations=2", (("max_allocations", 2),)),
    ]


def test_a_solver_from_a_file_is_looked_up_next_to_the_experiment(tmp_path):
    (tmp_path / "mine.py").write_text("def plan(session):\n    return None\n")
    loaded = read(tmp_path, BASE.replace('"milp"', '"mine.py:plan"'))
    (setting,) = loaded.solvers
    assert (setting.solver, setting.label, setting.folder) == ("mine.py:plan", "mine:plan", str(tmp_path))
    assert setting.library == "mine.py:plan"


def test_a_key_stays_when_the_folder_moves(tmp_path):
    keys = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "mine.py").write_text("def plan(session):\n    return None\n")
        (folder / "s.json").write_text(TINY % "s")
        text = BASE.replace('generate = "random"', 'files = ["s.json"]').replace('"milp"', '"mine.py:plan"')
        loaded = read(folder, text)
        index = InstanceIndex(loaded)
        index.look_at_files()
        keys.append([task.key for task in Expansion(loaded, index.entries).tasks()])
    assert keys[0] == keys[1] != []


FILES = {
    "a file": (["a.json"], ["a"]),
    "a pattern": (["*.json"], ["a", "b"]),
    "a folder": (["sub"], ["c"]),
    "several": (["sub", "b.json"], ["c", "b"]),
}


@pytest.mark.parametrize("case", FILES)
def test_files_folders_and_patterns(tmp_path, case):
    given, names = FILES[case]
    (tmp_path / "sub").mkdir()
    for path in ("a", "b", "sub/c"):
        (tmp_path / f"{path}.json").write_text(TINY % path[-1])
    loaded = read(tmp_path, BASE.replace('generate = "random"', f"files = {given}"))
    index = InstanceIndex(loaded)
    index.look_at_files()
    assert [entry.name for entry in index.entries] == names


def without(line):
    return BASE.replace(line, "")


BAD = {
    "not TOML": ("name =", "race.toml: is not TOML: "),
    "no schema": (without('schema = "euclio/experiment/1"\n'), "schema: is missing"),
    "other schema": (BASE.replace("experiment/1", "experiment/2"), "is version 'euclio/experiment/2'"),
    "no name": (without('name = "race"\n'), "name: is missing"),
    "no solvers": (BASE[: BASE.index("[[solvers")], "solvers: is missing"),
    "unknown field": (f"repeat = 3\n{BASE}", "repeat: is an unknown field; did you mean `repeats`?"),
    "limit without unit": (f"{BASE}[limits]\ntime = 3\n", "limits.time: has no unit; write `time_s`"),
    "negative limit": (f"{BASE}[limits]\ntime_s = -1\n", "limits.time_s: is -1; it must be greater than 0"),
    "endless limit": (f"{BASE}[limits]\ntime_s = nan\n", "limits.time_s: is "),
    "hard limit below": (f"{BASE}[limits]\ntime_s = 9\nhard_time_s = 3\n", "limits.hard_time_s: is 3, less than"),
    "no memory": (f"{BASE}[limits]\nmemory_mb = 0\n", "limits.memory_mb: is 0"),
    "repeats": (f"repeats = 0\n{BASE}", "repeats: is 0"),
    "seeds": (f"seeds = [1, 1]\n{BASE}", "seeds: must be a list of different whole numbers"),
    "slots": (f"slots = 0\n{BASE}", "slots: is 0"),
    "files and kind": (
        BASE.replace("generate", 'files = ["a"]\ngenerate'),
        "instances[0]: needs `files` or `generate`",
    ),
    "neither": (without('generate = "random"\n'), "instances[0]: needs `files` or `generate`"),
    "count of files": (BASE.replace("generate", "count = 3\nfiles").replace('"random"', '["a"]'), "instances[0].count"),
    "no files": (BASE.replace('generate = "random"', "files = []"), "instances[0].files: is empty"),
    "long limit": (f"{BASE}[limits]\ntime_s = 1e9\n", "it must be greater than 0 and at most 100000000, in seconds"),
    "unknown solver": (BASE.replace("milp", "mlip"), "solvers[0].name: unknown solver 'mlip'"),
    "unknown option": (f"{BASE}polcy = 1\n", "solvers[0].polcy: is no option of 'milp'; it takes engine, threads"),
    "unknown word of a part": (
        f'{BASE.replace("milp", "harpagon")}splitter = ["evenly"]\n',
        "solvers[0].splitter: is the text 'evenly'; it must be one of latency-cost",
    ),
    "part of another solver": (f'{BASE}splitter = "even"\n', "solvers[0].splitter: is no option of 'milp'"),
    "unknown engine": (
        f'{BASE}engine = "cplex"\n',
        "solvers[0].engine: is the text 'cplex'; it must be one of highs",
    ),
    "unknown policy": (f'{BASE}policy = ["tc", "dt"]\n', "solvers[0].policy: is the text 'dt'; it must be one of tc"),
    "flag": (f"{BASE}batching = 1\n", "solvers[0].batching: is 1; it must be true or false"),
    "threads": (f"{BASE}threads = 0\n", "solvers[0].threads: is 0; it must be a whole number from 1"),
    "allocations": (f"{BASE}max_allocations = 1.5\n", "solvers[0].max_allocations: is 1.5"),
    "twice in a grid": (f'{BASE}policy = ["tc", "tc"]\n', "solvers[0].policy: lists a value twice"),
    "empty grid": (f"{BASE}policy = []\n", "solvers[0].policy: is an empty list"),
    "starter": (f'{BASE}warm_start = "nobody"\n', "solvers[0].warm_start: unknown solver 'nobody'"),
    "same label": (f'{BASE}[[solvers]]\nname = "milp"\nthreads = 2\n', "two solvers are called 'milp'"),
    "same solver": (f'{BASE}[[solvers]]\nname = "milp"\nlabel = "x"\n', "'milp' and 'x' are the same solver"),
    "reserved": (f'{BASE}folder = "x"\n', "solvers[0].folder: is no option of a solver"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_one_clear_line(tmp_path, case):
    text, words = BAD[case]
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert "race.toml" in str(error.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["none.json"], "no such file"),
        (["*.json"], "matches no file"),
        (["sub"], "has no file that ends in .json"),
        (["pipe"], "is no file that can be read twice"),
        (["x" * 5000], r"instances\[0\].files: is the text 'x+', no path \(File name too long\)"),
        (["**x/*"], r"instances\[0\].files: is the text '\*\*x/\*', no path"),
    ],
)
def test_paths_without_instances_are_refused(tmp_path, given, words):
    (tmp_path / "sub").mkdir()
    os.mkfifo(tmp_path / "pipe")
    loaded = read(tmp_path, BASE.replace('generate = "random"', f"files = {given}"))
    with pytest.raises(InputError, match=words):
        InstanceIndex(loaded).look_at_files()


def test_a_setting_that_a_kind_does_not_take_is_refused(tmp_path):
    loaded = read(tmp_path, BASE.replace('"random"', '"random"\nsettings = { rate = 3 }'))
    with pytest.raises(InputError, match=r"instances\[0\].settings.rate: is no option of kind 'random'"):
        InstanceIndex(loaded).look_at_files()


def test_an_unknown_kind_is_refused(tmp_path):
    loaded = read(tmp_path, BASE.replace('"random"', '"randm"'))
    with pytest.raises(InputError, match=r"instances\[0\].generate: unknown kind 'randm'"):
        InstanceIndex(loaded).look_at_files()


def test_each_instance_is_counted_once_drawn_or_kept(tmp_path):
    loaded = read(tmp_path, BASE.replace('"random"', '"random"\ncount = 3'))
    looked_at = []
    for total in (3, 6):
        InstanceIndex(loaded, lambda: looked_at.append(1)).draw(tmp_path)
        assert len(looked_at) == total


def test_drawn_instances_with_half_a_character_are_damaged(tmp_path):
    """JSON can say one, and no file that is written of it can: the run ended with a traceback."""
    loaded = read(tmp_path, BASE)
    InstanceIndex(loaded, lambda: None).draw(tmp_path)
    (path,) = tmp_path.glob("instances-*.jsonl")
    row = json.loads(path.read_text())
    path.write_text(json.dumps({**row, "name": "\ud800"}) + "\n")
    with pytest.raises(InputError, match="is damaged; remove it, then its instances are drawn again"):
        InstanceIndex(loaded, lambda: None).draw(tmp_path)


@pytest.mark.parametrize("label", ["", "two\nlines", "a\ttab", "\x1b[31mred"])
def test_a_label_that_fits_into_no_line_is_refused(label):
    (setting,) = solver_settings("harpagon")
    with pytest.raises(InputError, match=r"label: .* is no label; give one line"):
        different_labels([replace(setting, label=label)])


def test_limit_of_preparations_is_no_part_of_what_a_run_is(tmp_path):
    limits = read(tmp_path, f"{BASE}[limits]\npreparation_s = 30\n").limits
    assert limits == RunLimits(None, 3600, 4096, 30)
    assert run_of("good", limits).key == run_of("good", replace(limits, preparation_s=None)).key
