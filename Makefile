# Everything a checkout needs. Nothing here touches the system, but `make test` with INSTALL_DOCKER=1, INSTALL_POSTGRES=1, INSTALL_CHROMIUM=1.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TEST_PROCESSES ?= 4
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test chaos check format docs bench bench-first bench-solve bench-verify look lock clean
.DEFAULT_GOAL := help

help: ## what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/.ready: requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "selfcode needs Python 3.11 or newer; set PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --require-hashes --no-deps -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -qq -j 0 -x '/(githubkit_schemas|pip|setuptools|mypy|mypyc)/' $(VENV)/lib || true # pip would do it file by file, and 50 MB that are hardly read
	@touch $@

$(VENV)/.tested: $(VENV)/.ready requirements-browser.lock
	$(BIN)/python -m pip install --quiet --no-compile --require-hashes --no-deps -r requirements-browser.lock
	@touch $@

demo: $(VENV)/.ready ## the main job, end to end, on this machine: no account, no key
	@$(BIN)/selfcode demo

test: export PYTHONDONTWRITEBYTECODE := # else each of the processes that the tests start compiles everything again
test: $(VENV)/.tested ## every test; INSTALL_DOCKER=1, INSTALL_POSTGRES=1, INSTALL_CHROMIUM=1 install what they run on (root, Debian or Ubuntu)
	@$(BIN)/python -m tests.real.fetch || test -z "$$CI"
	@$(BIN)/python -m tests.engine -- $(BIN)/python -m tests.postgres -- $(BIN)/python -m tests.browser -- $(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist loadfile --no-loadscope-reorder $(if $(CI),--reruns 1 -r aR) $(ARGS)

chaos: export PYTHONDONTWRITEBYTECODE :=
chaos: $(VENV)/.ready ## end everything at every step of a run, one thing at a time (hours; CASES='worker@iteration*' takes some)
	@$(BIN)/python -m tests.engine -- $(BIN)/python -m tests.postgres -- $(BIN)/python -m tests.chaos $(CASES)

check: $(VENV)/.tested ## format, lint, types, imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.ready ## the pages of docs/ as a site, in .cache/site; a link that leads nowhere is an error
	$(BIN)/python -m mkdocs build --quiet --strict
	@echo .cache/site/index.html

format: $(VENV)/.ready ## put the code into form, and the tables of docs/configuration.md
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/python -m manual

bench: $(VENV)/.ready ## figures: where the time of a run goes, how soon people are heard, what a proof costs, what floods do beside Probot
	@$(BIN)/python -m tests.engine -- $(BIN)/python -m bench.sandbox
	@$(BIN)/python -m tests.engine -- $(BIN)/python -m bench.label_to_pull_request
	@$(BIN)/python -m tests.engine -- $(BIN)/python -m bench.conversation
	@$(BIN)/python -m tests.engine -- $(BIN)/python -m bench.proof
	@$(BIN)/python -m bench.flood
	@$(BIN)/python -m bench.dispatch
	@$(BIN)/python -m bench.surviving
	@$(BIN)/python -m bench.masking
	@$(BIN)/python -m bench.pages

bench-first: $(VENV)/.ready ## figures: a fresh clone up to make demo's pull request, seconds and MB; the image (downloads; minutes)
	@$(BIN)/python -m bench.first_time

bench-solve: $(VENV)/.ready ## figures: what a model solves (SELFCODE_MODEL, OPENAI_BASE_URL, OPENAI_API_KEY; options in SOLVE=)
	@$(BIN)/python -m bench.solve setup
	@$(BIN)/python -m bench.solve run --tasks bench/solve/tasks --sample 20 --humaneval 40 --seed 4 --out .cache/solve/results $(SOLVE)

bench-verify: $(VENV)/.ready ## figures: real fixes, and the same broken, under `selfcode verify` (fetches; hours)
	@$(BIN)/python -m bench.verify setup
	@$(BIN)/python -m bench.verify run --out .cache/verify/results
	@$(BIN)/python -m bench.verify report --out .cache/verify/results

look: $(VENV)/.tested ## every text that people see, on one page; every page as a picture (needs Chromium)
	@$(BIN)/python -m tests.writing.look
	@$(BIN)/python -m tests.browser.look

lock: ## renew the lock files (needs uv)
	uv pip compile pyproject.toml --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate -o requirements.lock
	uv pip compile pyproject.toml --group dev --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate -o requirements-dev.lock
	uv pip compile --group browser --constraints requirements-dev.lock --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate -o requirements-browser.lock
	uv pip compile bench/solve/requirements/mini-swe-agent.in --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate -o bench/solve/requirements/mini-swe-agent.txt

clean: ## forget the virtual environment and the caches
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache
