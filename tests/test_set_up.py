"""What the set-up says of Python versions is one thing everywhere, and is said before anything is downloaded."""

import re
import shutil
import subprocess
import sys
import tomllib

import pytest
from places import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OLDEST, BEYOND = (int(minor) for minor in re.findall(r"3\.(\d+)", PROJECT["requires-python"]))
FAKE = """#!/bin/sh
exec {python} -c "import sys; sys.version_info = (3, {minor}, 0); exec(sys.argv[2])" "$@"
"""
PAGES = ("README.md", "CONTRIBUTING.md", "Makefile", "docs/index.md")


def test_the_classifiers_are_the_versions_that_are_admitted():
    listed = re.findall(r"Python :: 3\.(\d+)", " ".join(PROJECT["classifiers"]))
    assert [int(minor) for minor in listed] == list(range(OLDEST, BEYOND))


def test_the_script_that_installs_tries_the_versions_that_are_admitted():
    text = (ROOT / ".ci" / "installs").read_text()
    assert f"OLDEST={OLDEST} NEWEST={BEYOND - 1} " in text


@pytest.mark.parametrize("page", PAGES)
def test_pages_name_the_versions_that_have_every_engine(page):
    """Wheels of engines end at a Python that markers of the requirements name."""
    with_engines = {int(m[1]) for text in PROJECT["dependencies"] if (m := re.search(r"n_version < '3\.(\d+)'", text))}
    (without,) = with_engines
    assert f"Python 3.{OLDEST} to 3.{without - 1}" in (ROOT / page).read_text()


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize("minor", [OLDEST - 1, BEYOND])
def test_a_python_that_is_not_admitted_is_refused_in_one_line_before_anything_is_made(tmp_path, minor):
    fake = tmp_path / "python"
    fake.write_text(FAKE.format(python=sys.executable, minor=minor))
    fake.chmod(0o755)
    done = subprocess.run(
        ["make", "env", f"PYTHON={fake}", f"VENV={tmp_path / 'new'}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    first, *rest = done.stderr.splitlines()
    assert f"is Python 3.{minor}, and euclio runs on 3.{OLDEST} to 3.{BEYOND - 1};" in first
    assert all(line.startswith("make") for line in rest)
    assert done.returncode != 0
    assert not (tmp_path / "new").exists()


def test_every_file_that_the_makefile_names_exists():
    """A target with a file that has moved fails only where somebody calls it."""
    named = set(re.findall(r"[\w./]+\.py\b", (ROOT / "Makefile").read_text(encoding="utf-8")))
    assert named
    assert {file for file in named if not (ROOT / file).exists() and not (ROOT / "tests" / file).exists()} == set()


def _pins(lock):
    """The pins of a lock with their markers, and the hashes of each."""
    blocks = re.split(r"(?m)^(?=[a-z0-9])", (ROOT / lock).read_text(encoding="utf-8"))[1:]
    return {block.splitlines()[0]: frozenset(re.findall(r"sha256:\w+", block)) for block in blocks}


def test_what_euclio_needs_is_pinned_as_for_the_tests():
    """`make reproduce` installs the shorter list, `make test` the longer one on top: one package, one version."""
    runtime, whole = _pins("requirements-runtime.lock"), _pins("requirements.lock")
    assert {pin: hashes for pin, hashes in whole.items() if pin in runtime} == runtime
    names = {re.match(r"[\w.-]+", pin)[0] for pin in runtime}
    needed = {re.match(r"[\w.-]+", line)[0] for line in PROJECT["dependencies"]}
    assert needed <= names
