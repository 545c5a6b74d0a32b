"""Score a program: `python evaluate.py candidate.py` on the training instances, with --test on the held-out ones."""

from pathlib import Path

from euclio.scoring.folder import main

if __name__ == "__main__":
    raise SystemExit(main(Path(__file__).parent))
