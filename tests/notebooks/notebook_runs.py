"""Execute the notebooks; `make notebooks` runs this file, the test executes them one by one.

They run in a copy: a temporary folder that holds a notebook and the files that notebooks/README.md says it reads. With
`--store` what the cells show is written into notebooks/, without what would differ at the next run.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbformat import NotebookNode

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "notebooks"
EXECUTED = ROOT / "build" / "notebooks"
CELL_LIMIT_S = 600
"""Far more than any cell takes: a kernel that hangs is ended, a slow machine is not."""
VARIES = "varies"
"""Tag of cells that show measured times, or what a solver found when its time was over."""
HASH = "source_sha256"
"""Where the metadata of a cell keep the hash of the source that its outputs are of."""
ROW = re.compile(r"^\| \[(\d\d)\]\(([^)]+)\) [^|]*\|[^|]*\|([^|]*)\|$", re.MULTILINE)
FILE = re.compile(r"`([^`]+\.[a-z]+)`")
TIMES = (
    (re.compile(r"\bin \d[\d.,]* (µs|ms|s|min)\b"), "in … s"),
    (re.compile(r"\b(solver [^<,\n]+), \d[\d.,]* (µs|ms|s|min)(, interpreted)?"), r"\1, … s"),
    (re.compile(r'<div class="line">times: [^<]*</div>'), ""),
)
"""Where euclio's objects say how long something took."""
TABLE = re.compile(r"<table.*?</table>", re.DOTALL)
TABLE_ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)
CELL = re.compile(r"(<t[hd][^>]*>)(.*?)(</t[hd]>)", re.DOTALL)


def notebooks() -> list[Path]:
    """The notebooks, in order."""
    return sorted(FOLDER.glob("*.ipynb"))


def listed() -> list[tuple[str, str, list[Path]]]:
    """The rows of the table in the README: number, file, and the files that the notebook reads."""
    rows = ROW.findall((FOLDER / "README.md").read_text(encoding="utf-8"))
    return [(number, name, [_found(file) for file in FILE.findall(reads)]) for number, name, reads in rows]


def _found(file: str) -> Path:
    """A file that the README names: next to it, or from the top of the tree."""
    return next((place for place in (FOLDER / file, ROOT / file) if place.exists()), FOLDER / file)


def stored(path: Path) -> NotebookNode:
    """The notebook in a file."""
    # Takes seconds to be imported, by every process that only lists tests.
    import nbformat

    return nbformat.read(path, as_version=4)


def executed(path: Path, imports_from: Path | None = None) -> NotebookNode:
    """A notebook with the outputs of a run in a copy, out of the tree; the file stays as it is.

    Args:
        path: the notebook.
        imports_from: folder whose packages are imported instead of installed ones, such as an unpacked wheel.

    Raises:
        CellExecutionError: a cell fails.
    """
    from nbclient import NotebookClient
    from traitlets.config import Config

    notebook = stored(path)
    reads = next((files for _, name, files in listed() if name == path.name), [])
    surroundings = {"EUCLIO_QUIET": "1"}
    if imports_from is not None:
        # A wheel in a new place would be compiled for minutes.
        surroundings |= {"PYTHONPATH": str(imports_from), "NUMBA_DISABLE_JIT": "1"}
    with tempfile.TemporaryDirectory(prefix="nb-copy-") as copy, _private_home(surroundings) as home:
        for file in (path, *reads):
            shutil.copy(file, copy)
        # Sockets are files there, so that no port is opened.
        config = Config({"KernelManager": {"transport": "ipc", "ip": f"{home}/socket"}})
        place = {"metadata": {"path": copy}}
        NotebookClient(notebook, timeout=CELL_LIMIT_S, kernel_name="python3", resources=place, config=config).execute()
    return notebook


@contextmanager
def _private_home(surroundings: dict[str, str]) -> Iterator[str]:
    """A folder for what a kernel keeps, so that nothing of the user's set-up is loaded or written."""
    with tempfile.TemporaryDirectory(prefix="nb-") as folder:
        private = {"JUPYTER_RUNTIME_DIR": folder, "JUPYTER_CONFIG_DIR": folder, "IPYTHONDIR": f"{folder}/ipython"}
        before = {name: os.environ.get(name) for name in private | surroundings}
        os.environ.update(private | surroundings)
        try:
            yield folder
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def hash_of(source: str) -> str:
    """The hash of a cell's source that its metadata keep."""
    return hashlib.sha256(source.encode()).hexdigest()[:16]


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The cells that can be executed."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def steady(notebook: NotebookNode) -> NotebookNode:
    """The notebook as it is stored: no times, no progress on stderr, and with the hash of each source."""
    for cell in code_cells(notebook):
        cell.metadata = {key: value for key, value in cell.metadata.items() if key == "tags"} | {
            HASH: hash_of(cell.source)
        }
        told = [output for output in cell.outputs if output.get("name") != "stderr"]
        cell.outputs = [_steady_output(output) for output in _joined(told)]
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
    return notebook


def _joined(outputs: list[Any]) -> list[Any]:
    """Printed text in one piece: a kernel sends what a cell has printed so far every 0.2 s, each time as an output."""
    joined: list[Any] = []
    for output in outputs:
        if joined and output.get("name") == joined[-1].get("name") == "stdout":
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def _steady_output(output: Any) -> Any:
    if "text" in output:
        output.text = _timeless(output.text)
    for kind, data in output.get("data", {}).items():
        if kind.startswith("text/"):
            output.data[kind] = _timeless(data)
    if "metadata" in output:
        output.metadata = {}
    return output


def _timeless(text: str) -> str:
    for times, without in TIMES:
        text = times.sub(without, text)
    return TABLE.sub(lambda table: _timeless_table(table[0]), text)


def _timeless_table(table: str) -> str:
    """A table of an object with dots in its column `time`."""
    rows = TABLE_ROW.findall(table)
    heads = [head for _, head, _ in CELL.findall(rows[0])] if rows else []
    if "time" not in heads:
        return table
    at = heads.index("time")
    for row in rows[1:]:
        cells = CELL.findall(row)
        if len(cells) == len(heads):
            new = [("".join((opening, "…" if k == at else text, end))) for k, (opening, text, end) in enumerate(cells)]
            table = table.replace(row, f"<tr>{''.join(new)}</tr>")
    return table


def said(notebook: NotebookNode) -> list[list[str]]:
    """What each cell says in words, tables too; cells that vary say nothing."""
    return [
        []
        if VARIES in cell.metadata.get("tags", [])
        else [
            text
            for output in cell.outputs
            for text in [
                output.get("text", ""),
                *(output.get("data", {}).get(k, "") for k in ("text/plain", "text/html")),
            ]
        ]
        for cell in code_cells(notebook)
    ]


def differences(stored: NotebookNode, now: NotebookNode) -> list[str]:
    """Sources of cells that say something else now."""
    pairs = zip_longest(said(stored), said(now))
    cells = code_cells(now)
    return [cells[k].source for k, (before, after) in enumerate(pairs) if before != after]


def _keep(notebook: NotebookNode, path: Path) -> None:
    """Write an executed notebook, and the same as a page where nbconvert is installed."""
    import nbformat

    nbformat.write(notebook, path)
    try:
        from nbconvert import HTMLExporter
    except ImportError:
        return
    page, _ = HTMLExporter().from_notebook_node(notebook)
    path.with_suffix(".html").write_text(page, encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Execute notebooks and keep the copies; 1: one of them failed.

    Args:
        arguments: `--store` to write into notebooks/ what their cells show, and beginnings of names; none: all of them.
    """
    import nbformat
    from nbclient.exceptions import CellExecutionError

    store = "--store" in arguments
    names = tuple(name for name in arguments if name != "--store")
    EXECUTED.mkdir(parents=True, exist_ok=True)
    failed = 0
    for path in notebooks():
        if names and not path.name.startswith(names):
            continue
        began = time.perf_counter()
        try:
            notebook = executed(path)
            _keep(notebook, EXECUTED / path.name)
            if store:
                nbformat.write(steady(notebook), path)
            outcome = "stored" if store else "executed"
        except CellExecutionError as error:
            print(error, file=sys.stderr)
            outcome, failed = "FAILED", 1
        print(f"{path.name}: {outcome} in {time.perf_counter() - began:.1f} s", flush=True)
    print(f"copies in {EXECUTED.relative_to(ROOT)}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
