"""The files of published numbers: roles, units, shares of whole workloads, and what contradicts what."""

import json
from collections import Counter

import pytest

from euclio.core.folders import data_dir
from euclio.core.words import UNITS
from studies.agreement import NumberKind
from studies.papers.published import published_figures

ROLES = {"fit", "check", "input", "time", "doubtful"}
KINDS = {"cannot both hold", "hardly both hold", "tension", "odd", "erratum"}
PAPERS = sorted(path.stem for path in (data_dir() / "published").glob("*.json") if path.stem != "contradictions")
CONTRADICTIONS = json.loads((data_dir() / "published" / "contradictions.json").read_text(encoding="utf-8"))[
    "contradictions"
]
WORKLOADS = 663
# Shares of all of Piccolo's workloads that are printed with two decimals.
SHARES = ("optimal_share", "1bpc_same_share", "2bpc_same_share", "more_than_two_share", "nd_same_share")


@pytest.mark.parametrize("paper", PAPERS)
def test_figures_have_a_role_a_unit_and_a_name_of_their_own(paper):
    figures = published_figures(paper)
    assert {f.role for f in figures} <= ROLES
    assert {f.kind for f in figures} <= set(NumberKind)
    assert {f.unit for f in figures} <= set(UNITS)
    assert max(Counter(f.key for f in figures).values()) == 1


def test_run_times_of_piccolo_are_neither_fitted_nor_checked():
    timed = {f.key for f in published_figures("piccolo") if "runtime" in f.key}
    assert timed == {f.key for f in published_figures("piccolo") if f.role == "time"}


@pytest.mark.parametrize("key", SHARES)
def test_piccolos_shares_are_of_whole_workloads(key):
    share = next(f.value for f in published_figures("piccolo") if f.key == key)
    assert min(abs(share - 100 * k / WORKLOADS) for k in range(WORKLOADS + 1)) <= 0.0051


def test_harpagons_5_07_percent_is_of_no_whole_workloads():
    assert min(abs(5.07 - 100 * k / 1131) for k in range(1132)) > 0.005


@pytest.mark.parametrize("entry", CONTRADICTIONS, ids=lambda entry: entry["key"])
def test_contradiction_names_figures_and_quotes_them_shortly(entry):
    known = {f"{paper}:{f.key}" for paper in PAPERS for f in published_figures(paper)}
    assert set(entry) == {"key", "kind", "figures", "quotes", "why"}
    assert entry["kind"] in KINDS
    assert set(entry["figures"]) <= known
    assert entry["quotes"]
    assert all(len(quote["text"].split()) <= 25 for quote in entry["quotes"])


def test_doubtful_figures_are_among_those_that_contradictions_name():
    named = {figure for entry in CONTRADICTIONS for figure in entry["figures"]}
    doubtful = {f"{paper}:{f.key}" for paper in PAPERS for f in published_figures(paper) if f.role == "doubtful"}
    assert doubtful <= named


def test_means_that_both_papers_print_are_named():
    piccolo, harpagon = ({f.key: f.value for f in published_figures(paper)} for paper in ("piccolo", "harpagon"))
    (pair,) = [entry for entry in CONTRADICTIONS if entry["key"] == "nb-nh-np"]
    values = {"piccolo": piccolo, "harpagon": harpagon}
    printed = Counter(values[paper][key] for paper, key in (figure.split(":") for figure in pair["figures"]))
    assert printed == {89.6: 2, 23.2: 2, 14.0: 2}


@pytest.mark.parametrize("paper", PAPERS)
def test_shares_are_parts_of_a_hundred(paper):
    """A share's tolerance is a part of what it lacks to 100 %, which a gain of 137 % has nothing of."""
    assert all(0 <= f.value <= 100 and f.unit == "%" for f in published_figures(paper) if f.kind in ("share", "all"))


def test_figures_are_inputs_where_a_study_was_set_to_them_and_fitted_where_settings_were_chosen_by_them():
    roles = {paper: {f.role for f in published_figures(paper)} for paper in PAPERS}
    assert {paper for paper in PAPERS if "input" in roles[paper]} == {"graft", "ppipe", "scrooge"}
    assert {paper for paper in PAPERS if "fit" in roles[paper]} == {"graft", "harpagon", "piccolo", "ppipe"}
