"""Readings of a study of few workloads."""

from pathlib import Path

import pandas as pd
import pytest

from euclio.cli import main
from studies.harpagon import measures as harpagon
from studies.piccolo import measures as piccolo
from studies.readings import reread

REPORTS = Path(__file__).resolve().parents[2] / "reports"
CASES = [("harpagon", harpagon, ("traffic",)), ("piccolo", piccolo, ())]


def _plain(path):
    """A stored table with texts instead of categories, as a study has it."""
    table = pd.read_parquet(path)
    return table.astype(dict.fromkeys(table.select_dtypes("category").columns, str))


@pytest.mark.fifth("paper")
@pytest.mark.parametrize(("paper", "module", "given"), CASES, ids=["harpagon", "piccolo"])
def test_a_reading_without_any_workload_moves_no_number(paper, module, given):
    """A study of four workloads ended in an error where the other answer's systems had a plan on none of them."""
    runs, allocations = (_plain(REPORTS / paper / f"{name}.parquet") for name in ("runs", "allocations"))
    frames = {reading: reread(runs, reading) for reading in module.OF_SYSTEMS}
    narrowest = min(frames, key=lambda reading: frames[reading].workload.nunique())
    lacking = sorted(set(runs.workload) - set(frames[narrowest].workload))[:4]
    assert lacking
    few = runs[runs.workload.isin(lacking)]
    found = module.other_readings(few, allocations[allocations.workload.isin(lacking)], *given)
    assert narrowest not in found


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["5", "6"])
@pytest.mark.parametrize("workloads", ["1", "2"])
@pytest.mark.parametrize("paper", ["harpagon", "piccolo"])
def test_a_study_of_few_workloads_ends(paper, workloads, seed, tmp_path):
    """A system may have no plan on any of them, and the brute force may be asked of none: both ended in errors."""
    given = ["--workloads", workloads, "--seed", seed, "--certify", "1", "--jobs", "1", "--out", str(tmp_path)]
    assert main(["reproduce", paper, *given]) == 0
