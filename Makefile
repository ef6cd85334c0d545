# make setup   everything that kdelta needs on this machine; .venv/bin/kdelta is then the program
# make demo    set-up, then the main job: two kernels in, one table and one profile difference out
# make test    set-up, then all tests
# make validate  what the statistics promise, simulated at full size: two minutes
# make bench   ratios of speed, from alternated runs; and the size of a large page, and how long it takes

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
NATIVE := src/kdelta/native/guest/init
CSOURCES := $(shell find csrc -type f) CMakeLists.txt

# Some environments forbid it. Each of hundreds of programs that the tests start would compile kdelta again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup system demo test check validate bench clean

setup: system $(NATIVE)

# QEMU, a C compiler and the files to link statically with: installed where root or sudo allows it, else the line to type.
system:
	@sh scripts/system.sh

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "scikit-build-core[pyproject]>=0.10" cmake ninja

# pip would compile one module after the other.
$(VENV)/.installed: pyproject.toml $(CSOURCES) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-compile --editable '.[dev]'
	@$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
	@touch $@

$(NATIVE): $(VENV)/.installed

demo: setup
	@sh scripts/demo.sh

CHECK := $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

# Packages are fetched while types are checked. What runs alone is looked for only in the files that have such tests.
test: setup
	@sh scripts/system.sh tests & system=$$!; failed=; $(CHECK) || failed=1; wait $$system && [ -z "$$failed" ]
	$(BIN)/python -m pytest -m machine $$(grep -rl --include='*.py' mark.machine tests)
	$(BIN)/python -m pytest -m "not machine" -n 2

check: setup
	$(CHECK)

validate: setup
	$(BIN)/python -m tests.validation

bench: setup
	$(BIN)/python scripts/bench.py
	$(BIN)/python -m scripts.bench_page

clean:
	rm -rf build $(VENV) src/kdelta/native
