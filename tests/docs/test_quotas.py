"""The page of quotas: its commands print what stands below them."""

import re
import shlex
from pathlib import Path

import pytest

from euclio.cli import main

PAGE = (Path(__file__).parents[2] / "docs/howto/quotas.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_commands_of_the_page_print_what_stands_below_them(tmp_path, monkeypatch, capsys):
    """Lines that are left out stand as an ellipsis: they have times of this machine in them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    printed = compared = 0
    lines: list[str] = []
    for kind, text in BLOCKS:
        if kind == "csv":
            Path("profiles.csv").write_text(text, encoding="utf-8")
        elif kind == "sh":
            capsys.readouterr()
            assert [main(shlex.split(line)[1:]) for line in text.splitlines()] == [0] * len(text.splitlines())
            lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
            printed += 1
        elif kind == "text":
            shown = [line for line in text.splitlines() if line.strip() != "…"]
            assert [line for line in lines if line in shown] == shown
            compared += 1
    assert (printed, compared) == (5, 4)
    assert main(["solve", "session.json", "--machines", "whole"]) == 0
    assert "optimal, cost 2.3 per hour" in capsys.readouterr().out
    shares = ("--largest-share", "spot-L4=0.5,spot-A10G=0.5", "--solver", "milp")
    assert main(["solve", "session.json", "--machines", "whole", *shares]) == 0
    assert "optimal, cost 3 per hour" in capsys.readouterr().out
