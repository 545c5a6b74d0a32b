"""Processes in which engines are not installed, as far as Python can tell, and neither in those that they start."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HIDING = "import sys\nfor name in {names!r}:\n    sys.modules[name] = None\n"
COMMAND = "import sys; from euclio.cli import main; sys.exit(main(sys.argv[1:]))"
ALL = ("highspy", "ortools", "pulp")


def run_without(names: Sequence[str], folder: Path, code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run Python code where packages are hidden.

    Args:
        names: the packages.
        folder: folder to run in, which gets a file that hides them.
        code: the code.
        *arguments: its arguments.
    """
    (folder / "sitecustomize.py").write_text(HIDING.format(names=tuple(names)))
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")]), *(path for path in sys.path if path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=environment,
    )


def command_without(names: Sequence[str], folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run `euclio` where packages are hidden."""
    return run_without(names, folder, COMMAND, *arguments)
