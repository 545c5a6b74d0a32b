"""Every place that makes code of a text or of bytes is known, and says whose text it is."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tiny_sessions import TEXT

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("euclio", "studies", "heuristics", "formulations", "bruteforce")
MODULES = {
    *(
        "pickle",
        "marshal",
        "shelve",
        "dill",
        "cloudpickle",
        "joblib",
        "yaml",
        "runpy",
        "code",
        "codeop",
        "imp",
        "ctypes",
    ),
    *("subprocess", "pty"),
    *("urllib", "http", "requests", "httpx", "aiohttp", "ftplib", "smtplib", "ssl", "socketserver", "webbrowser"),
}
"""Modules that make code of texts or bytes, that start programs, or that reach other machines."""
NAMES = {"import_module", "entry_points", "spec_from_file_location", "SourceFileLoader", "exec_module", "load_module"}
"""Functions that do so, of modules that do other things too."""
FUNCTIONS = {"exec", "eval", "compile", "__import__"}
OF_MODULES = {
    "os": {"system", "popen", "posix_spawn", "startfile", "execv", "execve", "execvp", "execl", "spawnv", "spawnl"},
    "np": {"load"},
    "pd": {"read_pickle", "eval"},
}

KNOWN = {
    # A command line or a call says FILE.py:NAME.
    "euclio/core/own_solver.py": {"exec", "compile"},
    "euclio/workloads/profiling/worker.py": {"spec_from_file_location", "exec_module"},
    # Modules by names that stand in the sources, or that installed packages offer.
    "euclio/core/former_names.py": {"import_module"},
    "euclio/core/families.py": {"import_module", "entry_points"},
    "euclio/core/lazy.py": {"import_module"},
    "euclio/experiments/dask_pool.py": {"import_module"},
    "euclio/verbs/interface/parser.py": {"import_module"},
    # Modules of kernels and of their named tuples, as this process or the one that started it has imported them, and
    # machine code that euclio has kept, in a folder that belongs to the user.
    "euclio/core/machine_code.py": {"import_module", "pickle"},
    "euclio/core/background_compiler.py": {"import_module", "subprocess"},
    # `package.module:function` of what is measured, which only a call in Python says.
    "euclio/experiments/execution.py": {"import_module"},
    # Writes documents; none is read.
    "euclio/export/servers.py": {"yaml"},
    "euclio/workloads/session/table_shapes.py": {"yaml"},
    # Quotes the data of a figure for a link; nothing is opened.
    "euclio/report/html.py": {"urllib"},
    # Messages between a process and those that it started.
    "euclio/supervision/channel.py": {"pickle"},
    # The module, named by the supervisor, that a process which it started imports at first.
    "euclio/supervision/serving.py": {"import_module", "pickle"},
    "euclio/contract/child.py": {"pickle"},
    # Programs: the interpreter with a file of euclio, git, and what `euclio profile -- COMMAND` says.
    "euclio/contract/process.py": {"subprocess"},
    "euclio/supervision/process.py": {"pickle", "subprocess"},
    "euclio/core/versions.py": {"subprocess"},
    "euclio/experiments/slot.py": {"subprocess"},
    "euclio/workloads/profiling/measurement.py": {"subprocess"},
    # A candidate of an evaluator, which the user names: in a process that has given up its rights.
    "euclio/scoring/child.py": {"exec", "compile", "ctypes"},
    "euclio/scoring/running.py": {"subprocess"},
    # The program of HiGHS, by the path that its package gives.
    "formulations/engines/highs_program.py": {"subprocess"},
    # The same command below a keeper, which ends what it leaves behind.
    "euclio/supervision/keeper.py": {"execvp"},
    # The C library, and C functions that are compiled from a policy's own formula.
    "euclio/core/system.py": {"ctypes"},
    "euclio/problems/session/policies/kernels.py": {"ctypes"},
}
"""Where code is made of texts or bytes, or programs are started, and by whose word."""


OWNED = "|".join(rf"{owner}\s*\.\s*{word}" for owner, words in OF_MODULES.items() for word in sorted(words))
ANY = re.compile(
    rf"\b(?:{'|'.join(sorted(NAMES))}|{OWNED})\b|(?<!\.)\b(?:{'|'.join(sorted(FUNCTIONS))})\b"
    rf"|^\s*(?:import|from)\b.*\b(?:{'|'.join(sorted(MODULES))})\b",
    re.MULTILINE,
)
"""Any text that makes a source worth parsing: a name, an attribute, a function or an import of a module."""


def words_of(path: Path) -> set[str]:
    """The names above that a source file contains."""
    found: set[str] = set()
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)) if ANY.search(text) else ():
        match node:
            case ast.Import():
                found |= {alias.name.partition(".")[0] for alias in node.names} & MODULES
            case ast.ImportFrom():
                found |= {(node.module or "").partition(".")[0]} & MODULES
                found |= {alias.name for alias in node.names} & NAMES
            case ast.Attribute(value=ast.Name(id=owner), attr=word) if word in OF_MODULES.get(owner, ()):
                found.add(word)
            case ast.Attribute(attr=word) if word in NAMES:
                found.add(word)
            case ast.Call(func=ast.Name(id=word)) if word in FUNCTIONS:
                found.add(word)
    return found


def test_code_is_made_of_texts_in_known_places_alone():
    """A place that is new belongs into `KNOWN` and into docs/security.md, with whose text it is."""
    sources = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    found = {path.relative_to(ROOT).as_posix(): words_of(path) for path in sources}
    assert {name: words for name, words in found.items() if words} == KNOWN


SHADOWS = (
    *(
        "euclio",
        "heuristics",
        "numpy",
        "numba",
        "rich",
        "pydantic",
        "pandas",
        "pyarrow",
        "matplotlib",
        "highspy",
        "json",
    ),
    *("distributed", "yaml", "sitecustomize", "usercustomize", "encodings", "evil"),
)
"""Modules that euclio, or the interpreter, imports or looks for."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("run", "e.toml"),
        ("compare", "s.json", "--solvers", "harpagon", "--plot", "p.svg"),
        ("check-solver", "harpagon", "--samples", "1"),
    ],
    ids=lambda words: words[0],
)
def test_the_current_folder_is_no_place_for_modules(tmp_path, words):
    """Nor are settings taken from it that name code, or that have a figure's words handed to another program."""
    for name in SHADOWS:
        (tmp_path / f"{name}.py").write_text("open('EXECUTED', 'w')\n")
    (tmp_path / "matplotlibrc").write_text("backend: module://evil\ntext.usetex: True\nfont.size: 99\n")
    (tmp_path / ".numba_config.yaml").write_text("cache_locator_classes: evil.Locator\ncache_dir: kept\n")
    (tmp_path / "s.json").write_text(TEXT)
    (tmp_path / "e.toml").write_text(
        'schema = "euclio/experiment/1"\nname = "e"\n[[instances]]\nfiles = ["s.json"]\n'
        '[[solvers]]\nname = "harpagon"\n'
    )
    command = [sys.executable, "-P", "-c", "import sys; from euclio.cli import main; sys.exit(main())", *words]
    path = os.pathsep.join([str(ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))])
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "EXECUTED").exists()
    assert not (tmp_path / "kept").exists()
