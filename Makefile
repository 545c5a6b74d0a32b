# Everything a newcomer needs: Python 3.11 to 3.13, make and pip.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: env test check reproduce bench figures clean

env: $(VENV)/ready

$(VENV)/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

test: env check
	$(BIN)/python -m pytest

check: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

reproduce: env
	$(BIN)/euclio reproduce harpagon

bench: env
	$(BIN)/python -m tests.bench

clean:
	rm -rf $(VENV) build dist
