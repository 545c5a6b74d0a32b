"""Systems other than Linux run all that a notebook needs, and batches with soft limits.

`other_systems` emulates them on Linux by hiding the functions that they lack; README, "Where it runs", rests on this.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from other_systems import MODULES, OF_OS, OF_SELECT, OF_SIGNAL, OF_SOCKET, Said, on
from places import ROOT
from tiny_clusters import tiny_cluster
from tiny_fleets import tiny_fleet
from tiny_sessions import TEXT

from euclio.files import save_instance

PACKAGES = ("euclio", "heuristics", "formulations", "bruteforce")
ROOM = "euclio/core/system.py"
CONFINED = "euclio/scoring/child.py"
"""A process of its own that `euclio/scoring/running.py` starts on Linux alone, and that imports nothing of ours."""
SOFT = "euclio: limits are soft on this system, which lacks "

SESSION, RESULT = "tiny.json", "result.json"
CLUSTER, CLUSTER_RESULT = "cluster.json", "cluster-result.json"
FLEET, FLEET_RESULT = "fleet.json", "fleet-result.json"
PROFILES = ROOT / "notebooks" / "my_profiles.csv"
PRICES = ("--prices", "gpu-large=3.2,gpu-small=0.6,cpu=0.09", "--rates", "240", "--slo", "0.5")
VMS = "InstanceType,AcceleratorName,AcceleratorCount,Price\nv100-8,V100,8,24.8\n"
LOAD = "time_s,factor\n0,0.3\n3600,0.5\n7200,1\n10800,0.4\n"

IN_PYTHON = f"""
from euclio import certify, compare, decompose, evaluate, explain, load, solve
from euclio.files import save_instance, save_result

session = load({SESSION!r})
best = solve(session, "exact", time_limit_s=60)
assert float(evaluate(session, best.plan, best.space).value) == 1.5
assert certify(session, best, 60).verdict == "certified"
assert explain(session).status == "feasible"
assert compare(session, ["harpagon"]).best.value == best.value
assert len(decompose([session], ["harpagon"])) == 1
save_instance(session, "again.json")
save_result(best, session, "again-result.json")
assert load("again.json") == session
print("done")
"""

VERBS = {
    "solve": ("solve", SESSION, "--solver", "exact", "--out", RESULT),
    "solve with MILP": ("solve", SESSION, "--solver", "milp", "--log", "milp.log", "--export-lp", "milp.lp"),
    "solve with CBC": ("solve", SESSION, "--solver", "milp", "--engine", "cbc", "--threads", "2"),
    "solve with CP-SAT": ("solve", SESSION, "--solver", "cpsat"),
    "verify": ("verify", SESSION, RESULT),
    "certify": ("certify", SESSION, RESULT),
    "compare": ("compare", SESSION, "--solvers", "harpagon,nexus", "--certify", "--plot", "compare.svg"),
    "decompose": ("decompose", SESSION, "--solvers", "harpagon,nexus", "--csv", "gaps.csv", "--plot", "gaps.pdf"),
    "explain": ("explain", SESSION),
    "changes": ("changes", SESSION, "--from", RESULT),
    "curve": ("curve", SESSION, "--slo", "1,2", "--out", "curve.csv", "--plot", "curve.png"),
    "what-if": ("what-if", SESSION, "--rate", "10,20", "--slo", "1,2", "--out", "what-if.csv", "--plot", "what-if.png"),
    "simulate": ("simulate", SESSION, RESULT, "--arrivals", "poisson", "--seconds", "20", "--latencies", "served.svg"),
    "plan-day": (
        *("plan-day", SESSION, "--load", "load.csv", "--warm-up", "120", "--keep-alive", "300", "--plot", "day.svg"),
        *("--solvers", "day-peak,day-exact", "--day-out", "day.json"),
    ),
    "export": ("export", SESSION, RESULT, "--to", "triton", "--out", "models"),
    "diff": ("diff", RESULT, RESULT),
    "import": ("import", "csv", PROFILES, *PRICES, "--out", "imported.json"),
    "generate": ("generate", "random", "--count", "2", "--out", "drawn"),
    "prices": (
        *("prices", SESSION, "vms.csv", "--map", "V100", "--currency", "USD", "--per", "hour", "--out", "priced.json"),
    ),
    "profile": (
        *("profile", "model.py:run", "--model", "sum", "--hardware", "cpu", "--batch", "1", "--repeats", "3"),
        *("--out", "measured.csv"),
    ),
    "solvers": ("solvers",),
    "solve a cluster": ("solve", CLUSTER, "--solver", "columns", "--out", CLUSTER_RESULT),
    "simulate a cluster": ("simulate", CLUSTER, CLUSTER_RESULT, "--load", "0.5", "--seconds", "1"),
    "solve a fleet": ("solve", FLEET, "--solver", "regroup", "--out", FLEET_RESULT),
    "simulate a fleet": ("simulate", FLEET, FLEET_RESULT, "--arrivals", "uniform", "--seconds", "1"),
    "in Python": (IN_PYTHON,),
}
SAME = (
    "gaps.csv",
    "what-if.csv",
    "day.json",
    "milp.lp",
    "imported.json",
    "priced.json",
    "drawn/*",
    "models/**/*",
    "served.svg",
)
"""Written files that contain no times or versions."""


def written(folder: Path) -> dict[str, bytes]:
    """Bytes of the files that are the same wherever they are written, by name."""
    paths = [path for pattern in SAME for path in folder.glob(pattern) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def prepared(folder: Path) -> Path:
    """A folder with what the commands read."""
    (folder / SESSION).write_text(TEXT, encoding="utf-8")
    save_instance(tiny_cluster(), folder / CLUSTER)
    save_instance(tiny_fleet(), folder / FLEET)
    (folder / "load.csv").write_text(LOAD, encoding="utf-8")
    (folder / "vms.csv").write_text(VMS, encoding="utf-8")
    (folder / "model.py").write_text("def run(batch):\n    return lambda: sum(range(batch))\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def linux(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of all verbs on Linux."""
    folder = prepared(tmp_path_factory.mktemp("linux"))
    on("linux", list(VERBS.values()), folder)
    return folder


@pytest.fixture(scope="module", params=["windows", "macos"])
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Said]]:
    """The folder of all verbs on another system, and what each said."""
    folder = prepared(tmp_path_factory.mktemp(request.param))
    return folder, dict(zip(VERBS, on(request.param, list(VERBS.values()), folder), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_needs_nothing_of_linux(played, verb):
    """It ends well and says nothing of limits, since none was asked for."""
    said = played[1][verb]
    assert said.code == 0, said.err
    assert SOFT not in said.err
    assert "Traceback" not in said.err


@pytest.mark.slow
def test_what_is_written_is_what_linux_writes(linux, played):
    """Byte for byte: no line ends and no encodings of the system's own."""
    expected = written(linux)
    assert len(expected) >= len(SAME)
    assert written(played[0]) == expected


@pytest.mark.slow
def test_a_time_limit_that_cannot_be_kept_from_outside_is_said_in_one_line(tmp_path):
    """Once for a command that has several runs; the limit reaches the solvers all the same."""
    prepared(tmp_path)
    commands = [
        ("solve", SESSION, "--time-limit", "20", "--json"),
        ("compare", SESSION, "--solvers", "harpagon,nexus", "--time-limit", "20"),
        ("explain", SESSION, "--time-limit", "20"),
    ]
    found = on("windows", commands, tmp_path)
    assert json.loads(found[0].out)["options"]["time_limit_s"] == 20
    for said in found:
        assert said.code == 0
        assert said.err.count(SOFT) == 1
        assert "os.fork" in said.err
        assert said.err.endswith("the time limit is the one that solvers keep themselves\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "exit_code", "words"),
    [
        ("raise ValueError('oops')", 1, "own.py: raises ValueError: oops (line 2)"),
        ("print('clamour')", 4, "unknown"),
        ("raise MemoryError", 4, "there is not enough memory"),
    ],
)
def test_a_solver_that_fails_here_fails_in_one_line(tmp_path, code, exit_code, words):
    """Its output does not reach the result, just as with a process of its own."""
    prepared(tmp_path)
    (tmp_path / "own.py").write_text(f"def solve(session, space):\n    {code}\n", encoding="utf-8")
    (said,) = on("windows", [("solve", SESSION, "--solver", "own.py:solve", "--json")], tmp_path)
    assert said.code == exit_code
    assert words in said.err
    assert "clamour" not in said.out


EXPERIMENT = """schema = "euclio/experiment/1"
name = "race"
[limits]
hard_time_s = 60
[certify]
time_limit_s = 10
[[instances]]
files = ["tiny.json"]
[[solvers]]
name = "harpagon"
[[solvers]]
name = "exact"
[[solvers]]
name = "own.py:solve"
"""


@pytest.mark.slow
def test_a_batch_runs_with_soft_limits(tmp_path):
    """It says so in one line, makes every run, gives solvers the hard limit as theirs, and is resumed on Linux too."""
    prepared(tmp_path)
    (tmp_path / "race.toml").write_text(EXPERIMENT, encoding="utf-8")
    (tmp_path / "own.py").write_text("def solve(session, space):\n    print('noise')\n    return 1 / 0\n", "utf-8")
    check = """
import euclio
frame = euclio.experiments.results.load("race-results").set_index("solver")
assert dict(frame.status) == {"harpagon": "feasible", "exact": "optimal", "own.py:solve": "error"}, frame.status
assert frame.certificate["exact"] == "certified"
assert set(frame.time_limit_s) == {60}
"""
    command = ("run", "race.toml", "--code", "own.py")
    commands = [command, command, ("status", "race.toml"), ("report", "race-results"), (check,)]
    first, again, status, report, checked = on("windows", commands, tmp_path)
    assert [first.code, again.code, status.code, report.code, checked.code] == [0] * 5
    assert first.err.count(SOFT) == 1
    assert "limits are those that solvers keep themselves" in first.err
    assert first.out == "race-results\n"
    assert "noise" in (tmp_path / "race-results" / "logs" / "slot-0.log").read_text(encoding="utf-8")
    assert "3 of 3 runs are finished, 0 of them made now" in again.err
    assert "no runner is at work" in status.out
    (on_linux,) = on("linux", [command], tmp_path)
    assert "3 of 3 runs are finished, 0 of them made now" in on_linux.err


@pytest.mark.slow
def test_ctrl_c_ends_a_batch_with_soft_limits_and_keeps_what_is_finished(tmp_path):
    """It reaches the solver, which is in this process; a record of it would count as made.

    A solver of one's own counts as a heuristic, so that it is run before `exact`.
    """
    prepared(tmp_path)
    (tmp_path / "race.toml").write_text(EXPERIMENT, encoding="utf-8")
    (tmp_path / "own.py").write_text("def solve(session, space):\n    raise KeyboardInterrupt\n", encoding="utf-8")
    (said,) = on("windows", [("run", "race.toml", "--code", "own.py")], tmp_path)
    assert said.code == 130
    assert "interrupted; 1 of 3 runs are finished and kept" in said.err


def test_a_dask_worker_makes_runs_in_its_own_process(tmp_path):
    """It may be on such a system though the runner is not; its records are those of the runs that it was asked for."""
    code = """
from run_batches import batch_of, run_of
from euclio.core.versions import provenance
from euclio.experiments.dask_pool import make_runs
tasks = [run_of("good"), run_of("good", repeat=1)]
records = make_runs(batch_of(*tasks), None, provenance()["packages"]["euclio"])
assert [(record.key, record.status) for record in records] == [(task.key, "feasible") for task in tasks], records
"""
    (said,) = on("windows", [(code,)], tmp_path)
    assert said.code == 0, said.err


def test_a_runner_is_kept_out_where_files_cannot_be_locked(tmp_path):
    """The lock holds while the process that the file names still runs."""
    code = """
import json, os, platform
from pathlib import Path
import psutil
import pytest
from euclio.core.errors import InputError
from euclio.experiments import folder
folder.PATIENCE_S = 0
path = Path("lock")
with folder.RunnerLock(path) as held:
    held.publish(rate_per_s=2.5)
    assert folder.runner_at(path)["rate_per_s"] == 2.5
    with pytest.raises(InputError, match="another runner works here"):
        folder.RunnerLock(path).__enter__()
assert folder.runner_at(path) is None
own = {"process": os.getpid(), "host": platform.node(), "started": psutil.Process().create_time()}
for gone in ({"started": 1.0}, {"process": 2**40}, {"host": "elsewhere"}, {"process": "x"}):
    path.write_text(json.dumps(own | gone))
    assert folder.runner_at(path) is None, gone
"""
    (said,) = on("windows", [(code,)], tmp_path)
    assert said.code == 0, said.err


@pytest.mark.slow
def test_check_solver_tries_a_solver_in_its_own_process(tmp_path):
    """All claims but that of a fresh process are tried, what is printed is seen, and one line says what is soft."""
    prepared(tmp_path)
    (tmp_path / "own.py").write_text("def solve(session, space):\n    print('noise')\n", encoding="utf-8")
    commands = [("check-solver", "own.py:solve", "--samples", "1", "--json")]
    (said,) = on("windows", commands, tmp_path)
    assert said.code == 1
    assert said.err.count(SOFT) == 1
    found = {row["claim"]: row for row in json.loads(said.out)["claims"]}
    assert found["silent"]["verdict"] == "broken"
    assert found["repeatable"]["verdict"] == "kept"
    assert found["fresh"]["evidence"] == "this system has no process of its own for it"


def sources() -> list[Path]:
    """All modules but the room that may name what not every system has."""
    found = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return [path for path in found if path.relative_to(ROOT).as_posix() != ROOM]


MORE_OF_OS = ("uname", "mkfifo", "O_CLOEXEC", "link", "major", "chroot", "lchown", "fdatasync", "openpty", "ttyname")
NAMED = {
    "os": {*OF_OS, *MORE_OF_OS},
    "signal": set(OF_SIGNAL),
    "select": {*OF_SELECT, "select", "kqueue"},
    "socket": set(OF_SOCKET),
    "time": {"clock_gettime", "CLOCK_MONOTONIC", "pthread_getcpuclockid", "tzset"},
}


def unix_in(path: Path) -> list[str]:
    """Imports and names of a module that other systems lack."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                found += [alias.name for alias in names if alias.name in (*MODULES, "select")]
            case ast.ImportFrom(module=module, names=names) if module in (*MODULES, *NAMED):
                own = NAMED.get(module or "")
                found += [f"{module}.{alias.name}" for alias in names if own is None or alias.name in own]
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if name in NAMED.get(owner, ()):
                found.append(f"{owner}.{name}")
            case ast.Attribute(attr="prctl"):
                found.append("prctl")
            case ast.Constant(value=str(text)) if text.startswith("/proc"):
                found.append(text)
    return found


def test_one_module_alone_names_what_not_every_system_has():
    """A fault on another system is then looked for in one place; mypy holds the same with `--platform win32`."""
    found = {path.relative_to(ROOT).as_posix(): unix_in(path) for path in sources()}
    assert {name: words for name, words in found.items() if words and name != CONFINED} == {}


def test_the_room_names_what_the_others_do_not():
    """Otherwise the test before would look for the wrong words."""
    assert {"fcntl", "resource", "os.fork", "signal.setitimer", "prctl"} <= set(unix_in(ROOT / ROOM))


def text_of_the_system(path: Path) -> list[int]:
    """Lines where a text file is opened without its encoding, or written without its line ends."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        given = {word.arg for word in node.keywords}
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        modes = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        owner = getattr(getattr(node.func, "value", None), "id", "")
        if name in ("write_text", "read_text") and isinstance(node.func, ast.Attribute):
            needed = {"encoding", "newline"} if name == "write_text" else {"encoding"}
        elif name in ("open", "fdopen") and not (owner == "os" and name == "open"):
            mode = next((mode for mode in modes if set(mode) <= set("rwxabt+")), "r")
            writes = bool(set(mode) & set("wxa"))
            needed = set() if "b" in mode else {"encoding", "newline"} if writes else {"encoding"}
        elif name in ("run", "Popen", "check_output") and owner == "subprocess":
            needed = {"encoding"} if {"text", "universal_newlines"} & given else set()
        else:
            continue
        if not needed <= given:
            found.append(node.lineno)
    return found


def test_text_files_name_their_encoding_and_their_line_ends():
    """Windows reads and writes another encoding, and other line ends, where none are named."""
    found = {path.relative_to(ROOT).as_posix(): text_of_the_system(path) for path in (*sources(), ROOT / ROOM)}
    assert {name: lines for name, lines in found.items() if lines} == {}
