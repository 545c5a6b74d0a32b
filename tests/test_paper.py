"""The paper about euclio: what it cites is in its bibliography, what it states is what reports and commands say."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

import euclio
from euclio.cli import main
from euclio.core.literature import KNOWN
from euclio.experiments.bench_set import entries
from euclio.files.citations import bibtex
from euclio.verbs.interface.parser import verbs
from euclio.workloads.generation import draw_instances

ROOT = Path(__file__).resolve().parents[1]
PAPER = (ROOT / "paper.md").read_text(encoding="utf-8")
BIBLIOGRAPHY = (ROOT / "paper.bib").read_text(encoding="utf-8")
_, HEAD, BODY = PAPER.split("---\n", 2)
FENCE = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"\d+(?:\.\d+)?(?: to \d+)?(?: %| ms)?")
WORDS = (750, 1750)
"""What the journal allows."""


def section(title):
    return BODY.partition(f"# {title}\n")[2].partition("\n# ")[0]


def report(name):
    return (ROOT / name).read_text(encoding="utf-8")


RESULTS = " ".join(line for line in section("Reproduction results").splitlines() if not line.startswith("|"))
STATED = {
    "of 1131 workloads": ("reports/harpagon/scorecard.md", r"of 1131 workloads: no other split"),
    "on 81.4 %": ("reports/harpagon/scorecard.md", r"Harpagon's split of the latency is optimal on 81\.4 %"),
    "on 35.4 %": ("reports/harpagon/scorecard.md", r"cheapest of its whole plan space on 35\.4 %"),
    "all 1131 optima": ("reports/harpagon/scorecard.md", r"\(0 of 1131 not proven\)"),
    "1.03 ms": ("reports/harpagon/scorecard.md", r"plan optimum with proof 1\.03 ms"),
    "51 to 92 %": (
        "reports/harpagon/scorecard.md",
        r"(consistent settings|settings that fit the paper's other numbers) give 51 to 92 %",
    ),
    "26 to 90 %": ("docs/model/posterior.md", r"random settings of the prior: .* \| 26 to 90 %"),
    "23 servers": ("reports/mlperf/scorecard.md", r"^23 servers of MLPerf Inference"),
    "9 %": ("reports/mlperf/scorecard.md", r"\*\*9 %\*\* (is the )?median error of (the|a predicted) median latency"),
    "28 %": (
        "reports/mlperf/scorecard.md",
        r"\*\*28 %\*\* (median error of the median latency on 6 later servers|is that error on the 6 servers)",
    ),
    "within a tenth": ("docs/claims.md", r"a tenth of the printed value on each side"),
    "Of 54 claims 2 are reproduced, 2 are replicated, 9 not decided, 2": (
        "reports/claims.md",
        r"^54 claims: 2 reproduced, 2 replicated, 9 not decided, 2 not reproduced, ",
    ),
    "34 are not replicated, and 5": ("reports/claims.md", r" 34 not replicated, 5 measured on another machine\.$"),
    "Of 238 printed numbers that nothing was fitted to, 58 agree and 55": (
        "reports/claims.md",
        r"^Of 238 printed numbers that nothing was fitted or set to, 58 agree .* 55 are not decided",
    ),
}
"""What the text states in numbers, by where its report says so."""


def test_the_head_says_what_the_journal_asks_for():
    head = yaml.safe_load(HEAD)
    assert set(head) == {"title", "tags", "authors", "affiliations", "date", "bibliography"}
    assert (head["bibliography"], head["authors"][0]["name"]) == ("paper.bib", "The euclio authors")
    assert {author["affiliation"] for author in head["authors"]} == {one["index"] for one in head["affiliations"]}
    assert [line for line in BODY.splitlines() if line.startswith("# ")] == [
        "# Summary",
        "# Statement of need",
        "# State of the field",
        "# Functionality",
        "# Reproduction results",
        "# Acknowledgements",
        "# References",
    ]


def test_it_is_neither_shorter_nor_longer_than_the_journal_allows():
    assert WORDS[0] <= len(FENCE.sub("", BODY).split()) <= WORDS[1]


def test_what_is_cited_is_in_the_bibliography_and_nothing_else_is():
    cited = set(re.findall(r"@([a-z][a-z0-9]*)", BODY))
    assert cited == set(re.findall(r"^@[a-z]+\{([a-z0-9]+),$", BIBLIOGRAPHY, re.MULTILINE))


@pytest.mark.parametrize("reference", KNOWN, ids=lambda one: one.key)
def test_the_bibliography_has_what_cite_prints(reference):
    assert bibtex(reference) in BIBLIOGRAPHY


@pytest.mark.parametrize("stated", STATED)
def test_what_the_text_states_is_what_its_report_says(stated):
    name, pattern = STATED[stated]
    assert stated in RESULTS
    assert re.search(pattern, report(name), re.MULTILINE)


def test_no_number_of_the_results_is_without_its_report():
    """But for those in links."""
    text = re.sub(r"\]\([^)]*\)", "", RESULTS)
    known = " ".join(STATED)
    assert [number for number in NUMBER.findall(text) if number not in known] == []


def test_the_claims_of_the_table_stand_in_the_report_of_all_claims():
    """The paper leaves out how long a command took, the tolerance, and what is said next to a verdict."""
    stored = [[cell.strip() for cell in line.split("|")[1:-1]] for line in report("reports/claims.md").splitlines()]
    rows = {(row[0], row[1], row[4], row[5], row[6].partition(":")[0]) for row in stored if len(row) == 7}
    lines = [line for line in section("Reproduction results").splitlines() if line.startswith("| ")][2:]
    shown = [tuple(cell.strip() for cell in line.split("|")[1:-1]) for line in lines]
    assert len(shown) == 7
    assert [row for row in shown if row not in rows] == []


def test_every_command_and_option_that_it_shows_exists(capsys):
    lines = [shlex.split(line) for block in FENCE.findall(BODY) for line in block.splitlines()]
    lines += [shlex.split(line) for line in re.findall(r"`(euclio [^`]+)`", BODY)]
    assert len(lines) > 10
    for program, verb, *words in lines:
        assert (program, verb in verbs()) == ("euclio", True)
        action = words[:1] if verb == "bench-set" else []
        assert main([verb, *action, "--help"]) == 0
        known = capsys.readouterr().out
        assert [word for word in words if word.startswith("--") and word not in known] == []


def test_the_figure_shows_what_the_text_says_of_it():
    """Harpagon costs 7.376 per hour, the optimum 7.304; Nexus and Scrooge have the best plans of their designs."""
    settings = {"models": ["ssd_resnet50", "resnet50", "bert_base_128"], "rate": 500, "slo": 0.4}
    (session,) = draw_instances("published", settings=settings)
    rows = {row.solver.name: row for row in euclio.compare(session, ["harpagon", "nexus", "scrooge"]).rows}
    assert f"{100 * rows['harpagon'].gap:.2f} %" == "0.98 %"
    assert "0.98 % more than the proven optimum" in " ".join(BODY.split())
    assert [rows[name].heuristic_share for name in ("harpagon", "nexus", "scrooge")] == [1, 0, 0]


def test_the_benchmark_set_has_as_many_instances_as_it_says():
    assert f"{len(entries())} benchmark\n  instances" in BODY
