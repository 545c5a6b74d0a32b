"""Without engines all works but the solvers that need one, and these say what is missing: newer Pythons lack some."""

import json
import re
import sys

import pytest
from hidden_engines import ALL, command_without, run_without
from tiny_sessions import TEXT

from euclio.core import engine_packages
from euclio.core.engine_packages import MissingEngineError, lacking_text, missing_packages, refuse_missing
from euclio.core.registry import solvers
from euclio.core.solving import solve
from euclio.problems.session.files.instances import session_from_text

# Not in the quick tier: a Python without engines, in a process of its own.
pytestmark = pytest.mark.slow

NEEDS = {
    "cpsat": "ortools",
    "cpsat-split": "ortools",
    "columns": "highspy",
    "fragment-columns": "highspy",
    "milp": "highspy and pulp",
    "milp-split": "highspy and pulp",
    "ppipe": "highspy and pulp",
    "ppipe-cpsat": "ortools",
    "ppipe-literal": "highspy and pulp",
    "scrooge-milp": "highspy and pulp",
    "set-partition": "highspy",
    "set-partition-cpsat": "ortools",
}

NOTEBOOK = """
import sys
from euclio import certify, compare, decompose, evaluate, explain, load, solve
from euclio.core.engine_packages import MissingEngineError
from euclio.core.registry import solvers_of
from euclio.problems.session.rules import Charging

session = load("session.json")
best = solve(session)
assert best.status == "optimal", best
assert solve(session, "plan-bruteforce").cost == best.cost
assert solve(session, charging=Charging.WHOLE).status == "optimal"
assert certify(session, best).verdict == "certified"
assert evaluate(session, best.plan).feasible
assert explain(session).status == "feasible", explain(session)
without = set(sys.argv[1].split(","))
for solver in solvers_of("session"):
    if solver.kind != "exact":
        try:
            found = solve(session, solver)
        except MissingEngineError:
            assert solver.name in without, solver.name
        else:
            assert found.status != "error", found
table = compare(session, systems="papers")
rows = {row.solver.name: row.result for row in table.rows}
assert table.optimum == best.cost
assert rows["scrooge-milp"].status == "inapplicable" and "missing" in rows["scrooge-milp"].reason
assert rows["harpagon"].plan is not None
gaps = decompose(session, ["harpagon", "milp"]).set_index("solver").status
assert gaps["milp"] == "inapplicable" and gaps["harpagon"] != "inapplicable"
print("done", [name for name in ("highspy", "ortools", "pulp") if sys.modules.get(name)])
"""

OTHER_FAMILIES = """
from euclio import certify, compare, solve
from euclio.core.engine_packages import MissingEngineError
from euclio.core.registry import solvers_of
from euclio.workloads.pipeline.small_clusters import small_cluster
from tiny_fleets import tiny_fleet

for instance, family, default, names in (
    (small_cluster(3), "pipeline", "columns", ("no-partitioning", "dart-r")),
    (tiny_fleet(), "fragments", "fragment-columns", ("graft", "gslice+", "regroup")),
):
    for name in names:
        assert solve(instance, name).plan is not None
    best = next(solve(instance, s) for s in solvers_of(family) if s.kind == "brute force")
    assert best.status == "optimal"
    assert certify(instance, best).verdict == "certified"
    try:
        solve(instance)
    except MissingEngineError as error:
        assert default in str(error)
    else:
        raise AssertionError("there is no engine")
    table = compare(instance, names)
    assert table.best.status == "inapplicable"
print("done")
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "session.json").write_text(TEXT)
    return tmp_path


def hide(monkeypatch, *names):
    monkeypatch.setattr(engine_packages, "is_installed", lambda package: package not in names)


def test_what_a_solver_needs_is_written_down(monkeypatch):
    """Every solver that imports an engine says so: else it would fail where the engine is missing."""
    hide(monkeypatch, *ALL)
    lacking = {s.name: " and ".join(missing_packages(s)) for s in solvers().values() if ":" not in s.name}
    assert {name: words for name, words in lacking.items() if words} == NEEDS


def test_all_engines_of_the_lock_are_here():
    if sys.version_info >= (3, 15):
        pytest.skip("highspy and ortools are not there for this Python")
    assert [name for name, solver in solvers().items() if lacking_text(solver)] == []


def test_an_engine_that_is_chosen_needs_its_own_package(monkeypatch):
    hide(monkeypatch, "highspy")
    milp = solvers()["milp"]
    assert (missing_packages(milp), missing_packages(milp, "cbc")) == (("highspy",), ())
    assert lacking_text(milp) == "missing engine: highspy; runs on --engine cbc"
    assert solve(session_from_text(TEXT), "milp", engine="cbc").status == "optimal"


@pytest.mark.parametrize("engine", ["highs-program", "scip", "gurobi"])
def test_an_engine_that_is_no_part_of_an_installation_is_asked_for_in_one_line(monkeypatch, engine):
    """Whoever reads of SCIP in the help has not got its package; a solver that runs on others is not to be dropped."""
    package = engine_packages.PACKAGE_OF_ENGINE[engine]
    hide(monkeypatch, package)
    said = rf"^--solver: solver 'milp' needs {package}, which is missing; .*`--engine highs`, or `--solver exact`$"
    with pytest.raises(MissingEngineError, match=said):
        refuse_missing(solvers()["milp"], engine)


def test_a_refusal_names_solver_package_and_what_to_do(monkeypatch):
    hide(monkeypatch, "ortools")
    with pytest.raises(MissingEngineError) as caught:
        refuse_missing(solvers()["cpsat"])
    text = str(caught.value)
    assert text.startswith("--solver: solver 'cpsat' needs ortools, which is missing; ")
    assert "`--solver exact`" in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("minor", "remedy"),
    [(14, "`pip install 'ortools==9.15.6755'`"), (15, "take Python 3.14, as ortools is not there for 3.15 yet")],
)
def test_the_remedy_knows_which_python_has_the_package(monkeypatch, minor, remedy):
    hide(monkeypatch, "ortools")
    monkeypatch.setattr(engine_packages, "requires", lambda name: ["ortools==9.15.6755; python_version < '3.15'"])
    monkeypatch.setattr(engine_packages, "_here", lambda: minor)
    with pytest.raises(MissingEngineError, match=re.escape(remedy)):
        refuse_missing(solvers()["cpsat"])


def test_where_no_exact_solver_is_left_the_list_of_solvers_helps(monkeypatch):
    hide(monkeypatch, *ALL)
    with pytest.raises(MissingEngineError, match=r"or take one that `euclio solvers` lists without that$"):
        refuse_missing(solvers()["fragment-columns"])


def test_packages_are_installed_by_one_command(monkeypatch):
    hide(monkeypatch, "highspy", "pulp")
    monkeypatch.setattr(engine_packages, "requires", lambda name: ["pulp<3.4,>=3.3", "highspy==1.13.1"])
    with pytest.raises(MissingEngineError, match=r"`pip install 'highspy==1.13.1' 'pulp<3.4,>=3.3'`"):
        refuse_missing(solvers()["milp"])


def test_a_starting_plan_of_a_missing_engine_is_refused(monkeypatch):
    hide(monkeypatch, "ortools")
    with pytest.raises(MissingEngineError, match="'cpsat' needs ortools"):
        solve(session_from_text(TEXT), "milp", warm_start="cpsat")


@pytest.mark.slow
def test_a_notebook_on_sessions_needs_no_engine(folder):
    done = run_without(ALL, folder, NOTEBOOK, ",".join(NEEDS))
    # What takes over two seconds says so, which is up to the machine.
    said = [line for line in done.stderr.splitlines() if not line.endswith("…")]
    assert (done.stdout, said) == ("done []\n", [])


@pytest.mark.slow
def test_clusters_and_fleets_are_planned_compared_and_certified_without_engines(folder):
    done = run_without(ALL, folder, OTHER_FAMILIES)
    assert done.stdout == "done\n", done.stderr


def test_importing_and_listing_need_no_engine(folder):
    done = command_without(ALL, folder, "solvers")
    assert done.returncode == 0, done.stderr
    assert re.sub(r"\s+", " ", done.stdout).count("[missing engine:") == len(NEEDS)


@pytest.mark.parametrize("solver", ["cpsat", "milp", "scrooge-milp"])
def test_a_command_that_needs_a_missing_engine_is_bad_input_in_one_line(folder, solver):
    done = command_without(ALL, folder, "solve", "session.json", "--solver", solver)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"solver '{solver}' needs " in done.stderr


VERBS = [
    ("solve", "session.json", "--out", "result.json"),
    ("verify", "session.json", "result.json"),
    ("certify", "session.json", "result.json"),
    ("simulate", "session.json", "result.json"),
    ("what-if", "session.json", "--rate", "5,10"),
    ("changes", "session.json", "--from", "result.json"),
    ("curve", "session.json"),
    ("compare", "session.json"),
    ("decompose", "session.json", "--solvers", "harpagon,milp"),
    ("explain", "session.json"),
    ("export", "session.json", "result.json", "--to", "csv", "--out", "plan.csv"),
]


@pytest.mark.slow
def test_every_verb_on_a_session_works_without_engines(folder):
    codes = {verb[0]: command_without(ALL, folder, *verb).returncode for verb in VERBS}
    assert codes == dict.fromkeys(codes, 0)


@pytest.mark.slow
def test_runs_of_a_missing_engine_say_so_and_the_batch_goes_on(folder):
    (folder / "race.toml").write_text(
        'schema = "euclio/experiment/1"\nname = "race"\ninstances = [{files = ["session.json"]}]\n'
        'solvers = [{name = "harpagon"}, {name = "cpsat"}]\n'
    )
    done = command_without(["ortools"], folder, "run", "race.toml", "--slots", "1")
    assert done.returncode == 0, done.stderr
    code = (
        "import euclio, json\n"
        "found = euclio.experiments.results.load('race-results')\n"
        "print(json.dumps(dict(zip(found.solver, zip(found.status, found.reason)))))"
    )
    runs = json.loads(run_without([], folder, code).stdout)
    assert runs["harpagon"][0] in ("feasible", "optimal")
    assert runs["cpsat"][0] == "inapplicable"
    assert "needs ortools, which is missing" in runs["cpsat"][1]


def test_checking_a_solver_of_a_missing_engine_is_bad_input(folder):
    done = command_without(["ortools"], folder, "check-solver", "cpsat")
    assert done.returncode == 2
    assert "needs ortools, which is missing" in done.stderr
