"""The program that prices plans without euclio says what euclio's checker says, of good plans and of spoilt ones."""

from __future__ import annotations

import ast
import json
import random
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from spoilt_plans import SPOILT

from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.experiments.bench_set import entries
from euclio.experiments.bench_set.export import check_plan
from euclio.experiments.bench_set.manifest import best_path, instance_path, set_folder
from euclio.files.instance_files import load_instance
from euclio.files.result_files import load_result, reasons_against

PROGRAM = Path(check_plan.__file__)
BROKEN = [(family, what) for family, changes in SPOILT.items() for what in changes]


def files(entry):
    return instance_path(set_folder(), entry), best_path(set_folder(), entry.name)


def of_euclio(instance, result):
    """Whether euclio accepts a result, and the value of its plan; no value: it cannot be priced."""
    try:
        read = load_instance(instance)
        written = load_result(result, read)
    except InputError:
        return False, None
    checked = family_of(read).evaluate(read, written.plan, written.space)
    return not reasons_against(read, written, checked), checked.value


def of_program(instance, result):
    """The same of the program."""
    try:
        found = check_plan.price(check_plan.read(instance), check_plan.read(result))
    except check_plan.BadInputError:
        return False, None
    return not found.broken, found.value


def agree_on(some):
    for entry in some:
        accepted, value = of_euclio(*files(entry))
        assert accepted, entry.name
        assert of_program(*files(entry)) == (True, value), entry.name


@pytest.mark.slow
def test_all_plans_of_the_set_have_the_value_that_the_checker_finds():
    agree_on(entries())


@pytest.mark.parametrize("family", SPOILT)
def test_plans_have_the_value_that_the_checker_finds(family):
    """Every tenth of the set, as fractions: not one of them is rounded."""
    agree_on(entries(family=family)[::10])


def written(folder, instance, result):
    paths = folder / "instance.json", folder / "result.json"
    for path, data in zip(paths, (instance, result), strict=True):
        path.write_text(json.dumps(data), encoding="utf-8")
    return paths


@pytest.mark.fifth("what")
@pytest.mark.parametrize(("family", "what"), BROKEN, ids=[f"{family}: {what}" for family, what in BROKEN])
def test_a_plan_with_one_rule_broken_is_refused_as_the_checker_does(family, what, tmp_path):
    """Each rule of the model once, on the first instance of the set that it can be broken on."""
    for entry in entries(family=family):
        instance, result = (json.loads(path.read_text(encoding="utf-8")) for path in files(entry))
        before = written(tmp_path, instance, result)
        if not of_program(*before)[0]:
            continue
        if SPOILT[family][what](instance, result):
            paths = written(tmp_path, instance, result)
            assert (of_program(*paths)[0], of_euclio(*paths)[0]) == (False, False)
            return
    pytest.fail("no instance of the set has what this rule is about")


def places(data, path=()):
    """Every leaf of plain data, by the keys that lead to it."""
    if isinstance(data, dict | list):
        for key, part in data.items() if isinstance(data, dict) else enumerate(data):
            yield from places(part, (*path, key))
    else:
        yield path


def changed(value, draw):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + draw.choice([-1, 1, 2])
    if isinstance(value, float):
        return draw.choice([value * 1.001, value * 0.999, value * 2, 0, -value, round(value, 3)])
    return draw.choice([None, 0, "", 1])


@cache
def small():
    """Instances of the set whose files are small, looked up once."""
    return [entry for entry in entries("easy") if instance_path(set_folder(), entry).stat().st_size < 20_000]


@pytest.mark.parametrize("seed", range(300))
def test_a_change_at_random_is_judged_alike(seed, tmp_path):
    """A number or a word somewhere in the plan or its options, some of which change nothing that counts."""
    draw = random.Random(seed)
    instance, result = (json.loads(path.read_text(encoding="utf-8")) for path in files(draw.choice(small())))
    room = draw.choice(["plan", "plan", "plan", "options"])
    # How a result was found is nothing that a plan's price hangs on.
    some_places = [path for path in places(result[room]) if path[0] not in check_plan.RUN.split()]
    *path, last = draw.choice(some_places)
    found = result[room]
    for key in path:
        found = found[key]
    found[last] = changed(found[last], draw)
    paths = written(tmp_path, instance, result)
    ours, theirs = of_program(*paths), of_euclio(*paths)
    # The program covers what the set has; what it does not cover it refuses.
    assert ours == theirs or (theirs[0] and room == "options" and ours == (False, None))
    assert ours[0] <= theirs[0]


def run(*arguments):
    """The program in a process that has nothing but the standard library."""
    command = [sys.executable, "-I", "-S", str(PROGRAM), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_the_program_runs_alone():
    """Without any installed package: -S leaves them out."""
    code, out, err = run(*files(entries()[0]))
    assert (code, out, err) == (0, "s-chain-m1-c8-h1-r2-t10-01: feasible, cost 9.18 per hour\n", "")


def test_exit_codes_and_messages(tmp_path):
    instance, result = (json.loads(path.read_text(encoding="utf-8")) for path in files(entries()[0]))
    result["plan"]["modules"][0]["allocations"][0]["machines"] = 2
    code, out, _ = run(*written(tmp_path, instance, result))
    assert (code, "refused, no value\n  module m01: " in out) == (1, True)
    for arguments in ((), ("one",), (tmp_path / "nothing", tmp_path / "nothing"), ("--all", tmp_path)):
        code, out, err = run(*arguments)
        assert (code, out, err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"a": NaN}', '{"a": 1e9999}', '{"a": 1, "a": 2}', '{"a": ' + "9" * 50 + "}", "\x00"]
)
def test_a_text_that_is_no_such_object_is_bad_input(tmp_path, text):
    path = tmp_path / "text.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(check_plan.BadInputError):
        check_plan.read(path)


@pytest.mark.parametrize(
    ("family", "place", "value"),
    [
        ("session", ("spare_machines",), 1),
        ("session", ("hardware", 0, "count"), 3),
        ("session", ("running",), {}),
        ("fragments", ("network", "server"), {"gpu_memory_mb": 1000}),
        ("pipeline", ("gpus", 0, "memory"), 1),
    ],
)
def test_what_is_not_covered_is_never_passed_over(family, place, value):
    """A field that the program does not know might change what a plan costs."""
    instance, result = (check_plan.read(path) for path in files(entries(family=family)[0]))
    *path, last = place
    found = instance
    for key in path:
        found = found[key]
    found[last] = value
    with pytest.raises(check_plan.BadInputError, match="does not cover"):
        check_plan.price(instance, result)


def test_the_program_is_read_by_older_pythons():
    """Its grammar is that of Python 3.9; `tests/without_euclio` runs it where such a Python is installed."""
    ast.parse(PROGRAM.read_text(encoding="utf-8"), feature_version=(3, 9))


def test_it_imports_the_standard_library_alone():
    tree = ast.parse(PROGRAM.read_text(encoding="utf-8"))
    names = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert names <= sys.stdlib_module_names | {"__future__"}


def test_values_are_shown_exactly_where_that_is_short():
    priced = check_plan.Priced(Fraction(1, 3), ("cost", "per hour"), "cost_per_h", [], {})
    assert check_plan.words(priced) == "cost 0.3333333333333333 per hour (exactly 1/3)"
