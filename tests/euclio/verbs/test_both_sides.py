"""The command line and Python offer the same: every verb is a function, every option a keyword, and the other way."""

from __future__ import annotations

import inspect
from dataclasses import fields

import pytest

import euclio
from euclio.core.families import families
from euclio.core.parameters import keyword_of
from euclio.verbs import places
from euclio.verbs.interface.parser import parser_of, subparsers, verbs

FUNCTIONS = {
    "import csv": "import_csv",
    "import mlperf": "import_mlperf",
    "import ppipe": "import_ppipe",
    "import perf-analyzer": "import_perf_analyzer",
    "import model-analyzer": "import_model_analyzer",
    "bench-set check": "check_bench_set",
    "bench-set list": "list_bench_set",
    "bench-set build": "build_bench_set",
    "bench-set certify": "certify_bench_set",
    "bench-set export": "export_bench_set",
}
"""The functions of verbs that have several: a word of Python's own cannot name one, nor that of a room."""

NOT_VERBS = {
    "load": "reads an instance; every verb reads the file that it is given",
    "evaluate": "the checker on a plan; `verify` is that on a result",
    "results": "the room of results as frames",
    "show_versions": "prints what `versions` returns, as the command does",
}
"""What `euclio` offers next to the verbs."""

TERMINAL = {
    "json": "results are data already",
    "table": "lists have a frame",
    "verbose": "results have their plan space as `space`",
    "plot": "results draw themselves",
    "csv": "results are frames already",
    "html": "results are written as pages by a function of their own",
    "timeline": "simulations draw themselves",
    "latencies": "simulations draw themselves",
    "plan_out": "the plan is returned as a result, which `euclio.files.save_result` writes",
    "day_out": "the load over time is returned, which `euclio.files.save_instance` writes",
}
"""Options of the terminal alone, with the reason."""

OUT_RETURNED = (
    "solve",
    "certify",
    "what-if",
    "curve",
    "changes",
    "plan-day",
    "pool",
    "import csv",
    "import mlperf",
    "import ppipe",
)
"""Verbs whose `--out` writes what their function returns: `euclio.files` saves results and instances."""

OF_SESSIONS = ("what-if", "curve", "changes", "most")
"""Verbs of sessions alone, which refuse the plan spaces of other families by their options."""

PYTHON = {
    "supervised": "the command always runs solvers in a process of their own",
    "space": "a plan space as an object; the command has an option for each of its fields",
    "solving": "a function, which no option can be",
    "advance": "a function, which no option can be",
    "finished": "a function, which no option can be",
    "pool": "an open pool, which no option can be",
    "quiet": "EUCLIO_QUIET=1 is that of the command",
    "instance": "results as objects do not say how their instance is written; files do",
    "time_limit_s": "the older name of `time_limit`",
    "certify_s": "the older name of `certify`",
    "log_file": "the older name of `log`",
}
"""Keywords of Python alone, with the reason."""


def parsers(verb):
    """The parsers of a verb: its own, or one for each kind or action below it, by what is typed."""
    parser = subparsers(parser_of((verb,)))[verb]
    below = subparsers(parser)
    return {f"{verb} {name}": one for name, one in below.items()} if below else {verb: parser}


def function_name(typed):
    return FUNCTIONS.get(typed, typed.replace("-", "_"))


def keywords(typed):
    """The keywords of a verb's function, those given by place included."""
    return set(inspect.signature(getattr(euclio, function_name(typed))).parameters)


def options(parser):
    """The options of a parser, as keywords."""
    long = [next(s for s in a.option_strings if s.startswith("--")) for a in parser._actions if a.option_strings]
    return {keyword_of(flag) for flag in long} - {"help"}


OF_SHELLS = {"completion": "a script for a shell, which nobody runs in Python"}
"""Verbs of the terminal alone, with the reason."""

ALL = {typed: parser for verb in verbs() if verb not in OF_SHELLS for typed, parser in parsers(verb).items()}
FIELDS = {field.name for family in families() for field in fields(family.full_space)}
"""Fields of plan spaces by their own names, which calls had before the options' names were keywords."""

OTHER_SPACES = {
    keyword_of(one.flag) for family in families() if family.name != "session" for one in family.space_options
}


@pytest.mark.parametrize("typed", ALL)
def test_every_verb_of_the_command_is_a_function(typed):
    """Whoever has learned the command line knows the names in Python."""
    assert function_name(typed) in euclio.__all__
    assert getattr(euclio, function_name(typed)).__doc__


@pytest.mark.parametrize("typed", ALL)
def test_every_option_is_a_keyword(typed):
    """An option that only the command has is out of reach of notebooks."""
    known = set(TERMINAL) | ({"out"} if typed in OUT_RETURNED else set())
    known |= OTHER_SPACES if typed in OF_SESSIONS else set()
    assert options(ALL[typed]) - keywords(typed) - known == set()


@pytest.mark.parametrize("typed", ALL)
def test_every_keyword_is_an_option(typed):
    """A keyword that only Python has is out of reach of scripts, and a typo would be one."""
    function = getattr(euclio, function_name(typed))
    named = {
        name
        for name, one in inspect.signature(function).parameters.items()
        if one.kind is inspect.Parameter.KEYWORD_ONLY or name in PYTHON
    }
    assert named - options(ALL[typed]) - set(PYTHON) - FIELDS == set()


def test_what_is_offered_is_a_verb_or_has_a_reason():
    """`euclio.<TAB>` shows what there is and nothing else."""
    assert set(euclio.__all__) - {function_name(typed) for typed in ALL} == set(NOT_VERBS)
    assert dir(euclio) == sorted(euclio.__all__)


def test_every_place_offers_what_euclio_does():
    """A verb that is written and not offered is not found."""
    placed = {name for names in places().values() for name in names}
    assert placed | {"results"} == set(euclio.__all__)


def test_no_reason_is_left_over():
    """A reason without an option says what is not so any more."""
    offered = set().union(*map(options, ALL.values()))
    taken = set().union(*map(keywords, ALL))
    assert {name for name in TERMINAL if name not in offered} <= {"html"}
    assert set(PYTHON) <= taken
