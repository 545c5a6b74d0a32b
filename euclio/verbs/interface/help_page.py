"""The content of each verb's help: the options that a planner asks for first, those of research last, and examples.

An option that is named nowhere here stands between these, in the group that its verb has it in.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence

from euclio.verbs.interface.command import Command

RESEARCH_GROUPS = ("plan space of", "solver libraries")
"""Groups of options, by how their titles begin, that stand last."""
RESEARCH = "research: "


def help_text(parser: argparse.ArgumentParser, usual: Callable[[], str]) -> str:
    """The help of a parser.

    Args:
        parser: that of `euclio`, of a verb, or of an action of a verb.
        usual: makes the help as argparse has it.
    """
    command: Command | None = parser.get_default("command_of")
    examples = "".join(f"  {example}\n" for example in examples_of(parser))
    ending = f"\nexamples:\n{examples}" if examples else ""
    if any(isinstance(action, argparse._SubParsersAction) for action in parser._actions):
        return usual() + ending
    formatter = parser._get_formatter()
    formatter.add_usage(f"%(prog)s {' '.join(_usage(parser))}", [], [])
    formatter.add_text(parser.description)
    for title, said, actions in sections(parser, command):
        formatter.start_section(title)
        formatter.add_text(said)
        formatter.add_arguments(actions)
        formatter.end_section()
    codes = "" if command is None or not command.exits else f"\nexit codes of its own: {command.exits}\n"
    more = codes + (f"\n{parser.epilog.rstrip()}\n" if parser.epilog else "")
    return formatter.format_help() + more + ending


def examples_of(parser: argparse.ArgumentParser) -> list[str]:
    """The examples of a verb, or of its actions."""
    command: Command | None = parser.get_default("command_of")
    if command is not None:
        return list(command.examples)
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return [example for action in below for own in action.choices.values() for example in examples_of(own)]


def sections(
    parser: argparse.ArgumentParser, command: Command | None
) -> Iterator[tuple[str, str | None, Sequence[argparse.Action]]]:
    """Title, description and options of each section: arguments, what is asked for first, the rest, research."""
    by_flag = {flag: action for action in parser._actions for flag in action.option_strings}
    first = [by_flag[flag] for flag in (command.first if command else ()) if flag in by_flag]
    last = [by_flag[flag] for flag in (command.research if command else ()) if flag in by_flag]
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
