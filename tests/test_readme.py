"""The README prints what it shows: each line under a command is one that the command prints, in that order."""

import re
import shlex

import pytest
from places import ROOT

from euclio.cli import main

BLOCK = re.search(r"^```console\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)[1]
COMMANDS = [part.splitlines() for part in re.split(r"^\$ euclio ", BLOCK, flags=re.M)[1:]]


@pytest.mark.slow
@pytest.mark.compiled
def test_the_readme_prints_what_it_shows(tmp_path, monkeypatch, capsys):
    """Columns of times are left out of the README, so that a line of it begins a line that is printed."""
    monkeypatch.chdir(tmp_path)
    for command, *shown in COMMANDS:
        assert main(shlex.split(command)) == 0
        printed = iter(capsys.readouterr().out.splitlines())
        missing = [line for line in shown if not any(other.startswith(line) for other in printed)]
        assert missing == [], command
