"""The benchmark set for people without euclio: what is written, resumed, refused, and what its files say."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from bench_set_changes import CHAIN, NAMES
from mps_files import read_mps
from proof_files import stated

import euclio
from euclio.cli import main
from euclio.core.certificate import NoProofError
from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.experiments.bench_set import best, entries, load
from euclio.experiments.bench_set.export import whole_set
from euclio.experiments.bench_set.export.instance import exported
from euclio.experiments.bench_set.export.record import PROOF, read_export
from euclio.experiments.bench_set.export.whole_set import export
from euclio.experiments.bench_set.manifest import Difficulty, read_manifest, set_folder, write_manifest
from euclio.problems.fragments.evaluate import evaluate
from euclio.problems.fragments.plan import FragmentPlan
from euclio.proving.files.checker import check_text
from euclio.proving.fragments.certifying import Prover
from euclio.proving.proof_files import proven
from euclio.proving.session.proof import session_program

FLEET = "f-vgg-n6-t2-s95-01"
SOME = tuple(sorted(NAMES))
"""Two sessions and a cluster, all with programs and proofs."""
LIMIT_S = 300.0
"""A limit that no machine meets on these."""
COMMON = {
    "README.md",
    "check_plan.py",
    "check_proof.py",
    "euclio.bib",
    "euclio.solu",
    "manifest.csv",
    "manifest.json",
    "ro-crate-metadata.json",
}


@pytest.fixture(scope="module")
def small_set(tmp_path_factory):
    """A set of three instances with what is known of them."""
    folder = tmp_path_factory.mktemp("set")
    manifest = read_manifest(set_folder())
    chosen = tuple(entry for entry in manifest.entries if entry.name in SOME)
    write_manifest(replace(manifest, entries=chosen), folder)
    for room in ("sessions", "clusters", "fleets", "best"):
        (folder / room).mkdir()
        for name in SOME:
            path = set_folder() / room / f"{name}.json"
            if path.is_file():
                shutil.copy(path, folder / room)
    return folder


@pytest.fixture(scope="module")
def made(small_set, tmp_path_factory):
    """An export that no test changes."""
    out = tmp_path_factory.mktemp("made") / "out"
    again(small_set, out)
    return out


@pytest.fixture
def out(made, tmp_path):
    """An export that a test may spoil."""
    return shutil.copytree(made, tmp_path / "out")


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def again(small_set, out, time_limit_s=LIMIT_S):
    return export(small_set, read_manifest(small_set).entries, out, time_limit_s)


def test_what_is_written(made):
    """Every instance with its plan, a program and a proof."""
    expected = COMMON | {f"best/{name}.json" for name in SOME}
    expected |= {f"clusters/{name}.json" for name in SOME if name.startswith("p-")}
    expected |= {f"sessions/{name}.json" for name in SOME if name.startswith("s-")}
    expected |= {f"models/{name}{ending}" for name in SOME for ending in (".mps.gz", ".sol")}
    expected |= {f"proofs/{name}.vipr.gz" for name in SOME}
    assert set(contents(made)) == expected


def test_instances_and_plans_are_those_of_the_set(made, small_set):
    for path, data in contents(small_set).items():
        if path != "manifest.json":
            assert (made / path).read_bytes() == data


def test_the_same_set_gives_the_same_bytes(made, small_set, tmp_path):
    again(small_set, tmp_path / "out")
    assert contents(tmp_path / "out") == contents(made)


def test_the_crate_lists_every_other_file_with_size_and_hash(made):
    graph = json.loads((made / "ro-crate-metadata.json").read_text(encoding="utf-8"))["@graph"]
    files = {one["@id"]: one for one in graph if one["@type"] == "File"}
    found = contents(made)
    assert set(files) == set(found) - {"ro-crate-metadata.json"}
    for path, one in files.items():
        assert (one["sha256"], one["contentSize"]) == (
            hashlib.sha256(found[path]).hexdigest(),
            str(len(found[path])),
        )


def test_the_crate_has_what_one_has_to_have(made):
    """RO-Crate asks for a descriptor, and of the root a name, a description, a licence and a date."""
    crate = json.loads((made / "ro-crate-metadata.json").read_text(encoding="utf-8"))
    assert crate["@context"] == "https://w3id.org/ro/crate/1.3/context"
    by_id = {one["@id"]: one for one in crate["@graph"]}
    assert by_id["ro-crate-metadata.json"]["about"] == {"@id": "./"}
    assert {"name", "description", "license", "datePublished", "author", "hasPart"} <= set(by_id["./"])
    assert by_id[by_id["./"]["author"][0]["@id"]]["name"] == "The euclio authors"
    ids = [one["@id"] for one in crate["@graph"]]
    assert len(ids) == len(set(ids))


def test_values_are_in_the_words_of_miplib(made):
    lines = [line.split() for line in (made / "euclio.solu").read_text(encoding="ascii").splitlines()]
    known = {entry.name: entry for entry in entries()}
    assert {name for _, name, _ in lines} == set(SOME)
    for word, name, value in lines:
        certified = known[name].certificate is not None and known[name].certificate.verdict == "certified"
        assert word == ("=opt=" if certified else "=best=")
        assert abs(Fraction(value) - known[name].value) <= known[name].value * Fraction(1, 10**14)


def test_the_table_has_a_row_for_each_instance(made):
    rows = list(csv.DictReader((made / "manifest.csv").read_text(encoding="utf-8").splitlines()))
    evidence = {row["name"]: (row["evidence"], row["formulation"]) for row in rows}
    assert evidence[CHAIN] == ("file", "F1")
    (cluster,) = (row for row in rows if row["family"] == "pipeline")
    assert (cluster["formulation"], cluster["evidence"]) == ("F3", "file")


def test_both_checkers_run_from_the_export_alone(made):
    for arguments in (
        ("check_plan.py", "--all", "."),
        *(("check_proof.py", str(path.relative_to(made))) for path in sorted((made / "proofs").iterdir())),
    ):
        command = [sys.executable, "-I", "-S", *arguments]
        done = subprocess.run(command, cwd=made, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done


def read_program(made, name):
    return read_mps(gzip.decompress((made / f"models/{name}.mps.gz").read_bytes()).decode())


def read_proof(made, name):
    return gzip.decompress((made / f"proofs/{name}{PROOF}").read_bytes()).decode()


@pytest.mark.slow
def test_program_and_proof_of_a_fleet_are_about_the_same():
    """The rows of the MPS file are those of the proof's file, each times a factor; so are costs and whole numbers."""
    name = FLEET
    record, files = exported(set_folder(), next(e for e in entries() if e.name == name), LIMIT_S)
    assert (record.evidence, record.formulation) == ("file", "F2")
    program = stated(gzip.decompress(files[f"proofs/{name}{PROOF}"]).decode()).program
    found = read_mps(gzip.decompress(files[f"models/{name}.mps.gz"]).decode())
    names = list(found.bounds)
    place = {variable: j for j, variable in enumerate(names)}
    assert found.name == name
    assert len(names) == program.variables
    assert {place[one] for one in found.integer} == set(program.integer)
    assert {place[one]: a for one, a in found.cost.items()} == program.cost
    limits = [("G", low, {place[one]: 1}) for one, (low, _) in found.bounds.items()]
    limits += [("L", high, {place[one]: 1}) for one, (_, high) in found.bounds.items()]
    rows = program.rows
    assert limits == list(rows[: 2 * len(names)])
    for (sense, most, terms), row in zip(found.rows.values(), rows[2 * len(names) :], strict=True):
        factor = next(terms[one] / row[2][place[one]] for one in terms)
        assert (sense, most) == (row[0], row[1] * factor)
        assert {place[one]: a for one, a in terms.items()} == {j: a * factor for j, a in row[2].items()}


def corners_of_program(found):
    """Latency, cost and module of each corner, from an MPS file."""
    for name, cost in {**dict.fromkeys(found.integer, 0), **found.cost}.items():
        module = int(name.split("_")[1])
        waits = [terms.get(name, 0) for row, (_, _, terms) in found.rows.items() if row.startswith("after_")]
        yield module, max(waits, default=0), cost


def corners_of_proof(text):
    """The same from a proof's file."""
    program = stated(text).program
    names = text[text.index("\nVAR ") :].split()[2 : 2 + program.variables]
    for j in program.integer:
        waits = [terms.get(j, 0) for sense, _, terms in program.rows if sense == "L" and len(terms) > 1]
        yield int(names[j].split("_")[1]), max(waits, default=0), program.cost.get(j, 0)


@pytest.mark.parametrize("name", [name for name in SOME if name.startswith("s-")])
def test_the_program_of_a_session_is_no_weaker_than_that_of_its_proof(made, name):
    """Each corner lies in one of the proof's, so that the proof's bound holds of the program too."""
    shorter = list(corners_of_proof(read_proof(made, name)))
    for module, low, cost in corners_of_program(read_program(made, name)):
        assert any(m == module and a <= low and c <= cost for m, a, c in shorter)


def of_set(family, step):
    """Every so many certified instances of a family that are quick, and small enough for a test."""
    some = [e for e in entries("easy", family) if e.certificate and e.certificate.verdict == "certified"]
    return [e for e in some if e.certificate.wall_s < 0.5][::step]


@pytest.mark.fifth("entry")
@pytest.mark.parametrize("entry", of_set("session", 12), ids=lambda entry: entry.name)
def test_the_plan_of_a_session_is_a_point_that_costs_what_the_checker_says(entry):
    """From the plan to the program: feasible, no dearer, and cheaper by no more than a proof's tolerance.

    Back from the point: its corners are no slower and no dearer than the modules of the plan, in the checker's words.
    """
    session, known = load(entry.name), best(entry.name)
    checked = family_of(session).evaluate(session, known.plan, known.space)
    tolerance = Fraction(known.goal.tolerance)
    program = session_program(session, known.space, known.plan, entry.value * (1 - tolerance), float("inf"))
    model, point = program.model, program.point
    assert model.problems(point) == []
    assert checked.cost_per_h * (1 - 2 * tolerance) <= model.cost(point) <= checked.cost_per_h
    chosen = [model.variables[j].name for j, value in point.items() if model.variables[j].integer and value == 1]
    assert [int(name.split("_")[1]) for name in chosen] == list(range(len(session.modules)))
    for j, module in zip(point, checked.modules, strict=False):
        waits = [row.terms[j] for row in model.rows if row.name.startswith("after_") and j in row.terms]
        assert max(waits, default=0) <= module.worst_case_latency_s
        assert model.variables[j].cost <= module.cost_per_h * (1 + tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("name", [e.name for e in entries(family="fragments") if "-n6-" in e.name])
def test_the_sets_of_a_fleet_go_to_a_point_and_back(name):
    """The point chooses sets; the cheapest realigned set of each is a plan, whose share is the point's cost."""
    entry = next(entry for entry in entries() if entry.name == name)
    fleet, known = load(name), best(name)
    found, files = exported(set_folder(), entry, LIMIT_S)
    solution = dict(line.split() for line in files[f"models/{name}.sol"].decode().splitlines())
    cost = Fraction(solution.pop("=obj="))
    assert cost == found.value
    sets = Prover(fleet, known.space, float("inf")).sets()
    plan = FragmentPlan(tuple(sets[int(one.removeprefix("set_"))].plan for one in solution))
    checked = evaluate(fleet, plan, known.space)
    assert (checked.feasible, checked.value) == (True, cost)


def test_a_second_export_keeps_what_is_there(out, small_set, monkeypatch):
    before = contents(out)
    monkeypatch.setattr(whole_set, "exported", lambda *_: pytest.fail("an instance is made again"))
    again(small_set, out)
    assert contents(out) == before


def test_a_spoilt_file_is_made_again(out, small_set, made):
    (out / f"models/{CHAIN}.mps.gz").write_bytes(b"spoilt")
    (out / "euclio.solu").unlink()
    again(small_set, out)
    assert contents(out) == contents(made)


@pytest.mark.fifth("steps")
@pytest.mark.parametrize("steps", range(0, 30, 3))
def test_an_interrupted_export_goes_on(small_set, tmp_path, made, monkeypatch, steps):
    """Interrupted after so many files: what comes out in the end is the same."""
    put, count = whole_set._Writer._put, iter(range(steps))

    def interrupted(self, path, data):
        if next(count, None) is None:
            raise KeyboardInterrupt
        put(self, path, data)

    with monkeypatch.context() as patch:
        patch.setattr(whole_set._Writer, "_put", interrupted)
        with pytest.raises(KeyboardInterrupt):
            again(small_set, tmp_path / "out")
    again(small_set, tmp_path / "out")
    assert contents(tmp_path / "out") == contents(made)


def test_a_longer_limit_tries_again_what_has_no_proof(small_set, tmp_path, monkeypatch):
    """The cluster's proof was not ready in time at first: it is tried again, and what has a proof is not."""

    def late(asked, deadline):
        if asked.family.name == "pipeline":
            raise NoProofError("the time limit was reached")
        return proven(asked, deadline)

    out = tmp_path / "late"
    with monkeypatch.context() as patch:
        patch.setattr("euclio.experiments.bench_set.export.instance.proven", late)
        again(small_set, out)
    assert len(list((out / "proofs").iterdir())) == 2
    assert len(list((out / "models").glob("*.mps.gz"))) == 3
    asked = []

    def tried(folder, entry, limit_s):
        asked.append(entry.name)
        return exported(folder, entry, limit_s)

    monkeypatch.setattr(whole_set, "exported", tried)
    again(small_set, out, 2 * LIMIT_S)
    assert [name[0] for name in asked] == ["p"]
    assert {entry.time_limit_s for entry in read_export(out).entries} == {2 * LIMIT_S}
    assert len(list((out / "proofs").iterdir())) == 3


def test_a_changed_plan_is_written_again(out, small_set, tmp_path, made):
    """The certificate of another plan says nothing of it, so that its value is the best known alone."""
    changed = shutil.copytree(small_set, tmp_path / "set")
    manifest = read_manifest(changed)
    shorter = tuple(replace(e, certificate=None) if e.name == CHAIN else e for e in manifest.entries)
    write_manifest(replace(manifest, entries=shorter), changed)
    again(changed, out)
    assert f"=best= {CHAIN} " in (out / "euclio.solu").read_text(encoding="ascii")
    assert read_export(out).entries[0].evidence == read_export(made).entries[0].evidence


def test_instances_that_are_not_asked_for_stay(out, small_set, made):
    export(small_set, [e for e in read_manifest(small_set).entries if e.family == "pipeline"], out)
    assert {entry.name for entry in read_export(out).entries} == set(SOME)
    assert (out / f"models/{CHAIN}.mps.gz").read_bytes() == (made / f"models/{CHAIN}.mps.gz").read_bytes()


def test_what_is_no_part_any_more_is_removed(out, small_set, monkeypatch):
    """Whoever counts the files of a folder counts what its record lists; what was a proof once is none now."""

    def none(asked, deadline):
        raise NoProofError("there is none")

    (out / "notes.txt").write_text("mine", encoding="utf-8")
    monkeypatch.setattr("euclio.experiments.bench_set.export.instance.proven", none)
    for path in (out / "proofs").iterdir():
        path.write_bytes(b"spoilt, so that its instance is written again")
    again(small_set, out, 2 * LIMIT_S)
    found = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    listed = {file.path for entry in read_export(out).entries for file in entry.files}
    assert found - COMMON - {"notes.txt"} == listed
    assert "notes.txt" in found


def test_what_else_is_in_the_folder_stays(out, small_set):
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    (out / "models" / "mine.mps").write_text("mine", encoding="utf-8")
    again(small_set, out)
    assert (out / "notes.txt").read_text(encoding="utf-8") == (out / "models/mine.mps").read_text(encoding="utf-8")


def test_a_file_in_the_way_is_not_overwritten(small_set, tmp_path):
    """Somebody has put a file where the export of another instance would write one."""
    only = [e for e in read_manifest(small_set).entries if e.family == "pipeline"]
    export(small_set, only, tmp_path / "out")
    (tmp_path / "out" / "sessions").mkdir()
    foreign = tmp_path / "out" / "sessions" / f"{CHAIN}.json"
    foreign.write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="no part of an export"):
        again(small_set, tmp_path / "out")
    assert foreign.read_text(encoding="utf-8") == "mine"


def call(capsys, *arguments):
    code = main(["bench-set", "export", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_command_says_what_was_written(small_set, tmp_path, capsys):
    code, shown, err = call(capsys, tmp_path / "out", "--folder", small_set, "--time-limit", LIMIT_S)
    assert (code, err) == (0, "")
    (row,) = [line.split() for line in shown.splitlines() if line.startswith("all ")]
    assert (row[1], row[2], row[4]) == ("3", "3", "3")
    assert "without a proof" not in shown


def test_python_does_the_same(small_set, tmp_path, made):
    found = euclio.export_bench_set(tmp_path / "out", small_set, time_limit=LIMIT_S)
    assert contents(tmp_path / "out") == contents(made)
    assert found == read_export(made)


@pytest.mark.parametrize(
    ("before", "message"),
    [
        (lambda path: path.write_text("a file", encoding="utf-8"), "is a file; choose a folder"),
        (lambda path: (path.mkdir(), (path / "mine").touch()), "is not empty, and holds no export"),
        (lambda path: (path.mkdir(), (path / "manifest.json").write_text("{}", encoding="utf-8")), "schema"),
        (lambda path: path.symlink_to("nowhere"), "cannot be a folder"),
    ],
)
def test_a_folder_that_is_none_of_an_export_is_exit_code_2(small_set, tmp_path, capsys, before, message):
    before(tmp_path / "out")
    code, shown, err = call(capsys, tmp_path / "out", "--folder", small_set)
    assert (code, shown, err.count("\n")) == (2, "", 1)
    assert message in err


def test_a_folder_below_a_file_is_exit_code_2(small_set, tmp_path, capsys):
    (tmp_path / "file").touch()
    code, _, err = call(capsys, tmp_path / "file" / "out", "--folder", small_set)
    assert (code, err.count("\n"), "cannot be a folder" in err) == (2, 1, True)


def test_a_set_folder_is_no_export(small_set, capsys):
    code, _, err = call(capsys, small_set, "--folder", small_set)
    assert (code, err.count("\n"), "euclio/bench-export/1" in err) == (2, 1, True)


def test_a_class_without_instances_is_exit_code_2(small_set, tmp_path, capsys):
    code, _, err = call(capsys, tmp_path / "out", "--folder", small_set, "--class", Difficulty.HARD)
    assert (code, err.count("\n")) == (2, 1)
    assert not (tmp_path / "out").exists()


def test_a_refused_plan_is_not_exported(small_set, tmp_path, capsys):
    spoilt = shutil.copytree(small_set, tmp_path / "set")
    path = spoilt / "best" / f"{CHAIN}.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"machines":', '"machines":9', 1), encoding="utf-8")
    code, _, err = call(capsys, tmp_path / "out", "--folder", spoilt)
    assert (code, err.count("\n"), CHAIN in err) == (2, 1, True)


def test_the_proofs_say_what_the_values_file_says(made):
    """The bound of a proof is the value but for the tolerance, and its solution costs no more than the value.

    Programs are minimised, so that what is to be large stands in them below 0.
    """
    values = {name: Fraction(value) for _, name, value in map(str.split, (made / "euclio.solu").open())}
    for path in sorted((made / "proofs").iterdir()):
        shown = check_text(gzip.decompress(path.read_bytes()).decode())
        value = values[path.name.removesuffix(PROOF)] * (-1 if path.name.startswith("p-") else 1)
        part = abs(value) * Fraction(1, 10**9)
        assert value - 2 * part <= shown.bound <= shown.solved <= value + part / 10**5


def test_the_readme_names_every_file_about_all(made):
    text = (made / "README.md").read_text(encoding="utf-8")
    assert "$" not in text
    assert [name for name in COMMON - {"README.md"} if name not in text] == []


def test_the_stored_page_on_trust_speaks_of_the_whole_set():
    """Its three numbers add up to the set; `docs/tools/trust.py` writes it from an export."""
    text = (Path(euclio.__file__).parents[1] / "reports" / "trust" / "README.md").read_text(encoding="utf-8")
    rows = text[text.index("| three numbers") :].split("\n\n")[0].splitlines()[2:]
    assert sum(int(row.split("|")[2]) for row in rows) == len(entries())


def test_the_copies_are_the_checkers_of_the_sources(made):
    root = Path(euclio.__file__).parent
    assert (made / "check_proof.py").read_bytes() == (root / "proving" / "files" / "checker.py").read_bytes()
