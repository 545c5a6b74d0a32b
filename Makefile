# Everything a newcomer needs: Python 3.11 to 3.14, make and pip. With 3.15, solvers on HiGHS and OR-Tools are missing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Tests start hundreds of programs, and each would compile every source again where bytecode may not be kept.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: env test test-rest test-all durations bounds check style words types types-elsewhere contracts oracle fuzz reproduce papers bench bench-against notebooks docs findings engines clean

env: $(VENV)/ready

# Says in one line that a Python is too old or too new, before anything is downloaded; any Python has to be able to read it.
SUPPORTED := import re, sys; \
	text = re.search(r"requires-python = .>=3\.(\d+),<3\.(\d+)", open("pyproject.toml").read()); \
	low, high = int(text.group(1)), int(text.group(2)); \
	here = sys.version_info[:2]; \
	sys.exit(0 if (3, low) <= here < (3, high) else "error: $(PYTHON) is Python %d.%d, and euclio runs on 3.%d to 3.%d; \
	name one of these: make env PYTHON=FILE" % (here + (low, high - 1)))

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
$(VENV)/ready: requirements.lock $(VENV)/runtime
	@echo "installing what tests, notebooks and pages need: one to three minutes"
	$(PIP) --require-hashes -r requirements.lock
	touch $@

# What euclio itself needs, for commands that reproduce. Bytecode is made of what is imported alone: of all files it takes longer
# than installing them.
$(VENV)/runtime: requirements-runtime.lock pyproject.toml
	@$(PYTHON) -c '$(SUPPORTED)'
	@echo "installing what euclio needs: half a minute"
	$(PYTHON) -m venv $(VENV)
	$(PIP) --no-compile --require-hashes -r requirements-runtime.lock
	$(PIP) --no-deps --editable .
	touch $@

# Machine code of all that is compiled: looked through again when a source has changed, made where there is none yet.
COMPILED := $(VENV)/compiled
$(COMPILED): $(VENV)/ready $(shell find euclio heuristics formulations bruteforce -name '*.py')
	$(BIN)/euclio warm-up
	@touch $@

# One process per core, at most eight; `pytest FILE` runs in one. Two tiers: `test` is in every commit's way, and takes a
# fifth of all seeds and no slow tests, `test-rest` takes what that left out, and `test-all` everything. Types and import
# contracts, which use one core, are checked while the tests run; what they find is said last, and fails the target.
test: style $(COMPILED)
	@mkdir -p build
	@$(MAKE) --no-print-directory types contracts >build/check.log 2>&1 & check=$$!; \
	trap 'kill $$check 2>/dev/null' INT TERM; \
	$(BIN)/python -m pytest --tier quick -n auto --maxprocesses 8 --dist worksteal; tests=$$?; \
	wait $$check; checked=$$?; cat build/check.log; test $$tests = 0 && test $$checked = 0

# As many as begin in so many seconds: make test-rest SECONDS=300
test-rest: env $(COMPILED)
	$(BIN)/python -m pytest --tier rest $(if $(SECONDS),--within $(SECONDS)) -n auto --maxprocesses 8 --dist worksteal

test-all: check bounds $(COMPILED)
	$(BIN)/python -m pytest -n auto --maxprocesses 8 --dist worksteal

# What each test takes of processors, kept in tests/durations.md; all tests run for it.
durations: env $(COMPILED)
	$(BIN)/python -m pytest --keep-durations tests/durations.md -n auto --maxprocesses 8 --dist worksteal

# Kernels interpreted, which have the same source as what is compiled: there an index behind the end of an array raises.
# Simulators, and a few tests of each search; those that take long interpreted are marked. NUMBA_BOUNDSCHECK=1 has
# compiled code check them too, after minutes of compiling.
CHECKED := $(addprefix tests/,\
	euclio/core/test_compiled.py\
	euclio/serving/session/test_simulators_equal.py euclio/serving/session/test_long_simulations.py\
	euclio/serving/pipeline/test_simulator.py euclio/serving/fragments/test_fragment_simulation.py\
	formulations/session/exact/test_exact.py formulations/session/exact/test_exact_whole.py formulations/session/split/test_relaxation.py\
	formulations/session/split/test_search_over_lines.py formulations/day/test_one_module.py\
	formulations/pipeline/test_columns_example.py formulations/fragments/test_own_budgets.py)

bounds: env
	EUCLIO_KERNELS=interpreted $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist worksteal -q -m "not compiled" $(CHECKED)

check: style words types contracts types-elsewhere

style: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# Sentences that are hard to read, by folder; a file with more than a few is refused.
words: env
	$(BIN)/python -m tests.plain_english --by-folder

# What mypy found out is kept next to the machine code, so that a fresh checkout begins where the last one ended: mypy
# itself looks which files are still the same. Copied whole, and put in place in one step, as checkouts may do this at once.
KEPT_TYPES := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/euclio/types
types: env
	@test -d .mypy_cache || cp -Rp "$(KEPT_TYPES)" .mypy_cache 2>/dev/null || rm -rf .mypy_cache
	$(BIN)/mypy
	@new="$(KEPT_TYPES).$$$$"; mkdir -p "$(dir $(KEPT_TYPES))" && cp -Rp .mypy_cache "$$new" && rm -rf "$(KEPT_TYPES)" \
		&& mv "$$new" "$(KEPT_TYPES)" || rm -rf "$$new"

# As on Windows, where the library has other names: part of `make check` and `make test-all`, not of `make test`.
types-elsewhere: env
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32

contracts: env
	$(BIN)/lint-imports --no-logo

oracle: env $(COMPILED)
	EUCLIO_ORACLE=1000 $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist worksteal -q tests/oracle tests/formulations/fragments

# Until Ctrl-C, or for so long, or so many cases of each: make fuzz SECONDS=600 SEED=1000; make fuzz ONLY=solvers COUNT=5000
fuzz: env
	$(BIN)/python -m tests.searches $(ONLY) --seed $(or $(SEED),0) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(COUNT),--count $(COUNT))

# Harpagon's 1131 workloads, 20 systems and both optima: twelve minutes from nothing on two busy cores, of which six compile. The
# report goes to build/reports, and what differs from the stored one is said. `make reproduce WORKLOADS=1` tries all of it.
FEWER := $(if $(WORKLOADS),--workloads $(WORKLOADS) --certify 1)
reproduce: $(VENV)/runtime
	$(BIN)/euclio reproduce harpagon $(FEWER)
	@$(BIN)/euclio reproduce harpagon --answer --out build/reports/harpagon

# The other papers, two studies at a time, each on half of the cores: stages that time something use one core, and the others
# would be idle. The lists take about as long as each other. What the second one prints follows the first.
FIRST := graft piccolo mlperf
SECOND := scrooge ppipe
papers: $(VENV)/runtime
	@mkdir -p build
	@test -e build/reports/harpagon/scorecard.parquet || $(MAKE) --no-print-directory reproduce
	@echo "$(SECOND) run at the same time; what they print goes to build/reproduce.log, and follows"
	@half=$$($(BIN)/python -c 'from euclio.core.system import cores; print(max(1, cores() // 2))'); \
	(set -e; for study in $(SECOND); do $(BIN)/euclio reproduce $$study --jobs $$half $(FEWER); done) >build/reproduce.log 2>&1 & second=$$!; \
	trap 'kill $$second 2>/dev/null' INT TERM; \
	(set -e; for study in $(FIRST); do $(BIN)/euclio reproduce $$study --jobs $$half $(FEWER); done); first=$$?; \
	wait $$second; last=$$?; cat build/reproduce.log; test $$first = 0 && test $$last = 0
	$(BIN)/euclio reproduce --claims

bench: env
	$(BIN)/python -m tests.bench

# Before and after a change, as ratios in one run: git worktree add ../before COMMIT; make bench-against OTHER=../before
bench-against: env
	$(BIN)/python -m tests.bench.against $(OTHER)

notebooks: env
	$(BIN)/python tests/notebooks/notebook_runs.py

# Into build/docs/index.html; the pages need no server and no network.
docs: env
	$(BIN)/python docs/tools/rooms.py
	$(BIN)/python docs/tools/exact.py
	$(BIN)/python docs/tools/claims.py
	$(BIN)/python docs/tools/who_covers_what.py
	$(BIN)/python docs/tools/day.py
	$(BIN)/python docs/tools/examples.py
	$(BIN)/python docs/tools/fleets.py
	$(BIN)/python docs/tools/serving.py
	$(BIN)/python docs/tools/howto_figures.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# The same models on every engine, next to proven optima; a quarter of an hour.
engines: env $(COMPILED)
	$(BIN)/python docs/tools/engines.py

# The tables and figures of findings that are about the workloads of the settings, written into their pages;
# needed when the stored settings change: Theorem 1 alone takes over ten minutes. Pages hold what was found last, so that building them takes none of it.
findings: env
	$(BIN)/python docs/tools/posterior.py
	$(BIN)/python docs/tools/theorem.py
	$(BIN)/python docs/tools/two_features.py
	$(BIN)/python docs/tools/mechanisms.py
	$(BIN)/python docs/tools/whole.py

clean:
	rm -rf $(VENV) build dist
