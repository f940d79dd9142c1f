SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
STAMP := .venv/.threadlake-setup

.PHONY: help setup demo test check format docs golden conformance fuzz mutants bench kills nights clean

help: ## list these targets
	@sed -nE 's/^([a-z]+):[^#]*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

setup: $(STAMP) ## make .venv with everything that the other targets need (once)

$(STAMP): pyproject.toml constraints.txt
	@[ -x $(BIN)/python ] || { echo "setup: a virtual environment in .venv"; "$(PYTHON)" -m venv .venv; }
	@echo "setup: the packages of constraints.txt (a minute or two)"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt setuptools
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt --no-build-isolation \
		-e '.[jobs,s3,test,dev]'
	@touch $@

# The demo prints what it runs, so that each line can be typed again. The sample holds damaged records on purpose:
# compact says 1, "done, with findings", and does not stop the demo. Any other failure does, in a pipe too.
demo: setup ## a sample log becomes a lake that answers and replays, in demo/
	@export PATH="$(CURDIR)/$(BIN):$$PATH"; rm -rf demo; \
	show() { printf '\n$$ %s\n' "$$1"; eval "$$1" || [ $$? -eq "$${2:-0}" ] || exit 2; }; \
	show 'threadlake sample --threads 60 --seed 7 --out demo/raw'; \
	show 'threadlake compact demo/raw --lake demo/lake' 1; \
	show 'threadlake sql --lake demo/lake "$(QUESTION)"'; \
	show 'threadlake tree --lake demo/lake --thread thread-tour'; \
	show 'threadlake replay --lake demo/lake --thread thread-tour --form view | python -m json.tool --no-ensure-ascii | sed -n 1,40p'

QUESTION := SELECT name AS tool, count(*) AS calls, count(DISTINCT thread_id) AS threads \
	FROM tool_calls WHERE is_new GROUP BY name ORDER BY calls DESC, tool LIMIT 5

test: setup ## run every test
	@$(BIN)/python -m pytest -q -n auto --dist worksteal

check: setup ## format, lint, types and the house rules
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -q tests/test_house.py tests/test_lazy_imports.py

format: setup ## format, and mend what the linter can
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

docs: setup ## write docs/tables.md from the schemas
	@$(BIN)/python -c "from transforms.show.tables_page import tables_page as page; print(page(), end='')" > docs/tables.md

SEEDS ?= 0:2500
conformance: setup ## judge random threads and a sample by the live reference (SEEDS=0:12500 LOGS=folder; needs node)
	@$(BIN)/python -m tests.conformance seeds $(SEEDS)
	@rm -rf .conformance; $(BIN)/threadlake sample --threads 20 --seed 11 --out .conformance > /dev/null
	@$(BIN)/python -m tests.conformance logs .conformance; rm -rf .conformance
	@$(if $(LOGS),$(BIN)/python -m tests.conformance logs $(LOGS))

SECONDS ?= 60
fuzz: setup ## judge new random threads for SECONDS (SEED=first seed; see one again: python -m tests.conformance show)
	@$(BIN)/python -m tests.conformance fuzz $(SECONDS) $(if $(SEED),--start $(SEED))

mutants: setup ## put deliberate faults in, one at a time: the suite must catch each without node (many minutes)
	@$(BIN)/python -m tests.mutations

bench: setup ## measure the job beside the published compactor (needs node; minutes)
	@$(BIN)/python benchmarks/compact_against_reference.py

KILLS ?= 100
kills: setup ## kill the nightly job at random moments, on a disk and in an S3 server (minutes)
	@$(BIN)/python benchmarks/kills.py $(KILLS)

nights: setup ## the cost of a night beside how many nights the lake holds (many minutes)
	@$(BIN)/python benchmarks/nights.py 1 30 300

golden: setup ## remake the golden files; read the diff before you commit it
	@GOLDEN=write $(BIN)/python -m pytest -q -k golden
	@git --no-pager diff --stat

clean: ## remove the environment, the demo and every cache
	@rm -rf .venv demo build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
