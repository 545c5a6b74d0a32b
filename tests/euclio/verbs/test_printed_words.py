"""No command prints how Python writes nothing, a truth value or what is no number."""

import json
import re

import pytest
import tiny_clusters
import tiny_sessions

from euclio.cli import main
from euclio.verbs.interface.parser import verbs

PYTHON = re.compile(r"(?<![\w.-])(None|True|False|nan)(?![\w-])")
TEXTS = {"session": tiny_sessions.TEXT, "pipeline": tiny_clusters.TEXT}
SOLVERS = {"session": ("harpagon", "exact"), "pipeline": ("dart-r", "columns")}
EXPERIMENT = """schema = "euclio/experiment/1"
name = "small"
slots = 1
[[instances]]
files = ["i.json", "too-fast.json"]
[[solvers]]
name = "{0}"
[[solvers]]
name = "{1}"
[certify]
time_limit_s = 5
"""
ODD = (None, True, False, float("nan"), [], {})
"""What no field of a file should be shown as in Python's words."""


@pytest.fixture(params=TEXTS)
def family(request):
    return request.param


@pytest.fixture
def folder(family, tmp_path, monkeypatch):
    """An instance and one without a plan, results of two solvers on each, and an experiment on them."""
    monkeypatch.chdir(tmp_path)
    text = TEXTS[family]
    fast = re.sub(r'"slo_s": [\d.]+', '"slo_s": 0.0201', text).replace('"tiny"', '"too-fast"')
    (tmp_path / "i.json").write_text(text)
    (tmp_path / "too-fast.json").write_text(fast)
    (tmp_path / "e.toml").write_text(EXPERIMENT.format(*SOLVERS[family]))
    return tmp_path


def printed(capfd, *arguments):
    """All that a command prints; it ends by itself."""
    capfd.readouterr()
    assert main([str(a) for a in arguments]) in range(5)
    captured = capfd.readouterr()
    return captured.out + captured.err


def assert_plain(text, what):
    found = PYTHON.search(text)
    assert not found, f"{what} prints {found[0]}:\n{text}"


@pytest.mark.slow
def test_outputs_on_an_instance_with_a_plan_and_one_without(capfd, folder, family):
    for name in ("i", "too-fast"):
        for solver in SOLVERS[family]:
            words = ("solve", f"{name}.json", "--solver", solver, "--out", "r.json")
            assert_plain(printed(capfd, *words), words)
            for verb in ("verify", "certify", "simulate"):
                assert_plain(printed(capfd, verb, f"{name}.json", "r.json"), (verb, name, solver))
        for verb in ("compare", "decompose", "explain"):
            assert_plain(printed(capfd, verb, f"{name}.json"), (verb, name))


@pytest.mark.slow
def test_outputs_of_an_experiment(capfd, folder):
    assert_plain(printed(capfd, "status", "e.toml"), "status before")
    for verb in ("run", "status", "report"):
        assert_plain(printed(capfd, verb, "e.toml"), verb)
    assert_plain((folder / "e-results" / "report.md").read_text(), "the page")


@pytest.mark.fifth("verb")
@pytest.mark.parametrize("verb", verbs())
def test_help(capfd, verb):
    assert_plain(printed(capfd, verb, "--help"), verb)


@pytest.mark.slow
def test_lists(capfd, folder, family):
    for words in (("solvers",), ("bench-set", "list"), ("generate", "random"), ("check-solver", SOLVERS[family][0])):
        assert_plain(printed(capfd, *words), words)


@pytest.mark.slow
def test_verify_on_results_with_odd_fields(capfd, folder, family):
    printed(capfd, "solve", "i.json", "--solver", SOLVERS[family][0], "--out", "r.json")
    result = json.loads((folder / "r.json").read_text())
    for place in places(result):
        for odd in ODD:
            (folder / "odd.json").write_text(json.dumps(changed(result, place, odd)))
            assert_plain(printed(capfd, "verify", "i.json", "odd.json"), (place, odd))


@pytest.mark.slow
def test_instances_with_odd_fields(capfd, folder, family):
    printed(capfd, "solve", "i.json", "--solver", SOLVERS[family][0], "--out", "r.json")
    instance = json.loads(TEXTS[family])
    for place in places(instance):
        for odd in ODD:
            (folder / "odd.json").write_text(json.dumps(changed(instance, place, odd)))
            assert_plain(printed(capfd, "verify", "odd.json", "r.json"), (place, odd))


def places(value, before=()):
    """Paths to all values in plain data, but for elements of lists after the first."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*before, key)
        yield from places(inner, (*before, key))


def changed(value, place, new):
    """A copy of plain data with one value replaced."""
    if not place:
        return new
    copied = value.copy()
    copied[place[0]] = changed(value[place[0]], place[1:], new)
    return copied
