"""One figure or table of a study by itself, from the runs that it needs or from the tables of the last report."""

import csv
from html import escape
from pathlib import Path

import pytest

from euclio.cli import main
from euclio.experiments.results.tables import load
from studies import registered
from studies.page_builder import study_of
from studies.papers.published import published_figures
from studies.parts import part_lines

REPORTS = Path(__file__).parents[2] / "reports"


@pytest.mark.parametrize("paper", registered())
def test_every_part_that_runs_is_a_figure_of_the_page(paper):
    """A part that the page no longer has would be a figure that nobody can look up."""
    stored = {line.partition(":")[0] for line in part_lines(paper, REPORTS / paper)}
    page = (REPORTS / paper / "index.html").read_text(encoding="utf-8")
    for name in study_of(paper).parts:
        assert name in stored
        assert f'<figure id="{name}">' in page


@pytest.mark.slow
def test_a_figure_is_made_from_the_runs_that_it_needs(tmp_path, capsys):
    """Figure 7 of Piccolo asks three systems, not eighteen; what it was made from is said."""
    out = tmp_path / "fig7.csv"
    asked = ["reproduce", "piccolo", "--only", "fig7", "--workloads", "2", "--jobs", "1", "--csv", str(out)]
    assert main(asked) == 0
    said = capsys.readouterr()
    assert said.out == f"{out}\n"
    assert "6 runs of piccolo, piccolo:1bpc, piccolo:2bpc on piccolo (2 instances, seed 20240917, sha256" in said.err
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert {row["label"] for row in rows if row["mark"] == "line"} >= {"Picc-1bpc", "Picc-2bpc"}


def test_a_wrong_name_is_answered_with_the_nearest_one(capsys):
    assert main(["reproduce", "harpagon", "--only", "figure-71"]) == 2
    assert "--only: harpagon has no part 'figure-71'; did you mean figure-7" in capsys.readouterr().err


def test_help_lists_what_is_run_and_what_is_taken_from_the_report(capsys):
    assert main(["reproduce", "harpagon", "--only", "help", "--out", str(REPORTS / "harpagon")]) == 0
    said = capsys.readouterr().out
    assert "(runs harpagon, harpagon:2d, harpagon:dt)" in said
    assert "\ntable-harpagon-on-every-kind-of-profiles: Harpagon on every kind of profiles" in said


@pytest.mark.parametrize("paper", ["harpagon", "piccolo"])
def test_titles_are_there_without_any_report(paper, tmp_path, capsys, monkeypatch):
    """As after an installation from a wheel, which holds no reports."""
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", paper, "--only", "help"]) == 0
    page = (REPORTS / paper / "index.html").read_text(encoding="utf-8")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(study_of(paper).parts)
    for line in lines:
        name, _, title = line.partition(" (runs ")[0].partition(": ")
        assert title
        assert f'<figure id="{name}">' in page
        assert escape(title) in page


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ["mlperf", "--only", "rules", "--workloads", "3"],
            "--workloads: has no meaning for rules, which is taken from",
        ),
        (["mlperf", "--only", "rules", "--full"], "--only: runs no study, so that full has no meaning"),
        (["mlperf", "--csv", "a.csv"], "--csv: takes the data of one figure or table; add --only PART"),
    ],
)
def test_options_that_mean_nothing_are_refused(options, says, capsys):
    assert main(["reproduce", *options, "--out", str(REPORTS / "mlperf")]) == 2
    assert says in capsys.readouterr().err


def test_a_part_of_a_report_that_is_not_there_names_who_writes_it(tmp_path, capsys):
    (tmp_path / "index.html").write_text('<figure id="rules"><div><svg aria-label="Rules?">', encoding="utf-8")
    assert main(["reproduce", "mlperf", "--only", "rules", "--out", str(tmp_path)]) == 2
    assert "holds no report; `euclio reproduce mlperf` writes one" in capsys.readouterr().err


PARTS = [(paper, name) for paper in ("piccolo", "harpagon") for name in study_of(paper).parts]
QUICK = [("piccolo", "figure-7"), ("piccolo", "figure-8")]


def with_and_without_others(paper, name):
    """The data of a part, made of the stored runs that it names, and of all of them."""
    tables = {table: load(REPORTS / paper / f"{table}.parquet")[0] for table in ("runs", "allocations")}
    part = study_of(paper).parts[name]
    published = {figure.key: figure.value for figure in published_figures(paper)}
    fewer = {key: table[table.solver.isin(part.solvers)] for key, table in tables.items()}
    return part.make(fewer, published).data, part.make(tables, published).data


@pytest.mark.parametrize(
    ("paper", "name"), [one if one in QUICK else pytest.param(*one, marks=pytest.mark.slow) for one in PARTS]
)
def test_a_part_needs_no_other_runs_than_those_that_it_names(paper, name):
    """Else `--only` would make runs that do not give the figure of the page, or give another one."""
    fewer, all_of_them = with_and_without_others(paper, name)
    assert fewer == all_of_them


@pytest.mark.slow
def test_a_part_from_the_report_is_that_of_the_report(tmp_path, capsys):
    """Read from the tables alone, without a run: the same numbers as the page that was written from the runs."""
    assert main(["reproduce", "mlperf", "--only", "rules", "--out", str(REPORTS / "mlperf")]) == 0
    said = capsys.readouterr()
    assert "from the stored runs in" in said.err
    assert "1,bar,50th,as configured," in said.out
