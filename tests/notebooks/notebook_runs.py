"""Execute the notebooks; `make notebooks` runs this file, the test executes them one by one."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from traitlets.config import Config

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "notebooks"
EXECUTED = ROOT / "build" / "notebooks"
CELL_LIMIT_S = 600
"""Far more than any cell takes: a kernel that hangs is ended, a slow machine is not."""


def notebooks() -> list[Path]:
    """The notebooks, in order."""
    return sorted(FOLDER.glob("*.ipynb"))


def executed(path: Path) -> nbformat.NotebookNode:
    """A notebook with the outputs of a run in its own folder; the file stays as it is.

    Raises:
        CellExecutionError: a cell fails.
    """
    notebook = nbformat.read(path, as_version=4)
    with _private_home() as home:
        # Sockets are files there, so that no port is opened.
        config = Config({"KernelManager": {"transport": "ipc", "ip": f"{home}/socket"}})
        place = {"metadata": {"path": str(path.parent)}}
        NotebookClient(notebook, timeout=CELL_LIMIT_S, kernel_name="python3", resources=place, config=config).execute()
    return notebook


@contextmanager
def _private_home() -> Iterator[str]:
    """A folder for what a kernel keeps, so that nothing of the user's set-up is loaded or written."""
    with tempfile.TemporaryDirectory(prefix="nb-") as folder:
        private = {"JUPYTER_RUNTIME_DIR": folder, "JUPYTER_CONFIG_DIR": folder, "IPYTHONDIR": f"{folder}/ipython"}
        before = {name: os.environ.get(name) for name in private}
        os.environ.update(private)
        try:
            yield folder
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def _keep(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Write an executed notebook, and the same as a page where nbconvert is installed."""
    nbformat.write(notebook, path)
    try:
        from nbconvert import HTMLExporter
    except ImportError:
        return
    page, _ = HTMLExporter().from_notebook_node(notebook)
    path.with_suffix(".html").write_text(page, encoding="utf-8")


def main() -> int:
    """Execute all notebooks and keep the copies; 1: one of them failed."""
    EXECUTED.mkdir(parents=True, exist_ok=True)
    failed = 0
    for path in notebooks():
        began = time.perf_counter()
        try:
            _keep(executed(path), EXECUTED / path.name)
            outcome = "executed"
        except CellExecutionError as error:
            print(error, file=sys.stderr)
            outcome, failed = "FAILED", 1
        print(f"{path.name}: {outcome} in {time.perf_counter() - began:.1f} s", flush=True)
    print(f"copies in {EXECUTED.relative_to(ROOT)}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
