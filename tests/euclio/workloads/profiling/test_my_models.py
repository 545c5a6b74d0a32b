"""The example with ONNX Runtime: skipped where the extra `onnx` is not installed."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from euclio.cli import main
from euclio.workloads.session.csv_profiles import read_profiles

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

EXAMPLE = Path(__file__).parents[4] / "notebooks" / "my_models.py"


@pytest.fixture(scope="module")
def models():
    spec = importlib.util.spec_from_file_location("my_models", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("name", "shape"), [("detect", (3, 16, 1, 1)), ("classify", (3, 100))])
def test_the_models_answer_a_batch(models, name, shape):
    (output,) = getattr(models, name)(3)()
    assert output.shape == shape
    assert np.isfinite(output).all()


@pytest.mark.slow
def test_their_profile_is_planned(models, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("detect", "classify"):
        options = [
            "--model",
            name,
            "--hardware",
            "cpu",
            "--batch",
            "1,4",
            "--repeats",
            "3",
            "--out",
            "p.csv",
            "--append",
        ]
        assert main(["profile", f"{EXAMPLE}:{name}", *options]) == 0
    assert {name: len(profile) for name, profile in read_profiles("p.csv").items()} == {"detect": 2, "classify": 2}
    options = ["--prices", "cpu=0.05", "--rates", "100", "--slo", "1", "--out", "s.json"]
    assert main(["import", "csv", "p.csv", *options]) == 0
    assert main(["solve", "s.json", "--solver", "harpagon"]) == 0
