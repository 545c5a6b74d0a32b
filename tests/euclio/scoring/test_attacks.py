"""Programs that try to fool the scorer: each returns the optimal plan only if its attack works, and must score 0."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from textwrap import indent

import psutil
import pytest
from scored_programs import BEST, CASE, DATA, HONEST, LIMIT, MIDDLE, OPTIMUM, placed, scored

import euclio
from euclio.scoring.running import ANSWER_BYTES, Limit, not_prevented, run

ANSWER = f'{{"plan": {{"placement": {json.dumps(BEST)}}}}}'
HOME = os.path.dirname(os.path.dirname(__import__("euclio").__file__))  # noqa: PTH120

WORKS = f"return {{'placement': {BEST}}}"
"""The end of an attack that worked."""

ATTACKS = {
    # Numbers that are none, and plans that are no data.
    "nan": "return {'placement': [float('nan'), 1, 1, 0]}",
    "infinity": "return {'placement': [float('inf'), 1, 1, 0]}",
    "texts as numbers": "return {'placement': ['0', '1', '1', '0']}",
    "flags as numbers": "return {'placement': [False, True, True, False]}",
    "fractions of a GPU": "return {'placement': [0.0, 1.0, 1.0, 0.0]}",
    "negative GPUs": "return {'placement': [-1, 1, 1, -1]}",
    "more GPUs than there are": "return {'placement': [0, 1, 2, 3]}",
    "a huge number": "return {'placement': [10 ** 5000, 1, 1, 0]}",
    "no plan": "return None",
    "a model left out": "return {'placement': [0, 1, 1]}",
    "a model placed nowhere": "return {'placement': [0, 1, 1, None]}",
    "a model too much": "return {'placement': [0, 1, 1, 0, 0]}",
    "a value of its own": f"return {{'placement': {BEST}, 'value': 0}}",
    "a score of its own": "return {'score': 1, 'combined_score': 1}",
    "a list": f"return {BEST}",
    "a deep plan": "plan = []\nfor _ in range(100_000):\n    plan = [plan]\nreturn plan",
    "a plan in itself": "plan = {}\nplan['placement'] = plan\nreturn plan",
    "a plan of 2 MB": f"return {{'placement': {BEST}, 'note': 'x' * (2 << 20)}}",
    "own equality": """
class Plan(list):
    def __eq__(self, other):
        return True
    def __len__(self):
        return 4
return {'placement': Plan([0])}""",
    "a number that lies": """
class Zero(int):
    def __lt__(self, other):
        return True
return {'placement': [Zero(7), 1, 1, 0]}""",
    "a pickle": """
import pickle
class Plan:
    def __reduce__(self):
        return eval, ("{'placement': [0, 1, 1, 0]}",)
return pickle.dumps(Plan())""",
    # The instance is a copy, so changing it changes nothing.
    "a changed instance": "instance['gpus'] = 4\ninstance['models'].clear()\nreturn {'placement': []}",
    "more memory": "instance['gpu_memory_gb'] = 10 ** 9\nreturn {'placement': [0, 0, 0, 0]}",
    # Files, processes and devices outside.
    "a file of the system": f"open('/etc/hostname').read()\n{WORKS}",
    "answers in the package": f"import os\nos.listdir({HOME!r} + '/data/evaluator')\n{WORKS}",
    "an answer file": f"open({HOME!r} + '/data/evaluator/prism.jsonl').read()\n{WORKS}",
    "its own program": f"open(__import__('sys').argv[0]).read()\n{WORKS}",
    "the environment": f"import os\nassert set(os.environ) - {{'PYTHONHASHSEED', 'LC_CTYPE'}}\n{WORKS}",
    "the parent's environment": f"import os\nopen(f'/proc/{{os.getppid()}}/environ').read()\n{WORKS}",
    "the parent's command": f"import os\nopen(f'/proc/{{os.getppid()}}/cmdline').read()\n{WORKS}",
    "all processes": f"import os\nassert os.listdir('/proc')\n{WORKS}",
    "our modules": f"__import__('euclio')\n{WORKS}",
    "our modules by path": f"import sys\nsys.path.insert(0, {HOME!r})\n__import__('euclio')\n{WORKS}",
    "installed packages": f"import sys, numpy\n{WORKS}",
    "installed packages by path": f"import sys\nsys.path += {[one for one in sys.path if 'packages' in one]!r}\n"
    f"import numpy\n{WORKS}",
    "a note for the next call": f"open('note', 'w').write('x')\n{WORKS}",
    "a note in /tmp": f"open('/tmp/note', 'w').write('x')\n{WORKS}",
    "a note in shared memory": "import ctypes\n"
    f"assert ctypes.CDLL(None).shm_open(b'/euclio-note', 0o102, 0o600) >= 0\n{WORKS}",
    "a message queue": f"import ctypes\nassert ctypes.CDLL(None).msgget(4711, 0o1600) >= 0\n{WORKS}",
    "a symlink": f"import os\nos.symlink('/etc/hostname', 'link')\nopen('link').read()\n{WORKS}",
    "a hard link": f"import os\nos.link('/etc/hostname', 'link')\n{WORKS}",
    "removing the scorer": f"import os\nos.rmdir({HOME!r} + '/data/evaluator')\n{WORKS}",
    "the network": f"import socket\nsocket.socket()\n{WORKS}",
    "a socket of the machine": f"import socket\nsocket.socket(socket.AF_UNIX)\n{WORKS}",
    "a fork": f"import os\nif os.fork() == 0:\n    os._exit(0)\n{WORKS}",
    "a fork bomb": f"import os\nwhile True:\n    os.fork()\n{WORKS}",
    "a program": f"import subprocess\nsubprocess.run(['/bin/true'])\n{WORKS}",
    "another program in its place": f"import os\nos.execv('/bin/true', ['true'])\n{WORKS}",
    "killing the parent": f"import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n{WORKS}",
    "killing its group": f"import os, signal\nos.killpg(0, signal.SIGTERM)\n{WORKS}",
    "tracing the parent": "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
    f"assert libc.ptrace(16, os.getppid(), 0, 0) == 0\n{WORKS}",
    "a signal by a pipe": "import fcntl, os\nread, write = os.pipe()\n"
    f"fcntl.fcntl(read, fcntl.F_SETOWN, os.getppid())\n{WORKS}",
    "a lease on a file": f"import fcntl\nfcntl.fcntl(open(__import__('json').__file__), 1024, 0)\n{WORKS}",
    "flags of a file": f"import fcntl, json\nfcntl.ioctl(open(json.__file__), 0x80086601, bytes(8))\n{WORKS}",
    "the scorer's scheduling": "import os\n"
    f"os.sched_setscheduler(os.getppid(), os.SCHED_OTHER, os.sched_param(0))\n{WORKS}",
    "a shorter file": f"import os\nos.truncate('/tmp/euclio-victim', 0)\n{WORKS}",
    "watching a folder": f"import ctypes\nassert ctypes.CDLL(None).inotify_init1(0) >= 0\n{WORKS}",
    "pages in memory": f"import json, os\nos.posix_fadvise(os.open(json.__file__, 0), 0, 0, 4)\n{WORKS}",
    "a queue of others": f"import ctypes\nassert ctypes.CDLL(None).msgctl(0, 3, bytes(256)) != -1\n{WORKS}",
    "more time": f"import resource\nresource.setrlimit(resource.RLIMIT_CPU, (-1, -1))\n{WORKS}",
    "more memory by root": f"import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))\n{WORKS}",
    # Limits.
    "10 GB": f"held = bytearray(10 << 30)\n{WORKS}",
    "memory by and by": f"held = []\nwhile len(held) < 10_000:\n    held.append(bytearray(1 << 20))\n{WORKS}",
    "an endless loop": f"while True:\n    pass\n{WORKS}",
    "a loop that ignores signals": f"""
import signal
for number in range(1, 32):
    if number not in (9, 19):
        signal.signal(number, signal.SIG_IGN)
while True:
    pass
{WORKS}""",
    "recursion": f"import sys\nsys.setrecursionlimit(1 << 30)\ndef deep():\n    return deep()\ndeep()\n{WORKS}",
    "many threads": f"""
import threading
def spin():
    while True:
        pass
for _ in range(8):
    threading.Thread(target=spin).start()
import time
time.sleep(3)
{WORKS}""",
    # Ends and outputs.
    "an exception": "raise ValueError('no plan')",
    "an exception that raises": """
class Odd(Exception):
    def __str__(self):
        raise self
raise Odd""",
    "an exit": "raise SystemExit(0)",
    "an end without an answer": "import os\nos._exit(0)",
    "a crash": "import ctypes\nctypes.string_at(0)",
    "a signal to itself": f"import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n{WORKS}",
    "closed descriptors": f"import os\nos.closerange(0, 100)\n{WORKS}",
    "two answers": f"import os\nfor number in range(3, 10):\n    try:\n        os.write(number, {ANSWER!r}.encode())\n"
    f"    except OSError:\n        pass\n{WORKS}",
    "a plan twice in the answer": "import os\nfor number in range(3, 10):\n    try:\n"
    f"        os.write(number, b'{{\"plan\": 1, ' + {ANSWER!r}.encode()[1:])\n    except OSError:\n        pass\n"
    "os._exit(0)",
}
"""Bodies of `solve(instance)`."""

OTHERS = {
    "no function": "plan = {'placement': [0, 1, 1, 0]}",
    "a name that is no function": "solve = 1",
    "no Python": "def solve(instance:",
    "a null byte": HONEST + "\0",
    "an error on import": f"raise RuntimeError\n{HONEST}",
    "too many arguments": HONEST.replace("instance", "instance, answers"),
    "a generator": HONEST.replace("return", "yield"),
    "a coroutine": f"async {HONEST}",
}
"""Whole programs."""


def attack(body):
    return f"def solve(instance):\n{indent(body.strip(), '    ')}\n"


@pytest.fixture(autouse=True)
def confined():
    """The claims hold where the system can take the rights away; elsewhere the score states those that are left."""
    if not_prevented():
        pytest.skip(f"not confined here: {'; '.join(not_prevented())}")


@pytest.mark.fifth("name")
@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_scores_0(name):
    began = time.monotonic()
    (one,) = scored(attack(ATTACKS[name]))
    assert (one.share, one.value) == (0, None)
    assert one.why
    assert one.why.isprintable()
    assert time.monotonic() - began < 30


@pytest.mark.fifth("name")
@pytest.mark.parametrize("name", OTHERS)
def test_a_program_without_a_good_function_scores_0(name):
    (one,) = scored(OTHERS[name])
    assert (one.share, one.value) == (0, None)
    assert one.why


MODULES = (
    "array bisect collections copy dataclasses datetime decimal enum fractions functools graphlib hashlib heapq "
    "itertools json math numbers operator random re statistics string threading time typing"
)
"""Modules that heuristics use."""


def test_the_standard_library_is_there():
    """Taking files away must not take away the modules of honest programs."""
    (one,) = scored(f"import {', '.join(MODULES.split())}\n{HONEST}")
    assert (one.share, one.why) == (1, "")


def test_the_honest_program_scores_1():
    """Otherwise the attacks would prove nothing: they return the same plan."""
    (one,) = scored(HONEST)
    assert (one.share, one.value, one.why) == (1, OPTIMUM, "")


HARMLESS = {
    "printing an answer": f"print({ANSWER!r})",
    "writing an answer": f"import os\nfor number in (1, 2):\n    os.write(number, {ANSWER!r}.encode())",
    "patched JSON": "import json\njson.dumps = lambda value, **others: " + repr(ANSWER[:-1]),
    "patched builtins": "import builtins\nbuiltins.len = lambda value: 4\nbuiltins.isinstance = lambda a, b: True",
    "an own end": f"import atexit\natexit.register(print, {ANSWER!r})",
    "a thread that outlives the call": "import threading\n"
    "threading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()",
}
"""Beginnings of `solve(instance)` that may not change the score of the plan that it returns."""


@pytest.mark.fifth("name")
@pytest.mark.parametrize("name", HARMLESS)
def test_no_trick_raises_the_score_of_a_plan(name):
    """The plan is half of the way; a patched `json.dumps` spoils the program's own answer."""
    (one,) = scored(attack(f"{HARMLESS[name]}\nreturn {{'placement': {MIDDLE}}}"))
    assert one.share <= 1 / 2


@pytest.mark.slow
def test_hard_instances_count_where_a_program_fails_on_them():
    """A program that raises on the larger instance has half of the score, not the mean over those it likes."""
    larger = {**DATA, "models": [*DATA["models"], {"size_gb": 1, "rate": 0, "slo": 1}]}
    other = replace(CASE, source=replace(CASE.source, text=json.dumps(larger)))
    shy = HONEST.replace("return", "assert len(instance['models']) == 4; return")
    assert [one.share for one in scored(shy, CASE, other)] == [1, 0]


@pytest.mark.slow
def test_no_call_knows_of_another_one():
    """A program that counts its calls in its module, its class, a file or a default argument starts at 0 each time."""
    body = f"calls.append(1)\nseen.append(1)\nassert len(calls) == len(seen) == 1\n{WORKS}"
    counting = "calls = []\n" + attack(body).replace("instance", "instance, seen=[]")
    assert [one.share for one in scored(counting, CASE, CASE)] == [1, 1]


@pytest.mark.slow
def test_a_time_bomb_ends_at_its_limit_and_the_next_call_goes_on():
    """It sleeps, which takes no processor time: the wall clock ends it."""
    began = time.monotonic()
    bomb = attack(f"import time\ntime.sleep(600)\n{WORKS}")
    assert [one.share for one in scored(bomb, CASE, CASE)] == [0, 0]
    assert time.monotonic() - began < 60


@pytest.mark.slow
def test_no_process_is_left():
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    for name in ("an endless loop", "many threads", "a fork bomb", "killing the parent"):
        scored(attack(ATTACKS[name]))
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= before


def test_an_answer_has_a_largest_size():
    ran = run(attack(f"return 'x' * {ANSWER_BYTES + 1}"), DATA, LIMIT)
    assert ran == (None, "the answer has more than 128 KiB")


def test_numbers_keep_their_text():
    """A float of the program is priced as the decimal that Python writes, never rounded again."""
    plan, _ = run("def solve(instance):\n    return [0.1, 1e22, 3]\n", DATA, LIMIT)
    assert str(plan[0]) == "0.1"


def test_the_limit_of_time_is_said():
    (one,) = scored(attack(ATTACKS["an endless loop"]), limit=Limit(1))
    assert one.why == "takes more than 1 s"


def test_an_unplaced_program_is_text_of_any_kind():
    assert scored("é" + placed(BEST))[0].share == 0


def test_dataclasses_and_a_byte_order_mark_are_python():
    """Honest programs that scored 0: dataclasses look for their module, and editors write byte order marks."""
    head = "\ufefffrom dataclasses import dataclass\n\n@dataclass\nclass Placed:\n    at: list\n\n"
    program = head + attack(f"return {{'placement': Placed({BEST}).at}}")
    assert [one.share for one in scored(program)] == [1]


def test_a_program_next_to_the_scorer_is_not_imported_by_it(tmp_path):
    """A program named like a module of the library ran in the scorer and printed a score of its own."""
    euclio.evaluator("prism", tmp_path / "folder", to="plain")
    forged = tmp_path / "folder" / "ast.py"
    forged.write_text("if __name__ != 'candidate':\n    print('forged')\n    raise SystemExit(0)\n")
    ran = subprocess.run(
        [sys.executable, tmp_path / "folder" / "evaluate.py", forged], capture_output=True, text=True, check=True
    )
    assert json.loads(ran.stdout)["score"] == 0
