# Two commands on a fresh machine: `make demo`, `make test`. Everything lives in .venv.
PYTHON ?= python3
PIP = .venv/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
RUN = .venv/bin/python

.PHONY: setup dev demo test test-all bench-speed bench-accuracy clean

setup: .venv/.setup
dev: .venv/.dev

.venv/.setup: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("gapdag needs CPython 3.11 or newer; say make PYTHON=python3.11")'
	test -x .venv/bin/python || $(PYTHON) -m venv .venv
	$(PIP) -e .
	touch $@

.venv/.dev: .venv/.setup
	$(PIP) -e .[dev]
	touch $@

demo: setup
	.venv/bin/gapdag learn examples/demo/data.csv -o demo --truth examples/demo/edges.csv

test: dev
	$(RUN) -m pytest

test-all: dev
	$(RUN) -m pytest -m ''

bench-speed: dev
	$(RUN) benchmarks/speed.py

bench-accuracy: dev
	$(RUN) benchmarks/accuracy.py defaults
	$(RUN) benchmarks/accuracy.py wide
	$(RUN) benchmarks/accuracy.py reference

clean:
	rm -rf .venv demo build src/*.egg-info
