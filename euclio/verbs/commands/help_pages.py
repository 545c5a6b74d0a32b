"""What the help of each verb shows: the options that a planner asks for first, those of research last, and examples.

An option that is named nowhere here stands between these, in the group that its verb has it in.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

RESEARCH_GROUPS = ("plan space of", "solver libraries")
"""Groups of options, by how their titles begin, that stand last."""
RESEARCH = "research: "


@dataclass(frozen=True, slots=True)
class Page:
    """What the help of a verb shows.

    Attributes:
        first: flags of the options that stand first, in this order.
        research: flags of the options that stand last.
        examples: command lines.
    """

    first: tuple[str, ...] = ()
    research: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


IMPORT = "euclio import csv durations.csv --prices V100=3 --rates classify=10 --slo 0.5 --out imported.json"
PAGES = {
    "solve": Page(
        ("--slo", "--rate", "--machines", "--stock", "--out"),
        ("--seed",),
        (
            "euclio solve session.json --out result.json",
            "euclio solve session.json --rate 17 --slo 0.8 --machines whole",
        ),
    ),
    "verify": Page(examples=("euclio verify session.json result.json",)),
    "certify": Page(
        ("--proof", "--time-limit", "--out"),
        (),
        (
            "euclio certify session.json result.json --time-limit 10",
            "euclio certify session.json result.json --proof proof.vipr",
        ),
    ),
    "check-proof": Page(examples=("euclio check-proof proof.vipr",)),
    "solvers": Page(examples=("euclio solvers", "euclio solvers --covers")),
    "compare": Page(
        ("--slo", "--rate", "--stock", "--solvers", "--plot"),
        ("--certify", "--objective"),
        ("euclio compare session.json", "euclio compare session.json --solvers harpagon,nexus --plot gaps.svg"),
    ),
    "changes": Page(
        ("--from", "--most", "--slo", "--rate", "--out"),
        (),
        ("euclio changes session.json --from result.json --rate 12",),
    ),
    "what-if": Page(
        ("--slo", "--rate", "--machines", "--stock", "--out"),
        (),
        ("euclio what-if session.json --rate 10,20 --slo 0.8,1 --plot costs.svg",),
    ),
    "curve": Page(
        ("--over", "--slo", "--rate", "--machines", "--out", "--plot"),
        (),
        ("euclio curve session.json --slo 0.2,0.8 --plot curve.svg", "euclio curve session.json --over rate"),
    ),
    "decompose": Page(
        examples=("euclio decompose session.json --solvers harpagon,scrooge", "euclio decompose --workloads 2"),
    ),
    "explain": Page(
        ("--slo", "--rate", "--machines", "--stock", "--time-limit"), (), ("euclio explain session.json --slo 0.21",)
    ),
    "check-solver": Page(examples=("euclio check-solver harpagon --samples 2",)),
    "plan-day": Page(
        ("--load", "--load-unit", "--load-step", "--warm-up", "--keep-alive", "--out", "--plot"),
        (),
        (
            "euclio plan-day session.json --load load.csv --warm-up 300",
            "euclio plan-day session.json --load requests.csv --load-unit timestamps-iso --load-step 60",
        ),
    ),
    "generate": Page(examples=("euclio generate chain --count 3 --out instances",)),
    "import": Page(examples=(IMPORT,)),
    "import csv": Page(examples=(IMPORT,)),
    "prices": Page(
        ("--map", "--currency", "--region", "--spot", "--out"),
        (),
        (
            "euclio prices session.json vms.csv --map V100 --currency USD --per hour --out priced.json",
            "euclio prices session.json vms.csv --map P100=p100.big --accelerators p100.big=8 --currency EUR --per day",
        ),
    ),
    "profile": Page(
        ("--model", "--hardware", "--batch", "--concurrency", "--out"),
        (),
        ("euclio profile my_models.py:classifier --model classify --hardware this --out durations.csv",),
    ),
    "export": Page(("--to", "--out"), (), ("euclio export session.json result.json --to csv --out plan.csv",)),
    "diff": Page(examples=("euclio diff result.json other.json",)),
    "simulate": Page(
        ("--load", "--seconds", "--arrivals", "--highest-load", "--timeline"),
        (
            "--full-load",
            "--noise",
            "--seed",
            "--dispatch",
            "--time-out",
            "--no-dummies",
            "--hold",
            "--dropping",
            "--partial",
            "--clients",
            "--scheduler",
            "--phases",
            "--policy",
        ),
        (
            "euclio simulate session.json result.json --seconds 10",
            "euclio simulate session.json result.json --arrivals gamma --cv 3 --load 0.8",
        ),
    ),
    "run": Page(examples=("euclio run experiment.toml --slots 1",)),
    "status": Page(examples=("euclio status experiment.toml",)),
    "report": Page(examples=("euclio report experiment.toml",)),
    "reproduce": Page(
        ("--claims", "--workloads", "--jobs", "--out", "--full"),
        ("--accept", "--seed", "--certify", "--posterior", "--instances", "--write-workloads"),
        ("euclio reproduce piccolo --workloads 20 --out build/small", "euclio reproduce --claims"),
    ),
    "warm-up": Page(examples=("euclio warm-up exact --jobs 1",)),
    "cite": Page(examples=("euclio cite result.json", "euclio cite --solver harpagon")),
    "versions": Page(examples=("euclio versions",)),
    "bench-set": Page(examples=("euclio bench-set list --family session --class easy --table",)),
    "bench-set check": Page(examples=("euclio bench-set check --solve harpagon --class easy",)),
    "bench-set export": Page(examples=("euclio bench-set export set --family fragments --class easy",)),
    "completion": Page(examples=("euclio completion bash",)),
}
"""The pages by verb, or by verb and action."""


def help_text(parser: argparse.ArgumentParser, usual: Callable[[], str]) -> str:
    """The help of a parser.

    Args:
        parser: that of `euclio`, of a verb, or of an action of a verb.
        usual: makes the help as argparse has it.
    """
    page = PAGES.get(parser.prog.partition(" ")[2], Page())
    examples = "".join(f"  {example}\n" for example in page.examples)
    ending = f"\nexamples:\n{examples}" if examples else ""
    if any(isinstance(action, argparse._SubParsersAction) for action in parser._actions):
        return usual() + ending
    formatter = parser._get_formatter()
    formatter.add_usage(f"%(prog)s {' '.join(_usage(parser))}", [], [])
    formatter.add_text(parser.description)
    for title, said, actions in sections(parser, page):
        formatter.start_section(title)
        formatter.add_text(said)
        formatter.add_arguments(actions)
        formatter.end_section()
    more = f"\n{parser.epilog.rstrip()}\n" if parser.epilog else ""
    return formatter.format_help() + more + ending


def sections(
    parser: argparse.ArgumentParser, page: Page
) -> Iterator[tuple[str, str | None, Sequence[argparse.Action]]]:
    """Title, description and options of each section: arguments, what is asked for first, the rest, research."""
    by_flag = {flag: action for action in parser._actions for flag in action.option_strings}
    first = [by_flag[flag] for flag in page.first if flag in by_flag]
    last = [by_flag[flag] for flag in page.research if flag in by_flag]
    rest = []
    for group in parser._action_groups:
        actions = [one for one in group._group_actions if one not in first and one not in last]
        if actions:
            rest.append((str(group.title), group.description, actions))
    research = [one for one in rest if one[0].startswith(RESEARCH_GROUPS)]
    for title, said, actions in rest:
        if not actions[0].option_strings:
            yield title, said, actions
    if first:
        yield "most asked for", None, first
    for title, said, actions in rest:
        if actions[0].option_strings and (title, said, actions) not in research:
            yield title, said, actions
    if last:
        yield "research", None, last
    for title, said, actions in research:
        yield RESEARCH + title, said, actions


def _usage(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The words of the usage: what has to be given, and that there are options."""
    for action in parser._actions:
        name = str(action.metavar or action.dest)
        if action.choices is not None and action.metavar is None:
            name = "{" + ",".join(map(str, action.choices)) + "}"
        if action.required and action.option_strings:
            yield f"{action.option_strings[-1]} {name}"
        elif not action.option_strings:
            yield {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} [{name} ...]"}.get(str(action.nargs), name)
    yield "[options]"
