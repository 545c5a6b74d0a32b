import json
from pathlib import Path

import pytest
from tiny_clusters import tiny_cluster
from tiny_sessions import TEXT, tiny_session

from euclio import compare, solve
from euclio.cli import main
from euclio.core.errors import InapplicableError, InputError
from euclio.core.registry import Limits, find_solver
from euclio.problems.session import PlanSpace

EXAMPLE = '''"""Every module on the configuration that serves most per money, if its worst case is in time."""
from euclio.problems.session import Allocation, ModulePlan, Plan, Session


def first_fit(session: Session) -> Plan:
    plans = []
    for module in session.modules:
        best = max(module.profile, key=lambda c: c.throughput_rps / session.price[c.hardware])
        whole, rest = divmod(module.rate_rps, best.throughput_rps)
        plans.append(ModulePlan((Allocation(best, int(whole), rest),)))
    return Plan(tuple(plans))
'''
CLUSTERS = """from euclio.problems.pipeline import Cluster, PipelinePlan, PipelineSpace
from euclio.core.result import Answer

def nothing(cluster: Cluster, space=PipelineSpace(max_partitions=1), limits=None):
    return Answer(None, "gave up", reason=f"seed {limits.seed}")
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file of solvers into the current folder."""
    monkeypatch.chdir(tmp_path)

    def written(text: str, name: str = "mine.py") -> str:
        Path(name).write_text(text)
        return name

    return written


def refused(reference: str) -> str:
    with pytest.raises(InputError) as caught:
        find_solver(reference)
    return str(caught.value)


def test_ten_lines_make_a_solver(write):
    write(EXAMPLE)
    assert solve(tiny_session(2), "mine.py:first_fit").cost == pytest.approx(1.5)


def test_solver_is_named_as_it_was_asked_for(write):
    write(EXAMPLE)
    assert solve(tiny_session(2), "mine.py:first_fit").solver == "mine.py:first_fit"


@pytest.mark.parametrize(("function", "label"), [("solve", "mine"), ("first_fit", "mine:first_fit")])
def test_label_is_the_name_of_the_file_and_of_its_function(write, function, label):
    write(f"def {function}(session): return None")
    assert find_solver(f"mine.py:{function}").label == label


def test_path_is_relative_to_the_folder(write, tmp_path, monkeypatch):
    write(EXAMPLE)
    monkeypatch.chdir("/")
    assert find_solver("mine.py:first_fit", tmp_path).name == "mine.py:first_fit"


def test_same_file_gives_the_same_solver(write):
    write(EXAMPLE)
    assert find_solver("mine.py:first_fit") is find_solver("mine.py:first_fit")


def test_changed_file_gives_another_version(write):
    write(EXAMPLE)
    before = find_solver("mine.py:first_fit").version
    write(EXAMPLE.replace("max(", "min("))
    assert find_solver("mine.py:first_fit").version != before


def test_changed_file_is_read_again(write):
    write("def solve(session):\n    raise ValueError('old')\n")
    find_solver("mine.py:solve")
    write("def solve(session):\n    raise ValueError('new')\n")
    with pytest.raises(ValueError, match="new"):
        find_solver("mine.py:solve").run(tiny_session(), PlanSpace(), Limits())


def test_family_is_that_of_the_annotation(write):
    write(CLUSTERS)
    assert find_solver("mine.py:nothing").family == "pipeline"


def test_family_is_found_behind_type_checking(write):
    write(
        "from __future__ import annotations\nfrom typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from euclio.problems.pipeline import Cluster\n"
        "def solve(cluster: Cluster): return None\n"
    )
    assert find_solver("mine.py:solve").family == "pipeline"


def test_plan_space_is_the_default_of_its_parameter(write):
    write(CLUSTERS)
    assert find_solver("mine.py:nothing").space.max_partitions == 1


def test_limits_are_given_by_name(write):
    write(CLUSTERS)
    assert solve(tiny_cluster(), "mine.py:nothing", seed=7).reason == "seed 7"


def test_no_plan_is_unknown(write):
    write("def solve(session): return None\n")
    assert solve(tiny_session(), "mine.py:solve").status == "unknown"


def test_function_without_plan_space_plans_in_its_own_only(write):
    write(EXAMPLE)
    with pytest.raises(InapplicableError, match="first_fit takes no plan space"):
        find_solver("mine.py:first_fit").run(tiny_session(), PlanSpace("rr"), Limits())


def test_solver_object_is_taken_as_it_is(write):
    write(
        "from euclio.core.registry import Solver\nfrom euclio.core.result import Answer\n"
        "from euclio.problems.session import PlanSpace\n"
        "def run(session, space, limits): return Answer(None, 'none')\n"
        "SOLVER = Solver('greedy', 'heuristic', 'one line', run, PlanSpace('rr', 'none'))\n"
    )
    found = find_solver("mine.py:SOLVER")
    assert (found.name, found.label, found.space) == ("mine.py:SOLVER", "greedy", PlanSpace("rr", "none"))


def test_neighbouring_file_can_be_imported(write):
    write("def nothing(): return None\n", "neighbour_of_mine.py")
    write("from neighbour_of_mine import nothing\ndef solve(session): return nothing()\n")
    assert solve(tiny_session(), "mine.py:solve").status == "unknown"


def test_no_byte_code_is_left_behind(write, tmp_path):
    write(EXAMPLE)
    find_solver("mine.py:first_fit")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


def test_missing_file_is_named():
    assert refused("nowhere/mine.py:solve").startswith("nowhere/mine.py: cannot be read: No such file")


def test_missing_function_names_those_there_are(write):
    write(EXAMPLE)
    assert refused("mine.py:frist_fit") == "mine.py: has no function 'frist_fit'; it has: first_fit"


def test_file_without_function_names_those_there_are(write):
    write(EXAMPLE)
    assert refused("mine.py") == "mine.py: says no function; write mine.py:NAME with one of: first_fit"


def test_error_at_import_is_named_with_its_line(write):
    write("one = 1\nint('x')\n")
    found = refused("mine.py:solve")
    wrong = "ValueError: invalid literal for int() with base 10: 'x'"
    assert found == f"mine.py: raises {wrong} (line 2) when it is imported"


def test_syntax_error_is_named_with_its_line(write):
    write("def solve(session)\n    return None\n")
    assert refused("mine.py:solve") == "mine.py: is no valid Python: expected ':' in line 1"


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("", "takes no instance"),
        ("*, session", "takes no instance"),
        ("session, beam", "takes 'beam', for which euclio has no value"),
        ("session, *, beam", "takes 'beam', for which euclio has no value"),
        ("session: int", "takes 'session' as int; annotate it as Session or Cluster"),
    ],
)
def test_function_that_cannot_be_called_is_refused(write, signature, message):
    write(f"def solve({signature}): return None\n")
    assert message in refused("mine.py:solve")


def test_parameters_with_a_default_are_left_alone(write):
    write("def solve(session, beam=3, **more): return None if beam == 3 and not more else 1\n")
    assert solve(tiny_session(), "mine.py:solve").status == "unknown"


def test_answer_of_another_kind_is_refused(write):
    write("def solve(session): return {}\n")
    with pytest.raises(InputError, match="returned a dict; return a Plan, an Answer or None"):
        find_solver("mine.py:solve").run(tiny_session(), PlanSpace(), Limits())


def test_command_solves_with_it(write, capsys):
    write(EXAMPLE)
    Path("session.json").write_text(TEXT)
    code = main(["solve", "session.json", "--solver", "mine.py:first_fit", "--json"])
    assert (code, json.loads(capsys.readouterr().out)["solver"]) == (0, "mine.py:first_fit")


def test_command_refuses_a_bad_file_in_one_line(write, capsys):
    Path("session.json").write_text(TEXT)
    code = main(["solve", "session.json", "--solver", "mine.py:solve"])
    err = capsys.readouterr().err
    assert (code, err) == (2, "euclio: mine.py: cannot be read: No such file or directory; give FILE.py:function\n")


def test_exception_is_blamed_on_the_file(write, tmp_path, capsys):
    write("def solve(session):\n    return 1 / 0\n")
    Path("session.json").write_text(TEXT)
    code = main(["solve", "session.json", "--solver", "mine.py:solve"])
    message = f"euclio: {tmp_path}/mine.py: raises ZeroDivisionError: division by zero (line 2) (set EUCLIO_TRACEBACK=1"
    assert (code, capsys.readouterr().err.startswith(message)) == (1, True)


def test_comparison_takes_it(write):
    write(EXAMPLE)
    found = compare(tiny_session(2), ["mine.py:first_fit"], 5)
    assert [row.solver.label for row in found.rows] == ["mine:first_fit"]
