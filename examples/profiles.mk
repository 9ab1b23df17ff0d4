# profiles.mk - profiles of tests, merged, with a report and a flame graph
#
# For GNU make 4.2 and later.  Include this file in a Makefile, after its first
# rule, and set before:
#
#   PROFILE_TESTS    names of the tests (not "all")
#   PROFILE_RUN      the command that runs the test $* and writes its profile
#                    to $@
#   PROFILE_CONVERT  the command that converts $< to profile.proto in $@
#                    (default: prof2pb -o $@ $<)
#   PROFILE_FILTER   options of pbfilter for report and flame graph (none)
#   PROFILE_DIR      the directory of the results (default: profiles)
#   PROFILE_KEEP_GOING
#                    if not empty: merge the profiles that there are, and print
#                    the names of those that are missing because their test or
#                    conversion failed (make profile PROFILE_KEEP_GOING=1)
#
# Then `make -j8 profile` writes, of what is missing or out of date,
#
#   profiles/TEST.prof    the profile of each test, as the test wrote it
#   profiles/TEST.pb.gz   converted
#   profiles/all.pb.gz    the sum
#   profiles/report.txt, profiles/flame.html
#
# and `make profile-clean` removes these files.  Say in the Makefile when a test
# is to run again:
#
#   profiles/lexer.prof: lexer lexer.input
#
# For programs that are linked with gperftools (-lprofiler):
#
#   PROFILE_RUN = CPUPROFILE=$@ ./$*
#
# For programs that are built with gcc -pg; their call stacks are estimated
# once, from the sum.  Each process of a test writes a file:
#
#   PROFILE_RUN = GMON_OUT_PREFIX=$@ ./$* && tar -cf $@ $@.[0-9]*
#   PROFILE_CONVERT = gmon2pb --flat -e ./$* -o $@ $<
#   PROFILE_FILTER = --estimate-stacks
#
# For any program, with perf of Linux:
#
#   PROFILE_RUN = perf record -q -g -o $@ ./$*
#   PROFILE_CONVERT = perf2pb -o $@ $<
#
# For packages of Go, whose profiles are profile.proto already:
#
#   PROFILE_RUN = go test -cpuprofile=$@ -o $(@:.prof=.test) ./$*
#   PROFILE_CONVERT = pbmerge -o $@ $<

PROFILE_CONVERT ?= prof2pb -o $@ $<
PROFILE_DIR ?= profiles

PROFILE_RAW := $(PROFILE_TESTS:%=$(PROFILE_DIR)/%.prof)
PROFILE_PB := $(PROFILE_TESTS:%=$(PROFILE_DIR)/%.pb.gz)
PROFILE_ALL := $(PROFILE_DIR)/all
PROFILE_REPORTS := $(PROFILE_DIR)/report.txt $(PROFILE_DIR)/flame.html

.PHONY: profile profile-clean
profile: $(PROFILE_REPORTS)

# A test that fails leaves no profile that a later run would take for whole, and
# no test leaves files of its processes, TEST.prof.PID or TEST.prof_PID.
PROFILE_FAILED = $(if $(PROFILE_KEEP_GOING),true,exit 1)

$(PROFILE_RAW): $(PROFILE_DIR)/%.prof:
	@mkdir -p $(@D) && rm -f $@.[0-9]* $@_[0-9]*
	$(PROFILE_RUN) || { rm -f $@; $(PROFILE_FAILED); }
	@rm -f $@.[0-9]*

$(PROFILE_PB): $(PROFILE_DIR)/%.pb.gz: $(PROFILE_DIR)/%.prof
	@[ -e $< ] || rm -f $@
	$(if $(PROFILE_KEEP_GOING),[ ! -e $< ] || $(PROFILE_CONVERT) || \
		rm -f $@,$(PROFILE_CONVERT))

# The names of the profiles: a file, as a command line may be too short for
# them, and written anew when PROFILE_TESTS has changed.
ifneq ($(strip $(file <$(PROFILE_ALL).names)),$(strip $(PROFILE_PB)))
.PHONY: $(PROFILE_ALL).names
endif
$(PROFILE_ALL).names:
	@$(shell mkdir -p $(@D))$(file >$@)$(foreach \
		p,$(PROFILE_PB),$(file >>$@,$(p)))

# pbmerge of all profiles, or of those that there are.
PROFILE_MERGE = $(if $(PROFILE_KEEP_GOING),while read -r name; do \
	if [ -e "$$name" ]; then echo "$$name"; \
	else echo "not merged: $$name" >&2; fi; \
	done <$(PROFILE_ALL).names | pbmerge --files-from=-,pbmerge \
	--files-from=$(PROFILE_ALL).names)

# The stamp has the time of the last merge.  The sum is older, and nothing is
# made from it again, if that merge did not change it.
$(PROFILE_ALL).stamp: $(PROFILE_PB) $(PROFILE_ALL).names
	$(PROFILE_MERGE) --if-changed -o $(PROFILE_ALL).pb.gz
	@touch $@

$(PROFILE_ALL).pb.gz: $(PROFILE_ALL).stamp
	@[ -e $@ ] || { $(PROFILE_MERGE) -o $@; }

# The suffix of -o chooses the format.
$(PROFILE_REPORTS): $(PROFILE_ALL).pb.gz
	$(if $(PROFILE_FILTER),pbfilter $(PROFILE_FILTER) $< | \
		pbcat -o $@,pbcat -o $@ $<)

profile-clean:
	rm -f $(PROFILE_RAW) $(PROFILE_PB) $(PROFILE_REPORTS) \
		$(PROFILE_RAW:=.[0-9]*) $(PROFILE_RAW:=_[0-9]*) \
		$(PROFILE_ALL).names $(PROFILE_ALL).stamp $(PROFILE_ALL).pb.gz
