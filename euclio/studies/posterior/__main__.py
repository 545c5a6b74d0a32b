"""`python -m euclio.studies.posterior`: the name that `python -m euclio.posterior` had."""

from euclio.posterior.__main__ import main

if __name__ == "__main__":
    raise SystemExit(main())
