"""The folder of an evaluator: written for a framework, and opened again by the files in it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

from euclio.core.errors import InputError, reason_of
from euclio.core.folders import made_folder
from euclio.core.system import read_bytes
from euclio.core.versions import provenance
from euclio.files.boundary import at, validated, without_schema
from euclio.files.dataclass_files import file_model, made, plain_data
from euclio.files.json_reading import read_json
from euclio.files.json_writing import json_text, write_text
from euclio.scoring.problems import Problem, find_problem, stored
from euclio.scoring.running import START_S, WALL, Limit
from euclio.scoring.scores import Case, Score, drawn, named, score

SCHEMA = "euclio/evaluator/1"
FILE = "evaluator.json"
INSTANCES = 40
"""Instances of an evaluator: half of them to train on, half held out."""
CALL_S = 5
"""Seconds of processor time for a call."""
FIRST, FIRST_S = 10, 1
"""Instances of the first stage, and seconds of processor time for each."""


@dataclass(frozen=True, slots=True)
class Framework:
    """The layout of a folder.

    Attributes:
        files: files of `data/evaluator/folders/` besides `evaluate.py` and the instruction, by their place.
        given: folder of the programs and of the training instances.
        scorer: folder of `evaluate.py` and of `evaluator.json`.
        result_module: module that has the framework's class of results.
    """

    files: tuple[tuple[str, str], ...] = ()
    given: str = ""
    scorer: str = ""
    result_module: str = ""


_EVOLVING = (("evaluator.py", "evolving/evaluator.txt"), ("config.yaml", "evolving/config.yaml"))
_TASK = tuple((name, f"harbor/{name}") for name in ("task.toml", "environment/Dockerfile", "tests/test.sh"))
FRAMEWORKS = {
    "openevolve": Framework(_EVOLVING, result_module="openevolve.evaluation_result"),
    "skydiscover": Framework(_EVOLVING, result_module="skydiscover.evaluation.evaluation_result"),
    "harbor": Framework(_TASK, "environment/", "tests/"),
    "plain": Framework(),
}


MOST_S = 86_400
"""Longest processor time of a call, in seconds."""


@dataclass(frozen=True, slots=True)
class Record:
    """The content of `evaluator.json`: instances are named by hash alone, and euclio finds and proves them again.

    Attributes:
        problem: name of the problem.
        seconds: processor time of a call.
        train: hashes of the instances to train on.
        test: hashes of the held-out instances.
    """

    problem: str
    seconds: int
    train: tuple[str, ...]
    test: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 1 <= self.seconds <= MOST_S:
            raise InputError(f"is {self.seconds}; give 1 to {MOST_S} seconds", field="seconds")
        for name, instances in (("train", self.train), ("test", self.test)):
            if not instances:
                raise InputError("has no instance; write the folder again", field=name)
            if len(set(instances)) < len(instances):
                raise InputError("names an instance twice; write the folder again", field=name)


@dataclass(frozen=True, slots=True)
class Evaluator:
    """A folder that scores programs.

    Attributes:
        folder: the folder.
        record: its instances and limits.
    """

    folder: Path
    record: Record

    @property
    def problem(self) -> Problem:
        """The problem."""
        return find_problem(self.record.problem)

    def cases(self, *, test: bool = False) -> tuple[Case, ...]:
        """The instances to train on, or the held-out ones, each with the initial program's value and the optimum."""
        return _cases(self.record.problem, self.record.test if test else self.record.train)

    def score(self, program: str | Path, *, test: bool = False) -> Score:
        """The score of a program.

        Args:
            program: path of a file that defines `solve(instance)`.
            test: on the held-out instances instead of those to train on.

        Raises:
            InputError: the file cannot be read, euclio lacks an instance, or this system cannot confine programs.
            RefutedError: a plan is better than a proven optimum.
        """
        text = _text(program)
        return score(self.problem, self.cases(test=test), text, Limit(self.record.seconds))

    def first(self, program: str | Path) -> Score:
        """The first stage: the score on `FIRST` instances to train on, with `FIRST_S` seconds for each."""
        text = _text(program)
        return score(self.problem, self.cases()[:FIRST], text, Limit(FIRST_S))


@cache
def _cases(problem: str, names: tuple[str, ...]) -> tuple[Case, ...]:
    """The instances with these hashes, kept for the next program."""
    return named(find_problem(problem), names)


def _text(program: str | Path) -> str:
    """The text of a program; bytes that are no text are its author's fault, so they fail when it runs."""
    try:
        return read_bytes(Path(program)).decode(errors="replace")
    except (OSError, ValueError) as error:
        reason = reason_of(error)
        raise InputError(f"cannot be read: {reason.lower()}; give a Python file", file=str(program)) from None


def opened(folder: Path) -> Evaluator:
    """The evaluator of a folder.

    Raises:
        InputError: naming the file, the field and the remedy.
    """
    path = folder / FILE
    model = validated(file_model(Record), without_schema(read_json(path), SCHEMA, str(path)), str(path))
    with at("", str(path)):
        record: Record = made(Record, model)
        find_problem(record.problem)
    return Evaluator(folder, record)


def write(problem: Problem, framework: str, folder: Path, count: int, seed: int, seconds: int) -> Evaluator:
    """Draw instances and write the folder; equal arguments write equal bytes.

    Args:
        problem: the problem.
        framework: a name of `FRAMEWORKS`.
        folder: a new or empty folder.
        count: most instances; half of them, rounded up, are to train on.
        seed: seed of the choice of instances.
        seconds: processor time of a call.

    Raises:
        InputError: the folder has files or cannot be written to, or this system cannot confine programs.
    """
    made_folder(folder)
    if any(folder.iterdir()):
        raise InputError("has files already; give a new or an empty folder", file=str(folder))
    layout = FRAMEWORKS[framework]
    cases = drawn(problem, count, seed)
    train, test = cases[: -(-len(cases) // 2)], cases[-(-len(cases) // 2) :]
    record = Record(problem.name, seconds, *(tuple(case.source.name for case in part) for part in (train, test)))
    values = {
        "problem": problem.name,
        "summary": problem.summary,
        "seconds": str(seconds),
        "version": str(provenance()["packages"]["euclio"]),
        "result_module": layout.result_module,
        # Each call may wait, and the first use runs the seed program too.
        "timeout": str(round(60 + 2 * len(train) * (START_S + WALL * seconds))),
    }
    templates = {f"{layout.scorer}evaluate.py": "evaluate.py", "instruction.md": "instruction.md", **dict(layout.files)}
    files = {place: Template(stored("folders", own).read_text(encoding="utf-8")) for place, own in templates.items()}
    texts = {place: template.substitute(values) for place, template in files.items()}
    names = ("initial_program.py", *problem.programs[1:])
    texts |= {layout.given + name: problem.program(own) for name, own in zip(names, problem.programs, strict=True)}
    texts |= {f"{layout.given}train/{case.source.name}.json": f"{json_text(_shown(case))}\n" for case in train}
    texts[layout.scorer + FILE] = json_text({"schema": SCHEMA, **plain_data(record)}) + "\n"
    for place, text in texts.items():
        made_folder((folder / place).parent)
        write_text(text, folder / place)
    return Evaluator(folder / layout.scorer, record)


def _shown(case: Case) -> dict[str, object]:
    """An instance to train on, with what there is to gain."""
    return {"instance": case.source.data, "initial_value": case.seed, "optimum": case.optimum}


def main(folder: Path, words: Sequence[str] | None = None) -> int:
    """The program `evaluate.py`: print the score of a program as JSON (schema `euclio/score/1`).

    Args:
        folder: folder of `evaluator.json`.
        words: the arguments; None means those of the command line.

    Returns:
        The exit code 0.

    Raises:
        InputError: a file or the program cannot be read.
        RefutedError: a plan is better than proven.
    """
    parser = argparse.ArgumentParser(prog="evaluate.py", description="Score a program that defines solve(instance).")
    parser.add_argument("program", help="Python file")
    parser.add_argument("--test", action="store_true", help="score on the held-out instances")
    given = parser.parse_args(words)
    print(json_text(opened(folder).score(given.program, test=given.test).data()))
    return 0
