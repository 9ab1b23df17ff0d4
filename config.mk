# The compiler, libraries and flags, as the user sets them or the machine has them
#
# The Makefile includes this file.  Set variables on the command line of make.

## the compiler and its flags
CC ?= cc
CPPFLAGS ?=
CFLAGS ?= -O2 -g
LDFLAGS ?=
LDLIBS ?=
PKG_CONFIG ?= pkg-config
OBJCOPY ?= $(shell $(CC) -print-prog-name=objcopy)
## -Werror: make warnings errors
WERROR ?=

# --- the system
#
# NAME_linux.c and NAME_posix.c have the same functions; one of them is built.
# All other files need only POSIX.1-2008 with XSI.  Linkers of other systems may
# lack the flags below.

## linux or posix (default: by `uname -s`); posix is for other systems and lacks
## the sandbox (lib/base/system.h lists the rest)
SYSTEM ?= $(if $(filter Linux,$(shell uname -s)),linux,posix)
ifeq ($(SYSTEM),linux)
NOT_BUILT := %_posix.c
AS_NEEDED := -Wl,--as-needed
SYSTEM_LIBS := -ldl
# A tool contains the functions that it calls, not whole files of them.  Not with
# sanitizers or profiling, whose data refers to all functions.
ifeq ($(findstring -fsanitize,$(CFLAGS))$(findstring -fprofile,$(CFLAGS)),)
SECTIONS := -ffunction-sections -fdata-sections
USED_SECTIONS := -Wl,--gc-sections
endif
else
NOT_BUILT := %_linux.c
endif

# --- libraries
#
# Those of PKGS are linked.  Of LOADED, which are loaded when they are needed
# (lib/base/library.h), and of INLINED only the headers are used.

PKGS := zlib
LOADED := libarchive libpcre2-8 libzstd
INLINED := libxxhash
HAVE_LIBDEFLATE ?= $(shell $(PKG_CONFIG) --exists libdeflate 2>/dev/null && \
	echo yes)
ifeq ($(HAVE_LIBDEFLATE),yes)
PKGS += libdeflate
NOT_BUILT += lib/io/gzip_zlib.c
else
NOT_BUILT += lib/io/gzip_libdeflate.c
endif

HAVE_ISAL ?= $(shell $(PKG_CONFIG) --exists libisal 2>/dev/null && echo yes)
ifeq ($(HAVE_ISAL),yes)
LOADED += libisal
NOT_BUILT += lib/io/without_isal.c
else
NOT_BUILT += lib/io/gzip_isal.c
endif

## no: build without elfutils, and so without symbols
ELFUTILS ?= yes
ifneq ($(ELFUTILS),no)
LOADED += libelf libdw
NOT_BUILT += lib/symbolize/without_elfutils.c
else
NOT_BUILT += $(addprefix lib/symbolize/,binary.c dwarf.c elf.c elfutils.c \
	find.c gprof_read.c listing.c owners_read.c places.c qualify.c symbol.c \
	symnames.c symtab.c unnamed.c build_ids.c cfi.c cfi_read.c unwind.c)
endif

## no: build without nettle, and so without pbfilter --anonymize
NETTLE ?= yes
ifneq ($(NETTLE),no)
LOADED += nettle
NOT_BUILT += lib/privacy/without_nettle.c
else
NOT_BUILT += lib/privacy/hmac.c
endif

## no: link the libraries that are otherwise loaded when they are needed
LOAD ?= $(if $(filter linux,$(SYSTEM)),yes,no)
ifeq ($(LOAD),no)
PKGS += $(LOADED)
LOAD_CFLAGS := -DSTATIC_LIBRARIES
endif

PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS) $(LOADED) $(INLINED) \
	2>/dev/null)
PKG_LIBS := $(AS_NEEDED) $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null) \
	-liberty -lm $(SYSTEM_LIBS)

# --- flags against exploits
#
# Those that the compiler has, all asked about in one go. _FORTIFY_SOURCE is
# nothing without optimization, stands in the way of sanitizers, and is left
# alone where the user's flags define it, as those of dpkg-buildflags do.

## no: omit the flags against exploits
HARDEN ?= yes
ifneq ($(HARDEN),no)
take = printf '\043include <stdlib.h>\n' | \
	$(CC) -Werror -O1 $(1) -c -x c -o /dev/null - 2>/dev/null
taken = $(shell if $(call take,$(1)); then echo '$(1)'; else \
	$(foreach f,$(1),$(call take,$(f)) && echo '$(f)';) fi)
HARDEN_CFLAGS := $(call taken,-fPIE -fstack-protector-strong \
	-fstack-clash-protection -fcf-protection)
FORTIFY := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=
OPTIMIZED := $(filter-out -O0,$(lastword $(filter -O%,$(CFLAGS))))
ifeq ($(if $(OPTIMIZED),,no)$(findstring -fsanitize,$(CFLAGS))$(findstring \
	_FORTIFY_SOURCE,$(CC) $(CPPFLAGS) $(CFLAGS)),)
HARDEN_CFLAGS += $(FORTIFY)$(shell $(call take,$(FORTIFY)3) && echo 3 || echo 2)
endif
ifeq ($(SYSTEM),linux)
HARDEN_LDFLAGS := -pie -Wl,-z,relro,-z,now,-z,noexecstack
endif
endif

# --- all flags

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith -Wwrite-strings -Wvla -Wundef
# 32-bit x86 would compute in 80 bits, and its reports differ from others'.
DOUBLES := $(shell $(CC) $(CFLAGS) -dM -E -x c /dev/null 2>/dev/null | \
	grep -q __i386__ && echo -msse2 -mfpmath=sse)
FEATURES := -D_XOPEN_SOURCE=700
$(BUILD)/obj/%_linux.o $(BUILD)/obj/tests/%.o: FEATURES := -D_GNU_SOURCE
# Files and reports have times beyond 2038, on 32-bit machines too.  What calls
# functions of libarchive that take a time has the time_t of libraries there,
# which is 32 bits wide.
TIME_BITS := -D_TIME_BITS=64
$(BUILD)/obj/lib/io/la_time.o: TIME_BITS :=
ALL_CFLAGS = -std=c11 $(FEATURES) $(LOAD_CFLAGS) -D_FILE_OFFSET_BITS=64 \
	-DPROFUTILS_VERSION='"$(VERSION)"' $(WARN) $(WERROR) -pthread \
	$(PKG_CFLAGS) $(HARDEN_CFLAGS) $(SECTIONS) $(DOUBLES) $(TIME_BITS) \
	$(CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS = -pthread $(HARDEN_LDFLAGS) $(CFLAGS) $(LDFLAGS)
