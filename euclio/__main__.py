"""The command line without its script: `python -m euclio` is `euclio`."""

from __future__ import annotations

from euclio.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
