# profutils: profiles of every origin to pprof's profile.proto, and on
#
#   make            the tools, in build/
#   make demo       a program profiled, converted, focused and printed
#   make check      all tests
#   make check-cluster  tests of examples/ with Slurm, ssh, Go, PostgreSQL,
#                   DuckDB, which npm downloads, and Snakemake, which is large;
#                   DUCKDB=no, SNAKEMAKE=no: without these
#   make asan       all tests against a build with sanitizers
#   make goldens    what tests expect of messages, written anew; FILES: some of
#                   the tests only
#   make html       the manual as web pages with a tour, in BUILD/html
#   make messages   the catalogue of messages, tests/lint/messages.txt, anew
#   make fixtures   the profiles that tests work on, recorded anew
#   make lint       style and static analysis; NODES: how far it goes
#   make bench      side by side with go tool pprof; BENCH_ROWS: some only
#   make bench-scale  merges of 1,000,000 files; SCALE: other numbers
#   make fuzz       all fuzz targets, TIME seconds each; FUZZ: some only
#   make install    under DESTDIR and PREFIX; make uninstall
#   make dist       the sources of a commit as profutils-VERSION.tar.gz; REV:
#                   another commit than HEAD
#   make static     all tools as one static program for any Linux, in an
#                   archive in BUILD-static; downloads sources of Debian
#   make deps       installs what building and testing needs, and no more
#   make clean
#   make slow-NAME  slow tests: tests/Makefile lists them
#
# Targets that run tests first install what is missing, like `make deps`.  With
# DEPS=no, they install nothing and use no network: they print what is missing,
# and skip the tests that need it.
#
#   CC, CPPFLAGS, CFLAGS, LDFLAGS, LDLIBS
#   BUILD           the build directory (default: build)
#   WERROR=-Werror  makes warnings errors
#   HARDEN=no       omits the flags against exploits
#   ELFUTILS=no     builds without elfutils, and so without symbols
#   LOAD=no         links the libraries that are otherwise loaded when needed
#   SYSTEM          linux or posix, by `uname -s`; posix is for other systems,
#                   without the sandbox (lib/base/system.h lists the rest)
#   COMPLETIONS=no  makes no completions for shells: they are made by running
#                   the tools, which a cross-compiler's machine cannot
#   V=1             prints the commands
#   DESTDIR, PREFIX, BINDIR, LIBDIR, INCLUDEDIR, MANDIR, DOCDIR, BASHDIR, ZSHDIR,
#   FISHDIR         where to install

# Also in CHANGELOG.md and debian/changelog; everything else takes it from here.
VERSION := 0.1.0

BUILD ?= build
PREFIX ?= /usr/local
LIBDIR := $(PREFIX)/lib
INCLUDEDIR := $(PREFIX)/include
CFLAGS ?= -O2 -g
DEPS ?= yes
PKG_CONFIG ?= pkg-config
OBJCOPY ?= $(shell $(CC) -print-prog-name=objcopy)

TOOLS := prof2pb gmon2pb dcpi2pb folded2pb perf2pb pbmerge pbfilter pbsym pbcat

# --- the system
#
# NAME_linux.c and NAME_posix.c have the same functions; one of them is built.
# All other files need only POSIX.1-2008 with XSI.  Linkers of other systems may
# lack the flags below.

ifndef SYSTEM
SYSTEM := $(if $(filter Linux,$(shell uname -s)),linux,posix)
endif
FEATURES := -D_XOPEN_SOURCE=700
$(BUILD)/obj/%_linux.o $(BUILD)/obj/tests/%.o: FEATURES := -D_GNU_SOURCE
ifeq ($(SYSTEM),linux)
SYSTEM_NOT := %_posix.c
AS_NEEDED := -Wl,--as-needed
# A tool contains the functions that it calls, not whole files of them.  Not with
# sanitizers or profiling, whose data refers to all functions.
ifeq ($(findstring -fsanitize,$(CFLAGS))$(findstring -fprofile,$(CFLAGS)),)
SECTIONS := -ffunction-sections -fdata-sections
USED_SECTIONS := -Wl,--gc-sections
endif
SYSTEM_LIBS := -ldl
HARDEN_LDFLAGS := -pie -Wl,-z,relro,-z,now,-z,noexecstack
else
SYSTEM_NOT := %_linux.c
endif

# --- libraries

# Those of PKGS are linked.  Of LOADED, which are loaded when they are needed
# (lib/base/library.h), and of INLINED only the headers are used.

PKGS := zlib libprotobuf-c
LOADED := libarchive libpcre2-8 libzstd
INLINED := libxxhash
HAVE_LIBDEFLATE ?= $(shell $(PKG_CONFIG) --exists libdeflate 2>/dev/null && \
	echo yes)
ifeq ($(HAVE_LIBDEFLATE),yes)
PKGS += libdeflate
LIB_NOT := lib/io/gzip_zlib.c
else
LIB_NOT := lib/io/gzip_libdeflate.c
endif

# The files of symbol that need elfutils, or one in which their functions fail.
ELFUTILS ?= yes
ifneq ($(ELFUTILS),no)
LOADED += libelf libdw
LIB_NOT += lib/symbolize/without_elfutils.c
else
LIB_NOT += $(addprefix lib/symbolize/,binary.c dwarf.c elf.c elfutils.c find.c \
	gprof_read.c listing.c owners_read.c qualify.c symbol.c symnames.c \
	symtab.c unnamed.c cfi.c cfi_read.c unwind.c)
endif

# Other systems have other names for shared libraries.
LOAD ?= $(if $(filter linux,$(SYSTEM)),yes,no)
ifeq ($(LOAD),no)
PKGS += $(LOADED)
LOAD_CFLAGS := -DSTATIC_LIBRARIES
endif

PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS) $(LOADED) $(INLINED) \
	2>/dev/null)
PKG_LIBS := $(AS_NEEDED) $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null) \
	-liberty -lm $(SYSTEM_LIBS)
# Some unit tests make archives.
UNIT_LIBS := -lcmocka -larchive

# --- flags against exploits
#
# Those that the compiler has, all asked about in one go. _FORTIFY_SOURCE is
# nothing without optimization, stands in the way of sanitizers, and is left
# alone where the user's flags define it, as those of dpkg-buildflags do.

HARDEN ?= yes
ifeq ($(HARDEN),no)
HARDEN_LDFLAGS :=
else

take = printf '\043include <stdlib.h>\n' | \
	$(CC) -Werror -O1 $(1) -c -x c -o /dev/null - 2>/dev/null
taken = $(shell if $(call take,$(1)); then echo '$(1)'; else \
	$(foreach f,$(1),$(call take,$(f)) && echo '$(f)';) fi)
FORTIFY := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=

HARDEN_CFLAGS := $(call taken,-fPIE -fstack-protector-strong \
	-fstack-clash-protection -fcf-protection)
ifneq ($(filter-out -O0,$(lastword $(filter -O%,$(CFLAGS)))),)
ifeq ($(findstring -fsanitize,$(CFLAGS))$(findstring \
	_FORTIFY_SOURCE,$(CC) $(CPPFLAGS) $(CFLAGS)),)
HARDEN_CFLAGS += $(FORTIFY)$(shell $(call take,$(FORTIFY)3) && echo 3 || echo 2)
endif
endif

endif

# --- flags

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith -Wwrite-strings -Wvla -Wundef
# 32-bit x86 would compute in 80 bits, and its reports differ from others'.
DOUBLES := $(shell $(CC) $(CFLAGS) -dM -E -x c /dev/null 2>/dev/null | \
	grep -q __i386__ && echo -msse2 -mfpmath=sse)
ALL_CFLAGS = -std=c11 $(FEATURES) $(LOAD_CFLAGS) -D_FILE_OFFSET_BITS=64 \
	-DPROFUTILS_VERSION='"$(VERSION)"' $(WARN) $(WERROR) -pthread \
	$(PKG_CFLAGS) $(HARDEN_CFLAGS) $(SECTIONS) $(DOUBLES) $(TIME_BITS) \
	$(CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS = -pthread $(HARDEN_LDFLAGS) $(CFLAGS) $(LDFLAGS)
# Files and reports have times beyond 2038, on 32-bit machines too.  What calls
# functions of libarchive that take a time has the time_t of libraries there,
# which is 32 bits wide.
TIME_BITS := -D_TIME_BITS=64
$(BUILD)/obj/lib/io/la_time.o: TIME_BITS :=
$(BUILD)/obj/tests/unit/test_input.o: TIME_BITS :=
# An array without elements may be null, and null + 0 is null: C2y says so
# (N3322) and every compiler does, but to clang it is a pointer overflow.
NULL_PLUS_0 := -fno-sanitize=pointer-overflow
ASAN_CLANG := $(findstring clang,$(CC))
ASAN_CFLAGS := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=all $(if $(ASAN_CLANG),$(NULL_PLUS_0))

# --- what each folder sees
#
# The include path of a folder is $(BUILD)/include/FOLDER alone.  There are links
# to what its files may include: itself, `base`, profile.h, and what stands here.
# Debuggers and __FILE__ name the files themselves.

SEES_profile := io gen
SEES_symbolize := io profile
SEES_formats := io profile symbolize
SEES_report := io profile symbolize gen
SEES_cli := io profile symbolize formats report
SEES_cmd := io profile symbolize formats report cli
SEES_tests := io profile symbolize formats report cli gen

VIEWS := base io profile symbolize formats report cli cmd tests
sees = $(sort base profile.h $(filter-out cmd tests,$(1)) $(SEES_$(1)))
view = $(BUILD)/include/$(firstword $(subst /, ,$(<:lib/%=%)))
compile = $(CC) $(ALL_CFLAGS) -I$(view) -ffile-prefix-map=$(view)=lib -MMD -MP \
	-c -o $@ $<

# --- files
#
# Sources are found at any depth.  A program is named after its source, without
# the directories of it.

sources = $(sort $(shell find $(1) -name '$(2)'))
objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
programs = $(patsubst %.c,$(BUILD)/$(1)%,$(notdir $(2)))

SHELLS := bash zsh fish
COMPLETIONS ?= yes
COMPLETED := $(if $(filter-out no,$(COMPLETIONS)),\
	$(foreach s,$(SHELLS),$(TOOLS:%=$(BUILD)/completions/%.$(s))))

PAGES := $(wildcard man/*.[1357])
MANUAL := $(PAGES:%=$(BUILD)/%)

LIB_SRC := $(filter-out $(LIB_NOT) $(SYSTEM_NOT),$(call sources,lib,*.c))
CMD_SRC := $(call sources,cmd,*.c)
UNIT_SRC := $(call sources,tests/unit,test_*.c)
UNIT_HELP := $(filter-out $(UNIT_SRC),$(call sources,tests/unit,*.c))
GEN := $(BUILD)/gen/profile.pb-c.c
GEN_H := $(GEN:.c=.h)
PAGE := $(BUILD)/gen/flamepage.c
PAGE_FILES := lib/report/flame/page/flame.html lib/report/flame/page/flame.css \
	$(call sources,lib/report/flame/page,*.js)

LIB_OBJ := $(call objects,$(LIB_SRC)) \
	$(BUILD)/obj/gen/profile.pb-c.o $(BUILD)/obj/gen/flamepage.o
LIB := $(BUILD)/libprofutils.a
# What programs of others are linked with.  Not from objects that a compiler
# still has to finish.
ifeq ($(findstring -flto,$(CFLAGS)),)
PROFILE_H := $(wildcard lib/profile.h)
endif
PROFILE_OBJ := $(filter $(BUILD)/obj/lib/profile/% \
	$(BUILD)/obj/gen/profile.pb-c.o,$(LIB_OBJ))
LIBPROFILE := $(if $(PROFILE_H),$(BUILD)/libprofile.a $(BUILD)/profile.pc)
BIN := $(call programs,,$(CMD_SRC))
UNIT := $(call programs,unit/,$(UNIT_SRC)) $(BUILD)/unit/test_gz_zlib
UNIT_OBJ := $(call objects,$(UNIT_HELP))
FUZZ_SRC := $(call sources,tests/fuzz,fuzz_*.c)
FUZZ_HELP := $(filter-out $(FUZZ_SRC) tests/fuzz/replay.c,\
	$(call sources,tests/fuzz,*.c))
FUZZ_BIN := $(call programs,fuzz/,$(FUZZ_SRC))
FUZZ_LIB := $(BUILD)/fuzz/libhelp.a

# Each fuzz target as a program: with a main() that replays inputs or, where
# FUZZ_MAIN says otherwise, with a fuzzer's.
FUZZ_MAIN = $(BUILD)/obj/tests/fuzz/replay.o

.PHONY: all unit fuzzers bounders demo check check-cluster asan fuzz goldens \
	html messages fixtures lint bench bench-scale install uninstall dist \
	clean deps
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

# --- what targets are made with
#
# A file for each of these, written when it says something else than it does,
# so that what depends on it is made again.  What is built is installed as it
# is, unless flags are given then as well.

WITH_compile = $(CC) $(filter-out $(WERROR),$(ALL_CFLAGS))
WITH_include = '$(CURDIR)' $(foreach v,$(VIEWS),$(v): $(call sees,$(v));)
WITH_link = $(CC) $(ALL_LDFLAGS) $(USED_SECTIONS) $(PKG_LIBS) $(LDLIBS) $(FUZZ_MAIN)
WITH_library = $(AR) $(LIB_OBJ)
WITH_units = $(UNIT_OBJ)
WITH_fuzz = $(AR) $(FUZZ_HELP) $(UNIT_OBJ)
WITH_page = $(PAGE_FILES)
WITH_manual = $(VERSION)
WITH_package = $(VERSION) $(PKGS)

WITH := compile include link library units fuzz page manual package
with = $(patsubst %,$(BUILD)/with/%,$(1))

define compare
ifneq ($$(strip $$(file <$(call with,$(1)))),$$(strip $$(WITH_$(1))))
$(call with,$(1)): FORCE
endif
endef

FLAGS := CC AR CPPFLAGS CFLAGS LDFLAGS LDLIBS HARDEN HAVE_LIBDEFLATE ELFUTILS \
	LOAD SYSTEM VERSION PKG_CONFIG
ifneq ($(filter-out install uninstall,$(or $(MAKECMDGOALS),all))$(filter-out \
	default undefined file,$(foreach v,$(FLAGS),$(origin $(v)))),)
$(foreach w,$(WITH),$(eval $(call compare,$(w))))
endif

.PHONY: FORCE
$(call with,$(WITH)): $(BUILD)/with/%:
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(strip $(WITH_$*)))' >$@

# --- building

# Short lines in place of the commands, unless V is set.
ifndef V
say = @printf "  %-4s %s\n" "$(1)" "$@";
endif

# Objects, then the archives that they are looked for in.
link = $(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^)
# The object that each program is named after.
define of_object
$(call programs,$(1),$(2)): $(call objects,$(2))
endef

all: $(BIN) $(COMPLETED) $(MANUAL) $(LIBPROFILE)

$(foreach s,$(CMD_SRC),$(eval $(call of_object,,$(s))))
$(foreach s,$(UNIT_SRC),$(eval $(call of_object,unit/,$(s))))
$(foreach s,$(FUZZ_SRC),$(eval $(call of_object,fuzz/,$(s))))

# A completion is made of what the tool says with --help.
define completes
$(BUILD)/completions/%.$(1): $(BUILD)/% completions/generate.awk
	@mkdir -p $$(@D)
	$$(call say,GEN)$(BUILD)/$$* --help | \
		awk -v tool=$$* -v shell=$(1) -f completions/generate.awk >$$@
endef
$(foreach s,$(SHELLS),$(eval $(call completes,$(s))))

# A page ends with the version that it describes.
$(BUILD)/man/%: man/% $(call with,manual)
	@mkdir -p $(@D)
	$(call say,GEN)sed 's/^\.Os profutils$$/& $(VERSION)/' $< >$@

# --as-needed keeps a library if any function needs it, also one that
# --gc-sections drops.  These tools call no function of libm, so they are linked
# without it; unless LOAD=no, as other libraries then need it.
NO_MATH := $(if $(findstring -flto,$(CFLAGS))$(LOAD_CFLAGS),,$(if \
	$(USED_SECTIONS),$(addprefix $(BUILD)/,gmon2pb dcpi2pb folded2pb perf2pb \
	pbfilter pbsym)))

$(BIN): $(LIB) $(call with,link)
	$(call say,LINK)$(link) $(USED_SECTIONS) $(if $(filter $@,$(NO_MATH)),\
		$(filter-out -lm,$(PKG_LIBS)),$(PKG_LIBS)) $(LDLIBS)

$(LIB): $(LIB_OBJ) $(call with,library)
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $(filter %.o,$^)

# One object of lib/profile and of what it calls, in which only the functions
# that profile.h declares are global: nothing else collides with a program's.
$(BUILD)/libprofile.a: $(PROFILE_H) $(PROFILE_OBJ) $(LIB)
	@grep -oE '\bprof_[a-z_]+\(' $< | tr -d '(' | sort -u >$(BUILD)/profile.names
	$(call say,AR)$(CC) $(filter -m%,$(CFLAGS)) -r -nostdlib -o $(BUILD)/profile.o \
		$(PROFILE_OBJ) $(LIB) && \
	$(OBJCOPY) --keep-global-symbols=$(BUILD)/profile.names \
		$(BUILD)/profile.o && \
	rm -f $@ && $(AR) rcs $@ $(BUILD)/profile.o

# `make install` adds the directories: only it may know PREFIX.
$(BUILD)/profile.pc: lib/profile.pc.in $(call with,package)
	$(call say,GEN)sed -e 's|@VERSION@|$(VERSION)|' \
		-e 's|@REQUIRES@|$(filter zlib libprotobuf-c libdeflate,$(PKGS))|' \
		-e 's|@LIBS@|-lm $(SYSTEM_LIBS) -pthread|' $< >$@

INCLUDE := $(BUILD)/include/made

$(INCLUDE): $(call with,include)
	@rm -rf $(@D) && $(foreach v,$(VIEWS),$(foreach s,$(call sees,$(v)),\
		mkdir -p $(@D)/$(v)/$(dir $(s)) && ln -s $(if $(filter gen,$(s)),\
		'$(abspath $(BUILD))','$(CURDIR)/lib')/$(s) $(@D)/$(v)/$(s) &&)) \
		touch $@

$(BUILD)/obj/%.o: %.c $(call with,compile) $(INCLUDE) | $(GEN_H)
	@mkdir -p $(@D)
	$(call say,CC)$(compile)

# One command makes both: that is what a rule with two patterns says.
$(GEN) $(GEN_H): | $(BUILD)/deps
$(BUILD)/gen/%.pb-c.c $(BUILD)/gen/%.pb-c.h: lib/profile/wire/%.proto
	@mkdir -p $(@D)
	$(call say,GEN)protoc-c --proto_path=lib/profile/wire --c_out=$(@D) $(<F)

# Generated code keeps its own style: no warnings asked of it.
$(BUILD)/obj/gen/profile.pb-c.o: $(GEN) $(call with,compile)
	@mkdir -p $(@D)
	$(call say,CC)$(compile) -w

# The files of the flame graph page as arrays of bytes, lib/report/flame/flamepage.h.
array = printf 'const unsigned char flamepage_%s[] = {\n' $(1); \
	cat $(2) | od -An -v -tx1 | sed 's/ *\([0-9a-f][0-9a-f]\)/0x\1,/g'; \
	printf '};\nconst size_t flamepage_%s_n = sizeof flamepage_%s;\n' \
		$(1) $(1)

$(PAGE): $(PAGE_FILES) $(call with,page)
	@mkdir -p $(@D)
	$(call say,GEN){ printf '#include "report/flame/flamepage.h"\n'; \
		$(call array,html,$(filter %.html,$^)); \
		$(call array,css,$(filter %.css,$^)); \
		$(call array,js,$(filter %.js,$^)); } >$@

$(BUILD)/obj/gen/flamepage.o: view := $(BUILD)/include/report
$(BUILD)/obj/gen/flamepage.o: $(PAGE) $(call with,compile) $(INCLUDE)
	@mkdir -p $(@D)
	$(call say,CC)$(compile)

# One line that says what to install, instead of a compiler's many.
$(BUILD)/deps:
	@mkdir -p $(@D)
	@CC='$(CC)' CPPFLAGS='$(CPPFLAGS)' PKG_CONFIG='$(PKG_CONFIG)' \
		.ci/deps --check build
	@touch $@

$(UNIT): $(LIB) $(call with,link)
	@mkdir -p $(@D)
	$(call say,LINK)$(link) $(PKG_LIBS) $(UNIT_LIBS) $(LDLIBS)

$(UNIT): $(UNIT_OBJ) $(call with,units)

# The same test of zlib, whichever library the others are built with: what an
# object file defines is not looked for in $(LIB).
$(BUILD)/unit/test_gz_zlib: $(BUILD)/obj/tests/unit/test_gz.o \
		$(BUILD)/obj/lib/io/gzip_zlib.o

# Where allocations are to fail: those of our own objects.
$(BUILD)/unit/test_nomem: LDLIBS += \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup

unit: $(UNIT)

$(FUZZ_BIN): $(FUZZ_LIB) $(LIB) $(call with,link) $(filter %.o,$(FUZZ_MAIN))
	@mkdir -p $(@D)
	$(call say,LINK)$(link) $(filter-out %.o,$(FUZZ_MAIN)) \
		$(PKG_LIBS) $(UNIT_LIBS) $(LDLIBS)

$(FUZZ_LIB): $(call objects,$(FUZZ_HELP)) $(UNIT_OBJ) $(call with,fuzz)
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $(filter %.o,$^)

fuzzers: $(FUZZ_BIN)

# What makes calls fail. It is for the functions as they are called, not for
# those that the build has in their place.
INJECT := $(BUILD)/faults/inject.so

$(INJECT): tests/slow/faults/inject.c $(call with,compile)
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) -std=c11 -D_GNU_SOURCE $(WARN) $(WERROR) -O2 -fPIC \
		-U_FORTIFY_SOURCE -ftls-model=initial-exec -shared -o $@ $<

# Inputs that are large in one place, and what programs take.
BOUND := $(BUILD)/bounds/hostile $(BUILD)/bounds/measure

bounders: $(BOUND)

$(BUILD)/bounds/hostile: $(addprefix $(BUILD)/obj/tests/slow/bounds/,\
	hostile.o profiles.o products.o texts.o records.o binaries.o \
	archives.o perf.o)
$(BUILD)/bounds/hostile: LDLIBS += -lz
$(BUILD)/bounds/measure: $(BUILD)/obj/tests/slow/bounds/measure.o

$(BOUND): $(BUILD)/obj/tests/slow/bounds/wire.o $(call with,link)
	@mkdir -p $(@D)
	$(call say,LINK)$(link) $(LDLIBS)

# --- trying and testing
#
# What has to install libraries first starts make again, so that the second
# one asks pkg-config when they are there.

# What browsers are shown does not depend on the build: with BROWSER=no, and
# with sanitizers, those tests are left out.

# Libraries that are loaded before others do not go with sanitizers, nor do
# isolation and limits: PRELOAD=no leaves out tests/isolation, tests/slow/faults
# and tests/slow/world.

BROWSER_DEPS := $(if $(filter no,$(BROWSER)),,browser)

# With DEPS=no there may be no cmocka, which these are linked with.
TESTED := unit fuzzers
ifeq ($(DEPS),no)
TESTED := $(shell $(PKG_CONFIG) --exists cmocka 2>/dev/null && echo $(TESTED))
endif
export DEPS

PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
AGAIN = +@$(MAKE) --no-print-directory $(PARALLEL)

deps:
	@DEPS=yes .ci/deps build optional check $(BROWSER_DEPS) lint

demo:
	@.ci/deps build optional
	$(AGAIN) all
	@tests/demo.sh $(BUILD)

check:
	@.ci/deps build optional check $(BROWSER_DEPS)
	$(AGAIN) all $(TESTED) $(INJECT) bounders
	@BUILD=$(BUILD) tests/run

# `make check` runs local.bats.  The others start and stop daemons, which listen
# on loopback and have files of their own.
CLUSTER_NOT := local $(if $(filter no,$(SNAKEMAKE)),snakemake) \
	$(if $(filter no,$(DUCKDB)),duckdb)

check-cluster:
	@.ci/deps build optional check cluster \
		$(if $(filter no,$(SNAKEMAKE)),,snakemake)
	$(AGAIN) all
	@BUILD=$(BUILD) tests/run $(filter-out \
		$(CLUSTER_NOT:%=tests/cluster/%.bats),$(wildcard \
		tests/cluster/*.bats))

asan:
	@.ci/deps build optional check $(if $(ASAN_CLANG),fuzz)
	$(AGAIN) all $(TESTED) bounders BUILD=$(BUILD)-asan HARDEN=no \
		CFLAGS='$(ASAN_CFLAGS)'
	@BUILD=$(BUILD)-asan FIXTURES=$(BUILD)/fixtures BROWSER=no \
		PRELOAD=no tests/run

# Tests that hold messages to texts write there what has changed, and the texts
# are rewritten; FILES names some of their files only.
FILES ?= $(shell grep -rlE 'same_(err|line|said) ' tests --include='*.bats') \
	$(patsubst tests/%.c,$(BUILD)/%,$(shell \
	grep -lE 'assert_sa(id|ys)' tests/unit/test_*.c))

goldens:
	@.ci/deps build optional check
	$(AGAIN) all unit
	@rm -rf $(BUILD)/goldens && mkdir $(BUILD)/goldens
	-@BUILD=$(BUILD) GOLDENS='$(abspath $(BUILD))/goldens' tests/run $(FILES)
	@tests/goldens $(BUILD)/goldens

# The tour runs gcc, dot and objdump as well.
html:
	@.ci/deps build optional check
	$(AGAIN) all
	@man/html/build $(BUILD)
	@echo '$(BUILD)/html/index.html'

# The texts of all messages, for `make lint` and for people who read them.
messages:
	@tests/lint/messages.pl --write

# What tests and examples work on is recorded from programs that run, once.
fixtures:
	@.ci/deps check
	@tests/record.sh testdata/recorded

slow-%: FORCE
	+@$(MAKE) --no-print-directory -f tests/Makefile $*

# Fuzzing goes on for TIME seconds in each target, or in those of FUZZ, as many
# at once as there are processors.  What was found before is where it begins:
# $(BUILD)-fuzz/corpus is kept.

TIME ?= 60
FUZZ ?= $(patsubst fuzz_%.c,%,$(notdir $(FUZZ_SRC)))
FUZZ_FLAGS := -fsanitize=fuzzer-no-link,address,undefined \
	$(NULL_PLUS_0) -fno-sanitize-recover=all \
	-fno-omit-frame-pointer

fuzz:
	@.ci/deps build optional check fuzz
	$(AGAIN) fuzzers BUILD=$(BUILD)-fuzz CC=clang \
		CFLAGS='-O1 -g $(FUZZ_FLAGS)' FUZZ_MAIN=-fsanitize=fuzzer
	@BUILD=$(BUILD)-fuzz TIME=$(TIME) tests/fuzz/run $(FUZZ)

bench:
	@.ci/deps build optional check
	$(AGAIN) all $(BENCH)
	@BUILD=$(BUILD) tests/bench/run $(BENCH_ROWS)

bench-scale:
	@.ci/deps build optional
	$(AGAIN) all $(BENCH)
	@BUILD=$(BUILD) tests/bench/scale

BENCH := $(BUILD)/bench/timer $(BUILD)/bench/floor $(BUILD)/bench/generate

$(BUILD)/bench/timer: $(BUILD)/obj/tests/bench/timer.o
$(BUILD)/bench/floor: $(BUILD)/obj/tests/bench/floor.o
$(BUILD)/bench/floor: LDLIBS += -ldeflate
$(BUILD)/bench/generate: $(BUILD)/obj/tests/bench/generate.o \
		$(BUILD)/obj/tests/bench/program.o $(LIB)

$(BENCH): $(call with,link)
	@mkdir -p $(@D)
	$(call say,LINK)$(link) $(PKG_LIBS) $(LDLIBS)

# --- a static program
#
# Its libraries are built from the sources of the Debian release that runs here.

.PHONY: static
static:
	@.ci/deps build static
	@static/build $(BUILD)-static

# --- style

FORMAT = $(call sources,cmd lib static tests testdata,*.[ch])
TIDY = $(call sources,lib static,*.c) $(CMD_SRC) $(UNIT_SRC) $(UNIT_HELP) \
	$(call sources,tests/bench tests/slow/bounds tests/fuzz,*.c)
SCRIPTS = .ci/deps .ci/dist .ci/run man/html/build static/build \
	static/libraries $(filter-out %.bats,$(shell \
	grep -rlE '^.!/bin/(ba)?sh' tests examples \
	$(wildcard debian)))
BASH_FILES = $(SCRIPTS) $(shell find tests -name '*.bats' -o -name '*.bash')
# Not asked of bats files: variables that bats sets, cd without a way out where
# bats stops, names that look like commands, ls in a pipe.
NOT_BATS := SC2154,SC2164,SC2238,SC2010

# A third of the states that the analyzer looks at otherwise, in a third of the
# time, which is minutes; .ci/run has it look at fewer.
NODES ?= 75000
ANALYZER := -Xclang -analyzer-config -Xclang max-nodes=$(NODES)

lint:
	@.ci/deps build optional check lint
	$(AGAIN) run-lint

.PHONY: run-lint
run-lint: $(GEN) $(COMPLETED)
	@echo clang-format
	@clang-format -n -Werror $(FORMAT)
	@echo mandoc
	@mandoc -T lint -W warning $(PAGES)
	@echo shellcheck
	@shellcheck $(SCRIPTS) $(filter %.bash,$(COMPLETED))
	@shellcheck -S warning -e $(NOT_BATS) $(call sources,tests,*.bats)
	@echo negated commands
	@tests/lint/negated.sh $(BASH_FILES)
	@echo strings of profiles
	@tests/lint/strings.sh
	@echo messages
	@tests/lint/messages.pl
	@echo layers and circles
	@tests/lint/layers.sh $(BUILD)
	@echo includes
	@tests/lint/includes.pl
	@echo clang-tidy "($(words $(TIDY)) files)"
	@printf '%s\n' $(TIDY) | xargs -P "$$(nproc)" -I '{}' \
		clang-tidy --quiet '{}' -- $(ALL_CFLAGS) -Ilib -I$(BUILD) -I. -D_GNU_SOURCE \
		$(ANALYZER)

# --- installing

# Where files are when they are used.  DESTDIR goes in front of each of these.

BINDIR := $(PREFIX)/bin
SHARE := $(PREFIX)/share
MANDIR := $(SHARE)/man
DOCDIR := $(SHARE)/doc/profutils
BASHDIR := $(SHARE)/bash-completion/completions
ZSHDIR := $(SHARE)/zsh/site-functions
# A fish that is not below PREFIX does not look there, unless XDG_DATA_DIRS is
# set: what is installed for the whole machine goes where it looks.
FISHDIR := $(or $(if $(filter /usr/local,$(PREFIX)),$(shell \
	$(PKG_CONFIG) --variable=completionsdir fish 2>/dev/null)),\
	$(SHARE)/fish/vendor_completions.d)

# A directory below DESTDIR as a word of the shell, and files in it.
to = '$(DESTDIR)$(1)'
in = $(patsubst %,$(call to,$(1))/%,$(2))
# What is installed for programs that use the library, and where.
DEVELOPED := $(INCLUDEDIR)/profile.h $(LIBDIR)/libprofile.a \
	$(LIBDIR)/pkgconfig/profile.pc
DOCS := README.md CHANGELOG.md LICENSE $(wildcard man/*.schema.json)
EXAMPLES := $(filter-out examples/c,$(wildcard examples/* examples/c/*))

install: all
	install -d $(call to,$(BINDIR)) $(call in,$(MANDIR),man1 man3 man5 man7) \
		$(call to,$(DOCDIR)/examples/c) $(call to,$(BASHDIR)) \
		$(call to,$(ZSHDIR)) $(call to,$(FISHDIR))
	install -m 755 $(TOOLS:%=$(BUILD)/%) $(call to,$(BINDIR))
	for page in $(MANUAL); do \
		install -m 644 $$page $(call to,$(MANDIR))/man$${page##*.} || \
			exit; \
	done
	install -m 644 $(DOCS) $(call to,$(DOCDIR))
	for example in $(EXAMPLES); do \
		mode=644 && if [ -x $$example ]; then mode=755; fi && \
		install -m $$mode $$example \
			$(call to,$(DOCDIR))/$$example || exit; \
	done
ifneq ($(PROFILE_H),)
	install -d $(call to,$(INCLUDEDIR)) $(call to,$(LIBDIR)/pkgconfig)
	install -m 644 $(PROFILE_H) $(call to,$(INCLUDEDIR))
	install -m 644 $(BUILD)/libprofile.a $(call to,$(LIBDIR))
	sed -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
		$(BUILD)/profile.pc >$(call to,$(LIBDIR)/pkgconfig/profile.pc)
	chmod 644 $(call to,$(LIBDIR)/pkgconfig/profile.pc)
endif
	for t in $(if $(COMPLETED),$(TOOLS)); do \
		install -m 644 $(BUILD)/completions/$$t.zsh \
			$(call to,$(ZSHDIR))/_$$t && \
		install -m 644 $(BUILD)/completions/$$t.fish \
			$(call to,$(FISHDIR)) && \
		install -m 644 $(BUILD)/completions/$$t.bash \
			$(call to,$(BASHDIR))/$$t || exit; \
	done

uninstall:
	rm -f $(call in,$(BINDIR),$(TOOLS)) \
		$(foreach p,$(PAGES:man/%=%),$(call in,$(MANDIR),man$(subst \
			.,,$(suffix $(p)))/$(p))) \
		$(call in,$(BASHDIR),$(TOOLS)) $(call in,$(ZSHDIR),$(TOOLS:%=_%)) \
		$(call in,$(FISHDIR),$(TOOLS:%=%.fish)) \
		$(call in,$(DOCDIR),$(notdir $(DOCS)) $(EXAMPLES)) \
		$(foreach f,$(DEVELOPED),$(call to,$(f)))
	-rmdir $(call in,$(DOCDIR),examples/c examples) $(call to,$(DOCDIR))

# --- releasing

REV ?= HEAD

dist:
	@.ci/dist '$(REV)'

# The build directory and those named after it, as of `make asan`.
clean:
	rm -rf $(BUILD) $(BUILD)-*/

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
