# The two commands of the README: make demo, make test. Each makes its own virtual environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test lint types floors unit bench schemas system clean

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $(STAMP)

## demo: mine the theme "notion" from its two npm packages, make tasks of it, and show what came out
demo: $(STAMP)
	@command -v npm >/dev/null || { echo "npm is missing: make system (Debian/Ubuntu), or install Node.js"; exit 2; }
	$(BIN)/envforge mine --theme notion --workspace work/demo
	$(BIN)/envforge show notion --workspace work/demo
	$(BIN)/envforge call notion search query=heron page_size=3 --workspace work/demo
	$(BIN)/envforge synth-tasks --env notion --count 10 --workspace work/demo
	$(BIN)/envforge tasks list notion --workspace work/demo
	$(BIN)/envforge tasks show notion 10 --workspace work/demo

## test: lint, types, floors and all tests but those marked gpu and model
test: $(STAMP) lint types floors unit

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/pyright

floors: $(STAMP)
	$(BIN)/lint-imports

unit: $(STAMP)
	$(BIN)/python -m pytest -m "not gpu and not model" -n 2 --dist worksteal -rs --benchmark-disable

## bench: seconds and peak memory per build, speed ratios
bench: $(STAMP)
	$(BIN)/python -m pytest tests/bench -q -s --benchmark-only

## schemas: rewrite validators/schemas from the records
schemas: $(STAMP)
	$(BIN)/python -m envforge.store.schemas validators/schemas

## system: what pip cannot install (Debian, Ubuntu)
system:
	apt-get update -qq && apt-get install -y -qq nodejs npm

clean:
	rm -rf $(VENV) work dist
