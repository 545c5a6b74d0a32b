"""`euclio report`: where the page goes, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from run_frames import run, runs

from euclio.cli import main
from euclio.experiments.results import save

HEURISTIC = {"label": "fast", "features": json.dumps({"modules": 2.0})}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A Parquet file of two runs, made by two versions."""
    path = tmp_path / "race.parquet"
    frame = runs(run(**HEURISTIC), run("two", git="fedcba9876543210", **HEURISTIC))
    save(frame.drop(columns="feature.modules"), path)
    return path


def test_report_stands_next_to_its_file_with_its_markdown_twin(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["report", str(results), "--title", "A <race>"])
    page = results.with_suffix(".html")
    assert (code, capsys.readouterr().out.strip()) == (0, str(page))
    assert "<h1>A &lt;race&gt;</h1>" in page.read_text(encoding="utf-8")
    assert page.with_suffix(".md").read_text(encoding="utf-8").startswith("# A &lt;race>\n")


def test_versions_that_differ_are_one_line_of_warning(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["report", str(results), "--out", str(results.with_name("x.html"))])
    (line,) = capsys.readouterr().err.splitlines()
    assert "not made alike" in line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "no such"),
        (["race.parquet", "--out", "page.pdf"], "must end in .html"),
        (["race.parquet", "--out", "no/page.html"], "cannot be written"),
        (["empty.parquet"], "no run of the experiment is finished"),
    ],
)
def test_bad_input_is_one_line(
    results: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(results.parent)
    save(runs(run(**HEURISTIC)).drop(columns="feature.modules").iloc[:0], Path("empty.parquet"))
    assert main(["report", *arguments]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert message in lines[-1]
