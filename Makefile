# make demo   from C to a verified accelerator, with a report
# make test   the tests (seeded samples of the sweeps)
# make check  lint, types, tests
# make test-all  the full sweeps as well
# make web    the page of the explorer, from web/ into the package
# make site   the documentation as a site, into out/site

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

.PHONY: demo test check lint test-all web site clean

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.tests-installed: $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

$(VENV)/.checks-installed: $(VENV)/.tests-installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[check]'
	@touch $@

$(VENV)/.simulators-installed: $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[rtl]'
	@touch $@

demo: $(VENV)/.simulators-installed
	$(BIN)/loadstone plan examples/matmul.c
	$(BIN)/loadstone build examples/matmul.c --target c --target hls -o out/matmul
	$(BIN)/loadstone run examples/matmul.c --target c --checked
	$(BIN)/loadstone run examples/matmul.c --target hls
	$(BIN)/loadstone run examples/matmul.c --tile 8 -p n=24 --target verilog --memory paper --timeline
	$(BIN)/loadstone report examples/matmul.c --verify -o out/matmul.html
	@echo "the explorer in the browser: $(BIN)/pip install -e '.[web]' && $(BIN)/loadstone serve examples/matmul.c --open"

test: $(VENV)/.tests-installed
	$(BIN)/pytest -n $(JOBS) -m 'not sweep'

test-all: $(VENV)/.tests-installed
	$(BIN)/pytest -n $(JOBS)

lint: $(VENV)/.checks-installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

check: lint test

web:
	npm ci --prefix web --no-audit --no-fund
	node web/build.mjs

site: $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis
