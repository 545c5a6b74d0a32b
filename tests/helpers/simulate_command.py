"""`euclio simulate` as users call it, and the files that it reads."""

from euclio.cli import main
from euclio.core.registry import Solver
from euclio.core.result import Answer
from euclio.core.solving import solve
from euclio.files import save_result


def saved_results(folder, instance, family, space, plans):
    """Paths of results of an instance, one with each plan; None: a result without a plan."""
    paths = []
    for k, plan in enumerate(plans):
        answer = Answer(plan, raw_status="typed in")
        solver = Solver("typed", "heuristic", "", lambda *_, a=answer: a, family=family, space=space)
        paths.append(str(folder / f"result-{k}.json"))
        save_result(solve(instance, solver), instance, paths[-1])
    return paths


def call(capsys, *arguments):
    """Exit code, output and messages of one call."""
    code = main(["simulate", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def drawn_twice(capsys, files, folder):
    """The timelines that two calls draw, as text."""
    pictures = [folder / "one.svg", folder / "two.svg"]
    for picture in pictures:
        call(capsys, *files[:2], "--seconds", 1, "--timeline", picture)
    return [picture.read_text() for picture in pictures]
