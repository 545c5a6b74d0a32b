"""Environments that lead to machine code of somebody else: none of it is run, and the command still answers.

Each kernel's file is planted, with the name that it has on this machine, where a variable of the environment, or none
at all, leads. As root, the commands run as a user whom the system does not know, and folders belong to a third one.
"""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.helpers.kernel_module import CALL_ALL, COMPILED, KernelModule
from tests.helpers.tiny_sessions import TEXT

from .hostile_files import MARK
from .search import Found, Search

USER, OTHER = 12345, 12346
"""Numbers of users that no system knows."""
BELOW = {"NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": "euclio", "HOME": ".cache/euclio"}
"""Variables, and where machine code is kept in the folder that each names."""
AS_USER = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
# The interpreter may stand in a folder of root's.
AS_USER += ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
SOLVE = "import sys; from euclio.cli import main; sys.exit(main(['solve', 's.json', '--solver', 'harpagon']))"
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("setpriv") is not None


class _Planted:
    """What machine code is replaced by: leaves a mark as it is read."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str, int]]:
        return os.open, (MARK, os.O_CREAT)


def _files(place: Path) -> list[Path]:
    return sorted(place.rglob("*.machine"))


def _link(place: Path) -> None:
    shared = place.parent / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    place.rename(shared / "real")
    place.symlink_to(shared / "real")


def _empty(place: Path) -> None:
    shutil.rmtree(place)
    place.mkdir(0o500)


FAULTS: dict[str, Callable[[Path], object]] = {
    "nothing": lambda place: None,
    "a group can write into it": lambda place: place.chmod(0o770),
    "all can write into it": lambda place: place.chmod(0o707),
    "all can write into the folder above": lambda place: place.parent.chmod(0o777),
    "all can write into a folder below": lambda place: _files(place)[0].parent.chmod(0o777),
    "all can write into the files": lambda place: [file.chmod(0o666) for file in _files(place)],
    "a link leads over a folder that all can write into": _link,
    "it is relative": lambda place: None,
    "it is read-only and empty": _empty,
}
if ROOT:
    FAULTS |= {
        "it belongs to somebody else": lambda place: os.chown(place, OTHER, OTHER),
        "the files belong to somebody else": lambda place: [os.chown(file, OTHER, OTHER) for file in _files(place)],
    }
CASES = [("", "it is relative"), *product(BELOW, FAULTS)]
"""Variables with what is wrong with the folder that each names; the first: no variable and no home folder."""


def look(seed: int) -> Found:
    """One variable and one fault; with none, what was planted is run, or the case would show nothing."""
    variable, fault = CASES[seed % len(CASES)]
    with TemporaryDirectory(prefix="hostile-") as name:
        module = KernelModule(Path(name))
        module.write()
        module.run(CALL_ALL, **COMPILED)
        given = _planted(module, variable, fault)
        kernels = _run(module, given | COMPILED, "-c", f"import json, kernels; {CALL_ALL}")
        solved = _run(module, given, "-P", "-c", SOLVE)
        faults = [done.stderr for done in (kernels, solved) if done.returncode != 0]
        if kernels.stdout.strip() != "[4.0, 0.0]":
            faults.append(f"a kernel said {kernels.stdout}")
        if (Path(name) / "work" / MARK).exists() != (fault == "nothing"):
            faults.append("what was planted was " + ("not run" if fault == "nothing" else "run"))
    return Found(1, tuple(f"{variable or 'no variable'}, {fault}: {text}" for text in faults))


def _planted(module: KernelModule, variable: str, fault: str) -> dict[str, str]:
    """Plant files where the environment that is returned leads."""
    work = module.folder / "work"
    place = work / "euclio" if not variable else work / "own" / "place"
    shutil.copytree(module.folder / "machine", place / BELOW.get(variable, ""))
    for file in _files(place):
        file.write_bytes(pickle.dumps(_Planted()))
    for path in (module.folder, *module.folder.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
        if ROOT:
            os.chown(path, USER, USER)
    (work / "s.json").write_text(TEXT, encoding="utf-8")
    FAULTS[fault](place)
    if ROOT and fault == "it is read-only and empty":
        os.chown(place, USER, USER)
    return {variable: str(place.relative_to(work) if fault == "it is relative" else place)} if variable else {}


def _run(module: KernelModule, given: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """What Python does in the folder, with these variables and none else of those that lead somewhere."""
    path = os.pathsep.join([str(module.folder), *filter(None, sys.path)])
    environment = {name: value for name, value in module.environment().items() if name not in BELOW}
    command = [*(AS_USER if ROOT else []), sys.executable, *words]
    return subprocess.run(
        command,
        cwd=module.folder / "work",
        env={**environment, "PYTHONPATH": path, **given},
        capture_output=True,
        text=True,
        check=False,
    )


SEARCH = Search(
    "hostile-environments",
    "no environment has machine code of somebody else run, and commands answer in it",
    "environments",
    look,
    range(0, 40, 5),
    slow=True,
)
