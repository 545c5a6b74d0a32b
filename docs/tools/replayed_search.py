"""Tries an evaluator's folder with a framework's own runner: `python docs/tools/replayed_search.py FOLDER FRAMEWORK`.

A stub stands for the language model: a server of its interface on this machine that answers with ten prepared programs,
one after the other. Five of them take the best of the initial program's plans with other constants; five must score 0.
It runs `openevolve-run` or `skydiscover-run` of the same environment, and prints the metrics of the best program.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "notebooks"))
from splitter_search import with_constants

TRIED = (
    [(1, 1, 0)],
    [(2, 1, 0)],
    [(1, 1, 0), (2, 1, 0)],
    [(1, 1, 0), (1, 0.5, 0), (0.5, 1, 0)],
    [(1, 1, 0), (2, 1, 0), (1, 0.5, 0), (1, 0, 0)],
)
"""Constants of the splitter (`notebooks/splitter_search.py`); a program takes the cheapest of their plans."""
HOSTILE = (
    "open('/etc/hostname').read()",
    "raise ValueError('not today')",
    "while True: pass",
    "return {'modules': [], 'cost_per_h': 0}",
    "__import__('euclio')",
)


def programs(initial: str) -> Iterator[str]:
    """Ten programs, good and bad in turn."""
    for constants, body in zip(TRIED, HOSTILE, strict=True):
        yield with_constants(initial, *constants)
        yield f"def solve(instance):\n    {body}\n"


def served(initial: str) -> ThreadingHTTPServer:
    """A server that answers every request with the next program."""
    replies = cycle(programs(initial))

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            message = {"role": "assistant", "content": f"```python\n{next(replies)}\n```"}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            answer = {"id": "0", "object": "chat.completion", "created": 0, "model": "stub", "choices": [choice]}
            data = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *words: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main() -> int:
    """Run the framework on the folder."""
    parser = argparse.ArgumentParser(description="Try an evaluator with a framework's own runner.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("framework", choices=("openevolve", "skydiscover"))
    given = parser.parse_args()
    initial = given.folder / "initial_program.py"
    server = served(initial.read_text(encoding="utf-8"))
    config = yaml.safe_load((given.folder / "config.yaml").read_text(encoding="utf-8"))
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    # The two frameworks have a name each for answers that are whole programs.
    config |= {"diff_based_generation": False, "diff_based_evolution": False}
    config["llm"] = {"models": [{"name": "stub", "weight": 1.0, "api_base": url, "api_key": "none"}]}
    runner = Path(sys.executable).with_name(f"{given.framework}-run")
    with tempfile.TemporaryDirectory() as scratch:
        written = Path(scratch, "config.yaml")
        written.write_text(yaml.safe_dump(config), encoding="utf-8")
        out = Path(scratch, "out")
        words = [runner, initial, given.folder / "evaluator.py", "--config", written, "--output", out]
        code = subprocess.run([*map(str, words), "--iterations", "10"]).returncode
        for best in sorted(out.rglob("best_program_info.json"))[:1]:
            print(json.dumps(json.loads(best.read_text(encoding="utf-8")).get("metrics"), indent=1))
    return code


if __name__ == "__main__":
    raise SystemExit(main())
