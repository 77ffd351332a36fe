# All targets work in .venv, which the first one makes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: bfcl demo test model-test lint types floors unit bench soak peers ship verify schemas atlas system clean

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

## test: lint, types, floors and all tests but those marked gpu, model and whole
# Types keep one core busy for a while, lint and floors the other; the tests then have both.
test: $(STAMP)
	$(MAKE) --jobs 3 --output-sync=target lint types floors
	$(MAKE) unit

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/pyright

floors: $(STAMP)
	$(BIN)/lint-imports

# Written once: the processes that the tests start would compile every module again where nobody may write it.
unit: $(STAMP)
	$(BIN)/python -m compileall -q pipeline
	$(BIN)/python -m pytest -m "not gpu and not model and not whole" -n 2 --dist worksteal -rs --benchmark-disable

## model-test: what a real model behind an endpoint can, e.g. MODEL_URL=http://127.0.0.1:8091/v1 MODEL=its-name
model-test: $(STAMP)
	ENVFORGE_TEST_MODEL_URL=$(MODEL_URL) ENVFORGE_TEST_MODEL=$(MODEL) $(BIN)/python -m pytest -m model -rs

## bench: seconds and peak memory per build, the World, the pool and the server, speed ratios
bench: $(STAMP)
	$(BIN)/python -m pytest tests/bench -q -s --benchmark-only

## peers: envforge beside other servers of environments (benchmarks/peers/README.md); makes their environments first
peers: $(STAMP)
	-$(BIN)/python benchmarks/peers/prepare.py
	$(BIN)/python benchmarks/peers/run.py --json work/peers/results.json

# What ships: the whole of notion; the others cut to what fits into 4 MB together (environments/README.md).
SNAPSHOT ?= $(wildcard ../shared/snapshot)
SHIPYARD ?= work/ship
COUNT ?= 60
SHIP := $(BIN)/envforge mine --facts-only --workspace $(SHIPYARD) $(if $(SNAPSHOT),--snapshot $(SNAPSHOT))
SHIPPED := airline-booking notion web-browsers
AIRLINE := --keep flights.scheduled_departure=2013-01-15T12..2013-01-20T06 --keep flights.destination=BOS,CLT,DCA,RDU \
  --keep airports=used --keep aircraft=used --set reservations.sold=0.18 --set reservations.customers=180
BROWSERS := --keep browser_releases.release_date=2024-07-01.. --keep 'index_*=none' --keep feature_compat_features=none \
  --keep feature_specs=none --keep feature_caniuses=none --keep feature_groups=none --keep 'feature_discouraged_*=none' \
  --keep feature_redirect_targets=none \
  --keep feature_status_supports.code=chrome,firefox,safari --max-tools 36 \
  --set reference-curation.corrections=330 --set reference-curation.flags=190 --set reference-curation.collections=24

## ship: write environments/ and tasks/ anew; what was there is replaced when all of it is certified
ship: $(STAMP)
	rm -rf $(SHIPYARD)/environments $(SHIPYARD)/tasks
	$(SHIP) --theme airline-booking $(AIRLINE)
	$(SHIP) --theme notion
	$(SHIP) --theme web-browsers $(BROWSERS)
	$(BIN)/envforge synth-tasks --workspace $(SHIPYARD) --count $(COUNT)
	rm -rf $(SHIPPED:%=environments/%) $(SHIPPED:%=tasks/%)
	cp -R $(SHIPYARD)/environments/. environments/
	cp -R $(SHIPYARD)/tasks/. tasks/

## verify: every gate on every environment and every task that ships, every cheat on every task
verify: $(STAMP)
	$(BIN)/envforge check $(SHIPPED) --tasks
	ENVFORGE_TEST_SNAPSHOT=$(or $(ENVFORGE_TEST_SNAPSHOT),$(abspath $(SNAPSHOT))) $(BIN)/python -m pytest -m whole -n 2 --dist worksteal -rs

## bfcl: an environment of its own for bfcl-eval (docs/benchmarks.md)
bfcl:
	python3 -m venv .venv-bfcl
	.venv-bfcl/bin/pip install --no-deps bfcl-eval==2026.3.23
	.venv-bfcl/bin/pip install -r benchmarks/bfcl/requirements.txt

## schemas: rewrite validators/schemas from the records
schemas: $(STAMP)
	$(BIN)/python -m envforge.store.schemas validators/schemas

## atlas: learn themes/classifier.json anew from the catalogue of themes (held-out labels are left out)
atlas: $(STAMP)
	$(BIN)/python -m envforge.atlas.fit themes

## soak: two million calls over 500 live episodes while workers are killed, then 50,000 over HTTP while clients vanish
soak: $(STAMP)
	$(BIN)/python tests/soak/soak.py
	$(BIN)/python tests/soak/server_soak.py

## system: what pip cannot install (Debian, Ubuntu)
system:
	apt-get update -qq && apt-get install -y -qq --no-install-recommends nodejs npm chromium

clean:
	rm -rf $(VENV) work dist
