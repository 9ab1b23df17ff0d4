# pgo.mk - the profile in a repository by which a program is built
#
# For GNU make.  Run `make -f pgo.mk pgo` in a checkout of a Go program, or
# include this file in its Makefile after the first rule.  It makes default.pgo
# of the profiles of a week, and leaves the old one in place, and fails, if the
# new one
#
#   - is stale: less than PGO_MIN_FRESH percent of it are of functions and lines
#     that the source files still have;
#   - is worse: the source files have less of it than of the old one, or
#     PGO_TEST fails with it.
#
#   PGO_PROFILES   the profiles (default: profiles/*.pb.gz)
#   PGO_FILE       the file to renew (default: default.pgo)
#   PGO_SOURCES    the directory of the source files (default: .)
#   PGO_MIN_FRESH  percent (default: 80)
#   PGO_OPTIONS    options of pb2pgo, such as --rename (default: -9)
#   PGO_TEST       a command that is run when PGO_FILE is the new profile, such
#                  as a build and its benchmarks (default: none)
#   PGO_REPORT     the file of the figures (default: pgo.txt)
#
# For clang, PGO_FILE = program.prof and PGO_OPTIONS = --llvm; for gcc, --gcc.
# Their files are not compared with the old ones.

PGO_PROFILES ?= $(wildcard profiles/*.pb.gz)
PGO_FILE ?= default.pgo
PGO_SOURCES ?= .
PGO_MIN_FRESH ?= 80
PGO_OPTIONS ?= -9
PGO_TEST ?= :
PGO_REPORT ?= pgo.txt

PGO_FOR = $(filter --llvm --gcc --gcc=%,$(PGO_OPTIONS))
# The options of a check, which --rename is too.
PGO_CHECK = $(PGO_FOR) $(filter --rename=%,$(PGO_OPTIONS))
PGO_FRESH = sed -n 's/^fresh *\(.*\)% of.*/\1/p'

.PHONY: pgo pgo-check
pgo: pgo-check
	@pb2pgo $(PGO_OPTIONS) -o $(PGO_FILE).new $(PGO_PROFILES)
	@if [ -z "$(PGO_FOR)" ] && [ -e $(PGO_FILE) ]; then \
		new=$$($(PGO_FRESH) $(PGO_REPORT)) && \
		old=$$(pb2pgo --against=$(PGO_SOURCES) $(PGO_FILE) | \
			$(PGO_FRESH)) && \
		if awk "BEGIN { exit !($$new < $${old:-0}) }"; then \
			echo "$(PGO_FILE): $$old% of it are fresh," \
				"of the new profile only $$new%" >&2; \
			rm $(PGO_FILE).new; exit 1; \
		fi; \
	fi
	@if cmp -s $(PGO_FILE).new $(PGO_FILE); then \
		rm $(PGO_FILE).new; exit 0; \
	fi; \
	[ ! -e $(PGO_FILE) ] || mv $(PGO_FILE) $(PGO_FILE).old; \
	mv $(PGO_FILE).new $(PGO_FILE); \
	if ($(PGO_TEST)); then \
		rm -f $(PGO_FILE).old; \
	else \
		rm $(PGO_FILE); \
		[ ! -e $(PGO_FILE).old ] || mv $(PGO_FILE).old $(PGO_FILE); \
		exit 1; \
	fi

# The figures of the profiles of the week, beside those of the file before.
pgo-check:
	@[ -n "$(PGO_PROFILES)" ] || \
		{ echo 'no profiles: set PGO_PROFILES' >&2; exit 1; }
	@status=0; pb2pgo $(PGO_CHECK) --against=$(PGO_SOURCES) \
		--min-fresh=$(PGO_MIN_FRESH) \
		$(if $(PGO_FOR),,$(if $(wildcard $(PGO_FILE)),--overlap=$(PGO_FILE))) \
		-o $(PGO_REPORT) $(PGO_PROFILES) || status=$$?; \
		[ $$status -gt 1 ] || cat $(PGO_REPORT); exit $$status
