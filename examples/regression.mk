# regression.mk - whether a change makes a program slower
#
# For GNU make.  Run `make -f regression.mk regression` in a git checkout of the
# program, or include this file in its Makefile after the first rule.  It builds
# the commit before the change and the checkout as it is, records runs of both
# in turns, and compares them: make fails if a function takes a larger share of
# the time than before.
#
#   REGRESSION_BASE      the commit before (default: where HEAD left main)
#   REGRESSION_BUILD     the command that builds the program in the current
#                        directory (default: make)
#   REGRESSION_PROGRAM   the program and its arguments (default: ./program)
#   REGRESSION_PROFILER  what records it: perf (default), or gprof, for programs
#                        that REGRESSION_BUILD builds with -pg
#   REGRESSION_RECORD    instead of the last two: a command that writes a
#                        profile to $$profile
#   REGRESSION_RUNS      runs of each build (default: 5)
#   REGRESSION_OPTIONS   options of pbdiff, such as --max-growth=5%
#   REGRESSION_DIR       the directory of the results (default: regression)
#
# Files in REGRESSION_DIR:
#
#   base-1.pb.gz ... new-5.pb.gz   the runs
#   report.txt                     the comparison, which is also printed
#   report.md, report.xml          the same as Markdown and for JUnit
#
# `make regression-compare` compares runs that were recorded before, for example
# with other REGRESSION_OPTIONS.
#
# For packages of Go, whose benchmarks record themselves:
#
#   REGRESSION_RECORD = go test -run='^$$' -bench=. -cpuprofile=$$profile .

REGRESSION_BASE ?= $$(git merge-base HEAD main)
REGRESSION_BUILD ?= $(MAKE)
REGRESSION_PROGRAM ?= ./program
REGRESSION_PROFILER ?= perf
REGRESSION_RUNS ?= 5
REGRESSION_OPTIONS ?=
REGRESSION_DIR ?= regression

# cpu-clock, since virtual machines often have no counters.  Call stacks need
# frame pointers: build with -fno-omit-frame-pointer.
REGRESSION_RECORD_perf = perf record -q -e cpu-clock:u -g -o $$profile.data \
	$(REGRESSION_PROGRAM) && perf2pb -q -o $$profile $$profile.data

# Each process writes a file.
REGRESSION_RECORD_gprof = GMON_OUT_PREFIX=$$profile.gmon \
	$(REGRESSION_PROGRAM) && gmon2pb -q --flat \
	-e $(firstword $(REGRESSION_PROGRAM)) -o $$profile $$profile.gmon.* && \
	rm $$profile.gmon.*

REGRESSION_RECORD ?= $(REGRESSION_RECORD_$(REGRESSION_PROFILER))

REGRESSION_SIDES = $(REGRESSION_DIR)/base-*.pb.gz \
	-- $(REGRESSION_DIR)/new-*.pb.gz

# Statuses 1 and 6 are answers: the last command fails because of them.
REGRESSION_OR = || case $$? in 1|6) ;; *) exit 1 ;; esac

.PHONY: regression regression-record regression-compare
regression: regression-record
	@$(MAKE) --no-print-directory -f $(firstword $(MAKEFILE_LIST)) \
		regression-compare

regression-compare:
	@pbdiff $(REGRESSION_OPTIONS) --markdown \
		-o $(REGRESSION_DIR)/report.md $(REGRESSION_SIDES) $(REGRESSION_OR)
	@pbdiff $(REGRESSION_OPTIONS) --junit \
		-o $(REGRESSION_DIR)/report.xml $(REGRESSION_SIDES) $(REGRESSION_OR)
	@status=0; pbdiff $(REGRESSION_OPTIONS) -o $(REGRESSION_DIR)/report.txt \
		$(REGRESSION_SIDES) || status=$$?; \
		cat $(REGRESSION_DIR)/report.txt && exit $$status

# Both builds run in turns: a machine that gets slower meanwhile then slows both.
regression-record:
	rm -rf $(REGRESSION_DIR) && git worktree prune
	git worktree add -q --detach $(REGRESSION_DIR)/base $(REGRESSION_BASE)
	cd $(REGRESSION_DIR)/base && $(REGRESSION_BUILD)
	$(REGRESSION_BUILD)
	@record() { \
		profile=$(abspath $(REGRESSION_DIR))/$$1-$$run.pb.gz; \
		echo "recording run $$run of $$1"; \
		(cd $$2 && $(REGRESSION_RECORD)) >$$profile.log 2>&1 || \
			{ cat $$profile.log >&2; return 1; }; \
	}; \
	for run in $$(seq $(REGRESSION_RUNS)); do \
		record base $(REGRESSION_DIR)/base && record new . || exit 1; \
	done
