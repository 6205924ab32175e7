# Two commands for a machine with Python 3.11 and pip: `make demo` and `make test`. Everything lands in .venv and the user's cache.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# One process more than there are cores, since some tests wait.
NUM_PROCESSES := $(shell $(PYTHON) -c "import os; print(1 + (os.cpu_count() or 1))")
SIDE_BY_SIDE := --numprocesses $(NUM_PROCESSES) --dist worksteal
LIVE := tests/live tests/models/llms
DEMO_INDEX := .demo/starter-index
QUESTION ?= In which city was the author of the novel behind the film Barry Lyndon born?

# Tests start Python often: modules are compiled once, not each time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-all test-hf coverage docs map attack lint types units wheel clean

demo: $(READY)
	@if [ "$${HOPWEAVE_LLM:-llama_cpp}" = llama_cpp ]; then $(BIN)/hopweave models fetch; fi
	$(BIN)/hopweave index src/hopweave/starter/passages.jsonl --to $(DEMO_INDEX)
	$(BIN)/hopweave ask "$(QUESTION)" --corpus $(DEMO_INDEX) --require-support

# What can run side by side does; the embedded model takes the whole machine, so its tests come last and alone.
test: $(READY)
	$(MAKE) --jobs 4 --output-sync lint types units wheel
	$(BIN)/python -m pytest -m "live and not slow" $(LIVE)

# With the tests marked `slow`, and Hypothesis at length.
test-all: lint types wheel
	$(BIN)/python -m pytest -m "not live" --hypothesis-profile thorough $(SIDE_BY_SIDE)
	$(BIN)/python -m pytest -m live $(LIVE)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

# The first tier: what shows most faults in least time.
units: $(READY)
	$(BIN)/python -m pytest -m "not live and not slow" $(SIDE_BY_SIDE)

# Which lines the tests run; less than 90% of them is an error. Of processes that tests start nothing is counted, and what measures
# how time grows is left out, since it would measure the tracer.
coverage: $(READY)
	$(BIN)/python -m pytest -m "not live and not slow" --ignore tests/contracts/test_growth.py $(SIDE_BY_SIDE) --cov --cov-report term

# The wheel as users get it: built, installed into an environment of its own, and tried outside this folder.
wheel: $(READY)
	$(BIN)/python tests/wheel_check.py

# Inputs that mean harm, by chance: what was tried, held and broke. ARGS="--seed 7 --scale 0.1" says how; `units` has a short form.
attack: $(READY)
	PYTHONPATH=tests $(BIN)/python -m attack $(ARGS)

# What needs PyTorch, in an environment of its own, since PyTorch is large; on tiny random weights, so nothing else is fetched.
test-hf: $(VENV)-hf/.ready
	$(VENV)-hf/bin/python -m pytest tests/models/readers tests/models/llms/test_transformers_local.py tests/models/duplicate_detectors

# The documentation as a site, in site/. Nothing is fetched while it is built, and a warning ends it.
docs: $(VENV)-docs/.ready
	NO_MKDOCS_2_WARNING=1 $(VENV)-docs/bin/mkdocs build --strict

# The rooms of the package and the imports between them: drawn for the documentation, and printed with their lines of code.
map: $(READY)
	PYTHONPATH=tests $(BIN)/python docs/hooks/rooms.py

$(VENV)-docs/.ready: pyproject.toml constraints.txt
	@echo "Making .venv-docs: pip downloads MkDocs, its theme and what hopweave needs."
	$(PYTHON) -m venv $(VENV)-docs
	$(VENV)-docs/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --editable '.[docs]'
	@touch $@

$(VENV)-hf/.ready: pyproject.toml constraints.txt
	@echo "Making .venv-hf: pip downloads PyTorch and transformers (several hundred MB, more where PyTorch comes with CUDA)."
	$(PYTHON) -m venv $(VENV)-hf
	$(VENV)-hf/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(VENV)-hf/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --editable '.[hf,dev]'
	@touch $@

$(READY): pyproject.toml constraints.txt
	@echo "Making .venv: pip downloads hopweave's dependencies and tools (about 300 MB)."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[local,dev]'
	@touch $(READY)

clean:
	rm -rf $(VENV) $(VENV)-hf $(VENV)-docs site .demo dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
