"""Populations: drawn by name, the same instances for the same name, seed and hash; what is stated of them holds."""

import hashlib
from itertools import islice
from pathlib import Path

import pandas as pd
import pytest

from euclio.cli import main
from euclio.core.errors import InputError
from euclio.workloads.generation import draw_instances, generate
from euclio.workloads.populations import POPULATIONS, identify, population
from studies.drawn_workloads import protocol_draws
from studies.inference.reference import reference_setting

ROOT = Path(__file__).parents[3]
SESSIONS = ("harpagon", "piccolo", "nvidia", "protocol-scrooge")
"""Populations of which a few instances are drawn in no time."""
STORED = {
    "harpagon": ("reports/harpagon/runs.parquet", {}),
    "piccolo": ("reports/piccolo/runs.parquet", {}),
    "harpagon-unselected": ("reports/harpagon/kinds.parquet", {"kind": "candidates"}),
    "nvidia": ("reports/harpagon/kinds.parquet", {"kind": "nvidia"}),
    "parvagpu": ("reports/harpagon/kinds.parquet", {"kind": "parvagpu"}),
    "protocol-scrooge": ("reports/scrooge/runs.parquet", {"protocol": "five applications"}),
    "scrooge": ("reports/scrooge/runs.parquet", {"protocol": "as in §4.2"}),
}
"""Runs of the studies on each population: file, and the rows that are of it."""


@pytest.mark.parametrize("name", SESSIONS)
def test_fewer_are_the_first_ones_of_more(name):
    """So that a share of the first hundred is one of a part of the population, not of other workloads."""
    assert list(population(name, count=2)) == list(islice(population(name, count=5), 2))


def test_the_workloads_of_the_study_are_those_that_the_command_writes(tmp_path, capsys):
    drawn = protocol_draws("harpagon", reference_setting("harpagon"), 20240917, 3).workloads
    assert main(["generate", "harpagon", "--count", "3", "--out", str(tmp_path / "by-name")]) == 0
    main(["reproduce", "harpagon", "--write-workloads", str(tmp_path / "by-study"), "--workloads", "3"])
    written = [{p.name: p.read_bytes() for p in (tmp_path / name).iterdir()} for name in ("by-name", "by-study")]
    assert written[0] == written[1]
    assert list(population("harpagon", count=3)) == [workload.session for workload in drawn]


def test_another_seed_is_another_population():
    own, other = (identify(population("nvidia", 2, seed), "nvidia", seed) for seed in (None, 7))
    assert own.sha256 != other.sha256
    assert other.label == f"nvidia/7/{other.sha256[:12]}"
    assert other.text == f"nvidia (2 instances, seed 7, sha256 {other.sha256[:12]})"


def test_the_hash_is_what_sha256sum_says_of_the_files(tmp_path):
    """`cd FOLDER && sha256sum *.json | sha256sum` checks a population without euclio."""
    paths = generate("nvidia", tmp_path, count=3)
    lines = [f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}\n" for p in sorted(paths)]
    found = identify(reversed(list(population("nvidia", 3))), "nvidia", 20240917)
    assert found.sha256 == hashlib.sha256("".join(lines).encode()).hexdigest()


def test_a_wrong_name_is_answered_with_the_nearest_one():
    with pytest.raises(InputError, match=r"unknown population 'harpagn'; did you mean harpagon"):
        population("harpagn")
    with pytest.raises(InputError, match=r"kind: unknown kind 'harpagn'; did you mean harpagon"):
        draw_instances("harpagn")


def test_a_population_takes_no_settings():
    with pytest.raises(InputError, match="modules: is no option of kind 'harpagon'; it takes none"):
        draw_instances("harpagon", 1, 0, {"modules": 3})
    with pytest.raises(InputError, match="count: is 0"):
        draw_instances("harpagon", 0)


def test_the_help_lists_every_population_and_kind_with_a_line(capsys):
    assert main(["generate", "--help"]) == 0
    said = capsys.readouterr().out
    for one in POPULATIONS.values():
        assert f"\n  {one.name} " in said
        assert one.sha256[:12] in said
    assert "\n  chain                 long chains of the applications' modules\n" in said


@pytest.mark.slow
@pytest.mark.parametrize("name", POPULATIONS)
def test_the_stated_hash_is_that_of_the_instances(name):
    """A number of a population says which instances it is of only as long as the name draws the same ones."""
    one = POPULATIONS[name]
    found = identify(population(name), name, one.seed)
    assert found.sha256 == one.sha256


@pytest.mark.slow
@pytest.mark.parametrize("name", STORED)
def test_the_stored_runs_of_the_studies_are_on_the_population(name):
    """`euclio generate NAME` writes what the study of that name ran on: names, and rates and objectives if stored."""
    file, rows = STORED[name]
    runs = pd.read_parquet(ROOT / file)
    for column, value in rows.items():
        runs = runs[runs[column] == value]
    stored = runs.drop_duplicates("workload").set_index("workload")
    drawn = {session.name: session for session in population(name)}
    assert set(drawn) == set(stored.index.astype(str))
    if "slo_s" in stored:
        assert {n: float(s.slo_s) for n, s in drawn.items()} == pytest.approx(stored.slo_s.to_dict())
