"""The changes between two plans of sessions, configuration by configuration (`euclio diff`; ours)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.errors import InputError
from euclio.core.family import Difference
from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.lazy import late_value
from euclio.core.showing import Framed
from euclio.core.words import amount, counted, percent
from euclio.files.boundary import at
from euclio.files.json_writing import json_text
from euclio.files.unbound_results import UnboundResult
from euclio.problems.session.files.plans import plan_without_instance
from euclio.problems.session.machine_limits import (
    SHARED,
    MachineChanges,
    NamedPlan,
    Setting,
    machine_changes,
    machine_counts,
    machines_by_setting,
)

MOST_ROWS = 1000
"""Rows that a table shows at most."""


class Reset(NamedTuple):
    """Machines that change only their batch or concurrency."""

    module: str
    hardware: str
    before: Setting
    after: Setting
    machines: int


class Shift(NamedTuple):
    """Machines of one setting that are added (positive) or removed (negative)."""

    module: str
    hardware: str
    setting: Setting
    machines: int


@dataclass(frozen=True, slots=True)
class Move:
    """Machines that are removed in one place and added in another with the same module or hardware type."""

    machines: int
    from_module: str
    from_hardware: str
    to_module: str
    to_hardware: str


@dataclass(frozen=True, slots=True, repr=False)
class PlanDifference(Framed):
    """All that changes between two plans.

    Attributes:
        before: the first plan.
        after: the second one.
        changes: machines added and removed.
        resets: machines that change only their batch or concurrency.
        shifts: machines added and removed, by setting.
        moves: those added and removed that can be read as machines that move; each of them is still two changes.
    """

    _view = late_value("euclio.questions.views", "DIFFERENCE")

    before: NamedPlan
    after: NamedPlan
    changes: MachineChanges
    resets: tuple[Reset, ...]
    shifts: tuple[Shift, ...]
    moves: tuple[Move, ...]


def plan_difference(before: NamedPlan, after: NamedPlan) -> PlanDifference:
    """The changes between two plans.

    Among the machines of one module and hardware type, those with the same setting stay. As many others as possible
    change their setting, in the order in which the plans list them. The rest are added or removed.
    """
    old, new = machines_by_setting(before), machines_by_setting(after)
    resets: list[Reset] = []
    shifts: list[Shift] = []
    for place in dict.fromkeys((*old, *new)):
        gone, come = old.get(place, Counter()), new.get(place, Counter())
        removed, added = gone - come, come - gone
        resets += [Reset(*place, one, other, machines) for one, other, machines in _pairs(removed, added)]
        shifts += [Shift(*place, setting, -machines) for setting, machines in removed.items() if machines]
        shifts += [Shift(*place, setting, machines) for setting, machines in added.items() if machines]
    changes = machine_changes(before, after)
    return PlanDifference(before, after, changes, tuple(resets), tuple(shifts), tuple(_moves(changes)))


def _pairs(removed: Counter[Setting], added: Counter[Setting]) -> Iterator[tuple[Setting, Setting, int]]:
    """Pair machines off in order; those left over in one of the two counters have no counterpart."""
    for one in removed:
        for other in added:
            machines = min(removed[one], added[other])
            if machines:
                removed[one] -= machines
                added[other] -= machines
                yield one, other, machines


def _moves(changes: MachineChanges) -> Iterator[Move]:
    """Pairs of removed and added machines: first of one hardware type between modules, then of one module."""
    removed, added = dict(changes.removed), dict(changes.added)
    for kept in (1, 0):  # index of the part that stays the same in (module, hardware)
        for gone in removed:
            for come in added:
                machines = min(removed[gone], added[come])
                if gone[kept] == come[kept] and machines:
                    removed[gone] -= machines
                    added[come] -= machines
                    yield Move(machines, *gone, *come)


def difference(before: Any, after: Any) -> Difference:
    """The changes between the plans of two result files, for people and as plain data.

    Args:
        before: the first plan as it stands in its file (`PlanFiles.plan`).
        after: the second one.

    Raises:
        InputError: naming the field; the text is no plan.
    """
    found = plan_difference(plan_without_instance(before), plan_without_instance(after))
    return Difference(difference_text(found), _data(found))


CHANGE_COLUMNS = (
    Label("module"),
    Label("hardware", spare=3),
    Column("batch", spare=2),
    Column("conc.", spare=1),
    Column("before"),
    Column("after"),
    Label("change"),
)
HARDWARE_COLUMNS = (
    Label("hardware"),
    *map(Column, ("before", "after", "added", "removed")),
    Column("changes", spare=1),
)


def difference_text(found: PlanDifference) -> RenderableType:
    """The number of changes, a row per configuration that changes, hardware by type, and moves in words."""
    rows = list(_rows(found))
    parts: list[RenderableType] = [Text(difference_headline(found))]
    if rows:
        parts += [Text(""), table_of(rows[:MOST_ROWS], CHANGE_COLUMNS)]
        if len(rows) > MOST_ROWS:
            parts.append(Text(f"... and {len(rows) - MOST_ROWS} more rows, which --json prints too"))
    parts += [Text(""), table_of(hardware_rows(found), HARDWARE_COLUMNS)]
    if found.moves:
        parts += [Text(""), Text("\n".join(_move_words(move) for move in found.moves))]
    return Group(*parts)


def difference_headline(found: PlanDifference) -> str:
    """How many machines change, in one line."""
    added, removed = sum(found.changes.added.values()), sum(found.changes.removed.values())
    reset = sum(one.machines for one in found.resets)
    return (
        f"{counted(found.changes.total, 'machine change')}: {added} added, {removed} removed; "
        f"{counted(reset, 'machine changes', 'machines change')} batch or concurrency only"
    )


def _rows(found: PlanDifference) -> Iterator[list[str]]:
    """A row per module and configuration whose machines or load change, module by module."""
    words = _change_words(found)
    before, after = _cells(found.before), _cells(found.after)
    keys = dict.fromkeys((*before, *after))
    order = {module: k for k, module in enumerate(dict.fromkeys(module for module, *_ in keys))}
    for key in sorted(keys, key=lambda key: order[key[0]]):
        old, new = before.get(key, "0"), after.get(key, "0")
        if old == new and key not in words:
            continue
        module, hardware, setting = key
        sizes = ("shared", "") if setting == SHARED else map(str, setting)
        yield [module, hardware, *sizes, old, new, ", ".join(words.get(key, ["load"]))]


def _cells(plan: NamedPlan) -> dict[tuple[str, str, Setting], str]:
    """Machines by module and configuration: whole ones + the share of a partial one, as in `2 + 0.500`."""
    sharing = {name for group in plan.shared for name in group}
    found: dict[tuple[str, str, Setting], str] = {}
    for name, own in plan.modules.items():
        for allocation in own.allocations:
            c = allocation.configuration
            text = str(allocation.machines)
            if allocation.partial_rps > 0 and name not in sharing:
                text += f" + {float(allocation.partial_rps / c.throughput_rps):.3f}"
            if text != "0":
                found[name, c.hardware, Setting(c.batch, c.concurrency)] = text
    for (name, hardware), settings in machines_by_setting(plan).items():
        if settings[SHARED]:
            found[name, hardware, SHARED] = str(settings[SHARED])
    return found


def _change_words(found: PlanDifference) -> dict[tuple[str, str, Setting], list[str]]:
    """The changes of the machines of a module and configuration, in a few words each."""
    words: dict[tuple[str, str, Setting], list[str]] = {}
    for module, hardware, setting, machines in found.shifts:
        what = f"{machines} added" if machines > 0 else f"{-machines} removed"
        words.setdefault((module, hardware, setting), []).append(what)
    for module, hardware, old, new, machines in found.resets:
        words.setdefault((module, hardware, old), []).append(f"{machines} to {_setting_words(new)}")
        words.setdefault((module, hardware, new), []).append(f"{machines} from {_setting_words(old)}")
    return words


def _setting_words(setting: Setting) -> str:
    return f"batch {setting.batch} x {setting.concurrency}"


def hardware_rows(found: PlanDifference) -> list[dict[str, Any]]:
    """Machines by hardware type before and after, and how many are added and removed."""
    before, after = (_by_type(machine_counts(plan)) for plan in (found.before, found.after))
    added, removed = _by_type(found.changes.added), _by_type(found.changes.removed)
    return [
        {
            "hardware": name,
            "before": before[name],
            "after": after[name],
            "added": added[name],
            "removed": removed[name],
            "changes": added[name] + removed[name],
        }
        for name in dict.fromkeys((*before, *after))
    ]


def _by_type(machines: dict[tuple[str, str], int]) -> Counter[str]:
    found: Counter[str] = Counter()
    for (_, hardware), count in machines.items():
        found[hardware] += count
    return found


def _move_words(move: Move) -> str:
    verb = "moves" if move.machines == 1 else "move"
    if move.from_hardware == move.to_hardware:
        return f"{move.machines} {move.from_hardware} {verb} from {move.from_module} to {move.to_module}"
    machines = counted(move.machines, "machine")
    return f"{machines} of {move.from_module} {verb} from {move.from_hardware} to {move.to_hardware}"


def _data(found: PlanDifference) -> dict[str, Any]:
    return {
        "changes": found.changes.total,
        "added": sum(found.changes.added.values()),
        "removed": sum(found.changes.removed.values()),
        "hardware": hardware_rows(found),
        "machines": [_shift_data(shift) for shift in found.shifts],
        "reset": [_reset_data(reset) for reset in found.resets],
        "moves": [asdict(move) for move in found.moves],
        "load": list(_loads(found)),
    }


def _shift_data(shift: Shift) -> dict[str, Any]:
    what = "added" if shift.machines > 0 else "removed"
    return {"module": shift.module, "hardware": shift.hardware, **shift.setting._asdict(), what: abs(shift.machines)}


def _reset_data(reset: Reset) -> dict[str, Any]:
    return {
        "module": reset.module,
        "hardware": reset.hardware,
        "machines": reset.machines,
        "before": reset.before._asdict(),
        "after": reset.after._asdict(),
    }


def _loads(found: PlanDifference) -> Iterable[dict[str, Any]]:
    """Machines by module and configuration as the plans charge them by share, where they differ."""
    before, after = _shares(found.before), _shares(found.after)
    for key in dict.fromkeys((*before, *after)):
        old, new = before.get(key, Fraction(0)), after.get(key, Fraction(0))
        if old != new:
            module, hardware, setting = key
            yield {"module": module, "hardware": hardware, **setting._asdict(), "before": old, "after": new}


def _shares(plan: NamedPlan) -> dict[tuple[str, str, Setting], Fraction]:
    return {
        (name, c.hardware, Setting(c.batch, c.concurrency)): a.machines + a.partial_rps / c.throughput_rps
        for name, own in plan.modules.items()
        for a in own.allocations
        for c in [a.configuration]
    }


SCHEMA = "euclio/difference/1"


def compare_plans(before: UnboundResult, after: UnboundResult) -> Difference:
    """The changes from the plan of one result to that of another, both as they are written.

    Args:
        before: a result with a plan.
        after: another one.

    Raises:
        InputError: they are of two families or objectives, or a plan is invalid.
    """
    _check_alike(before, after)
    compare = before.family.difference
    if compare is None:
        found = _parts(before, after)
    else:
        with at("", f"{before.file} or {after.file}"):
            found = compare(before.plan, after.plan)
    return Difference(Group(Text(_header(before, after)), found.text), _plans_data(before, after) | found.data)


def _check_alike(before: UnboundResult, after: UnboundResult) -> None:
    if before.family is not after.family:
        kinds = f"is of {after.family.instances}, and {before.file} of {before.family.instances}"
        raise InputError(f"{kinds}; give two results of one family", file=after.file)
    if before.goal.name != after.goal.name:
        goals = f"is for {after.goal.name}, and {before.file} for {before.goal.name}"
        raise InputError(f"{goals}; give two results of one objective", file=after.file)


def _header(before: UnboundResult, after: UnboundResult) -> str:
    lines = [f"before: {_described(before)}", f"after:  {_described(after)}"]
    if before.value is not None and after.value is not None:
        change = after.value - before.value
        share = f", {_signed(percent(float(change / before.value)), change)}" if before.value else ""
        lines.append(
            f"{before.goal.name} {amount(before.value)} -> {amount(after.value)} {before.goal.unit} "
            f"({_signed(amount(change), change)}{share})"
        )
    return "\n".join(lines + _planned(before, after))


def _planned(before: UnboundResult, after: UnboundResult) -> list[str]:
    """The line on what the two plans were made for, if both results state it and they differ."""
    if before.family.simulator is None or not (before.planned_for and after.planned_for):
        return []
    words = before.family.simulator().planned_words
    told = []
    for result in (before, after):
        with at("", result.file):
            told.append(words(result.planned_for))
    return [] if told[0] == told[1] else [f"planned for: {told[0]} -> {told[1]}"]


def _described(result: UnboundResult) -> str:
    changes = f" with {result.changes}" if result.changes else ""
    return f"{result.file}: {result.instance}{changes}, {result.solver}, {result.status}"


def _signed(text: str, value: Fraction) -> str:
    return f"+{text}" if value > 0 else text


def _plans_data(before: UnboundResult, after: UnboundResult) -> dict[str, Any]:
    change = None if before.value is None or after.value is None else after.value - before.value
    return {
        "schema": SCHEMA,
        "before": _result_data(before),
        "after": _result_data(after),
        f"change_{before.goal.value_field}": change,
    }


def _result_data(result: UnboundResult) -> dict[str, Any]:
    return {
        "file": result.file,
        "instance": result.instance,
        "instance_changes": result.changes,
        "solver": result.solver,
        "status": result.status,
        result.goal.value_field: result.value,
        **({"planned_for": _plain(result.planned_for)} if result.planned_for else {}),
    }


def _parts(before: UnboundResult, after: UnboundResult) -> Difference:
    """The parts of two plans that only one of them has: entries of their lists, and other fields."""
    old, new = _written_parts(before), _written_parts(after)
    removed, added = list((old - new).elements()), list((new - old).elements())
    head = f"{counted(len(removed), 'part')} of the first plan only (-), {len(added)} of the second only (+)"
    lines = [*(f"- {part}" for part in removed), *(f"+ {part}" for part in added)]
    text = Text("\n".join([head, *([""] if lines else []), *lines]), no_wrap=True, overflow="ignore")
    return Difference(text, {"removed": removed, "added": added})


def _written_parts(result: UnboundResult) -> Counter[str]:
    """The entries of a plan's lists, and its other fields, as text."""
    found: Counter[str] = Counter()
    for name, value in result.parts.items():
        entries = value if isinstance(value, list) else [value]
        found.update(f"{name}: {_one_line(entry)}" for entry in entries)
    return found


def _one_line(value: Any) -> str:
    return " ".join(json_text(_plain(value)).split())


def _plain(value: Any) -> Any:
    """Parsed JSON with numbers as fractions, so that equal numbers are written alike."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return value if isinstance(value, str | bool | int | None) else Fraction(value)
