"""Sentences with a number: each is decided by figures or has a reason why not, and none is copied."""

import json

import pytest

from euclio.core.folders import data_dir
from studies.claims import stored_claims
from studies.claims_page import NOT_MEASURED, SET_UP, STATUSES, Sentence, selection, sentences
from studies.papers.published import published_figures

PAPERS = ("graft", "harpagon", "piccolo", "ppipe", "scrooge")


@pytest.mark.parametrize("paper", PAPERS)
def test_every_sentence_is_decided_by_published_figures_or_says_why_not(paper):
    known = {figure.key for figure in published_figures(paper)}
    own = [one for one in sentences() if one.paper == paper]
    assert len(own) > 30
    assert all(set(one.figures) <= known and one.numbers for one in own)
    assert all(bool(one.figures) != (one.status in STATUSES) for one in own)
    assert all(bool(one.why) == (one.status == NOT_MEASURED) for one in own)


def test_no_sentence_is_copied():
    entries = json.loads((data_dir() / "sentences.json").read_text(encoding="utf-8"))["sentences"]
    assert {name for one in entries for name in one} <= {"paper", "section", "numbers", "figures", "status", "why"}


def test_abstract_introduction_and_evaluation_are_listed_of_every_paper():
    for paper in PAPERS:
        sections = {one.section for one in sentences() if one.paper == paper}
        assert "abstract" in sections
        assert sections & {"§1", "§I"}
        assert len(sections) > 4 or paper in ("harpagon", "piccolo")


def test_sentences_are_counted_by_what_decides_them():
    own = [
        Sentence("tiny", "§1", (1.0,), ("a", "b")),
        Sentence("tiny", "§1", (2.0,), ("c",)),
        Sentence("tiny", "§2", (3.0,), status=SET_UP),
        Sentence("tiny", "§2", (4.0,), status=NOT_MEASURED, why="energy"),
    ]
    assert selection(own, frozenset("b")) == (4, 1, 1, 1, 1)


def test_every_claim_is_of_a_sentence_with_its_number_or_of_all():
    stated = {(one.paper, key) for one in sentences() for key in one.figures}
    without = {claim.key for claim in stored_claims() if not stated & {(claim.paper, key) for key in claim.figures}}
    assert without == {"harpagon.cheapest", "piccolo.cheapest", "graft.hybrid"}
