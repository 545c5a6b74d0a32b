"""What our checker accepts is accepted by VIPR's own, where that is installed (`viprchk`, github.com/scipopt/vipr)."""

import shutil
import subprocess

import pytest
from places import ROOT

import euclio
from euclio.proving.files.checker import check_text

SESSIONS = sorted((ROOT / "data" / "instances" / "sessions").glob("s-chain-m2-*.json"))[:10]


@pytest.mark.skipif(shutil.which("viprchk") is None, reason="viprchk is not on the path")
@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_the_reference_checker_accepts_what_ours_does(path, tmp_path):
    session, file = euclio.load(path), tmp_path / "proof.vipr"
    certificate = euclio.certify(session, euclio.solve(session, "exact"), proof=file)
    assert certificate.evidence == "file"
    check_text(file.read_text(encoding="utf-8"))
    assert subprocess.run(["viprchk", str(file)], capture_output=True, check=False).returncode == 0
