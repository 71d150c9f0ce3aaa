# Everything runs from .venv, which the first target you call sets up from requirements.lock.
# make help lists the targets.

PYTHON ?= python3
PROFILE ?= quick
PORT ?= 8000
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
UV_VERSION := 0.13.8

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
export PYTHONPATH := $(CURDIR)

.DEFAULT_GOAL := help
.PHONY: help book test lint format data run accept serve bench lock clean

help:  ## show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sort | sed 's/:.*## /\t/' | while IFS='	' read -r target text; do \
	  printf '  make %-8s %s\n' "$$target" "$$text"; done
	@echo
	@echo '  make book PROFILE=paper            the papers own sizes: slower, see the status page'
	@echo '  make run NOTEBOOK=hocke2014_mdm PARAMS="datasets=[wine] n_splits=20"'
	@echo '  make run NOTEBOOK=hocke2014_mdm PARAMS=help'

book: $(READY)  ## execute the notebooks that changed, render the site, print its path (PROFILE=quick|paper)
	@$(BIN)/python notebooks/run.py build --profile $(PROFILE) --jobs $(JOBS)
	@$(BIN)/python book/render.py --profile $(PROFILE)

test: $(READY)  ## run the tests (TESTS="tests/test_x.py -k name" for some of them)
	@$(BIN)/python -m pytest $(TESTS)

lint: $(READY)  ## check style, formatting, and that notebooks carry no outputs
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/python notebooks/run.py lint

format: $(READY)  ## format the code and strip the notebooks
	@$(BIN)/ruff check --fix -q . || true
	@$(BIN)/ruff format -q .
	@$(BIN)/python notebooks/run.py strip

data: $(READY)  ## fetch and verify every data set that can be had (DATASETS="sonar pima" for some of them)
	@$(BIN)/python -m fscore.datasets fetch $(DATASETS)

run: $(READY)  ## one notebook with your parameters (NOTEBOOK=name PARAMS="key=value ..." or my.yml or help)
	@test -n "$(NOTEBOOK)" || { echo 'Say which: make run NOTEBOOK=name PARAMS="key=value ..."; the notebooks are:'; \
	  ls notebooks/*.ipynb | sed 's,notebooks/\(.*\)\.ipynb,  \1,'; exit 2; }
	@$(BIN)/python notebooks/run.py rerun $(NOTEBOOK) $(PARAMS)

accept: $(READY)  ## make the results of the paper profile the reference that every page shows
	@$(BIN)/python notebooks/run.py accept

serve: $(READY)  ## serve the built site on this machine (PORT=8000)
	@$(BIN)/python -m http.server $(PORT) --bind 127.0.0.1 --directory book/_build/html

bench: $(READY)  ## measure our speed against peers, side by side in one run
	@$(BIN)/python -m benchmarks

lock: $(READY)  ## resolve pyproject.toml anew into requirements.lock
	@$(BIN)/python -m pip install -q uv==$(UV_VERSION)
	@$(BIN)/uv pip compile pyproject.toml --all-extras --universal --generate-hashes --no-emit-index-url \
	  --no-annotate --no-header --python-version 3.11 --upgrade -q -o requirements.lock
	@echo "requirements.lock: $$(grep -c '==' requirements.lock) packages"

clean:  ## remove what a build leaves (results, site, cache), but neither .venv nor your own runs
	@rm -rf book/_build .cache .pytest_cache .ruff_cache .hypothesis
	@for run in results/*; do test "$$run" = results/yours || rm -rf "$$run"; done

# The stamp is written last: a set-up that was interrupted starts again, and keeps what pip has already downloaded.
# The lock holds hashes for everything, the project itself has none: hence two steps.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " \
	  + sys.version.split()[0] + "; say which to use: make PYTHON=python3.12")'
	@echo "Setting up $(VENV) from requirements.lock (once, about a minute) ..."
	@$(PYTHON) -m venv $(VENV) || { echo 'Python cannot make virtual environments here; on Debian: apt-get install python3-venv'; exit 1; }
	@$(BIN)/python -m pip install --disable-pip-version-check -q --progress-bar on --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --disable-pip-version-check -q --no-deps --no-build-isolation -e .
	@touch $(READY)
