# SPDX-License-Identifier: GPL-2.0-or-later
#
# A thin front: meson and ninja build, this file forwards. Everything lands in BUILD, normally build/.
#
#   make           build the programs: tenure, its engines and the examples
#   make check     install what is missing, build programs and tests, run every test
#   make demo      install what is missing, build, profile a real program and an example, print the reports
#   make bench     side by side with Callgrind and the bare CPU (long)
#   make cases     advice on known problems and their repair: what is said, what is predicted, what the repair saves
#   make bench-time  the same programs on the bare CPU: the real speed-up beside the predicted one
#   make soak      every test, TENURE_SOAK [20] times as many rounds of the random ones, more and longer real programs
#                  (hours; two with TENURE_SOAK=1)
#   make places    every test in places unlike a developer's machine (tools/check-elsewhere; hours)
#   make fuzz     search for inputs that break the readers, MINUTES [1] for each (needs clang)
#   make deb       a Debian package, in BUILD/deb (debian/), looked at by lintian
#   make newcomer  Debian packages built and the quick start of README.md run with them, in new chroots of RELEASES
#                  [bookworm trixie]
#   make install   to PREFIX (DESTDIR is honoured)
#   make clean
#
# MESON_FLAGS is handed to `meson setup`, TEST_FLAGS to tools/run-tests in `make check`, CASES_FLAGS to
# tests/cases/cases.py (`--only=NAME,...`); PREFIX (default /usr/local) is where `make install` puts things.

BUILD ?= build
PREFIX ?= /usr/local
MESON_FLAGS ?=
TEST_FLAGS ?=

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) programs

# The programs, and whatever tests and benchmarks run.
everything: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@command -v meson >/dev/null || tools/install-packages
	@mkdir -p $(BUILD)
	@meson setup $(BUILD) --prefix=$(PREFIX) $(MESON_FLAGS) >$(BUILD)/setup.log 2>&1 || \
	  { cat $(BUILD)/setup.log; exit 1; }

check:
	@tools/install-packages --check
	@$(MAKE) --no-print-directory everything
	@tools/install-node-modules $(BUILD)
	@tools/run-tests $(BUILD) $(TEST_FLAGS)

demo:
	@tools/install-packages
	@$(MAKE) --no-print-directory all
	@tools/demo $(BUILD)

bench:
	@tools/install-packages --check
	@$(MAKE) --no-print-directory everything
	@bench/run $(BUILD) $(BENCH_FLAGS)
	@bench/formats $(BUILD)
	@bench/merge $(BUILD)
	@bench/page $(BUILD)

cases:
	@tools/install-packages --check
	@$(MAKE) --no-print-directory all
	@PYTHONDONTWRITEBYTECODE=1 python3 tests/cases/cases.py $(BUILD)/cli/tenure $(CASES_FLAGS)

bench-time:
	@tools/install-packages --check
	@$(MAKE) --no-print-directory all
	@PYTHONDONTWRITEBYTECODE=1 python3 tests/cases/cases.py $(BUILD)/cli/tenure --time $(CASES_FLAGS)

soak:
	@tools/install-packages --soak
	@$(MAKE) --no-print-directory everything
	@tools/install-node-modules $(BUILD) --soak
	@tools/run-tests --soak $(BUILD)

places:
	@tools/install-packages --soak
	@$(MAKE) --no-print-directory everything
	@tools/run-tests $(BUILD) --suite=places

fuzz:
	@tools/fuzz $(BUILD)/fuzzing $(or $(MINUTES),1) $(TARGETS)

deb:
	@tools/install-packages --deb
	@tools/deb $(BUILD)

newcomer:
	@for release in $(or $(RELEASES),bookworm trixie); do \
	  export TENURE_PACKAGES=$(BUILD)/newcomer/$$release && mkdir -p $$TENURE_PACKAGES && \
	  tools/check-elsewhere $$release /tenure/tools/newcomer build && \
	  tools/check-elsewhere $$release /tenure/tools/newcomer || exit 1; \
	done

install: all
	@meson configure $(BUILD) --prefix=$(PREFIX) >/dev/null
	@meson install -C $(BUILD) --no-rebuild

clean:
	rm -rf $(BUILD)

.PHONY: all everything check demo bench cases bench-time soak places fuzz deb newcomer install clean
