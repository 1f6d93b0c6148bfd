# Every target does its own set-up. `make help` lists them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Made last: an environment without it was interrupted.
COMPLETE := $(VENV)/complete
ANY_PYTHON := $(if $(wildcard $(COMPLETE)),$(BIN)/python,$(PYTHON))
NEW_PYTHON := Install Python 3.11 or newer, or name another one by PYTHON=. What works without it: image, help, clean
# What has not changed is not checked again, nor in a new clone: its content counts, not its age.
MYPY := $(BIN)/mypy --cache-dir $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/argocd-pulumi-plugin/mypy
# Locks carry hashes and no addresses; --universal makes them hold for every platform.
LOCK := uv pip compile --quiet --generate-hashes --universal --python-version 3.11 --no-header --no-emit-index-url --no-emit-find-links
TOOLS := $(basename $(wildcard plugin_image/renderer/pulumi/hosts/tools/*.in))

# Each of hundreds of `pulumi up` would compile the same modules.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-unit test-render test-faults test-e2e test-thorough test-cluster test-public image lint format toolchain recordings bench lock clean prerequisites

help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z][a-z0-9-]*:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV) ## Install the plugin into a real local Argo CD and deliver a Pulumi program with it
	$(BIN)/python -m tests.e2e.demo

# What checks types takes one processor only.
CHECKS = $(MAKE) --no-print-directory --jobs=2 lint test-unit

# Tests that wait leave the processor to tests that compute.
WORKERS ?= 5
PYTEST = $(BIN)/pytest -n $(WORKERS) --durations=10 --tb=short
PROGRAMS := tests/render tests/catalogue --ignore=tests/render/test_isolation.py --ignore=tests/render/test_determinism.py

ifeq ($(CI),true)
test: test-all ## Lint, unit and render tests, and a short end to end; with CI=true test-all
else
test: $(VENV)
	$(CHECKS)
	$(BIN)/python -m tests.toolchain test
	$(PYTEST) tests/e2e $(PROGRAMS) -m "not long and not thorough"
	@echo "not run: test-all (Go, every lock and layout, what may go wrong, the official engine beside each program, a real node)"
endif

test-all: $(VENV) ## Everything but test-thorough; what needs a node of its own where that can be (root)
	$(CHECKS)
	$(BIN)/python -m tests.toolchain test-all
	@if $(BIN)/python -m tests.cluster.prerequisites --ask; then \
		set -ex; \
		$(BIN)/python -m tests.cluster.prerequisites; \
		$(BIN)/python -m tests.toolchain test-cluster; \
		$(PYTEST) tests/cluster tests/e2e $(PROGRAMS) tests/faults -m "not thorough and not without_node"; \
	else \
		set -ex; $(PYTEST) tests/e2e $(PROGRAMS) tests/faults -m "not thorough"; \
	fi
	@echo "not run: test-thorough (the corpus without a network and many times over takes half an hour)"

test-thorough: $(VENV) ## The corpus without a network, each program many times over, every fault and every change
	$(BIN)/pytest tests/render/test_isolation.py tests/render/test_determinism.py tests/catalogue
	$(PYTEST) tests/faults
	$(PYTEST) tests/e2e -m thorough

ifdef CLUSTER_REGISTRY
test-cluster: toolchain ## Image, push and pods on a real node of its own (root), or on a given cluster
	$(BIN)/pytest tests/cluster/test_pods.py tests/cluster/test_service_mode.py -m "not own_node"
else
test-cluster: $(VENV)
	$(BIN)/python -m tests.cluster.prerequisites
	$(BIN)/python -m tests.toolchain test-cluster
	$(BIN)/pytest tests/cluster $(if $(THOROUGH),,-m "not thorough")
endif

TARGET ?= pulumi
VARIANT ?= full
ifdef IMAGE
image: ## Build the plugin's image (TARGET=pulumi|kpt|manifest-work, VARIANT=slim|python|nodejs|go|java|full); with IMAGE=<registry>/<name>:<tag> push it
	docker buildx build --target $(TARGET) --build-arg VARIANT=$(VARIANT) --platform $(or $(PLATFORMS),linux/amd64) \
		--provenance=mode=max --sbom=true --push --tag $(IMAGE) plugin_image
else
image:
	docker build --target $(TARGET) --build-arg VARIANT=$(VARIANT) --tag argocd-$(TARGET)-plugin:$(VARIANT) plugin_image
endif

MONITORED := tests/unit/renderer/pulumi
test-unit: $(VENV) ## Unit tests: no network, no Go, seconds
	@# To count what is covered takes half as long again, so only the tests that do cover it are counted.
	$(BIN)/pytest -n 2 $(MONITORED) --cov=plugin_image/renderer/pulumi/monitor --cov-branch --cov-fail-under=95 --cov-report=term:skip-covered
	$(BIN)/pytest -n 2 --durations=10 tests/unit tests/toolchain --ignore=$(MONITORED)

test-render: $(VENV) ## Programs, packages and folders, and what must come of each
	$(BIN)/python -m tests.toolchain test-all
	$(PYTEST) $(PROGRAMS) -m "not thorough"

test-faults: $(VENV) ## Odd programs, files and signals, and what must come of each (docs/faults.md)
	$(BIN)/python -m tests.toolchain test
	$(PYTEST) tests/faults -m "not thorough"

test-e2e: $(VENV) ## The real parts together: engine, provider, API server, Argo CD
	$(BIN)/python -m tests.toolchain test
	$(PYTEST) tests/e2e

test-public: $(VENV) ## Render public programs from GitHub as they are (hours; runs their code)
	$(BIN)/python -m tests.public $(PUBLIC)

lint: $(VENV) ## ruff, mypy and the rules of who may import whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(MYPY)
	$(BIN)/lint-imports

format: $(VENV) ## Put the code into its format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

toolchain: $(VENV) ## Build the real parts that the end-to-end tests run, each at most once
	$(BIN)/python -m tests.toolchain

recordings: $(VENV) ## Draw the terminal sessions of docs/recordings as SVG
	$(BIN)/python -m docs.recordings

bench: toolchain ## Measure renders against other ways, as JSON and ratios
	$(BIN)/python -m benchmarks

lock: $(VENV) ## Lock the requirements again after a change of a requirements.in
	$(BIN)/$(LOCK) requirements.in -o requirements.txt
	$(BIN)/$(LOCK) --constraint requirements.txt components/requirements.in -o components/requirements.txt
	$(BIN)/$(LOCK) plugin_image/requirements.in -o plugin_image/requirements.txt
	$(BIN)/$(LOCK) --constraint plugin_image/requirements.txt plugin_image/requirements-light.in -o plugin_image/requirements-light.txt
	$(BIN)/$(LOCK) plugin_image/build/sbom-requirements.in -o plugin_image/build/sbom-requirements.txt
	for tool in $(TOOLS); do $(BIN)/$(LOCK) $$tool.in -o $$tool.txt; done
	$(BIN)/$(LOCK) benchmarks/programs/cdk8s/requirements.in -o benchmarks/programs/cdk8s/requirements.txt
	$(BIN)/$(LOCK) requirements-dev.in -o requirements-dev.txt

clean: ## Remove what the targets made inside of this folder
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache build

$(VENV): $(COMPLETE)

$(COMPLETE): requirements-dev.txt | prerequisites
	@echo "Installing the locked requirements into $(VENV) …"
	@$(PYTHON) -S -m tests.virtual_environment $(VENV)

# Runs before all else. -S: what is installed for this Python may have a package `tests`, too.
prerequisites:
	@command -v $(ANY_PYTHON) >/dev/null || { echo "error: there is no $(ANY_PYTHON). $(NEW_PYTHON)" >&2; exit 1; }
	@$(ANY_PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "error: $$($(ANY_PYTHON) --version) is too old. $(NEW_PYTHON)" >&2; exit 1; }
	@$(ANY_PYTHON) -S -m tests.prerequisites $(MAKECMDGOALS)
