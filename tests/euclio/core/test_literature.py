"""What is cited: equal to CITATION.cff and pyproject.toml, and every solver says what it rests on."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from euclio.core import literature
from euclio.core.literature import KNOWN, PAPERS
from euclio.core.registry import Option, solvers

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def citation():
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def authors(entry):
    """Names as records of references have them; the group that stands for no authors is left out."""
    named = [a.get("name") or f"{a['family-names']}, {a['given-names']}" for a in entry["authors"]]
    return tuple(name for name in named if not name.startswith("authors not printed"))


def test_euclio_is_cited_as_its_citation_file_and_its_project_file_say(citation):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    itself = literature.euclio_itself(version("euclio"))
    assert itself.title == citation["title"]
    assert itself.authors == authors(citation) == tuple(author["name"] for author in project["authors"])
    assert str(citation["version"]) == project["version"] == version("euclio")


def test_the_papers_are_cited_as_the_citation_file_says(citation):
    """In the same order: a paper that is added to one is missed in the other."""
    for paper, entry in zip(PAPERS, citation["references"], strict=True):
        fields = dict(paper.fields)
        assert paper.title == entry["title"]
        assert paper.authors == authors(entry)
        assert paper.year == str(entry.get("year", ""))
        for name in ("doi", "isbn", "url", "journal"):
            assert fields.get(name) == entry.get(name), (paper.key, name)
        assert fields.get("booktitle") == entry.get("collection-title")
        assert fields.get("eprint", "") == entry.get("notes", "").removeprefix("arXiv:")
        assert fields.get("pages") == (f"{entry['start']}--{entry['end']}" if "start" in entry else None)


def test_every_solver_says_what_it_rests_on():
    """Rules that people use come from no paper, and their lines say so."""
    without = [solver.summary for solver in solvers().values() if not solver.rests_on]
    assert [summary for summary in without if not summary.startswith("A rule that people use: ")] == []


def test_what_a_solver_rests_on_is_what_its_line_names():
    """A paper that is named in the line that `euclio solvers` prints is cited, be it by its section only."""
    names = {one.title.partition(":")[0]: one for one in PAPERS}
    for name, solver in solvers().items():
        named = {one for word, one in names.items() if re.search(rf"\b{word}(?:'s)?\b", solver.summary)}
        assert named <= set(solver.rests_on), name


def test_every_engine_and_library_of_a_solver_is_cited():
    used = {name for solver in solvers().values() for name in (*solver.engines, solver.library) if name}
    assert used == set(literature.ENGINES)


def test_who_can_choose_an_engine_has_one():
    """`cite` takes PuLP for what their models are written in."""
    assert [s.name for s in solvers().values() if (Option.ENGINE in s.takes) != bool(s.engines)] == []


def test_every_line_of_the_file_is_read():
    """A line that the reader does not know would be left out without a word."""
    lines = Path(literature.__file__).with_suffix(".bib").read_text(encoding="utf-8").splitlines()
    fields = sum(bool(one.authors) + 1 + bool(one.year) + len(one.fields) for one in KNOWN)
    assert (len(list(filter(None, lines))), lines.count("}")) == (fields + 2 * len(KNOWN), len(KNOWN))


def test_keys_are_words_and_stand_for_one_reference():
    keys = [one.key for one in KNOWN]
    assert len(set(keys)) == len(keys)
    assert [key for key in keys if not re.fullmatch(r"[a-z0-9]+", key)] == []
