# Everything here sets itself up: a machine with Python 3.11, 3.12 or 3.13 and make is enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-llm test-browser check bench bench-peers lock clean

demo: $(STAMP)
	$(BIN)/adjudge demo

test: check
	$(BIN)/python -m pytest

# A real model behind a real server, with an environment of its own: some 100 MB to fetch, minutes to run.
test-llm: $(STAMP) .venv-llm/.installed
	ADJUDGE_TEST_LLM=1 $(BIN)/python -m pytest -rP tests/llm

# Our results in `inspect view`, in a Chromium of this machine; ADJUDGE_PICTURES=FOLDER keeps what it showed.
test-browser: $(STAMP)
	ADJUDGE_TEST_BROWSER=1 $(BIN)/python -m pytest -rs tests/browser

.venv-llm/.installed: requirements-llm.lock
	test -x .venv-llm/bin/python || $(PYTHON) -m venv .venv-llm
	.venv-llm/bin/python -m pip install --quiet --no-deps --only-binary :all: --require-hashes -r $<
	touch $@

check: $(STAMP)
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/memory.py
	$(BIN)/python benchmarks/client.py
	$(BIN)/python benchmarks/local.py

# Installs other tools into environments of their own in the user's cache folder; takes about 15 minutes.
bench-peers: $(STAMP)
	$(BIN)/python benchmarks/peers.py

# The lock pins every file by hash; the project itself is installed without looking anything up.
$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14) and \
	  "adjudge needs Python 3.11, 3.12 or 3.13; name one: make PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

# Run after changing dependencies in pyproject.toml. Writes no registry host and no path.
lock: $(STAMP)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-annotate --no-emit-index-url --extra dev pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
