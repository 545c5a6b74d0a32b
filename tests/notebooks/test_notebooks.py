"""Every notebook runs from top to bottom, and stands in the tree without outputs."""

import nbformat
import pytest

pytest.importorskip("nbclient", reason="the extra `notebooks` is not installed")
pytest.importorskip("ipykernel", reason="the extra `notebooks` is not installed")
from notebook_runs import FOLDER, executed, notebooks

every_notebook = pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
MOST_BYTES = 300_000


@pytest.mark.slow
@pytest.mark.notebook
@every_notebook
def test_it_runs_without_an_error(path):
    cells = executed(path).cells
    assert all(cell.execution_count for cell in cells if cell.cell_type == "code")


@every_notebook
def test_it_stands_in_the_tree_without_outputs(path):
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert [cell.outputs for cell in cells] == [[]] * len(cells)
    assert [cell.execution_count for cell in cells] == [None] * len(cells)


@every_notebook
def test_it_opens_with_one_question(path):
    first = nbformat.read(path, as_version=4).cells[0].source.splitlines()[0]
    assert first.startswith(f"# {path.stem[:2]} · ")
    assert "?" in first


def test_stored_results_are_small():
    sizes = {path.name: path.stat().st_size for path in FOLDER.iterdir() if path.suffix != ".ipynb" and path.is_file()}
    assert max(sizes.values()) < MOST_BYTES, sizes


def test_nine_questions_are_asked():
    assert [path.stem[:2] for path in notebooks()] == [f"{k:02d}" for k in range(1, 11)]
