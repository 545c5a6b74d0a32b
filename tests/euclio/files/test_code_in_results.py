"""Code that a result names: nobody runs it but a call or a command line that names it too."""

import json
from pathlib import Path

import pytest
from tiny_sessions import TEXT, tiny_session

from euclio import solve
from euclio.cli import main
from euclio.core.errors import InputError
from euclio.files import load_instance, load_result
from euclio.problems.session import PlanSpace

POLICY = """from pathlib import Path

from euclio.problems.session.policies import Policy

Path("{mark}").write_text("by reading a result")
POLICY = Policy(name="p", help="", whole=lambda p: 2 * p.duration_s, partial=lambda p: 3 * p.duration_s)
OTHER = Policy(name="o", help="", whole=lambda p: 3 * p.duration_s, partial=lambda p: 3 * p.duration_s)
"""
MARK = "EXECUTED"
REFERENCE = "evil.py:POLICY"
READERS = {
    "verify": ["verify", "s.json", "r.json"],
    "certify": ["certify", "s.json", "r.json", "--time-limit", "5"],
    "simulate": ["simulate", "s.json", "r.json", "--seconds", "1"],
    "export": ["export", "s.json", "r.json", "--to", "csv"],
}
"""Verbs that read a result under its plan space."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A result under a policy of a file, as solving wrote it, and the hash of the file."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "evil.py").write_text(POLICY.format(mark=MARK))
    with pytest.MonkeyPatch.context() as here:
        here.chdir(folder)
        Path("s.json").write_text(TEXT)
        assert main(["solve", "s.json", "--solver", "plan-bruteforce", "--policy", REFERENCE, "--out", "r.json"]) == 0
        return json.loads(Path("r.json").read_text())


@pytest.fixture
def folder(tmp_path, monkeypatch, made):
    """The current folder, with what somebody else sent: a session, its result, and the file that the result names."""
    monkeypatch.chdir(tmp_path)
    Path("s.json").write_text(TEXT)
    # Every test has a text of its own: a module that was run is not run again.
    Path("evil.py").write_text(POLICY.format(mark=tmp_path / MARK))
    write(made)
    return tmp_path


def write(result, policy=REFERENCE):
    """Write the result under another policy."""
    Path("r.json").write_text(json.dumps({**result, "options": {**result["options"], "policy": policy}}))


@pytest.mark.parametrize("verb", READERS)
@pytest.mark.parametrize("version", ["", "@0123456789abcdef"])
def test_a_result_has_no_code_run(folder, made, capsys, verb, version):
    """One line with file, field and remedy, exit code 2, and the file that the result names is not run."""
    write(made, REFERENCE + version)
    assert main(READERS[verb]) == 2
    out, err = capsys.readouterr()
    expected = (
        f"euclio: r.json: options.policy: names code ({REFERENCE}{version}), and what a file names is not run; if you "
        "trust that code, name it yourself: --policy FILE.py:NAME\n"
    )
    assert (out, err, (folder / MARK).exists()) == ("", expected, False)


@pytest.mark.parametrize("verb", READERS)
def test_what_the_command_line_names_is_run(folder, capsys, verb):
    """Verbs answer as they do of a built-in policy; `certify` has no proof under another one and leaves it open."""
    assert main([*READERS[verb], "--policy", REFERENCE]) == {"certify": 4}.get(verb, 0)
    assert (folder / MARK).exists()


@pytest.mark.parametrize("verb", READERS)
def test_the_hash_in_the_file_is_compared_before_anything_is_run(folder, made, capsys, verb):
    write(made, f"{REFERENCE}@0123456789abcdef")
    assert main([*READERS[verb], "--policy", REFERENCE]) == 2
    err = capsys.readouterr().err
    assert err.startswith("euclio: evil.py: has changed: its hash was 0123456789abcdef when it was used, and is ")
    assert (err.count("\n"), (folder / MARK).exists()) == (1, False)


@pytest.mark.parametrize(
    ("written", "said", "problem"),
    [
        (REFERENCE, "tc", "--policy: is 'tc', but the result was made under 'POLICY' of a file; give FILE.py:POLICY"),
        (REFERENCE, "evil.py:OTHER", "--policy: is 'evil.py:OTHER', but the result was made under 'POLICY' of a file;"),
        ("tc", REFERENCE, "--policy: is 'evil.py:POLICY', but the result was made under the text 'tc'; leave it out"),
        (f"{REFERENCE}@00", f"{REFERENCE}@01", "--policy: has hash 01, but the result was made with hash 00"),
        (REFERENCE, "none.py:POLICY", "none.py: cannot be read: No such file or directory; give FILE.py:POLICY"),
        ("fast", None, "options.policy: is 'fast'; it must be one of tc, "),
        ("evil:POLICY", None, "options.policy: is 'evil:POLICY'; it must be one of tc, "),
    ],
)
def test_what_does_not_agree_is_refused(folder, made, capsys, written, said, problem):
    write(made, written)
    assert main([*READERS["verify"], *(() if said is None else ("--policy", said))]) == 2
    out, err = capsys.readouterr()
    assert (out, problem in err, err.count("\n"), (folder / MARK).exists()) == ("", True, 1, False)


def test_the_file_may_be_anywhere_now(folder, made, capsys):
    """Name and hash are compared, the path is not."""
    Path("sub@1").mkdir()
    Path("evil.py").rename("sub@1/good.py")
    assert main([*READERS["verify"], "--policy", "sub@1/good.py:POLICY"]) == 0


def test_differences_need_no_policy(folder, capsys):
    """They look at how plans are written; so does `--from`, which takes the machines of a plan."""
    assert main(["diff", "r.json", "r.json"]) == 0
    assert main(["changes", "s.json", "--from", "r.json", "--most", "0", "--time-limit", "5"]) in (0, 3, 4)
    assert not (folder / MARK).exists()


def test_a_call_in_python_names_it_too(folder):
    instance = load_instance("s.json")
    with pytest.raises(InputError, match=r"options\.policy: names code"):
        load_result("r.json", instance)
    assert not (folder / MARK).exists()
    found = load_result("r.json", instance, policy=REFERENCE)
    assert found.space.policy is PlanSpace(policy=REFERENCE).policy
    assert load_result("r.json", instance, policy=found.space.policy).space == found.space


def test_a_call_names_what_there_is(folder):
    with pytest.raises(InputError, match="dispatch: results of sessions name no such code; they name: policy"):
        load_result("r.json", load_instance("s.json"), dispatch="x")


def test_a_built_in_policy_said_again_is_no_mistake(folder):
    """A script may pass what it planned with, whatever it was."""
    Path("r.json").unlink()
    main(["solve", "s.json", "--policy", "rr", "--out", "r.json"])
    assert main([*READERS["verify"], "--policy", "rr"]) == 0


def test_the_solver_that_a_result_names_is_provenance(folder, made):
    """It is never looked up."""
    write({**made, "solver": "evil.py:solve"}, "tc")
    main(READERS["verify"])
    assert not (folder / MARK).exists()


def test_a_solve_in_python_is_a_call(folder):
    assert solve(tiny_session(), "harpagon", policy=REFERENCE).plan is not None
