"""A bar that is seen only where work takes long."""

import time

import pytest
from rich.console import Console

from euclio.core import progress


def test_elsewhere_a_line_says_it(capsys):
    with progress.late_bar("simulated seconds", 10, after_s=0.01) as reached:
        reached(5)
        time.sleep(0.3)
    assert capsys.readouterr() == ("", "euclio: simulated seconds: 5 of 10 …\n")


@pytest.mark.parametrize(("after_s", "seen"), [(0.01, True), (60, False)])
def test_a_terminal_shows_it_after_a_while(monkeypatch, tmp_path, after_s, seen):
    with (tmp_path / "out").open("w+") as out:
        monkeypatch.setattr("rich.console.Console", lambda **_: Console(file=out, force_terminal=True, width=100))
        with progress.late_bar("simulated seconds", 10, after_s) as reached:
            time.sleep(0.3)
            reached(5)
            time.sleep(0.3)
        out.seek(0)
        assert ("simulated seconds" in out.read()) == seen
