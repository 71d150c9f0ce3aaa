# All targets use .venv, which the first call sets up from requirements.lock.
# make help lists the targets.

PYTHON ?= python3
CHECK ?= 60s
PORT ?= 8000
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
UV_VERSION := 0.13.8

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check --no-input
READY := $(VENV)/.ready
BENCH := .venv-bench
export PYTHONPATH := $(CURDIR):$(CURDIR)/notebooks
# Without kept bytecode, each of the many processes compiles all sources again.
unexport PYTHONDONTWRITEBYTECODE

# Passed through the environment, so that the shell never evaluates the values.
export NOTEBOOK PARAMS NAME CSV TARGET OPTIONS SCHEDULER CHECK
CLUSTER := $(if $(SCHEDULER),--scheduler "$$SCHEDULER")

.DEFAULT_GOAL := help
.PHONY: help book test lint format data run measure check report paper serve bench lock release clean

help:  ## show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sort | sed 's/:.*## /\t/' | while IFS='	' read -r target text; do \
	  printf '  make %-9s %s\n' "$$target" "$$text"; done
	@echo
	@echo '  make book CHECK=10m                measure more of the stored numbers again; CHECK=all for all of them'
	@echo '  make run NOTEBOOK=hocke2014_mdm PARAMS="dataset=wine n_splits=20"'
	@echo '  make run NOTEBOOK=hocke2014_mdm PARAMS=help'
	@echo '  make measure SCHEDULER=tcp://host:8786   on a Dask cluster; make run takes it, too'

book: $(READY)  ## check the stored numbers, execute the notebooks, render the site, print its path (CHECK=60s|10m|all; NOTEBOOK=name for one)
	@$(BIN)/python notebooks/run.py build --jobs $(JOBS) --check "$$CHECK" $(CLUSTER) $${NOTEBOOK:+--only "$$NOTEBOOK"}
	@$(BIN)/python book/render.py

measure: $(READY)  ## measure stale tables of data/measured, say what moves (NOTEBOOK=name for one, ALL=1 for readings, too)
	@test -z "$$PARAMS" || { echo 'make measure takes no PARAMS; make run measures with other parameters.'; exit 2; }
	@$(BIN)/python notebooks/run.py measure --jobs $(JOBS) $(CLUSTER) $(if $(ALL),--all) $${NOTEBOOK:+"$$NOTEBOOK"}

# Slow tests run in CI, or when chosen: make test TESTS="-m slow"
# One process more than cores: tests also wait, for a browser, a server or a kernel.
test: $(READY)  ## run the tests (TESTS="tests/test_x.py -k name" for some of them)
	@$(BIN)/python -m pytest $(or $(TESTS),-n $$(($(JOBS) + 1)) --dist loadscope --no-loadscope-reorder $(if $(CI),--durations 15,-m "not slow"))

lint: $(READY)  ## check style, formatting, types, notebooks, and that every claim's tables are measured; print the sizes
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python notebooks/run.py lint
	@$(BIN)/python tests/sizes.py

format: $(READY)  ## format the code, strip the notebooks, rewrite their parameters as declared
	@$(BIN)/python notebooks/run.py strip
	@$(BIN)/ruff format -q .
	@$(BIN)/ruff check --fix -q . || true
	@$(BIN)/ruff format -q .

data: $(READY)  ## fetch and verify all public data sets (DATASETS="sonar pima" for some of them)
	@$(BIN)/python -m fscore.datasets fetch $(DATASETS) || test $$? -eq 1  # 1: some are unavailable, as the table shows

run: $(READY)  ## run one notebook with your parameters, print its page (NOTEBOOK=name PARAMS="key=value ..." or my.yml or help)
	@test -n "$$NOTEBOOK" || { echo 'Usage: make run NOTEBOOK=name PARAMS="key=value ..."; the notebooks are:'; \
	  ls notebooks/*/*.ipynb | sed '/\/summary\//d; s,.*/\(.*\)\.ipynb,  \1,'; exit 2; }
	@$(BIN)/python notebooks/run.py rerun "$$NOTEBOOK" --words="$$PARAMS" --render $(CLUSTER)

check: $(READY)  ## measure stored units again, those first that never were, and record them (CHECK=1h, SEED=number)
	@$(BIN)/python notebooks/run.py check --jobs $(JOBS) "$$CHECK"

report: $(READY)  ## which columns of your file predict its target (CSV=my.csv TARGET=diagnosis OPTIONS="--groups patient")
	@test -n "$$CSV" && test -n "$$TARGET" || { echo 'Say which: make report CSV=my.csv TARGET=diagnosis'; exit 2; }
	@$(BIN)/python notebooks/run.py report --words="$$OPTIONS" -- "$$CSV" "$$TARGET"

paper: $(READY)  ## write the skeleton of a new paper (NAME=peng2005)
	@$(BIN)/python notebooks/run.py paper "$$NAME"

serve: $(READY)  ## serve the built site on this machine (PORT=8000)
	@$(BIN)/python -m http.server $(PORT) --bind 127.0.0.1 --directory book/_build/html

bench: $(BENCH)/.ready  ## compare our speed with peers in the same run (BENCH_ARGS="--quick search")
	@$(BENCH)/bin/python benchmarks/run.py $(BENCH_ARGS)

lock: $(READY)  ## resolve pyproject.toml again and write requirements.lock
	@$(PIP) -q uv==$(UV_VERSION)
	@$(BIN)/uv pip compile pyproject.toml --all-extras --universal --generate-hashes --no-emit-index-url \
	  --no-annotate --no-header --python-version 3.11 --upgrade -q -o requirements.lock
	@echo "requirements.lock: $$(grep -c '==' requirements.lock) packages"

release: $(READY)  ## after a new version in pyproject.toml: write its changelog, what cites it, and the public names
	@$(BIN)/towncrier build --yes
	@$(BIN)/python notebooks/run.py package
	@PYTHONPATH=$$PYTHONPATH:book $(BIN)/python -c 'from _ext.api_pages import public_objects; print(*sorted(public_objects()), sep="\n")' \
	  > tests/public_names.txt

clean:  ## remove build outputs (results, site, cache), but neither .venv nor your own runs
	@rm -rf book/_build .cache .pytest_cache .ruff_cache .hypothesis results/.book-*
	@for run in results/*; do test "$$run" = results/yours || rm -rf "$$run"; done

# A separate environment for the peers, with the locked packages.
$(BENCH)/.ready: $(READY) benchmarks/requirements.txt
	@echo "Setting up $(BENCH) with the peers, once (about a minute) ..."
	@$(BIN)/python -m venv $(BENCH)
	@$(BENCH)/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BENCH)/bin/python -m pip install -q --disable-pip-version-check -r benchmarks/requirements.txt
	@touch $@

# uv installs in seconds what takes pip a minute or two, but knows only its own settings: pip installs where it can't.
# The stamp is written last, so an interrupted setup starts again.
# Two installations: the lock file has hashes of all packages, but the project itself has none.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version.split()[0]; sys.version_info >= (3, 11) or sys.exit( \
	  f"Python 3.11 or newer is needed, this is {v}; choose one: make PYTHON=python3.12")'
	@echo "Setting up $(VENV) from requirements.lock, once."
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "Python cannot make virtual environments here; on Debian: apt-get install python3-venv"; exit 1; }
	@$(PIP) -q uv==$(UV_VERSION) && $(BIN)/uv pip install --python $(BIN)/python --require-hashes -q -r requirements.lock || \
	  { echo "pip installs the packages, which takes a minute or two."; $(PIP) -q --require-hashes -r requirements.lock; }
	@$(PIP) -q --no-deps --no-build-isolation -e .
	@echo "Compiling the inner loops, about a minute."
	@$(BIN)/python -m fscore compile
	@touch $@
