"""Answers questions of `tests.bench.against` from standard input, in whatever checkout it is run.

This file is run by the Python of another checkout, which may be older: it uses `load` and `solve` alone.
"""

from __future__ import annotations

import json
import sys
import time


def main() -> None:
    """Answer until standard input ends: lines of a solver (or none), a limit in seconds and a file, between tabs."""
    from euclio import load, solve

    for line in sys.stdin:
        solver, limit, path = line.rstrip("\n").split("\t")
        # Read anew each time: what a session keeps of an earlier run would make every run but the first one too quick.
        instance = load(path)
        began = time.process_time()
        result = solve(instance, solver or None, time_limit_s=float(limit))
        seconds = time.process_time() - began
        answer = {"seconds": seconds, "status": result.status.value, "cost": result.cost, "bound": result.bound}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
