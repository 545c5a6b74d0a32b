"""No command replaces what it reads, by whatever name the output is given."""

import os
import shutil

import pytest
from tiny_clusters import TEXT as CLUSTER
from tiny_sessions import TEXT

from euclio.cli import main


@pytest.fixture
def files(tmp_path):
    """An instance, and the same file by a symbolic link, a hard link and another way."""
    instance = tmp_path / "tiny.json"
    instance.write_text(TEXT)
    (tmp_path / "soft.svg").symlink_to(instance)
    os.link(instance, tmp_path / "hard.svg")
    (tmp_path / "folder").mkdir()
    return tmp_path


NAMES = ["tiny.json", "soft.svg", "hard.svg", "folder/../tiny.json"]


def refused(capsys, *arguments):
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1)
    return err


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("option", ["--out", "--log", "--export-lp"])
def test_solve_does_not_write_to_its_instance(capsys, files, option, name):
    said = refused(capsys, "solve", files / "tiny.json", "--solver", "milp", option, files / name)
    assert f"{files / name}: {option}: is read by this command, and would be lost; choose another file" in said
    assert (files / "tiny.json").read_text() == TEXT


@pytest.mark.parametrize(("first", "second"), [("--out", "--log"), ("--out", "--export-lp"), ("--log", "--export-lp")])
def test_solve_does_not_write_two_things_to_one_file(capsys, files, first, second):
    new, same = files / "new", files / "folder" / ".." / "new"
    said = refused(capsys, "solve", files / "tiny.json", "--solver", "milp", first, new, second, same)
    assert f"{second}: is the file of {first} too; choose another one" in said
    assert not new.exists()


def test_solve_does_not_write_to_the_solvers_file(capsys, files):
    own = files / "own.py"
    own.write_text("def solve(session):\n    return None\n")
    refused(capsys, "solve", files / "tiny.json", "--solver", f"{own}:solve", "--out", own)
    assert own.read_text().startswith("def solve")


def test_solve_may_write_to_devices_twice(capsys, files):
    options = ["--solver", "harpagon", "--out", "/dev/null"]
    assert main(["solve", str(files / "tiny.json"), *options]) == 0


@pytest.mark.parametrize("name", NAMES[1:3])
def test_compare_does_not_draw_onto_its_instance(capsys, files, name):
    refused(capsys, "compare", files / "tiny.json", "--plot", files / name)
    assert (files / "tiny.json").read_text() == TEXT


@pytest.mark.parametrize("option", ["--plot", "--csv"])
@pytest.mark.parametrize("given", ["tiny.json", "."])
def test_decompose_does_not_write_to_its_sessions(capsys, files, given, option):
    refused(capsys, "decompose", files / given, option, files / "soft.svg")
    assert (files / "tiny.json").read_text() == TEXT


@pytest.mark.parametrize("read", ["cluster.svg", "result.svg", "trace.svg"])
def test_simulate_does_not_draw_onto_what_it_reads(capsys, files, read):
    for name in ("cluster.svg", "result.svg", "trace.svg"):
        (files / name).write_text(CLUSTER)
    given = [files / "cluster.svg", files / "result.svg", "--trace", files / "trace.svg"]
    refused(capsys, "simulate", *given, "--timeline", files / read)
    assert (files / read).read_text() == CLUSTER


def test_import_does_not_write_to_its_profiles(capsys, files):
    profiles = files / "profiles.csv"
    profiles.write_text("module,hardware,batch,duration_s\nm,A,1,0.1\n")
    before = profiles.read_text()
    refused(capsys, "import", "csv", profiles, "--prices", "A=1", "--rates", "5", "--slo", "1", "--out", profiles)
    assert profiles.read_text() == before


def test_import_does_not_write_into_the_artifact(capsys, files):
    shutil.copy(files / "tiny.json", files / "folder" / "data.json")
    given = ["import", "ppipe", files / "folder", "--models", "FCN", "--out", files / "folder" / "data.json"]
    assert "is read by this command" in refused(capsys, *given)


def test_report_does_not_write_to_its_results(capsys, files):
    (files / "page.html").symlink_to(files / "results.parquet")
    (files / "results.parquet").write_bytes(b"PAR1")
    refused(capsys, "report", files / "results.parquet", "--out", files / "page.html")
    assert (files / "results.parquet").read_bytes() == b"PAR1"
