# Everything a newcomer needs: Python 3.11 to 3.13, make and pip.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: env test check oracle reproduce bench notebooks clean

env: $(VENV)/ready

$(VENV)/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	$(BIN)/python -m euclio.warm_up
	touch $@

test: env check
	$(BIN)/python -m pytest

check: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

oracle: env
	EUCLIO_ORACLE=1000 $(BIN)/python -m pytest tests/oracle

reproduce: env
	$(BIN)/euclio reproduce harpagon
	$(BIN)/euclio reproduce scrooge
	$(BIN)/euclio reproduce ppipe

bench: env
	$(BIN)/python -m tests.bench

notebooks: env
	$(BIN)/python tests/notebooks/notebook_runs.py

clean:
	rm -rf $(VENV) build dist
