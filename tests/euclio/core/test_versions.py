"""`euclio versions` and `euclio.show_versions`: what an issue should say of where it arose."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import euclio
from euclio.cli import main
from euclio.core import versions
from euclio.core import versions as provenance

ROOT = Path(__file__).resolve().parents[3]
NAME = re.compile(r"[\w.-]+")


def names(requirements):
    return {NAME.match(line)[0].lower() for line in requirements}


def test_all_that_euclio_needs_and_may_use_is_listed():
    """As pyproject.toml says, the extras of those who work on euclio left out."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = versions.versions()
    assert {name.lower() for name in found["packages"]} == names(project["dependencies"])
    for extra in ("dask", "exports", "notebooks", "onnx"):
        assert {name.lower() for name in found["extras"][extra]} == names(project["optional-dependencies"][extra])


def test_the_command_and_the_call_print_the_same(capsys):
    assert main(["versions"]) == 0
    printed = capsys.readouterr().out
    euclio.show_versions()
    assert capsys.readouterr().out == printed
    assert main(["versions", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == versions.versions()


def test_what_is_missing_is_said_to_be_missing(monkeypatch):
    def version(name):
        if name in ("distributed", "ortools"):
            raise versions.PackageNotFoundError(name)
        return "1.2.3"

    monkeypatch.setattr(versions, "version", version)
    found = versions.versions()
    assert found["extras"]["dask"] == {"distributed": None}
    assert found["engines"]["cpsat"] is None
    text = versions.versions_text(found)
    assert re.search(r"^euclio\[dask\] +distributed missing$", text, re.MULTILINE)
    assert "cpsat missing" in text


def test_an_installed_package_has_no_revision_of_the_repository_around_it(tmp_path, monkeypatch):
    """Virtual environments lie in repositories of other projects, whose revisions are not euclio's."""
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "theirs"]):
        name = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", "-C", str(tmp_path), *name, *command], check=True)
    installed = tmp_path / ".venv" / "site-packages" / "euclio" / "core" / "provenance.py"
    monkeypatch.setattr(provenance, "__file__", str(installed))
    assert provenance._git_revision() == "unknown"
