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
# once, from the sum:
#
#   PROFILE_RUN = GMON_OUT_PREFIX=$@ ./$* && mv $@.[0-9]* $@
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

# A test that fails leaves no profile that a later run would take for whole.
$(PROFILE_RAW): $(PROFILE_DIR)/%.prof:
	@mkdir -p $(@D)
	$(PROFILE_RUN) || { rm -f $@; exit 1; }

$(PROFILE_PB): $(PROFILE_DIR)/%.pb.gz: $(PROFILE_DIR)/%.prof
	$(PROFILE_CONVERT)

# The names of the profiles: a file, as a command line may be too short for
# them, and written anew when PROFILE_TESTS has changed.
ifneq ($(strip $(file <$(PROFILE_ALL).names)),$(strip $(PROFILE_PB)))
.PHONY: $(PROFILE_ALL).names
endif
$(PROFILE_ALL).names:
	@$(shell mkdir -p $(@D))$(file >$@)$(foreach \
		p,$(PROFILE_PB),$(file >>$@,$(p)))

# The stamp has the time of the last merge.  The sum is older, and nothing is
# made from it again, if that merge did not change it.
$(PROFILE_ALL).stamp: $(PROFILE_PB) $(PROFILE_ALL).names
	pbmerge --if-changed --files-from=$(PROFILE_ALL).names \
		-o $(PROFILE_ALL).pb.gz
	@touch $@

$(PROFILE_ALL).pb.gz: $(PROFILE_ALL).stamp
	@[ -e $@ ] || pbmerge --files-from=$(PROFILE_ALL).names -o $@

# The suffix of -o chooses the format.
$(PROFILE_REPORTS): $(PROFILE_ALL).pb.gz
	$(if $(PROFILE_FILTER),pbfilter $(PROFILE_FILTER) $< | \
		pbcat -o $@,pbcat -o $@ $<)

profile-clean:
	rm -f $(PROFILE_RAW) $(PROFILE_PB) $(PROFILE_REPORTS) \
		$(PROFILE_ALL).names $(PROFILE_ALL).stamp $(PROFILE_ALL).pb.gz
