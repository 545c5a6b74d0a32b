"""What the README and `docs/model/serving.md` say of accuracy is what the report has."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pandas as pd
import pytest

from studies.mlperf.class_text import class_table, near_text, trust_text
from studies.mlperf.measures import group_errors, median_errors, reached
from studies.mlperf.text import Accuracy, accuracy

ROOT = Path(__file__).resolve().parents[3]
REPORT = ROOT / "reports" / "mlperf"
SERVING = " ".join((ROOT / "docs" / "model" / "serving.md").read_text(encoding="utf-8").split())
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())


@pytest.fixture(scope="module")
def found() -> Accuracy:
    if not (REPORT / "tried.parquet").exists():
        pytest.skip("reports/mlperf is of a run before numbers were tried per class; make reproduce writes it anew")
    tables = {name: pd.read_parquet(REPORT / f"{name}.parquet") for name in ("servers", "tried")}
    return accuracy(cast(Any, SimpleNamespace(tables=tables)))


def listed(errors: "pd.Series[float]") -> str:
    p50, p90, p99 = (f"{100 * errors[name]:.0f}" for name in ("p50", "p90", "p99"))
    return f"{p50}, {p90} and {p99} %"


def test_signed_errors_by_class_are_those_of_the_report(found: Accuracy) -> None:
    for row in class_table(found.left, found.own, found.before).rows:
        assert f"| {' | '.join(row[:5])} |" in SERVING


def test_classes_to_trust_are_those_whose_errors_are_all_within_the_aim(found: Accuracy) -> None:
    """Who plans with a predicted latency goes by the class: one server that is off by more takes its class out."""
    kept, missed = trust_text(found.left, 25.0).split(". Not on every server of: ")
    for kind, own in found.left.groupby("kind"):
        worst = own[["error_p50", "error_p90", "error_p99"]].abs().max(axis=None)
        assert (str(kind) in kept, str(kind) in missed) == (worst <= 0.25, worst > 0.25)


def test_medians_are_those_of_the_report(found: Accuracy) -> None:
    groups, servers = group_errors(found.left), median_errors(found.left)
    assert f"is {listed(groups)}, over the servers {listed(servers)}" in SERVING
    assert f"it missed the six by {listed(median_errors(found.unseen))}" in SERVING
    assert f"the rule of now misses them by {listed(median_errors(found.six))}" in SERVING
    assert f"off by about {100 * groups['p50']:.0f} % in the middle of the range" in README


def test_what_is_said_of_loads_near_the_capacity_is_what_the_report_has(found: Accuracy) -> None:
    """Three servers, 1.1 to 1.5 times; largest loads of two are 1 and 2 % short."""
    assert re.match(r"3 servers of 23 run at 90 % .* 1\.1\d to 1\.4\d ", near_text(found.own))
    short = sorted(1 / ratio - 1 for ratio in found.own.over_reached if ratio < 1)
    assert [round(100 * one) for one in short] == [1, 2]
    assert f"{reached(found.own)} of {len(found.own)} servers reached no more" in SERVING
