"""Scripts that complete the command line, as bash completes with them."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from euclio.cli import main
from euclio.verbs.completion import SHELLS, script
from euclio.verbs.interface.parser import verbs

COMPLETE = """
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
function=$(complete -p euclio | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
"$function" euclio "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def bash(tmp_path_factory):
    """A file with the script for bash and what plays a press of the tab key."""
    pytest.importorskip("shtab")
    file = tmp_path_factory.mktemp("completion") / "euclio.bash"
    file.write_text(script("bash") + COMPLETE)
    return file


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("line", "found"),
    [
        (["sol"], {"solve", "solve-all", "solvers"}),
        (["solve", "--slo"], {"--slo"}),
        (["solve", "--machines", ""], {"share", "whole", "packed"}),
        (["solve", "x", "--solver", "harpagon:2"], {"harpagon:2c", "harpagon:2c-literal", "harpagon:2d"}),
        (["bench-set", "ch"], {"check"}),
        (["import", "csv", "--pr"], {"--prices"}),
    ],
)
def test_bash_completes_verbs_options_and_solvers(bash, line, found):
    run = subprocess.run(["bash", str(bash), "euclio", *line], capture_output=True, text=True, check=True, timeout=30)
    assert set(run.stdout.split()) == found


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script_with_every_verb(shell, capsys):
    pytest.importorskip("shtab")
    assert main(["completion", shell]) == 0
    out = capsys.readouterr().out
    assert all(verb in out for verb in verbs())


def test_without_shtab_one_line_says_what_brings_it(monkeypatch, capsys):
    monkeypatch.setitem(__import__("sys").modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    err = capsys.readouterr().err
    assert "pip install 'euclio[completion]'" in err
    assert err.count("\n") == 1
