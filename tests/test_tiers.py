"""The quick tier leaves out no test for good: other tests are slow, or another commit's quick tier has them."""

from __future__ import annotations

import ast
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import tiers
from tiers import COLLECTED, FIFTHS, all_fifths, by_seed, chosen_fifth, in_tier, is_slow, quick, seed_of

SOURCES = 'rglob("*.py")'
MAKEFILE = (tiers.ROOT / "Makefile").read_text(encoding="utf-8")


@dataclass(eq=False)
class FakeSpec:
    """Parameters of a test that there is not."""

    params: dict[str, Any]


@dataclass(eq=False)
class FakeItem:
    """The parts of a test that the tiers look at."""

    name: str
    params: dict[str, Any] = field(default_factory=dict)
    slow: bool = False
    fifth: str = ""
    path: Path = Path("test_toys.py")

    @property
    def nodeid(self) -> str:
        """As pytest names it."""
        return f"{self.path}::{self.name}[{self.params}]"

    @property
    def callspec(self) -> FakeSpec:
        """Where pytest has the parameters."""
        return FakeSpec(self.params)

    def get_closest_marker(self, name: str) -> object:
        """The object that stands for the mark; None without it."""
        if name == "fifth" and self.fifth:
            return pytest.mark.fifth(self.fifth).mark
        return name if self.slow and name == "slow" else None


def drawn(name: str, count: int, **others: Any) -> list[FakeItem]:
    return [FakeItem(name, {"seed": seed, **others}) for seed in range(count)]


@pytest.fixture(scope="module")
def fifths(request):
    """The quick tier of each fifth, of all tests that this run has collected."""
    return all_fifths(request.config.stash[COLLECTED])


def test_every_test_is_slow_or_in_some_fifth_of_the_quick_tier(request, fifths):
    """Of all tests that this run has collected: the five fifths together are all but the slow ones, none of them twice.

    A test in neither tier would never run.
    """
    items = request.config.stash[COLLECTED]
    seen = {id(item) for fifth in fifths for item in fifth}
    assert [item.nodeid for item in items if (id(item) in seen) is is_slow(item)] == []


def test_the_rest_is_what_the_quick_tier_leaves_out(request):
    """Both together run everything once, as CI does within its time."""
    items = request.config.stash[COLLECTED]
    both = [*in_tier("quick", items, 2), *in_tier("rest", items, 2)]
    assert sorted(map(id, both)) == sorted(map(id, items))


def test_rules_on_sources_are_in_the_quick_tier(request):
    """They take no time, so that every run of CI should include them."""
    slow = [item for item in request.config.stash[COLLECTED] if is_slow(item)]
    readers = {file: _readers(file) for file in {item.path for item in slow}}
    assert [item.nodeid for item in slow if getattr(item, "originalname", item.name) in readers[item.path]] == []


def _readers(file: Path) -> set[str]:
    """The functions of a file that look at all Python files, themselves or by another function of it."""
    text = file.read_text(encoding="utf-8")
    if SOURCES not in text:
        return set()
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    bodies = {node.name: ast.get_source_segment(text, node) or "" for node in functions}
    readers = {name for name, body in bodies.items() if SOURCES in body}
    return readers | {name for name, body in bodies.items() if any(f"{reader}(" in body for reader in readers)}


def test_all_that_is_collected_runs_without_a_tier(request):
    """`make test-all` names no tier, and then nothing is left out: every collected test is among those that run."""
    if request.config.getoption("--tier") == "all" and not request.config.getoption("-k"):
        assert {item.nodeid for item in request.session.items} == {i.nodeid for i in request.config.stash[COLLECTED]}


def test_make_test_all_selects_nothing():
    """Its line has no paths, expressions or tier, since tests that they leave out would run nowhere."""
    line = next(line for line in _recipe("test-all") if "-m pytest" in line)
    words = line.partition("-m pytest")[2].split()
    assert words == ["-n", "auto", "--maxprocesses", "8", "--dist", "worksteal"]


def test_make_test_is_the_quick_tier_of_everything():
    """A path or an expression in its line would take a test out of what the tiers promise."""
    line = next(line for line in _recipe("test") if "-m pytest" in line)
    words = line.partition("-m pytest")[2].partition(";")[0].split()
    assert words == ["--tier", "quick", "-n", "auto", "--maxprocesses", "8", "--dist", "worksteal"]


def test_a_folder_keeps_something_in_each_fifth(request, fifths):
    """At every commit, `make test` has a test of each part of the workbench."""
    items = request.config.stash[COLLECTED]
    files = {item.path for item in items}
    # A run of a few files says nothing about their folders.
    folders = {file.parent for file in files if files >= set(file.parent.glob("test_*.py"))}
    assert len(fifths) == FIFTHS
    for taken in fifths:
        assert folders <= {item.path.parent for item in taken}


def test_a_fifth_of_the_seeds_is_taken_for_each_of_the_other_parameters():
    """Of 12 seeds of one solver and 3 of another: seeds 1, 6, 11 and seed 1 in the second of the fifths."""
    items = [*drawn("t", 12, solver="a"), *drawn("t", 3, solver="b"), FakeItem("plain"), FakeItem("long", slow=True)]
    kept = [(item.name, *item.params.values()) for item in quick(items, 1)]
    assert kept == [("t", 1, "a"), ("t", 6, "a"), ("t", 11, "a"), ("t", 1, "b"), ("plain",)]
    assert [item.params["seed"] for item in quick(drawn("t", 3), 4)] == [1]
    named = [FakeItem("t", {"way": way}, fifth="way") for way in "abcdef"]
    assert [item.params["way"] for item in quick(named, 0)] == ["a", "f"]


def test_the_cases_of_a_seed_follow_each_other():
    """Two tests of three seeds: what both need of a seed is computed once; what has no seed comes first."""
    order = [(item.name, seed_of(item)) for item in by_seed([*drawn("a", 3), *drawn("b", 3), FakeItem("plain")])]
    assert order == [("plain", None), ("a", 0), ("b", 0), ("a", 1), ("b", 1), ("a", 2), ("b", 2)]


def test_the_variable_decides_before_the_commit(monkeypatch):
    """A failure is repeated on another commit by naming its fifth; what is no fifth is refused in one line."""
    monkeypatch.setenv(tiers.VARIABLE, "3")
    assert chosen_fifth() == tiers.Fifth(3, tiers.VARIABLE)
    monkeypatch.setenv(tiers.VARIABLE, "5")
    with pytest.raises(pytest.UsageError, match="EUCLIO_FIFTH='5' is no fifth"):
        chosen_fifth()


def test_the_commit_decides_and_without_git_the_files_do(monkeypatch):
    """0xb is 11, of which 1 is left over by five; a download without `.git` has a digest instead."""
    monkeypatch.delenv(tiers.VARIABLE, raising=False)
    answer = subprocess.CompletedProcess([], 0, "000b\n", "")
    monkeypatch.setattr(tiers.subprocess, "run", lambda *args, **kwargs: answer)
    assert chosen_fifth() == tiers.Fifth(1, "commit 000b")
    answer.returncode = 128
    assert chosen_fifth().by.startswith("files of digest ")


def test_the_digest_is_that_of_names_and_bytes(tmp_path):
    """The same files in another folder have the same digest, another name or another byte gives another."""
    digests = []
    for folder, name, text in (("a", "x", "1"), ("b", "x", "1"), ("c", "y", "1"), ("d", "x", "2")):
        path = tmp_path / folder / "euclio" / f"{name}.py"
        path.parent.mkdir(parents=True)
        path.write_text(text)
        digests.append(tiers._tree_digest(tmp_path / folder))
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3


def _recipe(target: str) -> list[str]:
    """The lines of a target of the Makefile."""
    return re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE).group(1).splitlines()


def test_no_test_mutes_its_process():
    """`mute` is for processes that work for another and cannot be taken back: tests after it would see nothing said."""
    muting = re.compile(r"^\s*(progress\.)?mute\(\)", re.MULTILINE)
    files = [
        file for file in Path(__file__).parent.rglob("test_*.py") if muting.search(file.read_text(encoding="utf-8"))
    ]
    assert [file.name for file in files] == []


def test_a_name_with_an_address_is_refused():
    """Workers that collect other names run nothing, and a run in one process shows nothing of it."""
    named = FakeItem("test_policies", {"rule": "tc"})
    tiers.refuse_addresses([named])
    with pytest.raises(pytest.UsageError, match="an address is no name"):
        tiers.refuse_addresses([named, FakeItem("test_policies", {"rule": "<function whole at 0x7f74e1104ea0>"})])
