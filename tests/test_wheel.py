"""The wheel alone is enough: what the README shows runs from an empty folder, with nothing of the source tree but it.

It is built once and unpacked next to nothing; what euclio needs is taken from where the tests run. Compiled code is
interpreted, since a wheel in a new place would be compiled for minutes.
"""

import fcntl
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("euclio", "studies", "heuristics", "formulations", "bruteforce")
BUILD_S = 120
SHELL_LINES = re.compile(r"^## Five lines of command line\n\n```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
PYTHON_LINES = re.compile(r"^## Five lines of Python\n\n```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
MORE = """
cite result.json
versions --json
explain session.json
export session.json result.json --to triton --out models
simulate session.json result.json --arrivals uniform --seconds 1
generate fleets --model inc --clients 4 --out fleet.json
solve fleet.json --solver gslice
bench-set list --class open
bench-set export exported --class open --family fragments
"""
RUN = """
import contextlib, io, json, shlex, sys
import euclio
from euclio.cli import main
found = {"home": euclio.__file__}
for line in json.loads(sys.argv[1]):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main(shlex.split(line))
    found[line] = [code, out.getvalue()]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A folder that all processes of a test run share, held by one of them at a time: they build one wheel."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "wheel"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


@pytest.fixture(scope="module")
def wheel(shared):
    """The wheel, built as the README says."""
    refusal = shared / "refusal"
    if not refusal.exists() and not list(shared.glob("euclio-*.whl")):
        refused = build(shared)
        if refused:
            refusal.write_text(refused)
    if refusal.exists():
        pytest.skip(f"pip builds no wheel, for which it needs an index: {refusal.read_text()}")
    (built,) = shared.glob("euclio-*.whl")
    return built


def build(folder):
    """Build the wheel; why that does not work, if so."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=BUILD_S, check=False)
    except subprocess.TimeoutExpired:
        return f"not within {BUILD_S} s"
    return " ".join(done.stderr.split())[:200] or "it does not say why" if done.returncode else ""


@pytest.fixture(scope="module")
def installed(wheel, shared):
    """The wheel, unpacked as an installation has it."""
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(shared / "site")
    return shared / "site"


@pytest.fixture(scope="module")
def ran(installed, shared):
    """What became of the lines of the README and of some more, in a folder that was empty before the first one."""
    folder, kept = shared / "empty", shared / "ran.json"
    if not kept.exists():
        folder.mkdir()
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        shell = re.findall(r"^\$ euclio (.*)$", SHELL_LINES.search(readme)[1], re.MULTILINE)
        # The optima of other plan spaces call functions by their addresses, which nothing interprets.
        lines = [line.replace(",nexus,scrooge,inferline,clipper", "") for line in shell] + MORE.split("\n")[1:-1]
        done = json.loads(run(installed, folder, "-c", RUN, json.dumps(lines)))
        (folder / "five.py").write_text(PYTHON_LINES.search(readme)[1])
        kept.write_text(json.dumps([done, run(installed, folder, "five.py")]))
    lines, printed = json.loads(kept.read_text())
    assert Path(lines.pop("home")).is_relative_to(installed)
    return lines, printed, folder


def run(installed, folder, *arguments):
    """What a program prints that finds the packages of the wheel before those that the tests run with."""
    surroundings = os.environ | {"PYTHONPATH": str(installed), "NUMBA_DISABLE_JIT": "1", "EUCLIO_QUIET": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=surroundings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_wheel_has_all_that_packages_read(wheel):
    """Every file of the packages and of `data/` that the repository keeps."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "data", *PACKAGES], capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("there is no repository that says which files are kept")
    kept = {re.sub(r"^data/", "euclio/_data/", name) for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    with zipfile.ZipFile(wheel) as packed:
        assert kept - set(packed.namelist()) == set()


@pytest.mark.slow
def test_what_the_readme_shows_runs_from_the_wheel_alone(ran):
    lines, _, _ = ran
    assert {line: code for line, (code, _) in lines.items() if code != 0} == {}
    assert len(lines) == 5 + len(MORE.split("\n")[1:-1])


@pytest.mark.slow
def test_the_python_of_the_readme_runs_from_the_wheel_alone(ran):
    """SSD, then ResNet-50, then BERT at 500 requests per second within 0.4 s: the optimum of the README's figure."""
    _, printed, _ = ran
    assert printed.startswith("optimal 7.3044")


@pytest.mark.slow
def test_what_is_written_and_read_is_outside_of_the_source_tree(ran):
    lines, _, folder = ran
    printed = "".join(out for _, out in lines.values())
    assert str(ROOT) not in printed
    assert (folder / "compare.svg").exists()
    assert json.loads(lines["versions --json"][1])["git"] is None
