"""`euclio bench-set`: defects are named, solvers are compared with the best known, building keeps what is known."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest
from bench_set_changes import CHAIN, NAMES, change, entry_of

from euclio import build_bench_set
from euclio.cli import main
from euclio.core.errors import InputError
from euclio.core.result import Status
from euclio.experiments.bench_set.best_known import BestFound, attempt, better, compare_with_best
from euclio.experiments.bench_set.build import build, designs
from euclio.experiments.bench_set.check import defects, defects_of_set
from euclio.experiments.bench_set.manifest import (
    Difficulty,
    Manifest,
    best_path,
    difficulty_of,
    instance_path,
    read_manifest,
    write_manifest,
)


def change_entry(folder, **changes):
    """The manifest with another entry for the chain."""
    manifest = read_manifest(folder)
    entries = tuple(replace(e, **changes) if e.name == CHAIN else e for e in manifest.entries)
    write_manifest(Manifest(manifest.seed, manifest.cpu, entries), folder)


def test_a_set_as_built_has_no_defects(folder):
    assert defects(folder, read_manifest(folder).entries) == []


def test_a_changed_instance_is_named(folder):
    change(instance_path(folder, entry_of(folder)), '"slo_s":', '"slo_s":1')
    assert any("text_hash" in line for line in defects(folder, [entry_of(folder)]))


def test_a_changed_plan_is_refused(folder):
    change(best_path(folder, CHAIN), '"machines":', '"machines":1')
    (line,) = defects(folder, [entry_of(folder)])
    assert line.startswith(f"{CHAIN}: ")


def test_a_value_that_the_plan_does_not_have_is_named(folder):
    change_entry(folder, value=entry_of(folder).value + Fraction(1, 1000))
    assert any("not so in the manifest" in line for line in defects(folder, [entry_of(folder)]))


def test_a_bound_on_the_wrong_side_is_named(folder):
    change(best_path(folder, CHAIN), '"bound_per_h":', '"bound_per_h":9')
    assert any("above the checked cost" in line for line in defects(folder, [entry_of(folder)]))


def test_a_wrong_class_is_named(folder):
    change_entry(folder, difficulty=Difficulty.OPEN)
    assert defects(folder, [entry_of(folder)]) == [f"{CHAIN}: is open, but its effort makes it easy"]


def test_a_missing_file_is_named(folder):
    best_path(folder, CHAIN).unlink()
    (line,) = defects(folder, [entry_of(folder)])
    assert "no such file" in line


def test_strays_are_named(folder):
    (folder / "best" / "other.json").touch()
    assert "best/other.json: is not in the manifest" in defects_of_set(folder, read_manifest(folder).entries)


def test_twins_are_named(folder):
    entry = entry_of(folder)
    twin = replace(entry, name="twin")
    text = instance_path(folder, entry).read_text(encoding="utf-8")
    instance_path(folder, twin).write_text(text.replace(CHAIN, "twin"), encoding="utf-8")
    assert f"twin: is the same instance as {CHAIN}" in defects_of_set(folder, [entry, twin])


def test_missing_classes_are_named(folder):
    assert "no instance is open" in defects_of_set(folder, read_manifest(folder).entries)


@pytest.mark.parametrize(
    ("status", "cpu_s", "proven", "expected"),
    [
        ("optimal", 0.1, True, Difficulty.EASY),
        ("optimal", 0.2, True, Difficulty.MEDIUM),
        ("optimal", 2.1, True, Difficulty.HARD),
        ("feasible", 0.1, True, Difficulty.HARD),
        ("feasible", 0.1, False, Difficulty.OPEN),
    ],
)
def test_effort_and_proof_make_the_class(folder, status, cpu_s, proven, expected):
    effort = replace(entry_of(folder).effort, status=status, cpu_s=cpu_s)
    assert difficulty_of(proven, effort) is expected


def test_a_manifest_that_lists_a_name_twice_is_refused(folder):
    manifest = read_manifest(folder)
    write_manifest(Manifest(manifest.seed, manifest.cpu, manifest.entries[:1] * 2), folder)
    with pytest.raises(InputError, match="is listed twice"):
        read_manifest(folder)


def test_building_again_keeps_what_is_known(folder):
    before = {path: path.read_bytes() for path in folder.rglob("*.json")}
    build(folder, chosen=lambda design: design.name in NAMES)
    assert {path: path.read_bytes() for path in folder.rglob("*.json")} == before


def test_building_removes_what_is_not_in_the_design(folder):
    build(folder, chosen=lambda design: design.name in NAMES - {CHAIN})
    assert not list(folder.rglob(f"{CHAIN}.json"))


def undated(content):
    """A result without the day of its build: a test may run past midnight."""
    return re.sub(r'"date":"[-\d]+"', "", content)


def test_building_finds_again_what_is_missing(folder):
    before = best_path(folder, CHAIN).read_text(encoding="utf-8")
    best_path(folder, CHAIN).unlink()
    build(folder, chosen=lambda design: design.name in NAMES)
    assert undated(best_path(folder, CHAIN).read_text(encoding="utf-8")) == undated(before) != before


def test_open_instances_are_tried_again_with_a_longer_limit(folder):
    change_entry(folder, difficulty=Difficulty.OPEN, bound=None)
    build(folder, 60.0, chosen=lambda design: design.name in NAMES)
    assert entry_of(folder).difficulty is Difficulty.EASY


def test_a_bound_that_was_wrong_is_made_again_where_that_is_asked(folder):
    """One of `milp-split`, from before it added up costs exactly, was above a plan that was found later."""
    known = entry_of(folder)
    change_entry(folder, bound=known.value * Fraction(1001, 1000), bound_solver="milp-split")
    build(folder, chosen=lambda design: design.name in NAMES)
    assert entry_of(folder).bound_solver == "milp-split"
    build(folder, chosen=lambda design: design.name in NAMES, again=lambda design: design.name == known.name)
    assert (entry_of(folder).value, entry_of(folder).bound_solver) == (known.value, "exact")


def test_a_family_is_named_with_again_only(folder):
    with pytest.raises(InputError, match="give again too"):
        build_bench_set(folder, family="session")


@pytest.mark.parametrize(("maximised", "expected"), [(False, (1, "a", 5, "b")), (True, (2, "b", 4, "a"))])
def test_the_better_plan_and_the_better_bound_are_kept(maximised, expected):
    found = better(
        BestFound(Fraction(1), "a", None, Fraction(4), "a"),
        BestFound(Fraction(2), "b", None, Fraction(5), "b"),
        maximised,
    )
    assert (found.value, found.solver, found.bound, found.bound_solver) == expected


def test_a_heuristic_is_compared_with_the_best_known(folder):
    (run,) = compare_with_best(folder, [entry_of(folder)], "clipper")
    assert run.gap is not None
    assert (run.gap >= 0, run.proven, run.wrong) == (True, False, "")


def test_the_exact_method_proves_the_best_known(folder):
    (run,) = compare_with_best(folder, [entry_of(folder)], "exact")
    assert (run.gap, run.proven, run.news) == (pytest.approx(0, abs=1e-12), True, ())


def test_a_new_proof_is_news(folder):
    change_entry(folder, difficulty=Difficulty.OPEN, bound=None)
    (run,) = compare_with_best(folder, [entry_of(folder)], "exact")
    assert run.news == ("proves it",)


def test_a_plan_better_than_the_known_bound_is_wrong(folder):
    change_entry(folder, bound=entry_of(folder).value * 2)
    (run,) = compare_with_best(folder, [entry_of(folder)], "exact")
    assert "above the checked cost" in run.wrong


@pytest.mark.parametrize(
    ("solver", "wrong"), [("exact", "it claims that there is no plan, but exact found one"), ("clipper", "")]
)
def test_only_an_exact_method_is_wrong_where_it_finds_no_plan(folder, monkeypatch, solver, wrong):
    def without_plan(instance, space, name, limit):
        result, _ = attempt(instance, space, name, limit)
        return replace(result, status=Status.INFEASIBLE, plan=None), BestFound()

    monkeypatch.setattr("euclio.experiments.bench_set.best_known.attempt", without_plan)
    (run,) = compare_with_best(folder, [entry_of(folder)], solver)
    assert run.wrong == wrong


def test_the_command_names_defects(folder, capsys):
    best_path(folder, CHAIN).unlink()
    assert main(["bench-set", "check", "--folder", str(folder), "--class", "easy"]) == 1
    assert CHAIN in capsys.readouterr().out


def test_the_command_compares_a_solver(folder, capsys):
    arguments = ["--folder", str(folder), "--class", "easy", "--solve", "columns", "--time-limit", "60"]
    assert main(["bench-set", "check", *arguments]) == 0
    assert "p-l4p4-m1-b4-g8-s50-k2-throughput-01   easy    optimal" in capsys.readouterr().out


def test_the_command_builds(folder, capsys, monkeypatch):
    chosen = [design for design in designs() if design.name in NAMES]
    monkeypatch.setattr("euclio.experiments.bench_set.build.designs", lambda: chosen)
    assert main(["bench-set", "build", "--folder", str(folder)]) == 0
    assert "2 sessions (2 easy); 1 clusters (1 easy)" in capsys.readouterr().out


def test_the_command_lists_paths(folder, capsys):
    assert main(["bench-set", "list", "--folder", str(folder), "--family", "pipeline"]) == 0
    assert capsys.readouterr().out.split() == [str(folder / "clusters" / "p-l4p4-m1-b4-g8-s50-k2-throughput-01.json")]


def test_a_folder_without_a_set_is_bad_input(tmp_path, capsys):
    assert main(["bench-set", "check", "--folder", str(tmp_path)]) == 2
    assert "no such file" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["../x", "a/b", "..", "a\\b"])
def test_a_manifest_whose_names_lead_out_of_the_set_is_refused(folder, name):
    """Files of the set are called by these names, and building writes them."""
    manifest = read_manifest(folder)
    write_manifest(replace(manifest, entries=(replace(manifest.entries[0], name=name),)), folder)
    with pytest.raises(InputError, match=r"entries\[0\].name: is .*, no name of a file in the set"):
        read_manifest(folder)
