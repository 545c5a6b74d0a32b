"""Every notebook runs from a copy, and what it shows in the tree is what its code shows."""

import re
from importlib.util import find_spec

import pytest
from notebook_runs import FOLDER, HASH, code_cells, differences, executed, hash_of, listed, notebooks, steady, stored

pytestmark = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("nbclient", "ipykernel")), reason="the extra `notebooks` is not installed"
)

every_notebook = pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
MOST_BYTES = 300_000
MOST_NOTEBOOK_BYTES = 2_500_000
MOST_LINES_OF_A_FIRST_DAY = 40
MACHINE_PATH = re.compile(r"(?<![\w./:])/(?:tmp|home|root|work|usr|opt|Users|var|mnt)/")


@pytest.mark.slow
@pytest.mark.notebook
@every_notebook
def test_it_shows_from_a_copy_what_is_stored(path):
    """In a folder that holds nothing but it and what the README says that it reads; cells tagged `varies` only run."""
    now = executed(path)
    assert all(cell.execution_count for cell in code_cells(now))
    assert differences(stored(path), steady(now)) == []


@every_notebook
def test_its_outputs_belong_to_its_code(path):
    """Each code cell keeps the hash of the source that was executed, and they were executed in order."""
    cells = code_cells(stored(path))
    assert [cell.metadata.get(HASH) for cell in cells] == [hash_of(cell.source) for cell in cells]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert any(cell.outputs for cell in cells)


@every_notebook
def test_its_outputs_are_free_of_errors_and_of_paths_of_a_machine(path):
    """What is stored was made somewhere, but does not say where, and ended well."""
    outputs = [output for cell in code_cells(stored(path)) for output in cell.outputs]
    assert {output.output_type for output in outputs} <= {"stream", "display_data", "execute_result"}
    words = [output.get("text", "") for output in outputs] + [
        text for output in outputs for kind, text in output.get("data", {}).items() if kind.startswith("text/")
    ]
    assert [text for text in words if MACHINE_PATH.search(text)] == []


@every_notebook
def test_it_opens_with_one_question(path):
    first = stored(path).cells[0].source.splitlines()[0]
    assert first.startswith(f"# {path.stem[:2]} · ")
    assert "?" in first


def test_stored_results_are_small():
    sizes = {path.name: path.stat().st_size for path in FOLDER.iterdir() if path.suffix != ".ipynb" and path.is_file()}
    assert max(sizes.values()) < MOST_BYTES, sizes


def test_notebooks_are_small_together():
    """Pictures are stored with them, at each refresh anew."""
    sizes = {path.name: path.stat().st_size for path in notebooks()}
    assert sum(sizes.values()) < MOST_NOTEBOOK_BYTES, sizes


def test_the_readme_lists_each_notebook_once():
    """One of them stood there twice."""
    assert [name for _, name, _ in listed()] == [path.name for path in notebooks()]
    assert [number for number, _, _ in listed()] == [path.stem[:2] for path in notebooks()]
    lines = (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith("| [") for line in lines) == len(notebooks())


def test_what_the_readme_says_that_they_read_is_there():
    assert [file for _, _, files in listed() for file in files if not file.is_file()] == []


def test_a_first_day_is_short():
    """A new user's day, in lines of code that are not empty."""
    (path,) = FOLDER.glob("11_*.ipynb")
    cells = code_cells(stored(path))
    lines = [line for cell in cells for line in "".join(cell.source).splitlines() if line.strip()]
    assert len(lines) <= MOST_LINES_OF_A_FIRST_DAY


def test_text_that_a_kernel_sends_in_pieces_is_the_same_as_in_one():
    """On a busy machine a cell's lines come in several outputs; a stored notebook differed from itself for that."""
    from nbformat.v4 import new_code_cell, new_notebook, new_output

    def printing(*texts):
        outputs = [new_output("stream", name="stdout", text=text) for text in texts]
        kernel = {"name": "python3", "display_name": "Python 3"}
        return new_notebook(metadata={"kernelspec": kernel}, cells=[new_code_cell("print()", outputs=outputs)])

    whole, pieces = steady(printing("one\ntwo\n")), steady(printing("one\n", "two\n"))
    assert differences(whole, pieces) == []
    assert [output.text for output in code_cells(pieces)[0].outputs] == ["one\ntwo\n"]
