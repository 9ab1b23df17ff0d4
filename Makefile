# profutils: convert, merge, compare, filter and print profiles
#
# `make help` prints the targets and the variables that have a comment with ##.
# This file builds and installs the tools.  config.mk asks for the compiler and
# the libraries; tests/Makefile and tests/slow/Makefile test and measure the tools.

# Also in CHANGELOG.md and debian/changelog; everything else takes it from here.
VERSION := 0.1.0

# Who publishes packages, and where: `make publish` writes both into what has a
# copy of them.  No home page and no address are known yet.
HOMEPAGE :=
MAINTAINER := The profutils authors <profutils@profutils.invalid>

TOOLS := prof2pb gmon2pb dcpi2pb folded2pb perf2pb pbmerge pbfilter pbsym pbcat \
	pbdiff pb2pgo

## the build directory (default: build)
BUILD ?= build
## 1: print the commands
V ?=
## no: install nothing and use no network, but print what is missing and skip
## the tests that need it (default: install what tests need)
DEPS ?= yes
export DEPS

.PHONY: all help deps install uninstall html static dist publish clean FORCE
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

include config.mk

# --- what each folder sees
#
# The include path of a folder is $(BUILD)/include/FOLDER alone.  It has links to
# what its files may include: the folder itself, `base`, profile.h, and what is
# listed here.  Debuggers and __FILE__ name the files in lib/.

SEES_profile := io/gzip.h
SEES_symbolize := io
SEES_formats := io symbolize
SEES_report := io symbolize profile/columns.h
SEES_pgo := io symbolize
SEES_compare := profile/columns.h report/escape.h
SEES_privacy := profile/columns.h
SEES_cli := io symbolize formats report privacy
SEES_cmd := io symbolize formats report compare pgo privacy cli
SEES_tests := io profile symbolize formats report compare pgo privacy cli gen

VIEWS := base io profile symbolize formats report compare pgo privacy cli cmd \
	tests static
sees = $(sort base profile.h $(filter-out cmd tests static,$(1)) $(SEES_$(1)))
view_of = $(BUILD)/include/$(firstword $(subst /, ,$(1:lib/%=%)))
view = $(call view_of,$<)

$(VIEWS:%=$(BUILD)/include/%/made): $(BUILD)/include/%/made: $(BUILD)/with/%
	@rm -rf $(@D) && $(foreach s,$(call sees,$*),mkdir -p $(@D)/$(dir $(s)) && \
		ln -s $(if $(filter gen,$(s)),'$(abspath $(BUILD))','$(CURDIR)/lib')/$(s) \
		$(@D)/$(s) &&) touch $@

# --- building
#
# Sources are found at any depth.  A program is named after its source, without
# the directories of it.  What a target is made with besides its files is in
# $(BUILD)/with (below).

sources = $(sort $(shell find $(1) -name '$(2)'))
objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
programs = $(patsubst %.c,$(BUILD)/$(1)%,$(notdir $(2)))
# The object that each program is named after.
of_object = $(foreach s,$(2),$(eval $(call programs,$(1),$(s)): $(call \
	objects,$(s))))
# Short lines in place of the commands, unless V is set.
say = $(if $(V),,@printf "  %-4s %s\n" "$(1)" "$@";)
compile = $(CC) $(ALL_CFLAGS) -I$(view) -ffile-prefix-map=$(view)=lib -MMD -MP \
	-c -o $@ $<
# Objects, then the archives that they are looked for in.
link = $(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^)

CMD_SRC := $(call sources,cmd,*.c)
LIB_SRC := $(filter-out $(NOT_BUILT),$(call sources,lib,*.c))
GEN_ARRAYS := flamepage dotpicture
LIB_OBJ := $(call objects,$(LIB_SRC)) \
	$(GEN_ARRAYS:%=$(BUILD)/obj/gen/%.o)
LIB := $(BUILD)/libprofutils.a
BIN := $(call programs,,$(CMD_SRC))
PAGES := $(wildcard man/*.[1357])
MANUAL := $(PAGES:%=$(BUILD)/%)
# What programs of others are linked with.  Not from objects that a compiler
# still has to finish.
PROFILE_H := $(if $(findstring -flto,$(CFLAGS)),,$(wildcard lib/profile.h))
PROFILE_OBJ := $(filter $(BUILD)/obj/lib/profile/%,$(LIB_OBJ))
## no: make no completions for shells; they are made by running the tools, which
## the machine of a cross-compiler cannot
COMPLETIONS ?= yes

COMPLETED := $(if $(filter-out no,$(COMPLETIONS)),$(foreach t,$(TOOLS),\
	$(addprefix $(BUILD)/completions/,bash/$(t) zsh/_$(t) fish/$(t).fish)))

## build the tools in BUILD
all: $(BIN) $(COMPLETED) $(MANUAL) $(if $(PROFILE_H),$(BUILD)/libprofile.a \
	$(BUILD)/profile.pc)

# --as-needed keeps a library if any function needs it, also one that
# --gc-sections drops.  These tools call no function of libm, so they are linked
# without it; unless LOAD=no, as other libraries then need it.
NO_MATH := $(if $(findstring -flto,$(CFLAGS))$(LOAD_CFLAGS),,$(if \
	$(USED_SECTIONS),$(addprefix $(BUILD)/,gmon2pb dcpi2pb folded2pb perf2pb \
	pbfilter pbsym)))
$(NO_MATH): private PKG_LIBS := $(filter-out -lm,$(PKG_LIBS))

$(call of_object,,$(CMD_SRC))
$(BIN): $(LIB) $(BUILD)/with/link
	$(call say,LINK)$(link) $(USED_SECTIONS) $(PKG_LIBS) $(LDLIBS)

$(LIB): $(LIB_OBJ) $(BUILD)/with/library
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $(filter %.o,$^)

.SECONDEXPANSION:
$(BUILD)/obj/%.o: %.c $(BUILD)/with/compile $$(call view_of,$$*)/made | \
		$(BUILD)/deps
	@mkdir -p $(@D)
	$(call say,CC)$(compile)

# One object of lib/profile and of what it calls, in which only the functions
# that profile.h declares are global: nothing else collides with a program's.
$(BUILD)/libprofile.a: $(PROFILE_H) $(PROFILE_OBJ) $(LIB)
	@grep -oE '\bprof_[a-z_]+\(' $< | tr -d '(' | sort -u >$(BUILD)/profile.names
	$(call say,AR)$(CC) $(filter-out -mllvm,$(filter -m%,$(CFLAGS))) -r \
		-nostdlib -o $(BUILD)/profile.o $(PROFILE_OBJ) $(LIB) && \
	$(OBJCOPY) --keep-global-symbols=$(BUILD)/profile.names \
		$(BUILD)/profile.o && \
	rm -f $@ && $(AR) rcs $@ $(BUILD)/profile.o

# `make install` adds the directories: only it may know PREFIX.
$(BUILD)/profile.pc: lib/profile.pc.in $(BUILD)/with/package
	$(call say,GEN)sed -e 's|@VERSION@|$(VERSION)|' \
		-e 's|@REQUIRES@|$(filter zlib libdeflate,$(PKGS))|' \
		-e 's|@LIBS@|-lm $(SYSTEM_LIBS) -pthread|' \
		-e '$(if $(HOMEPAGE),s|@HOMEPAGE@|$(HOMEPAGE)|,/@HOMEPAGE@/d)' $< >$@

# A completion is made of what the tool says with --help.
completed = $(patsubst _%,%,$(basename $(notdir $(1))))
$(foreach c,$(COMPLETED),$(eval $(c): $(BUILD)/$(call completed,$(c))))
$(COMPLETED): completions/generate.awk
	@mkdir -p $(@D)
	$(call say,GEN)$(BUILD)/$(call completed,$@) --help | awk -f $< \
		-v tool=$(call completed,$@) -v shell=$(notdir $(@D)) >$@

# A page ends with the version that it describes.
$(BUILD)/man/%: man/% $(BUILD)/with/manual
	@mkdir -p $(@D)
	$(call say,GEN)sed 's/^\.Os profutils$$/& $(VERSION)/' $< >$@

# The files of the flame graph page and of drawn graphs as arrays.
PAGE_FILES := $(addprefix lib/report/flame/page/flame.,html css) \
	$(call sources,lib/report/flame/page,*.js)
$(BUILD)/gen/flamepage.c: lib/report/embed.sh lib/report/flame/flamepage.h \
		$(PAGE_FILES) $(BUILD)/with/page
$(BUILD)/gen/dotpicture.c: lib/report/embed.sh lib/report/dot/dotpicture.h \
		$(addprefix lib/report/dot/picture.,css js)
$(GEN_ARRAYS:%=$(BUILD)/gen/%.c):
	@mkdir -p $(@D)
	$(call say,GEN)$< $(filter lib/%,$(wordlist 2,$(words $^),$^)) >$@

# Generated code keeps its own style: no warnings asked of it.
$(BUILD)/obj/gen/%.o: view := $(BUILD)/include/report
$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/with/compile \
		$(BUILD)/include/report/made | $(BUILD)/deps
	@mkdir -p $(@D)
	$(call say,CC)$(compile) -w

# One line that says what to install, instead of a compiler's many.
$(BUILD)/deps:
	@mkdir -p $(@D)
	@CC='$(CC)' CPPFLAGS='$(CPPFLAGS)' PKG_CONFIG='$(PKG_CONFIG)' \
		.ci/deps --check build
	@touch $@

# --- installing

## where to install; DESTDIR precedes each of the others
DESTDIR ?=
PREFIX ?= /usr/local
BINDIR := $(PREFIX)/bin
LIBDIR := $(PREFIX)/lib
INCLUDEDIR := $(PREFIX)/include
MANDIR := $(PREFIX)/share/man
DOCDIR := $(PREFIX)/share/doc/profutils
BASHDIR := $(PREFIX)/share/bash-completion/completions
ZSHDIR := $(PREFIX)/share/zsh/site-functions
# A fish that is not below PREFIX does not look there, unless XDG_DATA_DIRS is
# set: what is installed for the whole machine goes where it looks.
FISHDIR := $(or $(if $(filter /usr/local,$(PREFIX)),$(shell \
	$(PKG_CONFIG) --variable=completionsdir fish 2>/dev/null)),\
	$(PREFIX)/share/fish/vendor_completions.d)

# All that is installed: mode, directory, files.
define installed
$(call $(1),755,$(BINDIR),$(TOOLS:%=$(BUILD)/%))
$(call $(1),644,$(MANDIR)/man1,$(filter %.1,$(MANUAL)))
$(call $(1),644,$(MANDIR)/man3,$(filter %.3,$(MANUAL)))
$(call $(1),644,$(MANDIR)/man5,$(filter %.5,$(MANUAL)))
$(call $(1),644,$(MANDIR)/man7,$(filter %.7,$(MANUAL)))
$(call $(1),644,$(BASHDIR),$(filter $(BUILD)/completions/bash/%,$(COMPLETED)))
$(call $(1),644,$(ZSHDIR),$(filter $(BUILD)/completions/zsh/%,$(COMPLETED)))
$(call $(1),644,$(FISHDIR),$(filter $(BUILD)/completions/fish/%,$(COMPLETED)))
$(call $(1),644,$(DOCDIR),README.md CHANGELOG.md LICENSE $(wildcard man/*.json))
$(call $(1),755,$(DOCDIR)/examples,$(PROGRAMS))
$(call $(1),644,$(DOCDIR)/examples,$(EXAMPLES))
$(call $(1),644,$(DOCDIR)/examples/c,$(wildcard examples/c/*))
$(call $(1),644,$(INCLUDEDIR),$(PROFILE_H))
$(call $(1),644,$(LIBDIR),$(if $(PROFILE_H),$(BUILD)/libprofile.a))
$(call $(1),644,$(LIBDIR)/pkgconfig,$(if $(PROFILE_H),$(BUILD)/profile.pc))
endef
PROGRAMS := $(shell find examples -type f -perm -100)
EXAMPLES := $(filter-out %/c $(PROGRAMS),$(wildcard examples/*))
to = '$(DESTDIR)$(1)'
put = $(if $(3),install -d $(call to,$(2)) && \
	install -m $(1) $(3) $(call to,$(2)))
drop = $(if $(3),rm -f $(foreach f,$(notdir $(3)),$(call to,$(2)/$(f))))

## install the tools, their manual and completions, and libprofile
install: all
	$(call installed,put)
	$(if $(PROFILE_H),sed -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
		-e 's|@LIBDIR@|$(LIBDIR)|' $(BUILD)/profile.pc \
		>$(call to,$(LIBDIR)/pkgconfig/profile.pc))

## remove what `make install` with the same variables installs
uninstall:
	$(call installed,drop)
	-rmdir $(call to,$(DOCDIR)/examples/c) $(call to,$(DOCDIR)/examples) \
		$(call to,$(DOCDIR))

# --- other targets

## install what building and testing needs, and nothing else
deps:
	@DEPS=yes .ci/deps build optional check $(BROWSER_DEPS) lint

## make the site, in BUILD/html: README and manual, a tour, documents, a search
html: # The tour runs gcc, dot and objdump as well.
	@.ci/deps build optional check
	$(AGAIN) all
	@man/html/build $(BUILD)
	@echo '$(BUILD)/html/index.html'

## build all tools as one static program for any Linux, in an archive in
## BUILD-static, with libraries from the sources of the Debian release in use
static:
	@.ci/deps build static
	@static/build $(BUILD)-static

## pack the sources of a commit as profutils-VERSION.tar.gz
dist:
	@.ci/dist '$(REV)'

## write HOMEPAGE and MAINTAINER ('NAME <ADDRESS>') into debian/ and examples/
publish:
	@.ci/publish '$(HOMEPAGE)' '$(MAINTAINER)'

## the commit of `make dist` (default: HEAD)
REV ?= HEAD

## remove BUILD and the directories named after it, such as BUILD-asan
clean:
	rm -rf $(BUILD) $(BUILD)-*/

## print this list
help:
	@awk -f .ci/help.awk Makefile config.mk tests/Makefile tests/slow/Makefile

include tests/Makefile tests/slow/Makefile

# --- what targets are made with
#
# A file for each of these, written when it says something else than it does,
# so that what depends on it is made again.  What is built is installed as it
# is, unless flags are given then as well.

WITH_compile = $(CC) $(filter-out $(WERROR),$(ALL_CFLAGS))
$(foreach v,$(VIEWS),$(eval WITH_$(v) = '$(CURDIR)' $(call sees,$(v))))
WITH_link = $(CC) $(ALL_LDFLAGS) $(USED_SECTIONS) $(PKG_LIBS) $(LDLIBS)
WITH_library = $(AR) $(LIB_OBJ)
WITH_page = $(PAGE_FILES)
WITH_manual = $(VERSION)
WITH_package = $(VERSION) $(PKGS) $(HOMEPAGE)

WITH += $(VIEWS) compile link library page manual package
define compare
ifneq ($$(strip $$(file <$(BUILD)/with/$(1))),$$(strip $$(WITH_$(1))))
$(BUILD)/with/$(1): FORCE
endif
endef
FLAGS := CC AR CPPFLAGS CFLAGS LDFLAGS LDLIBS HARDEN HAVE_LIBDEFLATE HAVE_ISAL \
	ELFUTILS NETTLE LOAD SYSTEM VERSION PKG_CONFIG
ifneq ($(filter-out install uninstall,$(or $(MAKECMDGOALS),all))$(filter-out \
	default undefined file,$(foreach v,$(FLAGS),$(origin $(v)))),)
$(foreach w,$(WITH),$(eval $(call compare,$(w))))
endif
$(WITH:%=$(BUILD)/with/%): $(BUILD)/with/%:
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(strip $(WITH_$*)))' >$@

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
