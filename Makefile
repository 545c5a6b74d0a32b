# Everything a newcomer needs: Python 3.11 to 3.13, make and pip.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: env test check oracle fuzz reproduce bench notebooks docs clean

env: $(VENV)/ready

$(VENV)/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	$(BIN)/python -m euclio.core.warm_up
	touch $@

# One process per core, at most eight; `pytest FILE` runs in one.
test: env check
	$(BIN)/python -m pytest -n auto --maxprocesses 8 --dist worksteal

check: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

oracle: env
	EUCLIO_ORACLE=1000 $(BIN)/python -m pytest tests/oracle tests/formulations/fragments

# Until Ctrl-C, or for so long, or so many cases of each: make fuzz SECONDS=600 SEED=1000; make fuzz ONLY=solvers COUNT=5000
fuzz: env
	$(BIN)/python -m tests.searches $(ONLY) --seed $(or $(SEED),0) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(COUNT),--count $(COUNT))

reproduce: env
	$(BIN)/euclio reproduce harpagon
	$(BIN)/euclio reproduce piccolo
	$(BIN)/euclio reproduce scrooge
	$(BIN)/euclio reproduce ppipe
	$(BIN)/euclio reproduce graft
	$(BIN)/euclio reproduce mlperf
	$(BIN)/euclio reproduce --claims

bench: env
	$(BIN)/python -m tests.bench

notebooks: env
	$(BIN)/python tests/notebooks/notebook_runs.py

# Into build/docs/index.html; the pages need no server and no network.
docs: env
	$(BIN)/python docs/tools/rooms.py
	$(BIN)/python docs/tools/day.py
	$(BIN)/python docs/tools/examples.py
	$(BIN)/python docs/tools/fleets.py
	$(BIN)/python docs/tools/serving.py
	$(BIN)/python docs/tools/theorem.py
	$(BIN)/python docs/tools/what_if.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean:
	rm -rf $(VENV) build dist
