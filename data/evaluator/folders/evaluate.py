"""Score a program: `python evaluate.py candidate.py` on the training instances, with --test on the held-out ones."""

import sys

# Programs may lie in this folder. One that is named like a module, such as ast.py, must not be imported here.
if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]

from pathlib import Path

from euclio.cli import exit_code
from euclio.scoring.folder import main

if __name__ == "__main__":
    raise SystemExit(exit_code(lambda: main(Path(__file__).parent)))
