"""The help of every verb: what a planner asks for first, research last, no option lost, examples that run."""

from __future__ import annotations

import re
import shlex

import pytest
import tiny_sessions

from euclio.cli import main
from euclio.verbs.interface.command import COMMANDS
from euclio.verbs.interface.parser import examples_of, parsed, parser_of, subparsers, verbs

SHOWN = re.compile(r"^  (?:-h, )?(--[a-z0-9-]+)", re.MULTILINE)
LIST = """InstanceType,AcceleratorName,AcceleratorCount,Price,Region,SpotPrice
v100.one,V100,1,3,east,
p100.big,,,9.6,east,
"""
MEASURED = """module,hardware,batch,duration_s
classify,V100,1,0.02
classify,V100,4,0.05
"""
PARSERS = subparsers(parser_of(verbs()))
EXAMPLES = [example for parser in PARSERS.values() for example in examples_of(parser)]
LONG = (
    "bench-set check",
    "check-solver",
    "completion",
    "decompose --workloads",
    "profile",
    "report",
    "reproduce",
    "run",
)
LONG += ("status", "warm-up")
"""Examples that take long, or that need what a long one leaves."""
QUICK = [one for one in EXAMPLES if not one.removeprefix("euclio ").startswith(LONG)]


@pytest.fixture(scope="module")
def parsers():
    """The parsers of all verbs and their actions, by what is written for them."""
    below = {f"{verb} {name}": own for verb, one in PARSERS.items() for name, own in subparsers(one).items()}
    return PARSERS | below


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files that examples name."""
    found = tmp_path_factory.mktemp("examples")
    (found / "session.json").write_text(tiny_sessions.TEXT)
    (found / "load.csv").write_text("time_s,factor\n0,0.3\n3600,1\n7200,0.5\n")
    times = (f"2026-01-31 18:0{minute}:{second},{second}" for minute in (0, 1, 3) for second in (10, 30, 50))
    (found / "requests.csv").write_text("\n".join(["arrived,tokens", *times]))
    (found / "durations.csv").write_text(MEASURED)
    (found / "vms.csv").write_text(LIST)
    session = str(found / "session.json")
    result = str(found / "result.json")
    assert main(["solve", session, "--out", result]) == 0
    assert main(["certify", session, result, "--proof", str(found / "proof.vipr")]) == 0
    assert main(["solve", session, "--solver", "harpagon", "--rate", "17", "--out", str(found / "other.json")]) == 0
    return found


def test_no_option_is_lost_or_shown_twice(parsers):
    """The sections are made from lists of options, which might name one that has another name by now."""
    for verb, parser in parsers.items():
        if subparsers(parser):
            continue
        flags = [action.option_strings[-1] for action in parser._actions if action.option_strings]
        assert sorted(SHOWN.findall(parser.format_help())) == sorted(flags), verb


def test_pages_name_options_that_their_verbs_have(parsers):
    for verb, command in COMMANDS.items():
        flags = {flag for action in parsers[verb]._actions for flag in action.option_strings}
        assert not {*command.first, *command.research} - flags, verb


def test_what_a_planner_asks_for_stands_first(parsers):
    shown = SHOWN.findall(parsers["solve"].format_help())
    assert shown[:5] == ["--slo", "--rate", "--machines", "--stock", "--out"]
    assert shown.index("--solver") < shown.index("--policy") < shown.index("--engine")


@pytest.mark.parametrize("verb", verbs())
def test_every_verb_has_an_example_that_is_read(verb, folder, monkeypatch):
    """The parser takes each example, and it is one of the verb."""
    monkeypatch.chdir(folder)
    assert examples_of(PARSERS[verb])
    for example in examples_of(PARSERS[verb]):
        program, *words = shlex.split(example)
        assert (program, words[0]) == ("euclio", verb)
        assert parsed(words) is not None


SLOW = ("euclio bench-set export", "euclio certify", "euclio changes", "euclio compare session.json", "euclio what-if")


@pytest.mark.fifth("example")
@pytest.mark.parametrize(
    "example", [pytest.param(one, marks=[pytest.mark.slow] if one.startswith(SLOW) else []) for one in QUICK]
)
def test_examples_run(example, folder, monkeypatch, capsys):
    """What a help page shows does what it says: it ends well, but for the one that explains why there is no plan."""
    monkeypatch.chdir(folder)
    code = main(shlex.split(example)[1:])
    assert code == (3 if "explain" in example else 0), capsys.readouterr().err


def test_euclio_alone_shows_help_and_is_bad_input(capsys):
    """A person sees the verbs; a script that lost its verb does not go on as if all were well."""
    assert main([]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert all(verb in captured.err for verb in verbs())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("solve x --sol 3", "unknown option '--sol'; did you mean --solver or --slo?"),
        ("solve x --slos=3", "unknown option '--slos'; did you mean --slo"),
        ("simulate x y --highest", "did you mean --highest-load?"),
        # Names of files; and an option of other instances than those that a word is likely meant for.
        ("solve x --count A100=3", "unknown option '--count'; did you mean --stock?"),
        ("solve x --budget 3", "unknown option '--budget'; did you mean --budgets (of fleets)?"),
        ("bench-set check --sampel 3", "did you mean --sample?; see `euclio bench-set check --help`"),
        ("import csv x --prices V=1 --rates 1 --slo 1 --out x --memry 3", "did you mean --memory?"),
        ("solve x --frobnicate", "unknown option '--frobnicate'; see `euclio solve --help`"),
        ("verify x y z", "unrecognized arguments: z"),
        ("sovle x", "unknown 'sovle'; did you mean solve"),
    ],
)
def test_a_mistyped_word_is_met_with_the_nearest_right_ones(line, words, capsys):
    assert main(line.split()) == 2
    err = capsys.readouterr().err
    assert words in err
    assert err.count("\n") == 1
